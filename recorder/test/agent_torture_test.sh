#!/bin/bash
# Everything at once, with all events, by each walker: the program computes what it always does, the
# recording is whole, the checks of JNI are silent. Signals from outside, a process that stands still,
# an agent that transforms classes, a recording that is removed, a folder that is shut, restarts.
#   SOAK=1   60 s of it for each collector instead of 2 s for one, 100 restarts instead of 10
. test-data/workload/lib.sh

[ -e "$agent" ] || { skip 'torture' 'it was not built'; exit 0; }
mapfile -t homes < <(jdks)
[ ${#homes[@]} != 0 ] || { skip 'torture' 'no JDK'; exit 0; }
seconds=$([ -n "${SOAK:-}" ] && echo 60 || echo 2)
restarts=$([ -n "${SOAK:-}" ] && echo 100 || echo 10)
patience=$([ -n "${SOAK:-}" ] && echo 900 || echo 200) # seconds for them; machines differ
everything=settings=profile,cpu=100us,wall=10ms,alloc=128k,lock=1us,exceptions=1us,quiet=true

compile() { # compile HOME: the program, once as an agent; false and $why
    local classes=$work/classes

    why=
    [ ! -e "$work/torture.jar" ] || return 0
    mkdir -p "$classes"
    javac "$1" -nowarn -Xlint:-options -d "$classes" test-data/workload/Torture.java \
        test-data/workload/Attach.java >"$work/javac" 2>&1 || { why="javac: $(grep -m1 error "$work/javac")"; return 1; }
    printf 'Premain-Class: Torture\nCan-Retransform-Classes: true\n' >"$work/manifest"
    "$(compiler)/bin/jar" cfm "$work/torture.jar" "$work/manifest" -C "$classes" . 2>"$work/javac" || { why=jar; return 1; }
}

# torture FILE SECONDS OPTIONS JAVA-OPTION...: in the background, with the agent unless FILE is -
torture() {
    local file=$1 seconds=$2 options=$3 ours=()

    shift 3
    [ "$file" = - ] || ours=("-agentpath:$agent=file=$file,$options")
    : >"$work/out"
    timeout -k 5 $((seconds * 3 + 60)) "$home/bin/java" -Xmx300m "-XX:ErrorFile=$work/crash.log" "$@" \
        ${ours[@]+"${ours[@]}"} \
        "-javaagent:$work/torture.jar" -cp "$work/torture.jar" Torture "$seconds" >"$work/out" 2>"$work/err" </dev/null &
    java=$!
    children+=($java)
    wait_for "$work/out" '^pid=' "$java" || give_up "it does not start: $(head -3 "$work/err")"
    pid=$(truth pid)
}

# The program ends, and all is well with it.
ends_well() {
    local code

    wait "$java"
    code=$?
    [ $code = 0 ] || wrong "$1: exit code $code: $(head -3 "$work/err"; grep -m1 'Problematic frame' -A1 "$work/crash.log" 2>/dev/null)"
    [ "$(truth wrong)" = 0 ] || wrong "$1: $(grep '^wrong' "$work/out" | head -3)"
    ! grep -E '^WARNING: JNI|^WARNING in native|^FATAL' "$work/out" "$work/err" >>"$work/wrong"
}

# Signals from outside, and time that stands still, while it runs.
disturb() {
    for _ in 1 2 3 4; do
        kill -STOP "$pid" && sleep 0.1
        kill -CONT "$pid" && kill -VTALRM "$pid"
        sleep 0.2
        kill -VTALRM "$pid"
    done 2>/dev/null
}

# More is lost all the time: a copy knows no less than the status before it.
losses() {
    local lost=0 told i

    rm -f "$work/stop"
    torture "$work/l.jfr" "$patience" "$everything,buffer=256k" "-Dstop=$work/stop"
    for ((i = 0; i < 100 && lost == 0; i++)); do
        lost=$("$B/jfrec" status -v "$pid" 2>/dev/null | awk '$1 == "lost" && NF == 2 { print $2 }')
    done
    "$B/jfrec" dump -o "$work/copy.jfr" "$pid" >"$work/said" 2>&1 || wrong "dump: $(tail -1 "$work/said")"
    : >"$work/stop"
    ends_well 'losses'
    told=$("$B/jfr2json" -l ndjson -e jfrkit.EventLoss "$work/copy.jfr" |
        jq -s 'map(.values) | group_by(.reason) | map(map(.total) | max) | add // 0')
    [ "${lost:-0}" -gt 0 ] && [ "$told" -ge "$lost" ] || wrong "the copy tells of $told losses, the status of $lost"
}

has_collector() {
    "$home/bin/java" "-XX:+Use$1GC" -version >/dev/null 2>&1
}

for home in "${homes[@]}"; do
    jdk=$(release "$home")
    compile "$home" || { skip "torture of JDK $jdk" "$why"; continue; }

    collectors=$([ -n "${SOAK:-}" ] && echo Serial Parallel G1 Shenandoah Z || { [ "$jdk" -ge 21 ] && echo Z || echo G1; })
    for gc in $collectors; do
        has_collector "$gc" || { inapplicable "torture with $gc on JDK $jdk" 'this JDK has no such collector'; continue; }
        torture "$work/t.jfr" "$seconds" "$everything" "-XX:+Use${gc}GC"
        disturb
        ends_well "$gc"
        is_whole "$work/t.jfr"
        [ "$(count "$work/t.jfr" jdk.ExecutionSample)" -gt 0 ] || wrong 'no samples'
        verdict "torture with $gc on JDK $jdk"
    done

    for walker in signal snapshot agct; do
        torture "$work/c.jfr" 1 "$everything,walker=$walker" -Xcheck:jni
        ends_well "$walker"
        is_whole "$work/c.jfr"
        verdict "-Xcheck:jni finds nothing, with $walker on JDK $jdk"
    done

    torture "$work/gone.jfr" 1 "$everything"
    rm "$work/gone.jfr"
    ends_well 'a recording that is removed'
    verdict "a recording is removed while it is written on JDK $jdk"

    # Neither a file nor a harm, whoever we are.
    if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
        as_user=(setpriv --reuid 65534 --clear-groups)
    else
        as_user=()
    fi
    mkdir -p "$work/shut"
    chmod 755 "$work"
    chmod 555 "$work/shut"
    # as root without it: may write everywhere; another user may not reach the library
    if [ "$(id -u)" = 0 ] && { [ ${#as_user[@]} = 0 ] || ! "${as_user[@]}" test -r "$agent"; }; then
        skip "a folder that is shut on JDK $jdk" 'no user but root'
    else
        (cd / && timeout 300 "${as_user[@]}" "$home/bin/java" "-agentpath:$agent=file=$work/shut/x.jfr,$everything" \
            -version) >"$work/out" 2>"$work/err" || wrong "exit code $?"
        grep -q '^jfrkit: not recording: .*Permission denied' "$work/err" || wrong "$(cat "$work/err")"
        verdict "a folder that is shut on JDK $jdk"
    fi

    if [ "$jdk" -lt 11 ]; then
        inapplicable "losses in a copy on JDK $jdk" 'cannot attach with this JDK'
        inapplicable "restarts under torture on JDK $jdk" 'cannot attach with this JDK'
        continue
    fi
    losses
    verdict "a copy tells what was lost until then on JDK $jdk"

    dynamic=()
    [ "$jdk" -lt 21 ] || dynamic=(-XX:+EnableDynamicAgentLoading)
    rm -f "$work/stop"
    torture - "$patience" '' ${dynamic[@]+"${dynamic[@]}"} -Xcheck:jni "-Dstop=$work/stop"
    timeout "$patience" "$home/bin/java" -cp "$work/classes" Attach "$pid" "$agent" "$restarts" \
        "command=start,file=$work/r.jfr,${everything/cpu=100us/cpu=1ms}" command=stop >"$work/reply" 2>&1 || wrong "attach: $(head -3 "$work/reply")"
    : >"$work/stop"
    ! grep '^error' "$work/reply" >>"$work/wrong"
    ends_well 'restarts'
    is_whole "$work/r.jfr"
    verdict "$restarts restarts under torture on JDK $jdk"
done
exit $failed
