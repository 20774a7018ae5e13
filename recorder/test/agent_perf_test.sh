#!/bin/bash
# CPU time by perf_events (engine=perf), with the kernel's frames where it allows them; what happens
# where it does not; and by the oldest timer where there are no others.
. test-data/workload/lib.sh
. recorder/test/events_lib.sh

[ -e "$agent" ] || { skip 'engine=perf' 'it was not built'; exit 0; }
mapfile -t homes < <(jdks)
[ ${#homes[@]} != 0 ] || { skip 'engine=perf' 'no JDK'; exit 0; }
command -v jq >/dev/null || { skip 'engine=perf' 'no jq'; exit 0; }
before=()

status() { # status KEY: from the last answer of the agent
    sed -n "s/^$1: //p" "$work/reply" | tail -1
}

# kernel OPTIONS: records the program that works in the kernel, too
kernel() {
    local java

    rm -f "$work/reply" "$work/k.jfr"
    (umask 077; : >"$work/reply")
    java_of "$home"
    timeout -k 5 300 ${before[@]+"${before[@]}"} "${java[@]}" \
        "-agentpath:$agent=file=$work/k.jfr,settings=none,cpu=1ms,$1,reply=$work/reply" Kernel 3 \
        >"$work/out" 2>"$work/err" </dev/null || wrong "$1: exit code $?: $(tail -1 "$work/err")"
    is_whole "$work/k.jfr"
}

# sums MORE: all samples stand for the CPU time of the process, without our own
sums() {
    local all cpu

    all=$(count "$work/k.jfr" jdk.ExecutionSample)
    cpu=$(($(status process-cpu-ms) - $(status recorder-cpu-ms)))
    awk -v g="$all" -v w="$cpu" -v t="$1" 'BEGIN { d = g > w ? g - w : w - g; exit !(w > 100 && d <= w / 20 + t) }' ||
        wrong "$all samples of 1 ms, not $cpu"
}

# Stacks whose newest frame is the kernel's, below it the read that asked for it.
kernel_stacks() {
    query "$work/k.jfr" ExecutionSample '[.[] | select(.stackTrace.frames[0].type == "Kernel" and
        (.stackTrace.frames | map(.method.name) | index("inKernel")))] | length'
}

forbid=$work/forbid
${CC:-cc} -O1 -o "$forbid" test-data/workload/forbid.c 2>"$work/cc" || forbid=
perf_event_open=$(printf '#include <sys/syscall.h>\nSYS_perf_event_open SYS_timer_create SYS_setitimer\n' | ${CC:-cc} -E - 2>/dev/null | tail -1)
read -r perf_event_open timer_create setitimer <<<"$perf_event_open"

for home in "${homes[@]}"; do
    jdk=$(release "$home")
    workload || { skip "engine=perf on JDK $jdk" "$why"; continue; }

    kernel engine=perf
    if grep -q 'engine=perf is not allowed' "$work/err"; then
        skip "engine=perf on JDK $jdk" "$(grep -o '(.*)' "$work/err")"
    else
        [ "$(status timers)" = 0 ] || wrong "timers: $(status timers)"
        status counters | grep -qE '^[0-9]+, with' || wrong "counters: $(status counters)"
        # each thread that ended told the last interval in part
        sums 40
        [ "$(status lost)" = 0 ] || wrong "lost: $(status lost)"
        verdict "counters add up to the process's CPU time on JDK $jdk"
        if status counters | grep -q 'with the kernel'; then
            [ "$(kernel_stacks)" -gt 3 ] || wrong "$(kernel_stacks) samples of the kernel below inKernel()"
            jfr "$home" print --events ExecutionSample "$work/k.jfr" >"$work/print" 2>&1 || wrong 'jfr print'
            verdict "frames of the kernel on JDK $jdk"
        else
            skip "frames of the kernel on JDK $jdk" "$(grep -o 'without the kernel.*' "$work/err")"
        fi
    fi

    if [ -z "$forbid" ] || [ -z "$setitimer" ]; then
        skip "forbidden system calls on JDK $jdk" "no C compiler: $(head -1 "$work/cc")"
        continue
    fi
    before=("$forbid" "$perf_event_open")
    "${before[@]}" true || { skip "forbidden system calls on JDK $jdk" 'nothing can be forbidden'; before=(); continue; }
    kernel engine=perf
    [ "$(grep -c '^jfrkit: ' "$work/err")" = 1 ] || wrong "$(cat "$work/err")"
    grep -q '^jfrkit: warning: engine=perf is not allowed here (perf_event_open: Operation not permitted.*timers instead' "$work/err" ||
        wrong "$(cat "$work/err")"
    sums 60
    verdict "where perf_events are forbidden there are timers, JDK $jdk"

    before=("$forbid" "$timer_create")
    kernel engine=timer
    grep -q '^jfrkit: warning: no more timers (Operation not permitted): one timer' "$work/err" || wrong "$(cat "$work/err")"
    sums 60
    [ "$(samples "$work/k.jfr" Kernel.inJava)" -gt 20 ] || wrong "$(samples "$work/k.jfr" Kernel.inJava) samples of inJava()"
    verdict "where timers are forbidden there is ITIMER_PROF, JDK $jdk"

    before=("$forbid" "$timer_create,$setitimer")
    kernel engine=timer
    grep -q '^jfrkit: warning: no more timers (Operation not permitted): no CPU samples' "$work/err" || wrong "$(cat "$work/err")"
    verdict "where both are forbidden it is told, JDK $jdk"
    before=()
done
exit $failed
