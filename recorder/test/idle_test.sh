#!/bin/bash
# Where nothing happens the recorder's thread wakes twice a second at most; what does happen is in the
# file a second later all the same. What a chunk has whatever happens (types, settings, the JVM, the
# machine, libraries) is 40 kB at most.
. test-data/workload/lib.sh

[ -e "$agent" ] || { skip 'idle' 'it was not built'; exit 0; }

# wakes PID: how often its thread of ours has gone to sleep
wakes() {
    local task

    task=$(grep -l '^jfrkit$' "/proc/$1"/task/*/comm)
    awk '/^voluntary/ { print $2 }' "${task%comm}status"
}

now() { # in milliseconds
    date +%s%3N
}

fixed_part() { # fixed_part SETTINGS
    local n java

    java_of "$home"
    rm -f "$work/empty.jfr"
    "${java[@]}" "-agentpath:$agent=file=$work/empty.jfr,settings=$1" Idle 0 2>"$work/err" || wrong "exit code $?"
    is_whole "$work/empty.jfr"
    n=$(stat -c %s "$work/empty.jfr")
    [ "$n" -le 40000 ] || wrong "$1: $n bytes"
}

mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    version=$(release "$home")
    workload || { skip "idle on JDK $version" "$why"; continue; }
    fixed_part default
    fixed_part profile
    verdict "a recording of nothing on JDK $version"
    for settings in default profile; do
        rm -f "$work/idle.jfr"
        java_of "$home"
        "${java[@]}" "-agentpath:$agent=file=$work/idle.jfr,settings=$settings" Idle 600 2>"$work/err" &
        pid=$!
        children+=("$pid")
        until [ -s "$work/idle.jfr" ]; do
            kill -0 "$pid" 2>/dev/null || give_up "it has ended: $(head -3 "$work/err")"
            sleep 0.1
        done
        sleep 2
        n=$(wakes "$pid")
        t=$(now)
        sleep 6
        n=$(($(wakes "$pid") - n))
        t=$(($(now) - t))
        [ "$n" -gt 0 ] || wrong 'it never wakes'
        [ $((n * 1000)) -le $((t * 2)) ] || wrong "$settings: it woke $n times in $t ms"
        kill -9 "$pid"
        wait "$pid" 2>/dev/null
        is_whole "$work/idle.jfr"
        [ "$(count "$work/idle.jfr" jdk.CPULoad)" -ge 4 ] || wrong 'no load of the processor each second'
        verdict "idle on JDK $version, settings $settings: twice a second at most"
    done
done
exit $failed
