#!/bin/bash
# jfr2table against sums that other commands and jq make of the same recordings.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/jdk_lib.sh
. tools/test/sample_lib.sh
. tools/test/answers_lib.sh
shared=${SHARED:-../shared}
table=$B/jfr2table

[ -x "$B/convert/context/test/context_test" ] || { echo 'skip jfr2table: context_test is not built'; exit 0; }
command -v jq >/dev/null || { echo 'skip jfr2table: no jq'; exit 0; }

for how in FIELDS SPANS BOTH LATE; do
    "$B/convert/context/test/context_test" --write "$work/own.jfr" $how 4 120 5 || echo 'not written' >>"$work/wrong"
    "$table" --by user -f csv "$work/own.jfr" >"$work/csv"
    # 30 requests each: user + 1 samples of CPUTime 20 ms (one each), 100 * (user + 1) bytes, ...
    for u in 0 1 2 3; do
        want="user$u,30,0.25,$((30 * 20000000)),30000,$((30 * 100 * (u + 1))),210,1500000,450000"
        same "$how, user$u" "$(grep "^user$u," "$work/csv" | cut -d, -f1-3,5-10)" "$want"
    done
    case $how in
    FIELDS) want=,,,; ;;
    *) want=30,30,30,30 ;;
    esac
    same "$how, requests" "$(cut -d, -f11 "$work/csv" | tail -n +2 | head -4 | paste -sd,)" "$want"
    # wall: 1 + 2 + 3 + 4 samples each 30 times, and 120 of nobody
    "$table" --by user -k wall -f csv "$work/own.jfr" >"$work/csv"
    same "$how, wall" "$(cut -d, -f1-2 "$work/csv" | tail -n +2 | paste -sd' ')" \
        'user3,120 ,120 user2,90 user1,60 user0,30'
    se=$(awk -F, '/^user3/ { print $4 }' "$work/csv")
    same "$how, standard error" "$(awk "BEGIN { p = 120 / 420; d = $se - sqrt(p * (1 - p) / 420); print (d < 1e-9 && d > -1e-9) }")" 1
    for n in 2 4; do
        same "$how, $n threads" "$("$table" -j $n --by user,action,thread -f json "$work/own.jfr" | cksum)" \
            "$("$table" -j 1 --by user,action,thread -f json "$work/own.jfr" | cksum)"
    done
done
verdict 'the sums of every user are what was written'

"$B/convert/context/test/context_test" --write "$work/own.jfr" BOTH 4 120 5
one=$("$table" --by user -f csv "$work/own.jfr" | awk -F, '/^user1/ { print 2 * $2, 2 * $5, 2 * $7 }')
two=$("$table" --by user -f csv "$work/own.jfr" "$work/own.jfr" | awk -F, '/^user1/ { print $2, $5, $7 }')
same 'two inputs' "$two" "$one"
same 'a pipe' "$(cat "$work/own.jfr" | "$table" --by user | cksum)" "$("$table" --by user "$work/own.jfr" | cksum)"
verdict 'several inputs add up'

same 'filter' "$("$table" --by user -c action=load -C user=user0 -f csv "$work/own.jfr" | cut -d, -f1,2 | tail -n +2 | paste -sd' ')" 'user2,30'
same 'sort' "$("$table" --by user -k wall --sort -samples -f csv "$work/own.jfr" | cut -d, -f2 | tail -n +2 | paste -sd' ')" '30 60 90 120 120'
same 'sort by name' "$("$table" --by user --sort user --limit 2 -f csv "$work/own.jfr" | cut -d, -f1 | tail -n +2 | paste -sd' ')" 'user0 user1'
for bad in '--by user,user' '--by method,line' '--format nope' '--limit x' '--by input,method' '--group-by user'; do
    "$table" $bad "$work/own.jfr" >/dev/null 2>"$work/err"
    same "$bad" "$? $(wc -l <"$work/err")" '2 1'
done
"$table" --by user --sort nope "$work/own.jfr" >/dev/null 2>"$work/err"
same 'no column' "$? $(head -1 "$work/err")" "2 jfr2table: --sort: there is no column 'nope'; there are:"
same 'misspelt' "$("$table" --by user,usr --limit 1 "$work/own.jfr" 2>&1 >/dev/null)" "jfr2table: no event has 'usr'; keys here: user, action"
same 'misspelt, by method' "$("$table" --by usr,method "$work/own.jfr" 2>&1 >/dev/null)" "jfr2table: no event has 'usr'; keys here: user, action"
same 'misspelt, and quiet' "$("$table" -q --by usr "$work/own.jfr" 2>&1 >/dev/null)" "jfr2table: no event has 'usr'; keys here: user, action"
"$table" --by user --fail-empty -e None "$work/own.jfr" >/dev/null 2>&1
same 'nothing' $? 4
head -c 20000 "$work/own.jfr" >"$work/cut.jfr"
"$table" --by user "$work/cut.jfr" >/dev/null 2>&1
same 'cut' $? 3
same 'help' "$([ "$("$table" --help | wc -l)" -le 40 ]; echo $?)" 0
verdict 'sorting, filters, exit codes'

