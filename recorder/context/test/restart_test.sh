#!/bin/bash
# A scope that stays open while recordings begin and end is in every one of them: 100 of them on each
# JDK, 1000 with SOAK=1.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh

if [ ! -e "$agent" ] || [ ! -e "$B/jfrkit.jar" ]; then
    skip "contexts over restarts" "the agent was not built"
    exit 0
fi
jar=$(realpath "$B/jfrkit.jar")
n=100
[ "${SOAK:-0}" = 0 ] || n=1000

# Each read of our file, and each scope, as "read USER" and "scope USER".
seen() {
    "$B/jfr2json" --layout ndjson --stack-depth 0 -e jdk.FileRead,jfrkit.TracerContext "$1" |
        jq -r --arg d "$dir/" 'if .type == "jdk.FileRead"
            then .values | select(.path != null and (.path | startswith($d))) |
                "read \(.path | ltrimstr($d)) \(.["tracer-context_user"])"
            else "scope \(.values.user) \(.values.user)" end'
}

once() { # a recording of $pause milliseconds
    "$B/jfrec" start -o "$file" --settings none --setting +jdk.FileRead#enabled=true \
        --setting +jdk.FileRead#threshold=0ns --setting +jdk.FileRead#withContext=true "$pid" \
        >"$work/said" 2>&1 || wrong "start $i: $(cat "$work/said")"
    sleep "$((pause / 1000)).$(printf %03d $((pause % 1000)))"
    "$B/jfrec" stop -v "$pid" >"$work/said" 2>&1 || wrong "stop $i: $(cat "$work/said")"
    seen "$file" >"$work/got"
}

restarts() {
    local i pause file=$work/$v.jfr

    dir=$work/files-$v
    "$home/bin/java" -cp "$classes:$jar" Contexts open "$dir" 3600 >"$work/out" 2>"$work/err" &
    pid=$!
    children+=("$pid")
    wait_for "$work/out" '^active=' || give_up 'the program did not start'
    for ((i = 1; i <= n; i++)); do
        pause=80
        # one in which the program had no turn is no proof: the next one takes longer
        until once && grep -q ^read "$work/got" || [ $pause -gt 5000 ]; do
            pause=$((pause * 2))
        done
        awk -v i="$i" '$2 != $3 { bad++; say = say "; " NR ": " $0 } { n[$1]++ }
            END { if (bad > 0 || n["read"] == 0 || n["scope"] == 0)
                print "recording " i ": " n["read"] + 0 " reads, " n["scope"] + 0 " scopes, " bad + 0 " wrong" say }' \
            "$work/got" >>"$work/wrong"
        [ ! -s "$work/wrong" ] || break
    done
    kill "$pid"
    wait "$pid" 2>/dev/null
    verdict "$n recordings of a scope that stays open, JDK $v"
}

for home in $(jdks); do
    v=$(release "$home")
    workload "$home" || give_up "$why"
    restarts
done
exit $failed
