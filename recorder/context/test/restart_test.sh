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

# A recorder that comes while the program starts is found by it, whenever that is: a class that looked
# just before the recorder was there does not look again.
starting() {
    local i out=$work/starting-$v

    for i in 1 2 3 4 5 6 7 8; do
        (
            "$home/bin/java" -cp "$classes:$jar" Contexts open "$out.$i" 3600 >"$out.$i.out" 2>&1 &
            echo $! >"$out.$i.pid"
            sleep "0.0$((i + 1))"
            "$B/jfrec" start -q -o "$out.$i.jfr" --settings none --setting +jdk.FileRead#enabled=true \
                --setting +jdk.FileRead#threshold=0ns --setting +jdk.FileRead#withContext=true $! >"$out.$i.said" 2>&1
        ) &
    done
    wait
    for i in 1 2 3 4 5 6 7 8; do
        pid=$(cat "$out.$i.pid")
        children+=("$pid")
        n=300
        until "$B/jfrec" dump -q -o "$out.$i.so-far.jfr" "$pid" 2>/dev/null &&
            "$B/jfr2json" -q -l ndjson -e jdk.FileRead -c user "$out.$i.so-far.jfr" 2>/dev/null | grep -q . || [ $n = 0 ]; do
            n=$((n - 1))
            sleep 0.1
        done
        [ $n -gt 0 ] || wrong "attached after 0.0$((i + 1)) s: no read has a user: $(cat "$out.$i.said" "$out.$i.out")"
        kill -9 "$pid"
    done
    verdict "a recorder that comes while the program starts, JDK $v"
}

mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    v=$(release "$home")
    workload || give_up "$why"
    restarts
    starting
done
exit $failed