# Small groups together. Wall: user0 30, user1 60, user2 90, user3 120, nobody 120, of 420.
rows() { # COLUMNS OPTION...
    local columns=$1
    shift
    "$table" -k wall -f csv "$@" "$work/own.jfr" | tail -n +2 | cut -d, -f"$columns" | sort | paste -sd' '
}
all_of() { "$table" -k wall -f json "$@" "$work/own.jfr" | jq -c '.rows | [.[0] | keys_unsorted[] as $k | select($k | test("_(ns|bytes)$|samples|requests|top$")) | $k] as $k | [.[]] | [$k[] as $c | [$c, (map(.[$c]) | add)]]'; }
same 'of fewer than 90' "$(rows 1,2 --by user --min-group 90)" '(others),90 ,120 user2,90 user3,120'
same 'of fewer than 91' "$(rows 1,2 --by user --min-group 91)" '(others),180 ,120 user3,120'
same 'of less than 20%' "$(rows 1,2 --by user --min-group 20%)" "$(rows 1,2 --by user --min-group 84)"
same 'none are small' "$(rows 1- --by user --min-group 30)" "$(rows 1- --by user)"
same 'all are small' "$(rows 1,2 --by user,action --min-group 1000)" '(others),(others)'
same 'all are small, samples' "$(rows 3 --by user,action --min-group 1000)" 420
for min in 31 90 1000 15%; do
    [ "$(all_of --by user | jq 'length')" -ge 8 ] || echo 'no columns to compare' >>"$work/wrong"
    same "total, $min" "$(all_of --by user --min-group $min)" "$(all_of --by user)"
    same "total by method, $min" "$(all_of --by user,method --min-group $min | jq -c '.[:1]')" "$(all_of --by user,method | jq -c '.[:1]')"
done
# Those of one method under (others) are those of it under each of the small users.
same 'by method' "$(rows 1-3 --by user,method --min-group 61 | tr ' ' '\n' | grep '^(others)')" \
    "$(rows 1-3 --by user,method | tr ' ' '\n' | awk -F, '$1 == "user0" || $1 == "user1" { n[$2] += $3 } END { for (m in n) print "(others)," m "," n[m] }' | sort)"
same 'by stack' "$(rows 1,3 --by user,stack --min-group 61 | tr ' ' '\n' | awk -F, '{ n[$1] += $2 } END { for (u in n) print u "," n[u] }' | sort | paste -sd' ')" \
    "$(rows 1,2 --by user --min-group 61)"
same 'says so' "$("$table" -k wall --by user --min-group 61 -f json "$work/own.jfr" | jq -r '.notes[]' | grep others)" '(others): 2 groups'
for bad in '--by user --min-group x' '--by user --min-group -1' '--by user --min-group 1.5' '--by user --min-group 101%' \
    '--by user --min-group 1%x' '--by method --min-group 5' '--min-group 5'; do
    "$table" $bad "$work/own.jfr" >/dev/null 2>"$work/err"
    same "$bad" "$? $(wc -l <"$work/err")" '2 1'
done
verdict 'small groups together'

# Methods: totals of any recording as its collapsed stacks have them.
for f in "$work/own.jfr" $(own_recordings async-profiler-jdk25) \
    ${SOAK:+"$shared"/recordings/jdk/hotmethods.jfr "$shared"/recordings/async-profiler/ap45-jdk25.jfr}; do
    [ -e "$f" ] || continue
    "$B/jfr2collapsed" "$f" | awk '{
        n = $NF; line = $0; sub(/ [0-9]+$/, "", line); k = split(line, s, ";"); delete met
        for (i = 1; i <= k; i++) if (!(s[i] in met)) { met[s[i]] = 1; total[s[i]] += n }
        top[s[k]] += n; all += n
    } END { for (m in total) print m "\t" total[m] "\t" top[m] + 0 }' | sort >"$work/want"
    "$table" --by method -f json "$f" | jq -r '.rows[] | "\(.method)\t\(.samples)\t\(.top)"' | sort >"$work/got"
    cmp -s "$work/want" "$work/got" || diff "$work/want" "$work/got" | head -5 >>"$work/wrong"
    same 'stacks' "$("$table" --by stack -f json "$f" | jq -r '.rows[] | "\(.stack) \(.samples)"' | sort | cksum)" \
        "$("$B/jfr2collapsed" "$f" | sort | cksum)"
    same 'events' "$("$table" --by event -f json "$f" | jq '[.rows[].samples] | add')" \
        "$("$B/jfr2json" -l ndjson "$f" | wc -l)"
    for d in thread state; do
        same "$d" "$("$table" --by $d -f json "$f" | jq '[.rows[].samples] | add')" \
            "$("$B/jfr2collapsed" "$f" | awk '{ n += $NF } END { print n }')"
    done
