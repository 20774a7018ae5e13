#!/bin/bash
# The program runs on unharmed: whatever the options, however it ends, however often one starts.
#   SOAK=1   1 000 restarts instead of 30
. test-data/workload/lib.sh

[ -e "$agent" ] || { skip 'the agent leaves programs alone' 'it was not built'; exit 0; }
mapfile -t homes < <(jdks)
[ ${#homes[@]} != 0 ] || { skip 'the agent leaves programs alone' 'no JDK'; exit 0; }
restarts=$([ -n "${SOAK:-}" ] && echo 1000 || echo 30)
patience=$([ -n "${SOAK:-}" ] && echo 3600 || echo 600) # seconds; machines differ
LIMIT=$((patience * 2))

# bad OPTIONS PATTERN: one line says so, the program does not notice.
bad() {
    local java

    java_of "$home"
    (cd "$work" && timeout 300 "${java[@]/#build/$PWD/build}" "-agentpath:$agent=$1" -version) \
        >"$work/out" 2>"$work/err" || wrong "$1: exit code $?"
    [ "$(grep -c '^jfrkit: ' "$work/err")" = 1 ] || wrong "$1: $(cat "$work/err")"
    grep -qE "^jfrkit: .*($2)" "$work/err" || wrong "$1: not about '$2': $(grep jfrkit: "$work/err")"
    grep -q version "$work/err" || wrong "$1: java did not run"
}

# ends NAME EXPECTED-CODE MODE...: a recording that ends with the program.
ends() {
    local name=$1 code=$2 rc

    shift 2
    record "$home" "$work/end.jfr" cpu=1ms "$@"
    rc=$?
    [ $rc = "$code" ] || wrong "$name: exit code $rc: $(tail -1 "$work/err")"
    ! grep -q '^jfrkit: ' "$work/err" || wrong "$name: $(grep '^jfrkit: ' "$work/err")"
    is_whole "$work/end.jfr"
    [ "$(count "$work/end.jfr" jdk.ExecutionSample)" -gt 0 ] || wrong "$name: no samples"
}

# attach TIMES ORDER...: to the program that runs
attach() {
    timeout "$patience" "$home/bin/java" "${cheap[@]#-J}" -cp "$B/workload" Attach "$pid" "$agent" "$@" 2>&1
}

resources() { # file descriptors, timers and the recorder's threads in the program
    echo "$(ls "/proc/$pid/fd" | wc -l) $(wc -l <"/proc/$pid/timers")" \
        "$(cat "/proc/$pid"/task/*/comm 2>/dev/null | grep -c jfrkit)"
}

for home in "${homes[@]}"; do
    jdk=$(release "$home")
    if ! workload; then
        skip "the agent leaves programs alone on JDK $jdk" "$why"
        continue
    fi

    bad nonsense=1 "'nonsense': unknown"
    bad cpu=fast "'cpu': not a time"
    bad cpu=1ms,cpu=2ms 'given twice'
    bad depth=0 "'depth': too small"
    bad command=stop 'start'
    bad file=/no/such/place/x.jfr 'No such file'
    bad file=x%q.jfr '%q|none of'
    bad settings=/no/such.jfc 'no/such.jfc'
    bad log=/dev/full 'not a regular file'
    bad jdk.NoSuch#enabled=true 'NoSuch'
    bad walker=magic 'magic'
    bad "file=$(printf 'x%.0s' $(seq 9000))" 'longer'
    mkdir -p "$work/there.jfr"
    bad "file=$work/there.jfr" 'there.jfr'
    [ ! -e "$work/x.jfr" ] || wrong 'a file was made'
    java_of "$home"
    "${java[@]}" "-agentpath:$agent=file=$work/one.jfr" "-agentpath:$agent=file=$work/two.jfr" -version >"$work/out" 2>"$work/err" ||
        wrong "twice: exit code $?"
    [ "$(grep -c "^jfrkit: not recording a second time: .*two.jfr" "$work/err")" = 1 ] || wrong "twice: $(cat "$work/err")"
    [ -e "$work/one.jfr" ] && [ ! -e "$work/two.jfr" ] || wrong "twice: $(ls "$work")"
    verdict "bad options are told in one line on JDK $jdk"

    ends 'System.exit' 3 exit 1
    ends 'children' 0 fork 1
    [ "$(truth children_failed)" = 0 ] || wrong "$(truth children_failed) children failed"
    ends 'locks' 0 lock 1
    ends 'exceptions' 0 throw 1
    verdict "System.exit, children and the end of main on JDK $jdk"

    for limit in 0 5; do # a VM has more threads than that
        (
            ulimit -i $limit
            record "$home" "$work/few.jfr" cpu=2ms cpu 1
        ) || wrong "ulimit -i $limit: exit code $?"
        [ "$(grep -c '^jfrkit: .*no more timers' "$work/err")" = 1 ] ||
            wrong "ulimit -i $limit: $(head -3 "$work/err")"
        is_whole "$work/few.jfr"
    done
    verdict "fewer timers than threads on JDK $jdk"

    n=$([ -n "${SOAK:-}" ] && echo 25000 || echo 5000)
    ends 'thread storm' 0 storm 1 "$n"
    verdict "$n short threads on JDK $jdk"

    if [ "$jdk" -lt 11 ]; then
        inapplicable "$restarts restarts on JDK $jdk" 'cannot attach with this JDK'
        continue
    fi
    java_options=()
    [ "$jdk" -lt 21 ] || java_options=(-XX:+EnableDynamicAgentLoading)
    run "$home" cpu "$patience"
    attach 1 command=status >"$work/reply"
    grep -q '^state: off' "$work/reply" || wrong "at first: $(cat "$work/reply")"
    attach 3 "command=start,file=$work/r.jfr,cpu=1ms" command=stop >/dev/null
    before=$(resources)
    attach "$restarts" "command=start,file=$work/r.jfr,cpu=1ms" command=status command=stop >"$work/reply"
    ! grep '^error' "$work/reply" >"$work/errors" || wrong "$(head -3 "$work/errors")"
    [ "$(resources)" = "$before" ] || wrong "fds, timers, threads: $before, now $(resources)"
    is_whole "$work/r.jfr"
    attach 1 "command=start,file=$work/r.jfr" command=start command=stop command=stop command=nonsense \
        command=dump >"$work/reply"
    [ "$(grep -c '^error: ' "$work/reply")" = 4 ] || wrong "$(grep '^error' "$work/reply")"
    kill -0 "$pid" 2>/dev/null || wrong 'the program is gone'
    verdict "$restarts restarts leave nothing behind on JDK $jdk"

    attach 1 "command=start,file=$work/d.jfr,cpu=1ms,chunktime=1s" >"$work/reply"
    until_told chunks 2
    until_told samples 100
    attach 1 "command=dump,file=$work/copy.jfr" >>"$work/reply"
    ! grep '^error' "$work/reply" >"$work/errors" || wrong "$(head -3 "$work/errors")"
    is_whole "$work/copy.jfr"
    copied=$(count "$work/copy.jfr" jdk.ExecutionSample)
    attach 1 command=stop >"$work/reply"
    all=$(sed -n 's/^samples: //p' "$work/reply")
    [ "$copied" -gt 0 ] && [ "$copied" -lt "$all" ] || wrong "$copied of $all samples copied"
    is_whole "$work/d.jfr"
    [ "$(count "$work/d.jfr" jdk.ExecutionSample)" = "$all" ] || wrong 'samples are missing'
    verdict "a copy while it runs on JDK $jdk"

    attach 1 "command=start,file=$work/l.jfr,cpu=1ms,maxage=2s,chunktime=1s" >"$work/reply"
    until_told files-removed 1
    attach 1 command=stop >"$work/reply"
    is_whole "$work/l.jfr"
    removed=$(sed -n 's/^files-removed: //p' "$work/reply")
    [ "${removed:-0}" -gt 0 ] || wrong "no file was removed: $(cat "$work/reply")"
    [ -z "$(ls "$work"/l-*.jfr 2>/dev/null)" ] || wrong "left behind: $(ls "$work"/l-*.jfr)"
    verdict "a limit on age on JDK $jdk"

    attach 1 "command=start,file=$work/s.jfr,cpu=1ms,duration=1s" >"$work/reply"
    until_told state off
    is_whole "$work/s.jfr"
    kill -9 "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    verdict "a limit on duration on JDK $jdk"
done
exit $failed
