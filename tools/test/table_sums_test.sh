#!/bin/bash
# Rows and sums by any field (jfr2table --sum, --p99 ...) against what jq makes of the same events.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/sample_lib.sh
. tools/test/answers_lib.sh
table=$B/jfr2table
command -v jq >/dev/null || { echo 'skip sums of fields: no jq'; exit 0; }

own=$(own_recordings jfrkit-jdk25)
"$B/jfr2json" -l ndjson --with-context --time-anchor chunk -e jdk.FileRead "$own" >"$work/events"
[ "$(wc -l <"$work/events")" -gt 1000 ] || wrong 'too few events'

# A percentile lies between two values as its share says; durations are "PT0.000123S".
cat >"$work/lib.jq" <<'E2'
def ns: ltrimstr("PT") | rtrimstr("S") | tonumber * 1e9 | round;
def percentile(p): sort | (p * (length + 1)) as $at | ($at | floor) as $i | length as $n |
    if $i < 1 then .[0] elif $i >= $n then .[$n - 1] else .[$i - 1] + ($at - $i) * (.[$i] - .[$i - 1]) end | floor;
def sums: [length, ([.[].bytes] | add), ([.[].bytes] | add / length | round), ([.[].ns] | min), ([.[].ns] | max),
    ([.[].ns] | percentile(.5)), ([.[].ns] | percentile(.9)), ([.[].ns] | percentile(.95)), ([.[].ns] | percentile(.99)),
    ([.[].ns] | percentile(.999)), ([.[].path] | unique | length), .[0].path, .[-1].path];
