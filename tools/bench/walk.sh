#!/bin/bash
# What one walk of a stack costs, ours and AsyncGetCallTrace's in the same signal handler: medians
# and the 99.9th percentile in nanoseconds. Asserts nothing.
#   WALK_SECONDS=2 per cell
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

seen=
for home in /usr/lib/jvm/*/; do
    release=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release" 2>/dev/null)
    [ -n "$release" ] && [[ " $seen " != *" $release "* ]] && [ -x "$home/bin/javac" ] || continue
    seen="$seen $release"
    rm -f "$work"/*.class
    "$home/bin/javac" -d "$work" test-data/workload/WalkDepth.java || continue
    echo "walking a stack, JDK $release"
    printf '%-12s %6s %8s %10s %10s %8s %8s\n' shape frames samples 'ns' 'agct ns' ratio p99.9
    for depth in 14 51 204; do
        cell "$home" interpreted "$depth" -Xint
        cell "$home" inlined "$depth" -XX:-TieredCompilation
        cell "$home" compiled "$depth" -XX:-TieredCompilation '-XX:CompileCommand=dontinline,WalkDepth::*'
    done
done
