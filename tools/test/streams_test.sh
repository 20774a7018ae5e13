#!/bin/bash
# Standard output: nothing is written before an input could be read, and a reader that has enough ends
# the command without a word.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/sample_lib.sh
f=$(own_recordings jdk17-server)
programs='jfr2collapsed jfr2flame jfr2pprof jfr2otlp jfr2speedscope jfr2firefox jfr2json jfr2csv jfr2trace
    jfr2table jfrcat jfrcut jfrannotate jfrmeta jfrsummary'

echo 'no recording' >"$work/notes.txt"
: >"$work/empty.jfr"
for name in $programs 'jfr2json -l ndjson' 'jfr2json -l columns' 'jfr2json -l d3' 'jfr2csv --fields startTime'; do
    for input in "$work/missing.jfr" "$work/notes.txt" "$work/empty.jfr"; do
        # shellcheck disable=SC2086 # options
        "$B"/$name "$input" >"$work/out" 2>"$work/err"
        same "$name $input: exit code" $? 1
        same "$name $input: bytes" "$(stat -c %s "$work/out")" 0
        same "$name $input: messages" "$(wc -l <"$work/err")" 1
    done
done
verdict 'an input that cannot be read: one message and no output'

# of those whose output has no room in a pipe
for name in jfr2json jfr2csv jfr2trace jfr2firefox jfrcat jfrcut 'jfr2json -j 4' 'jfrmeta -f json'; do
    # shellcheck disable=SC2086
    (ulimit -c 0; exec "$B"/$name "$f" 2>"$work/err") | head -c 1 >"$work/out"
    same "$name: exit code" "${PIPESTATUS[0]}" 141
    same "$name: bytes of messages" "$(stat -c %s "$work/err")" 0
done
verdict 'a reader that has enough'

"$B/jfr2json" -o "$work/x.json" "$f" | head -c 1 >"$work/out"
[ -s "$work/x.json" ] || echo 'no file' >>"$work/wrong"
"$B/jfr2json" "$f" >"$work/y.json"
cmp "$work/x.json" "$work/y.json" >>"$work/wrong" 2>&1
verdict 'a file is written whole'
exit $failed