def events: [inputs | {type, user: (.context.user // ""), thread: (.values.eventThread.javaName // .values.eventThread.osName),
    path: .values.path, bytes: .values.bytesRead, ns: (.values.duration | ns), end: .values.endOfFile,
    second: .values.startTime[0:19]}];
E2
asked=(--sum bytesRead --avg bytesRead --min duration --max duration --p50 duration --p90 duration --p95 duration
    --p99 duration --p999 duration --unique path --first path --last path)

# A line for each value of a key, sorted: the value, then all sums.
expected() { # JQ-KEY
    jq -n -r -L "$work" "include \"lib\"; events | group_by($1)[] | [.[0] | $1] + sums | @csv" "$work/events" | tr -d '"' | sort
}
real() { # WORD
    "$table" -e jdk.FileRead --by "$1" "${asked[@]}" -f csv "$own" | tail -n +2 |
        tr -d '\r"' | sort
}
for pair in path=.path field.path=.path user=.user context.user=.user thread=.thread endOfFile=.end event=.type; do
    expected "${pair#*=}" >"$work/want"
    real "${pair%%=*}" >"$work/have"
    [ -s "$work/want" ] && [ "$(wc -l <"$work/want")" -ge 1 ] || wrong "--by ${pair%%=*}: nothing to compare with"
    diff "$work/want" "$work/have" >>"$work/wrong" 2>&1
done
verdict 'all sums by every kind of key are those of jq'

jq -n -r -L "$work" 'include "lib"; events | group_by(.second)[] | [.[0].second, length, ([.[].bytes] | add)] | @csv' "$work/events" |
    tr -d '"' >"$work/want"
"$table" -e jdk.FileRead --by 'bucket(1s)' --sum bytesRead -f csv "$own" | tail -n +2 | tr -d '\r' | while IFS=, read -r at n sum; do
    echo "$(date -u -d "@$((at / 1000000000))" +%Y-%m-%dT%H:%M:%S),$n,$sum"
done >"$work/have"
diff "$work/want" "$work/have" >>"$work/wrong"
[ "$(wc -l <"$work/have")" -ge 2 ] || wrong 'one bucket only'
for bucket in 1ms 1s 1d; do
    "$table" -e jdk.FileRead --by "bucket($bucket)" --sum bytesRead "$own" | tail -n +2 | awk '{ print $1 }' | date -u -f - +%s%N
    echo
done >"$work/have"
for bucket in 1ms 1s 1d; do
    "$table" -e jdk.FileRead --by "bucket($bucket)" --sum bytesRead -f csv "$own" | tail -n +2 | cut -d, -f1
    echo
done >"$work/want"
diff "$work/want" "$work/have" >>"$work/wrong"
verdict 'buckets of time are in their order, and have date and time as text'

# Without a sum they have the columns of every table by user or thread.
"$table" -e jdk.FileRead --by 'bucket(1s)' -f csv "$own" | tail -n +2 | tr -d '\r' | while IFS=, read -r at n _ _ _ _ sum _; do
    echo "$(date -u -d "@$((at / 1000000000))" +%Y-%m-%dT%H:%M:%S),$n,$sum"
done >"$work/have"
jq -n -r -L "$work" 'include "lib"; events | group_by(.second)[] | [.[0].second, length, ([.[].bytes] | add)] | @csv' "$work/events" |
    tr -d '"' >"$work/want"
diff "$work/want" "$work/have" >>"$work/wrong"
[ "$(wc -l <"$work/have")" -ge 2 ] || wrong 'one bucket only'
for by in user thread event; do
    "$table" --by "bucket(1s),$by" -f csv "$own" | tail -n +2 | tr -d '\r' >"$work/rows"
    cut -d, -f1 "$work/rows" | sort -nc 2>>"$work/wrong"
    [ "$(cut -d, -f1 "$work/rows" | sort -u | wc -l)" -ge 2 ] || wrong "$by: one bucket only"
    same "sums of buckets by $by" "$(awk -F, '{ n[$2] += $3; cpu[$2] += $6; read[$2] += $8 } END { for (v in n) print v, n[v], cpu[v], read[v] }' "$work/rows" | sort)" \
        "$("$table" --by "$by" -f csv "$own" | tail -n +2 | tr -d '\r' | awk -F, '{ print $1, $2, $5 + 0, $7 + 0 }' | sort)"
    sort -t, -k1,1n -k3,3nr -s "$work/rows" | diff "$work/rows" - >>"$work/wrong"
done
same 'context.user is user' "$("$table" --by 'bucket(1s),context.user' -f csv "$own" | tail -n +2 | cksum)" "$("$table" --by 'bucket(1s),user' -f csv "$own" | tail -n +2 | cksum)"
same 'methods are counted' "$("$table" -e FileRead --by 'bucket(1s),method' -f csv "$own" | head -1 | tr -d '\r')" 'bucket(1s),method,count'
verdict 'buckets of time by user, thread and type have what the whole has'

same 'two keys' "$("$table" -e FileRead --by user,path --sum bytesRead -f csv "$own" | tail -n +2 | tr -d '\r' | sort | cksum)" \
    "$(jq -n -r -L "$work" 'include "lib"; events | group_by([.user, .path])[] | [.[0].user, .[0].path, length, ([.[].bytes] | add)] | @csv' \
        "$work/events" | tr -d '"' | sort | cksum)"
same 'no key' "$("$table" -e FileRead --sum bytesRead -f csv "$own" | tail -1 | tr -d '\r')" \
    "$(jq -n -r -L "$work" 'include "lib"; events | [length, ([.[].bytes] | add)] | @csv' "$work/events")"
same 'two inputs' "$("$table" -e FileRead --by input --sum bytesRead -f csv "$own" "$own" | tail -n +2 | wc -l)" 1
cp "$own" "$work/again.jfr"
same 'of two names' "$("$table" -e FileRead --by input --sum bytesRead -f csv "$own" "$work/again.jfr" | tail -n +2 | wc -l)" 2
same 'the largest first' "$("$table" -e FileRead --by path --sum bytesRead -f csv "$own" | tail -n +2 | cut -d, -f3 | tr -d '\r' | sort -rnc 2>&1)" ''
same 'sorted as asked' "$("$table" -e FileRead --by path --sum bytesRead -S path -n 2 -f csv "$own" | tail -n +2 | cut -d, -f1)" \
    "$(jq -n -r -L "$work" 'include "lib"; [events[].path] | unique | .[0:2][]' "$work/events")"
verdict 'several keys, none, several inputs, order'

# With an event type selected, a field needs no sum and no "field."; a context of that name comes first.
same 'a field' "$("$table" -e FileRead --by path -f csv "$own" | cksum)" "$("$table" -e FileRead --by field.path -f csv "$own" | sed '1s/field.path/path/' | cksum)"
[ "$("$table" -e FileRead --by path "$own" | wc -l)" -gt 2 ] || wrong 'few paths'
same 'a context' "$("$table" -e FileRead --by user -f csv "$own" | head -1 | tr -d '\r')" "$("$table" -e FileRead --by user -f csv - <"$own" | head -1 | tr -d '\r')"
[[ $("$table" -e FileRead --by user -f csv "$own" | head -1) == user,samples,* ]] || wrong 'a context is no field'
same 'no event selected' "$("$table" --by path "$own" 2>&1 | grep -c "has 'path'")" 1
verdict 'a field of the selected events, without a sum'

# Lines and packages of the frame on top.
"$B/jfr2json" -l ndjson --time-anchor chunk -e jdk.ExecutionSample "$(own_recordings jdk25-server)" |
    jq -r '.values.stackTrace.frames[0] | [(.method.type.package.name // "[default package]" | gsub("/"; ".")), .lineNumber] | @tsv' >"$work/frames"
[ "$(wc -l <"$work/frames")" -gt 50 ] || wrong 'few samples'
same packages "$("$table" -e ExecutionSample --by package --unique startTime -f csv "$(own_recordings jdk25-server)" |
    tail -n +2 | cut -d, -f1,2 | tr -d '\r' | sort)" "$(cut -f1 "$work/frames" | sort | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/\2,\1/' | sort)"
same lines "$("$table" -e ExecutionSample --by line --unique startTime -f tsv "$(own_recordings jdk25-server)" | tail -n +2 |
    cut -f1,2 | sed 's/.*:\([0-9]*\)\t/\1 /' | awk '{ n[$1] += $2 } END { for (l in n) if (l + 0 > 0) print l, n[l] }' | sort)" \
    "$(cut -f2 "$work/frames" | awk '$1 > 0 { n[$1]++ } END { for (l in n) print l, n[l] }' | sort)"
