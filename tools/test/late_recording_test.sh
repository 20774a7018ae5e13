#!/bin/bash
# Recordings of the JDK that began when the program had run for a while: what a thread allocated before
# is in the weight of its first sample, and is left out, but not where the JDK's own tools count it.
set -u
. test-data/workload/lib.sh

allocated() { # allocated FILE [OPTION...]: bytes of the thread
    "$B/jfr2table" -f json -t past -k alloc --by thread "${@:2}" "$1" 2>"$work/err" |
        jq '[.rows[].allocated_bytes] | add // 0'
}

late() { # late HOME: a recording that begins after 2 GB, and holds 200 MB
    local line pid

    rm -f "$work/late.jfr"
    coproc PAST { exec "$1/bin/java" -cp "$classes" Past 2>"$work/java"; }
    pid=$PAST_PID
    read -r line <&"${PAST[0]}"
    "$1/bin/jcmd" "$pid" JFR.start name=late settings=profile filename="$work/late.jfr" >"$work/jcmd" 2>&1
    sleep 1 # so long that a thread could have allocated all its bytes in the recording
    echo >&"${PAST[1]}"
    read -r line <&"${PAST[0]}"
    "$1/bin/jcmd" "$pid" JFR.stop name=late >>"$work/jcmd" 2>&1
    eval "exec ${PAST[1]}>&-"
    wait "$pid" 2>/dev/null
    [ "$line" = done ] && [ -s "$work/late.jfr" ] || wrong "no recording: $(tail -1 "$work/jcmd")"
}

command -v jq >/dev/null || { skip 'late recordings' 'no jq'; exit 0; }
mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    v=$(release "$home")
    [ "$v" -ge 16 ] || continue # the event is there since 16
    workload || { skip "JDK $v" "$why"; continue; }
    late "$home"
    n=$(allocated "$work/late.jfr")
    awk -v n="$n" 'BEGIN { exit !(n > 150e6 && n < 250e6) }' || wrong "$n bytes, not 200 MB"
    grep -qE '^jfr2table: left out [0-9]+ allocation samples?, [0-9.]+ [kMG]B: allocated before the recording began \(--keep-first counts them\)$' \
        "$work/err" || wrong "not said: $(tail -1 "$work/err")"
    n=$(allocated "$work/late.jfr" --keep-first)
    awk -v n="$n" 'BEGIN { exit !(n > 2100e6 && n < 2300e6) }' || wrong "--keep-first: $n bytes, not 2200 MB"
    [ ! -s "$work/err" ] || wrong "--keep-first: $(cat "$work/err")"
    n=$("$B/jfr2json" -q -l ndjson -e jdk.ObjectAllocationSample "$work/late.jfr" |
        jq -s 'map(select(.values.eventThread.javaName == "past") | .values.weight) | add')
    awk -v n="$n" 'BEGIN { exit !(n > 2100e6 && n < 2300e6) }' || wrong "jfr2json: $n bytes, not 2200 MB"
    for c in jfr2collapsed jfr2flame jfr2pprof jfr2otlp jfr2speedscope jfr2firefox 'jfrkit top'; do
        "$B"/$c -k alloc -o "$work/out" "$work/late.jfr" 2>"$work/err"
        grep -q 'left out' "$work/err" || wrong "$c does not say what it left out"
    done
    "$B/jfr2collapsed" -k alloc -C user= "$work/late.jfr" >"$work/out" 2>/dev/null
    [ ! -s "$work/out" ] || wrong "-C user= lets events without a user through"
    verdict "JDK $v: allocations before the recording are left out"

    # What began with the program is counted from its first byte.
    echo | "$home/bin/java" -XX:StartFlightRecording:filename="$work/whole.jfr",settings=profile -cp "$classes" Past >"$work/java" 2>&1
    n=$(allocated "$work/whole.jfr")
    awk -v n="$n" 'BEGIN { exit !(n > 2100e6 && n < 2300e6) }' || wrong "$n bytes, not 2200 MB"
    [ ! -s "$work/err" ] || wrong "$(cat "$work/err")"
    verdict "JDK $v: a recording from the start is counted as it is"
done
exit $failed
