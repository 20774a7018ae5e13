#!/bin/bash
# Whatever a virtual thread does, with no context set, is said of it and not of its carrier: samples of CPU time and
# of the wall clock, allocations, exceptions, monitors, files. With every collector at work, on each JDK at hand.
set -u
. test-data/workload/lib.sh
. recorder/test/events_lib.sh

need jq awk
[ -e "$agent" ] || { skip 'names of virtual threads' 'the agent is not built'; exit 0; }

# told FILE METHOD: "type id name" of all events with METHOD on their stack
told() {
    "$B/jfr2json" -l ndjson --stack-depth 0 -w "frame ~ /$2/" "$1" 2>/dev/null | jq -r '
        select(.type != "jdk.ThreadStart") | .type as $type | (.values.sampledThread // .values.eventThread) |
        "\($type) \(.javaThreadId) \(.javaName)"'
}

# A switch from one virtual thread to the next runs as the carrier by the VM's own account, hence one in 200.
names() { # names HOME OPTION...
    local home=$1 name

    shift
    "$home/bin/java" "$@" -version >/dev/null 2>&1 || return
    name="events of virtual threads have their names, JDK $(release "$home"), ${*//-XX:+Use/}"
    java_options=(-Xmx96m -Dstdout.encoding=UTF-8 "$@")
    program "$home" "$work/names.jfr" settings=profile,cpu=2ms,wall=5ms,alloc=512k,lock=1us,exceptions=1us,+jdk.FileRead#enabled=true,+jdk.FileRead#threshold=0ns \
        VirtualNames 1
    java_options=()
    awk 'sub(/^thread=/, "") { id = $1; sub(/^[0-9]+ /, ""); print id, substr($0, 1, 63) }' "$work/out" >"$work/truth"
    told "$work/names.jfr" VirtualNames.body >"$work/told"
    awk -v least="jdk.ExecutionSample jdk.ObjectAllocationSample jdk.JavaExceptionThrow jdk.JavaMonitorEnter jdk.FileRead profiler.WallClockSample" '
        FNR == NR { is_true[$0] = 1; next }
        { type_of = $1; sub(/^[^ ]+ /, ""); all[type_of]++; right[type_of] += $0 in is_true }
        END {
            n = split(least, type, " ")
            # How often a monitor is contended depends on the scheduler: on a busy machine less.
            for (i = 1; i <= n; i++) if (all[type[i]] < (type[i] ~ /Monitor/ ? 10 : 50)) print type[i] ": only " all[type[i]] + 0
            for (t in all) if (right[t] < 0.995 * all[t]) print t ": " right[t] + 0 " of " all[t] " have their thread"
        }' "$work/truth" "$work/told" >>"$work/wrong"
    verdict "$name"
}

# One that cannot leave its carrier waits with it.
pinned() { # pinned HOME
    compile Pinned || { skip "virtual threads that wait with their carriers, JDK $(release "$1")" "$why"; return; }
    program "$1" "$work/pinned.jfr" settings=none,wall=5ms Pinned 2
    told "$work/pinned.jfr" parkOnCarrierThread | cut -d' ' -f3- | sort -u >"$work/told"
    [ "$(xargs <"$work/told")" = 'virtual-0 virtual-1' ] || wrong "they are $(xargs <"$work/told")"
    verdict "virtual threads that wait with their carriers are sampled, JDK $(release "$1")"
}

tested=0
mapfile -t homes < <(runtimes)
for home in "${homes[@]}"; do
    [ "$(release "$home")" -ge 21 ] || continue
    workload && compile VirtualNames || { skip "names of virtual threads, JDK $(release "$home")" "$why"; continue; }
    names "$home" -XX:+UseG1GC
    names "$home" -XX:+UseSerialGC
    names "$home" -XX:+UseZGC
    [ "$(release "$home")" -ge 24 ] || names "$home" -XX:+UseZGC -XX:+ZGenerational
    names "$home" -XX:+UseShenandoahGC
    [ "$(release "$home")" -lt 24 ] || names "$home" -XX:+UseCompactObjectHeaders
    names "$home" -XX:-UseCompressedClassPointers
    pinned "$home"
    tested=$((tested + 1))
done
[ $tested -gt 0 ] || skip 'names of virtual threads' 'no JDK of 21 or later'
exit $failed
