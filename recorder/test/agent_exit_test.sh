#!/bin/bash
# However a VM ends while everything is recorded, it ends as it does without us, and the file is whole.
#   LIVES=3    of each way and JDK; SOAK=1: 1000
. test-data/workload/lib.sh
. recorder/test/events_lib.sh

[ -e "$agent" ] || { skip 'ends of the VM' 'the agent was not built'; exit 0; }
mapfile -t homes < <(jdks)
[ ${#homes[@]} != 0 ] || { skip 'ends of the VM' 'no JDK'; exit 0; }
lives=${LIVES:-$([ -n "${SOAK:-}" ] && echo 1000 || echo 3)}
at_once=5
newest=${homes[-1]}
everything=settings=profile,cpu=100us,wall=10ms,alloc=128k,lock=1us,exceptions=1us,quiet=true
RANDOM=${SEED:-$$}
seed=$RANDOM

cat >"$work/exits.c" <<'C'
#include <jni.h>
#include <stdlib.h>
JNIEXPORT void JNICALL Java_Exits_exitNow(JNIEnv *env, jclass cls, jint code)
{
    (void)env, (void)cls;
    exit(code);
}
C

# live WAY N [JAVA-OPTION]: one life; its exit code goes to $work/code.N
live() {
    local way=$1 n=$2 java child ended=

    shift 2
    java_of "$home"
    : >"$work/out.$n"
    timeout -k 5 300 "${java[@]}" "$@" "-Dlibrary=$work/libexits.so" Exits "${way/#@*/wait}" "$((RANDOM % 300))" \
        >"$work/out.$n" 2>"$work/err.$n" </dev/null &
    child=$!
    if [ "${way:0:1}" = @ ]; then
        wait_for "$work/out.$n" '^ready=1'
        ended=$(pgrep -P "$child")
        [ "$way" != @dump ] || dump "$ended" "$n"
        sleep "0.$((RANDOM % 300 + 100))"
        kill "$ended"
    fi
    wait "$child"
    echo $? >"$work/code.$n"
}

# Copies, one after the other, as long as the VM is there to make them.
dump() { # PID N
    (
        while kill -0 "$1" 2>/dev/null; do
            rm -f "$work/copy.$2.jfr"
            "$B/jfrec" dump -o "$work/copy.$2.jfr" "$1" >"$work/said.$2" 2>&1 || break
            is_whole "$work/copy.$2.jfr"
        done
    ) &
}

# ends WAY: as without the agent, many times
ends() {
    local way=$1 i n options

    live "$way" 0
    rm -f "$work"/e*.jfr
    for ((i = 1; i <= lives; i += at_once)); do
        for ((n = i; n < i + at_once && n <= lives; n++)); do
            rm -f "$work/e$n.jfr"
            options="-agentpath:$agent=file=$work/e$n.jfr,$everything"
            RANDOM=$((seed + n))
            live "$way" "$n" "$options" &
            children+=($!)
        done
        wait
        for ((n = i; n < i + at_once && n <= lives; n++)); do
            [ "$(cat "$work/code.$n")" = "$(cat "$work/code.0")" ] ||
                wrong "life $n: exit code $(cat "$work/code.$n"), not $(cat "$work/code.0"): $(head -3 "$work/err.$n")"
            [ "$(grep -c hook "$work/out.$n")" = "$(grep -c hook "$work/out.0")" ] || wrong "life $n: a hook did not finish"
            ! grep '^jfrkit: ' "$work/err.$n" >>"$work/wrong"
            is_whole "$work/e$n.jfr"
            [ "$(count "$work/e$n.jfr" jdk.JVMInformation)" -gt 0 ] || wrong "life $n: an empty recording"
        done
    done
    jdk_reads "$newest" "$work"/e*.jfr >>"$work/wrong"
    verdict "$lives VMs end by $2, seed $seed, on JDK $jdk"
}

command -v jq >/dev/null || { skip 'ends of the VM' 'no jq'; exit 0; }
for home in "${homes[@]}"; do
    jdk=$(release "$home")
    workload || { skip "ends of the VM on JDK $jdk" "$why"; continue; }
    ends many 'System.exit of many threads'
    ends halt 'Runtime.halt'
    ends throw 'an exception that main lets through'
    ends hooks 'System.exit, and hooks that go on'
    if command -v pgrep >/dev/null; then
        ends @term SIGTERM
        if [ "$jdk" -ge 11 ]; then
            ends @dump 'SIGTERM in the middle of a dump'
        else
            inapplicable "a dump on JDK $jdk" 'cannot attach with this JDK'
        fi
    else
        skip "SIGTERM on JDK $jdk" 'no pgrep'
    fi
    if ${CC:-cc} -shared -fPIC $(headers) -o "$work/libexits.so" "$work/exits.c" 2>"$work/cc"; then
        ends native 'exit() of libc'
    else
        skip "exit() of libc on JDK $jdk" "$(head -1 "$work/cc")"
    fi
done
exit $failed
