#!/bin/bash
# async-profiler's converter reads what the rewriters make of our recordings, and counts the same
# events. It takes samples of CPU time in state RUNNABLE for wall-clock ones, as it does with the JDK's.
set -u
. test-data/workload/lib.sh

converted() { # converted KIND FILE: the sum of the samples that the converter finds; its message if it fails
    "$java" -jar "$jar" "--$1" -o collapsed "$2" "$work/out.collapsed" >"$work/said" 2>&1 || {
        grep -m1 Exception "$work/said"
        return
    }
    awk '{ n += $NF } END { print n + 0 }' "$work/out.collapsed"
}

reads() { # reads FILE KIND...: as many events of each kind as there are
    local file=$1 kind n is
    local -A event=([wall]=jdk.ExecutionSample [alloc]=jdk.ObjectAllocationSample [lock]=jdk.JavaMonitorEnter)

    shift
    for kind; do
        # The converter leaves out what has no stack, such as an allocation before main().
        n=$("$B/jfr2json" -l ndjson -e "${event[$kind]}" "$file" | jq -c 'select(.values.stackTrace != null)' | wc -l)
        [ "$n" -gt 0 ] || wrong "$(basename "$file"): no ${event[$kind]}"
        is=$(converted "$kind" "$file")
        [ "$is" = "$n" ] || wrong "$(basename "$file"): --$kind finds $is, not $n"
    done
}

command -v jq >/dev/null || { skip "async-profiler's converter" 'no jq'; exit 0; }
mapfile -t homes < <(jdks)
[ ${#homes[@]} != 0 ] && [ -e "$agent" ] || { skip "async-profiler's converter" 'no JDK or no agent'; exit 0; }
jars jfrconv tools.profiler:jfr-converter:4.5 || { skip "async-profiler's converter" "$why"; exit 0; }
jar=$(compgen -G "$jars/jfr-converter-*.jar")
for home in "${homes[@]}"; do
    java=$home/bin/java
    workload || { skip "recordings of JDK $(release "$home")" "$why"; continue; }
    # Allocations are sampled by JDK 11 and later.
    [ "$(release "$home")" -ge 11 ] || continue
    record "$home" "$work/lock.jfr" cpu=5ms,lock=1us lock 1 || wrong "exit code $?: $(tail -1 "$work/err")"
    record "$home" "$work/alloc.jfr" cpu=off,alloc=1m alloc 1 || wrong "exit code $?: $(tail -1 "$work/err")"
    "$B/jfrcut" -o "$work/cut.jfr" "$work/lock.jfr" || wrong 'jfrcut failed'
    "$B/jfrcut" -e 'jdk.Obj*' -o "$work/part.jfr" "$work/alloc.jfr" || wrong 'jfrcut -e failed'
    "$B/jfrcat" -o "$work/cat.jfr" "$work/cut.jfr" "$work/part.jfr" || wrong 'jfrcat failed'
    "$B/jfrannotate" -o "$work/annotated.jfr" "$work/lock.jfr" || wrong 'jfrannotate failed'
    reads "$work/cut.jfr" wall lock
    reads "$work/part.jfr" alloc
    reads "$work/cat.jfr" wall lock alloc
    reads "$work/annotated.jfr" wall lock
    verdict "rewritten recordings of JDK $(release "$home")"
done
exit $failed
