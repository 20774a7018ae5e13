#!/bin/bash
# Beside somebody else's handlers of SIGPROF and SIGSEGV, which came before ours or after, with libjsig
# and without: both see what is theirs, and the program computes what it always does.
# And a program that was started with all signals blocked, and an agent that comes too early.
. test-data/workload/lib.sh
. recorder/test/events_lib.sh

[ -e "$agent" ] || { skip 'handlers of others' 'it was not built'; exit 0; }
mapfile -t homes < <(jdks)
[ ${#homes[@]} != 0 ] || { skip 'handlers of others' 'no JDK'; exit 0; }
command -v jq >/dev/null || { skip 'handlers of others' 'no jq'; exit 0; }

# beside OURS-FIRST? OPTIONS: the program with both agents; the outside sends SIGPROF, 5 times
beside() {
    local java ours="-agentpath:$agent=file=$work/f.jfr,settings=none,cpu=2ms,reply=$work/reply"
    local theirs="-agentpath:$work/handlers.so=$2" code

    java_of "$home"
    rm -f "$work/reply" "$work/f.jfr"
    (umask 077; : >"$work/reply")
    if [ "$1" = ours-first ]; then both=("$ours" "$theirs"); else both=("$theirs" "$ours"); fi
    : >"$work/out"
    LD_PRELOAD=$preload timeout -k 5 300 "${java[@]}" "${both[@]}" Faults 2 500 >"$work/out" 2>"$work/err" </dev/null &
    java=$!
    children+=("$java")
    wait_for "$work/out" '^pid=' || give_up 'it does not start'
    pid=$(truth pid)
    for _ in 1 2 3 4 5; do
        sleep 0.2
        kill -PROF "$pid" 2>/dev/null || break
    done
    wait "$java"
    code=$?
    [ $code = 0 ] || wrong "$1 $2: exit code $code: $(tail -3 "$work/err")"
    [ "$(truth missed)" = 0 ] || wrong "$1 $2: missed $(truth missed) faults of $(truth turns) turns"
    is_whole "$work/f.jfr"
    n=$(count "$work/f.jfr" jdk.ExecutionSample)
    ! grep -E '^WARNING|^FATAL|hs_err' "$work/out" "$work/err" >>"$work/wrong"
}

for home in "${homes[@]}"; do
    jdk=$(release "$home")
    workload || { skip "handlers of others on JDK $jdk" "$why"; continue; }
    ${CC:-cc} -O1 -shared -fPIC $(headers) -o "$work/handlers.so" \
        test-data/agent/handlers.c 2>"$work/cc" || { skip "handlers of others on JDK $jdk" "$(head -1 "$work/cc")"; continue; }

    # What libjsig does is the same in all JDKs.
    preloads=('')
    [ "$home" != "${homes[-1]}" ] || preloads+=("$home/lib/libjsig.so")
    for preload in "${preloads[@]}"; do
        with=${preload:+ with libjsig}
        [ -z "$preload" ] || [ -e "$preload" ] || { skip "handlers of others${with} on JDK $jdk" 'no libjsig'; continue; }

        for first in theirs-first ours-first; do
            beside $first load,pass
            [ "$n" -gt 50 ] || wrong "$n samples"
            [ "$(truth foreign_prof)" -gt 0 ] || wrong "they saw none of 5 signals"
            [ "$(truth foreign_other)" = 0 ] || wrong "they saw $(truth foreign_other) signals of ours"
            ! grep '^jfrkit: ' "$work/err" >>"$work/wrong"
            # With every signal taken SIGPROF is shared.
            beside $first load,pass,all
            [ "$n" -gt 50 ] || wrong "all taken: $n samples"
            [ "$(truth foreign_prof)" -gt 0 ] || wrong "all taken: they saw none of 5 signals"
            [ "$(truth foreign_other)" = 0 ] || wrong "all taken: they saw $(truth foreign_other) signals of ours"
        done
        verdict "handlers that came before ours$with, JDK $jdk"

        beside ours-first init,keep
        [ "$n" -gt 50 ] || wrong "$n samples"
        [ "$(truth foreign_prof)" -gt 0 ] || wrong "they saw none of 5 signals"
        [ "$(truth foreign_other)" = 0 ] || wrong "they saw $(truth foreign_other) signals of ours"
        ! grep '^jfrkit: .*signal' "$work/err" >>"$work/wrong"
        verdict "SIGPROF is left to who handles it$with, JDK $jdk"

        beside ours-first init,pass,all
        [ "$n" -gt 50 ] || wrong "$n samples"
        [ "$(truth foreign_prof)" -gt 0 ] || wrong "they saw none of 5 signals"
        # libjsig lets the VM go first
        [ -n "$preload" ] || [ "$(truth foreign_segv)" -gt 0 ] || wrong 'no fault came through them'
        verdict "handlers that came after ours and pass on$with, JDK $jdk"

        beside ours-first init,keep,all
        [ "$(truth foreign_prof)" -gt 0 ] || wrong "they saw none of 5 signals"
        [ "$(grep -c '^jfrkit: .*another handler took signal' "$work/err")" = 1 ] || wrong "the log: $(cat "$work/err")"
        verdict "a handler that keeps our signals is told of$with, JDK $jdk"
    done

    if [ "$jdk" -ge 25 ]; then
        # The JDK's own samples of CPU time need SIGPROF.
        java_of "$home"
        timeout -k 5 100 "${java[@]}" "-XX:StartFlightRecording:filename=$work/jdk.jfr,jdk.CPUTimeSample#enabled=true" \
            "-agentpath:$agent=file=$work/f.jfr,settings=none,cpu=2ms" Workload cpu 2 >"$work/out" 2>"$work/err" </dev/null ||
            wrong "exit code $?: $(tail -3 "$work/err")"
        n=$(count "$work/f.jfr" jdk.ExecutionSample)
        [ "$n" -gt 50 ] || wrong "$n samples of ours"
        # On a busy machine it takes few, whether or not we are there: 22 in a second of CPU time.
        n=$(count "$work/jdk.jfr" jdk.CPUTimeSample)
        [ "$n" -gt 0 ] || wrong 'no sample of the JDK'
        ! grep -i 'signal' "$work/out" "$work/err" >>"$work/wrong"
        verdict "the JDK samples CPU time beside us, JDK $jdk"
    fi

    ${CC:-cc} -O1 -shared -fPIC $(headers) -o "$work/early.so" \
        test-data/agent/early.c -ldl 2>"$work/cc" || wrong "early.c: $(head -1 "$work/cc")"
    java_of "$home"
    (umask 077; : >"$work/reply")
    (cd "$work" && timeout 300 "${java[@]/#build/$OLDPWD/build}" -agentpath:./early.so="$agent" Workload cpu 1) >"$work/out" 2>"$work/err" ||
        wrong "exit code $?: $(tail -1 "$work/err")"
    [ "$(truth early | tr '\n' ';')" = '75 ;0 ok;' ] || wrong "$(cat "$work/out" "$work/err")"
    is_whole "$work/early.jfr"
    verdict "who attaches before the VM is ready attaches later on JDK $jdk"

    command -v python3 >/dev/null || { skip "blocked signals on JDK $jdk" 'no python3'; continue; }
    java_of "$home"
    blocked=(python3 -c 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
os.execvp(sys.argv[1], sys.argv[1:])' "${java[@]}" "-agentpath:$agent=file=$work/deaf.jfr,cpu=1ms")
    "${blocked[@]}" Workload cpu 300 >"$work/out" 2>"$work/err" &
    deaf=$!
    children+=("$deaf")
    wait_for "$work/err" '^jfrkit: .*that block signal'
    kill -9 "$deaf" || wrong 'the program has ended'
    wait "$deaf" 2>/dev/null
    [ "$(grep -c '^jfrkit: .*that block signal' "$work/err")" = 1 ] || wrong "the log: $(cat "$work/err")"
    timeout 300 "${blocked[@]}" Workload cpu 1 >"$work/out" 2>"$work/err" || wrong "exit code $?: $(tail -1 "$work/err")"
    verdict "a program that is started with signals blocked is told of on JDK $jdk"
done
exit $failed
