#!/bin/bash
# A recording that goes on and on: classes come and go, chunks end, and what no chunk names any more
# is forgotten. Memory does not grow, and all that is still named has its name.
#   SOAK=1   three minutes instead of six seconds
. test-data/workload/lib.sh

name='constants of a long recording'
[ -e "$agent" ] || { skip "$name" 'the agent was not built'; exit 0; }
mapfile -t homes < <(jdks)
# Nothing of this differs between JDKs.
[ ${#homes[@]} != 0 ] || { skip "$name" 'no JDK'; exit 0; }
[ -n "${SOAK:-}" ] || homes=("${homes[-1]}")
seconds=$([ -n "${SOAK:-}" ] && echo 180 || echo 6)
LIMIT=$((seconds + 300))

status() { # status KEY: what the end of the recording said
    sed -n "s/^$1: //p" "$work/reply"
}

# churn OPTIONS: classes with names of their own, and sleepers whose stacks are told by old keys
churn() {
    rm -f "$work/reply"
    (umask 077; : >"$work/reply")
    record "$home" "$work/f.jfr" "settings=none,cpu=1ms,wall=20ms,quiet=true,reply=$work/reply,$1" churn "$seconds" 200 ||
        wrong "exit code $?: $(tail -1 "$work/err")"
    sed -i '0,/^state: stopped/d' "$work/reply" # the answer to the start
    is_whole "$work/f.jfr"
}

# lacks EVENT FIELD: events without it
lacks() {
    "$B/jfr2json" -l ndjson -e "$1" --fields "$2" "$work/f.jfr" 2>"$work/err" | grep -c "\"$2\":null"
}

for home in "${homes[@]}"; do
    on="on JDK $(release "$home")"
    workload || { skip "$name $on" "$why"; continue; }
    churn chunksize=1g
    all=$(status constant-bytes)
    churn chunksize=64k,chunktime=500ms
    few=$(status constant-bytes)
    [ "$(status chunks)" -ge 3 ] || wrong "only $(status chunks) chunks"
    [ "${few:-0}" -gt 0 ] && [ "$few" -lt $((all / 2)) ] || wrong "$few bytes of constants, $all without forgetting"
    [ "$(status constants-unknown)" = 0 ] || wrong "$(status constants-unknown) keys of forgotten constants"
    for event in jdk.ExecutionSample profiler.WallClockSample; do
        [ "$(count "$work/f.jfr" $event)" -gt 100 ] || wrong "no $event"
        for field in stackTrace sampledThread; do
            [ "$(lacks $event $field)" = 0 ] || wrong "$event: $(lacks $event $field) without $field"
        done
    done
    [ "$(samples "$work/f.jfr" 'unknown_method')" = 0 ] || wrong 'methods without a name'
    echo "# $on: $few bytes of constants after $(status chunks) chunks, $all if nothing is forgotten"
    verdict "$name are bounded $on"
done
exit $failed
