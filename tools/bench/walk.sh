#!/bin/bash
# What one walk of a stack costs, ours and AsyncGetCallTrace's in the same signal handler: medians
# and the 99.9th percentile in nanoseconds. Then what a recorded sample costs the program by each way
# to walk: CPU time of the same work, least of RUNS, with a signal every 200 us. Asserts nothing.
#   WALK_SECONDS=2 per cell, 0: none   RUNS=3
set -u
B=${B:-build}
seconds=${WALK_SECONDS:-2}
agent=$(realpath -m "$B/walk-agent.so")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ -e "$agent" ] || { echo "skip walks: $agent is not built"; exit 0; }

value() { # value LINE KEY
    grep "^WALK $1 " "$work/log" | tr ' ' '\n' | sed -n "s/^$2=//p"
}

cell() { # cell HOME SHAPE DEPTH JVM-OPTIONS...
    local home=$1 shape=$2 depth=$3

    shift 3
    "$home/bin/java" "$@" "-agentpath:$agent=sample,us=300" -cp "$work" WalkDepth "$depth" "$seconds" \
        >"$work/log" 2>&1
    printf '%-12s %6s %8s %10s %10s %8s %8s\n' "$shape" "$(value sample-time frames)" "$(value sample samples)" \
        "$(value sample-time p50)" "$(value sample-time agct_p50)" \
        "$(awk -v a="$(value sample-time p50)" -v b="$(value sample-time agct_p50)" 'BEGIN { printf "%.2f", b ? a / b : 0 }')" \
        "$(value sample-time p999)"
}

# costs HOME MODE: the work and its signals; adds the mode's line
costs() {
    local options=(-Dnone) best=

    for _ in $(seq "${RUNS:-3}"); do
        rm -f "$work/reply"
        (umask 077; : >"$work/reply")
        [ "$2" = none ] || options=("-agentpath:$recorder=file=$work/out.jfr,settings=none,wall=200us,walker=$2,quiet=true,reply=$work/reply")
        "$B/bench/measure" "$1/bin/java" "${options[@]}" -XX:-TieredCompilation '-XX:CompileCommand=quiet' \
            '-XX:CompileCommand=dontinline,WalkDepth::*' -cp "$work" WalkDepth 51 0 20000 >"$work/cost" || return
        best=$(awk -v b="${best:-9999}" '{ print $1 < b ? $1 : b }' "$work/cost")
    done
    [ "$2" != none ] || none=$best
    awk -F': ' -v mode="$2" -v cpu="$best" -v none="$none" '
        { v[$1] = $2 }
        END { n = v["handler-calls"]
              printf "%-12s %8.2f %8.3f %8d %10.1f %10.1f %10.1f\n", mode, cpu, (none > 0 ? cpu / none : 0), n,
                  (n > 0 ? (cpu - none) / n * 1e6 : 0), v["handler-p50-ns"] / 1000, v["handler-p99-ns"] / 1000 }' "$work/reply"
}

recorder=$(realpath -m "$B/libjfrkit.so")
seen=
for home in /usr/lib/jvm/*/; do
    release=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release" 2>/dev/null)
    [ -n "$release" ] && [[ " $seen " != *" $release "* ]] && [ -x "$home/bin/javac" ] || continue
    seen="$seen $release"
    rm -f "$work"/*.class
    "$home/bin/javac" -d "$work" test-data/workload/WalkDepth.java || continue
    if [ "$seconds" != 0 ]; then
        echo "walking a stack, JDK $release"
        printf '%-12s %6s %8s %10s %10s %8s %8s\n' shape frames samples 'ns' 'agct ns' ratio p99.9
        for depth in 14 51 204; do
            cell "$home" interpreted "$depth" -Xint
            cell "$home" inlined "$depth" -XX:-TieredCompilation
            cell "$home" compiled "$depth" -XX:-TieredCompilation '-XX:CompileCommand=dontinline,WalkDepth::*'
        done
    fi
    [ -x "$B/bench/measure" ] && [ -e "$recorder" ] || { echo 'skip costs of samples: not built'; continue; }
    echo "recording 51 compiled frames, JDK $release"
    printf '%-12s %8s %8s %8s %10s %10s %10s\n' mode 'CPU s' ratio signals 'us each' 'handler us' p99
    for mode in none signal parked snapshot agct; do
        costs "$home" $mode
    done
done