same 'the field of stacks' "$("$table" -e ExecutionSample --by stackTrace -f csv "$(own_recordings jdk25-server)" | tail -n +2 | cksum)" \
    "$("$table" -e ExecutionSample --by stack --unique startTime -f csv "$(own_recordings jdk25-server)" | tail -n +2 | cut -d, -f1- |
        sed 's/,[0-9]*\r*$//' | cksum)"
verdict 'lines and packages of the method on top, and whole stacks'

# Chunks are read by several threads and taken over in their order; views, too.
"$B/jfrcat" -o "$work/many.jfr" "$own" "$(own_recordings jdk25-server)" "$(own_recordings jdk17-server)"
inputs=("$work/many.jfr" "$own" "$work/many.jfr")
for n in 2 4; do
    same "$n threads" "$("$table" -j $n --by user,event,thread "${asked[@]}" -f csv "${inputs[@]}" | cksum)" \
        "$("$table" -j 1 --by user,event,thread "${asked[@]}" -f csv "${inputs[@]}" | cksum)"
    same "views, $n threads" "$("$B/jfrview" -j $n all-views "${inputs[@]}" | cksum)" "$("$B/jfrview" -j 1 all-views "${inputs[@]}" | cksum)"
done
[ "$("$table" --by user,event,thread "${asked[@]}" -f csv "${inputs[@]}" | wc -l)" -gt 100 ] || wrong 'few rows'
verdict 'the sums do not depend on the number of threads'

refused() { # WORDS MESSAGE [FILE]
    # shellcheck disable=SC2086
    "$table" $1 "${3:-$own}" >"$work/out" 2>"$work/err"
    same "$1" "$? $(head -1 "$work/err")" "2 jfr2table: $2"
    [ ! -s "$work/out" ] || wrong "$1: an output"
}
refused '-e FileRead --by path --sum bytesRed' "no selected event has 'bytesRed', did you mean 'bytesRead'?"
refused '-e FileRead --by pth --sum bytesRead' "no selected event has 'pth', did you mean 'path'?"
refused '-e FileRead --by field.pth' "no selected event has 'pth', did you mean 'path'?"
refused '-e FileRead --sum path' "'path' is no number: --unique, --first and --last take texts"
refused '-e FileRead --sum stackTrace' "'stackTrace' is no number: --unique, --first and --last take texts"
refused '-e GCHeapSummary --max heapSpace' "'heapSpace' is no number: --unique, --first and --last take texts" \
    "$(own_recordings jdk25-server)"
refused '-e FileRead --by bucket(0s) --sum bytesRead' "--by: '0s' is no time (try --help)"
refused '--by bucket(0s)' "--by: '0s' is no time (try --help)"
refused '-e FileRead --by bucket(1s --sum bytesRead' "--by: 'bucket(1s' is not like bucket(1s) (try --help)"
refused '--sum bytesRead -k cpu' "--kind does not go with sums of fields: select events with -e (try --help)"
refused '--by a,b,c,d,e,f,g --sum bytesRead' "--by: more than 6 words (try --help)"
same 'an attribute is named' "$("$table" -e FileRead --by context.usr "$own" 2>&1 | grep -c "has 'usr'; keys here: .*user")" 1
same 'keys are named' "$("$table" -e FileRead --by usr --sum bytesRead "$own" 2>&1 | grep -c "has 'usr'; keys here: .*user")" 1
"$table" --fail-empty -e Nothing --sum bytesRead "$own" >/dev/null 2>&1
same 'nothing selected' $? 4
"$table" --fail-empty -e FileRead -w 'bytesRead > 1GB' --sum bytesRead "$own" >/dev/null 2>&1
same 'nothing left' $? 4
verdict 'what no event has is named'
exit $failed
