#!/bin/bash
# Signals every 100 us into programs that collect garbage, unload classes, deoptimize, overflow their
# stacks and mount virtual threads, in each way to walk and each JVM: the program computes what it
# always does, the recording is whole.
#   SOAK=1      10 minutes for each instead of 1 s; MINUTES=N   N minutes
#   MODES="signal parked snapshot"
. test-data/workload/lib.sh

[ -e "$agent" ] || { skip 'walks under load' 'the agent was not built'; exit 0; }
mapfile -t homes < <(jdks)
[ ${#homes[@]} != 0 ] || { skip 'walks under load' 'no JDK'; exit 0; }
seconds=1
[ -z "${SOAK:-}" ] || seconds=$((${MINUTES:-10} * 60))

for home in "${homes[@]}"; do
    jdk=$(release "$home")
    mkdir -p "$work/$jdk"
    javac "$home" -nowarn -Xlint:-options -d "$work/$jdk" test-data/workload/Torture.java >"$work/javac" 2>&1 ||
        { skip "walks under load on JDK $jdk" "$(head -1 "$work/javac")"; continue; }
    for mode in ${MODES:-signal parked snapshot}; do
        rm -f "$work/reply"
        (umask 077; : >"$work/reply")
        timeout -k 5 $((seconds * 2 + 60)) "$home/bin/java" -Xmx96m "-XX:ErrorFile=$work/crash.log" \
            "-agentpath:$agent=file=$work/s.jfr,settings=none,cpu=100us,wall=100us,walker=$mode,quiet=true,maxsize=200m,reply=$work/reply" \
            -cp "$work/$jdk" Torture $seconds churn,deopt,garbage,exceptions,fibers >"$work/out" 2>"$work/err" </dev/null
        code=$?
        [ $code = 0 ] || wrong "exit code $code: $(head -3 "$work/err"; grep -m1 -A1 'Problematic frame' "$work/crash.log" 2>/dev/null)"
        [ "$(truth wrong)" = 0 ] || wrong "wrong results: $(grep '^wrong' "$work/out" | head -3)"
        is_whole "$work/s.jfr"
        sed -i '0,/^state: stopped/d' "$work/reply"
        said=$(awk -F': ' -v turns="$(sed -n 's/^turns\.//p' "$work/out" | grep -v '=0$' | xargs)" '
            /^walks \(end|^walks \(no_Java/ { whole += $2; next }
            /^walks \(truncated/ { deep = $2; next } # stacks that overflow
            /^walks/ { split($1, name, /[()]/); broken += $2; why = why sprintf(" %s=%d", name[2], $2) }
            /^lost:/ { lost = $2 }
            /^handler-calls/ { calls = $2 }
            /^handler-p99/ { p99 = $2 / 1000 }
            /^nameless/ { nameless = $2 }
            END { printf "%d signals, %d of %d stacks whole (%.2f %%), %d too deep;%s lost=%d nameless=%d, handler p99 %.0f us; %s\n",
                      calls, whole, whole + broken, 100 * whole / (whole + broken + !(whole + broken)), deep, why, lost, nameless, p99, turns }' \
            "$work/reply")
        [[ $said != '0 signals'* ]] || wrong 'no signals'
        echo "# JDK $jdk, $mode, $seconds s: $said"
        verdict "walks under load by $mode on JDK $jdk"
    done
done
exit $failed