done
verdict 'methods, stacks, events and threads as the other commands count them'

# Each thread's sums, worked out by jq from what the JDK's tool prints; without the time in which pools wait for work.
f=$(own_recordings jdk25-server)
if json_of "$f" "$work/json" >>"$work/wrong"; then
    "$B/jfr2json" -q --compat 25 --stack-depth 20 "$f" >"$work/json" # deep enough for what a pool waits in
    jq -r '
        def ns: capture("^PT((?<m>[0-9]+)M)?(?<s>[0-9.]+)S$") | ((.m // "0" | tonumber) * 60 + (.s | tonumber)) * 1e9 | round;
        [.recording.events[] | select(.type | test("ExecutionSample|ObjectAllocationSample|JavaMonitorEnter|ThreadPark"))
            | .values + {type}
            | {thread: (.sampledThread // .eventThread).javaName, type,
               idle: any(.stackTrace.frames[]?; "\(.method.type.name).\(.method.name)" | gsub("/"; ".")
                   | test("ThreadPoolExecutor.getTask|ForkJoinPool.awaitWork|ReferenceQueue.remove|TimerThread.mainLoop")), n: (if .stackTrace == null then 0 else 1 end),
               weight: (.weight // 0), ns: (.duration // "PT0S" | ns)}]
        | group_by(.thread)[]
        | [.[0].thread // "",
           ([.[] | select(.type == "jdk.ExecutionSample") | .n] | add // 0),
           ([.[] | select(.type == "jdk.ExecutionSample")] | length) * 10000000,
           ([.[] | select(.type == "jdk.ObjectAllocationSample") | .weight] | add // 0),
           ([.[] | select(.type == "jdk.JavaMonitorEnter" or (.type == "jdk.ThreadPark" and (.idle | not))) | .ns] | add // 0)]
        | select(.[1:] | add > 0) | @tsv' "$work/json" | sort >"$work/want"
    "$table" --by thread -f json "$f" | jq -r '.rows[] | [.thread // "", .samples, .cpu_ns, .allocated_bytes, .lock_ns] | @tsv' |
        sort >"$work/got"
    cmp -s "$work/want" "$work/got" || diff "$work/want" "$work/got" | head -5 >>"$work/wrong"
    same 'its period' "$("$table" --by thread -f json "$f" | jq -r '.notes[]')" 'CPU: samples of jdk.ExecutionSample times 10 ms'
fi
verdict 'CPU, bytes and locks of each thread as jq makes them of jfr print'

# Tables for people split the events without a user; CSV and JSON have one row for them, with the same sums.
f=$(own_recordings jfrkit-jdk25)
"$table" --by user -f tsv "$f" | awk -F '\t' '/^\((JVM: [A-Za-z]+|idle pool threads|no user)\)/ { n += $2; rows++ } END { print rows " rows, " n }' >"$work/got"
"$table" --by user -f json "$f" | jq -r '.rows | map(select(.user == null)) | "\(length) row, \(.[0].samples)"' >"$work/want"
same 'samples of no user' "$(cut -d' ' -f3 "$work/got")" "$(cut -d' ' -f3 "$work/want")"
[ "$(cut -d' ' -f1 "$work/got")" -ge 2 ] && [ "$(cut -d' ' -f1 "$work/want")" = 1 ] || wrong "$(cat "$work/got" "$work/want")"
verdict 'events of no user by whose they are'

# Names are anybody's.
"$table" --by user,method -f html "$work/own.jfr" >"$work/page.html"
grep -q "default-src 'none'" "$work/page.html" || echo 'no policy' >>"$work/wrong"
want=$(sed -n 's/.*<style>\(.*\)<\/style>.*/\1/p' "$work/page.html" | tr -d '\n' | openssl dgst -sha256 -binary 2>/dev/null | base64)
[ -z "$want" ] || grep -qF "sha256-$want'" "$work/page.html" || echo "the policy does not have the style's hash $want" >>"$work/wrong"
"$table" --by stack -f html "$f" 2>/dev/null | grep -q 'lt;init' || echo 'not escaped' >>"$work/wrong"
"$table" --by user -f md "$work/own.jfr" | head -2 | tail -1 | grep -q '^| --- | ---: |' || echo 'no Markdown' >>"$work/wrong"
verdict 'pages and Markdown'
exit $failed
