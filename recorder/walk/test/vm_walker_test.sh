#!/bin/bash
# The stack walker inside every JVM at hand, against what JVMTI says of the same thing.
# Figures are printed; a mismatch fails. SOAK=1: more of everything, in every mode.
set -u
. tools/test/jdk_lib.sh
. recorder/walk/test/walk_lib.sh
B=${B:-build}
agent=$(realpath -m "$B/walk-agent.so")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
soak=${SOAK:-}

verdict() { # verdict NAME CONDITION-RESULT FILE
    if [ "$2" = 0 ]; then
        echo "ok $1"
    else
        echo "not ok $1"
        sed 's/^/    /' "$3" | cut -c1-300 | head -60
        failed=1
    fi
}

# Whether this VM takes these options at all.
takes() {
    local home=$1

    shift
    "$home/bin/java" "$@" -version >/dev/null 2>&1
}

exact() { # exact NAME HOME N JVM-OPTIONS...: methods, compiled code, whole stacks
    local name=$1 home=$2 n=$3 log=$work/log rc=0

    shift 3
    takes "$home" "$@" || { echo "skip $name: this VM does not take $*"; return; }
    run "$home" "$log" methods,compiled "$@" -- WalkOracle "$agent" "$n" 4 || rc=1
    grep -E '^WALK (methods|compiled|stacks) ' "$log" | sed "s/^WALK/# $name:/"
    [ "$(value "$log" methods wrong)" = 0 ] && [ "$(value "$log" methods no_slot)" = 0 ] &&
        [ "$(value "$log" methods methods)" -gt 5000 ] && [ "$(value "$log" compiled wrong)" = 0 ] &&
        [ "$(value "$log" compiled no_blob)" = 0 ] && [ "$(grep -c '^WALK stacks .* wrong=0$' "$log")" = 2 ] &&
        [ "$(grep -c '^WALK stacks .* api_wrong=0 ' "$log")" = 2 ] &&
        ! grep -qE '^WALK (stacks of=[a-z]+ calls=0|wrong|stack ends|start failed)' "$log" || rc=1
    verdict "$name" $rc "$log"
}

virtual() { # virtual NAME HOME N JVM-OPTIONS...
    local name=$1 home=$2 n=$3 log=$work/log rc=0

    shift 3
    takes "$home" "$@" || { echo "skip $name: this VM does not take $*"; return; }
    run "$home" "$log" '' "$@" -- WalkVirtual "$agent" "$n" || rc=1
    grep -E '^WALK stacks ' "$log" | sed "s/^WALK/# $name:/"
    [ "$(value "$log" stacks wrong)" = 0 ] && [ "$(value "$log" stacks api_wrong)" = 0 ] &&
        [ "$(value "$log" stacks in_heap)" -gt 1000 ] || rc=1
    verdict "$name" $rc "$log"
}

# The least share of walks that reach the bottom of their stack. JDK 8's VM gives no name to some of its code.
least() {
    [ "$r" = 8 ] && echo 0.985 || echo 0.995
}

sampled() { # sampled NAME HOME SECONDS OPTIONS JVM-OPTIONS...: enough of the walks reach the bottom, see least()
    local home=$2 seconds=$3 options=$4 rc=0

    name=$1 log=$work/log
    shift 4
    takes "$home" "$@" || { echo "skip $name: this VM does not take $*"; return 1; }
    run "$home" "$log" "sample,$options" "$@" -- "${workload:-WalkWork}" "$seconds" || rc=1
    grep -E '^WALK (sample|sample-reasons|sample-agct|sample-time|fuzz|end) ' "$log" | sed "s/^WALK/# $name:/"
    awk -v s="$(value "$log" sample samples)" -v b="$(value "$log" sample bottom)" \
        -v least="$(least)" 'BEGIN { exit !(s >= 200 && b >= least * s) }' || rc=1
    verdict "$name" $rc "$log"
}

# whole: in the last sampled() all roots are known; but for one in 500, whose signal came in the few instructions
# between two states of a stack
whole() {
    sed -n 's/^WALK sample-reasons//p' "$log" | tr ' ' '\n' | awk -F= -v s="$(value "$log" sample samples)" '
        $1 == "broken_frame" || $1 == "unreadable_memory" || $1 == "unknown_code" || $1 == "bad_stack_pointer" { n += $2 }
        END { exit !(s > 200 && n <= s / 500) }'
    verdict "${name/samples/roots of samples}" $? "$log"
}

# fuzzed NAME HOME SECONDS WALKS JVM-OPTIONS...: no crash, bounded time. As many rounds of so many
# seconds as it takes; a busy machine takes more.
fuzzed() {
    local name=$1 home=$2 seconds=$3 walks=$4 log=$work/log rc=0 done=0 rounds=0

    shift 4
    takes "$home" "$@" || { echo "skip $name: this VM does not take $*"; return; }
    while [ $rc = 0 ] && [ "$done" -lt "$walks" ] && [ $rounds -lt 30 ]; do
        run "$home" "$log" "sample,noagct,us=100,fuzz=4000,inject=2000" "$@" -- WalkWork "$seconds" || rc=1
        grep -E '^WALK (fuzz|end) ' "$log" | sed "s/^WALK/# $name:/"
        done=$((done + $(value "$log" fuzz walks)))
        rounds=$((rounds + 1))
    done
    [ "$done" -ge "$walks" ] || rc=1
    verdict "$name" $rc "$log"
}

parked() { # parked NAME HOME SECONDS: the other thread's walks are the thread's own, none is lost
    local name=$1 home=$2 seconds=$3 log=$work/log rc=0

    run "$home" "$log" sample,parked,noagct -- WalkWork "$seconds" || rc=1
    grep -E '^WALK (sample|parked) ' "$log" | sed "s/^WALK/# $name:/"
    awk -v s="$(value "$log" sample samples)" -v p="$(value "$log" parked samples)" \
        -v b="$(value "$log" parked bottom)" -v w="$(value "$log" parked walked)" \
        -v d="$(value "$log" parked differ)" -v least="$(least)" \
        'BEGIN { exit !(s >= 100 && p >= 0.99 * s && b >= least * p && w > 0 && d <= 0.001 * p) }' || rc=1
    verdict "$name" $rc "$log"
}

selftest() { # selftest NAME HOME: the check at start refuses wrong views of the VM, and only those
    local name=$1 home=$2 log=$work/log rc=0

    run "$home" "$log" selftest -- WalkWork 0.1 || rc=1
    grep '^WALK selftest' "$log" | sed "s/^WALK/# $name:/"
    # Some runtimes have no line numbers in the JDK's classes, which could be wrong.
    want="names numbers interpreter methods"
    "$home/bin/java" -cp "$work/$r" WalkOracle x 1 1 2>&1 | grep -q 'at java.*Unknown Source' && want="names interpreter methods"
    [ "$(sed -n 's/^WALK selftest \([a-z]*\): refused: the walker and JVMTI disagree.*/\1/p' "$log" | xargs)" = "$want" ] &&
        grep -q '^WALK selftest as_it_is: accepted$' "$log" || rc=1
    verdict "$name" $rc "$log"
}

forced() { # forced NAME HOME WANTED-SHAPE JVM-OPTIONS...: kind and level of each frame
    local name=$1 home=$2 want=$3 log=$work/log rc=0 commands=() c

    shift 3
    for c in quiet inline,WalkShapes::inlined inline,WalkShapes::bottom dontinline,WalkShapes::called \
        dontinline,WalkShapes::outer exclude,WalkShapes::interpreted exclude,WalkShapes::main; do
        commands+=("-XX:CompileCommand=$c")
    done
    run "$home" "$log" '' -Xbatch "${commands[@]}" "$@" -- WalkShapes "$agent" || rc=1
    [ "$(grep '^WALK shape ' "$log" | tail -1)" = "WALK shape shape:native:0 $want" ] &&
        [ "$(value "$log" stacks wrong)" = 0 ] || rc=1
    verdict "$name" $rc "$log"
}

[ -e "$agent" ] || { echo "skip walk_vm: $agent is not built (no JDK with headers)"; exit 0; }
mapfile -t homes < <(runtimes)
[ ${#homes[@]} != 0 ] || { echo "skip walk_vm: no JDK"; exit 0; }
absent=''
for v in 8 11 21 25; do
    grep -qx "$v" <(for home in "${homes[@]}"; do release "$home"; done) || absent+=" $v"
done
[ -z "$absent" ] || echo "skip walk_vm: no JDK$absent"

newest=${homes[-1]}
for home in "${homes[@]}"; do
    r=$(release "$home")
    mkdir -p "$work/$r"
    sources=(test-data/workload/WalkOracle.java test-data/workload/WalkWork.java
        test-data/workload/WalkShapes.java)
    [ "$r" -lt 21 ] || sources+=(test-data/workload/WalkVirtual.java test-data/workload/WalkFibers.java)
    javac "$home" -d "$work/$r" "${sources[@]}" || exit 1
    selftest "JDK $r check at start" "$home"
    n=600
    [ -z "$soak" ] || n=20000
    exact "JDK $r G1" "$home" "$n" -XX:+UseG1GC
    exact "JDK $r interpreter only" "$home" "$n" -Xint
    exact "JDK $r C1 only" "$home" "$n" -XX:TieredStopAtLevel=1
    exact "JDK $r C2 only" "$home" "$n" -XX:-TieredCompilation
    [ -n "$soak" ] || n=100
    # It compiles all that the VM loads, which takes more than all else here.
    if [ -n "$soak" ] || [ "$home" = "$newest" ]; then
        exact "JDK $r -Xcomp" "$home" "$n" -Xcomp -XX:CompileThreshold=100
    fi
    one_heap=()
    [ "$r" -lt 9 ] || one_heap=(-XX:-SegmentedCodeCache) # JDK 8 has but one
    exact "JDK $r Serial, one code heap" "$home" "$n" -XX:+UseSerialGC ${one_heap[@]+"${one_heap[@]}"}
    exact "JDK $r Parallel, wide references" "$home" "$n" -XX:+UseParallelGC -XX:-UseCompressedOops
    exact "JDK $r Shenandoah" "$home" "$n" -XX:+UseShenandoahGC
    exact "JDK $r ZGC" "$home" "$n" -XX:+UseZGC
    [ "$r" -lt 24 ] || exact "JDK $r compact headers" "$home" "$n" -XX:+UseCompactObjectHeaders
    if [ "$r" -ge 21 ]; then
        n=150
        [ -z "$soak" ] || n=5000
        virtual "JDK $r virtual threads" "$home" "$n"
        virtual "JDK $r virtual threads, interpreter only" "$home" "$n" -Xint
        virtual "JDK $r virtual threads, Parallel, wide references" "$home" "$n" -XX:+UseParallelGC -XX:-UseCompressedOops
        virtual "JDK $r virtual threads, Shenandoah" "$home" "$n" -XX:+UseShenandoahGC
        virtual "JDK $r virtual threads, ZGC" "$home" "$n" -XX:+UseZGC
        virtual "JDK $r virtual threads, compact headers" "$home" "$n" -XX:+UseCompactObjectHeaders
    fi
    for level in 1 2 3 4; do
        forced "JDK $r forced shapes, level $level" "$home" "bottom:inlined:$level inlined:inlined:$level \
called:compiled:$level outer:compiled:$level interpreted:interpreted:0 main:interpreted:0" \
            "-XX:TieredStopAtLevel=$level"
    done
    # On 8, compileonly keeps other methods from being inlined.
    [ "$r" -lt 9 ] || forced "JDK $r forced shapes, one compiled method" "$home" "bottom:inlined:4 inlined:inlined:4 \
called:compiled:4 outer:interpreted:0 interpreted:interpreted:0 main:interpreted:0" \
        -XX:CompileCommand=compileonly,WalkShapes::called -XX:TieredStopAtLevel=4
    forced "JDK $r forced shapes, interpreter only" "$home" 'bottom:interpreted:0 inlined:interpreted:0 '\
'called:interpreted:0 outer:interpreted:0 interpreted:interpreted:0 main:interpreted:0' -Xint
    s=1
    [ -z "$soak" ] || s=60
    sampled "JDK $r samples" "$home" $s ''
    if [ "$r" -ge 21 ]; then
        workload=WalkFibers
        for options in -XX:+UseG1GC -XX:+UseSerialGC -XX:+UseParallelGC -XX:+UseShenandoahGC -XX:+UseZGC \
            '-XX:+UseZGC -XX:+ZGenerational' '-Xcomp -XX:+UseG1GC'; do
            # From 24 on there is only one ZGC.
            [[ "$r $options" != 2[4-9]*ZGenerational ]] || continue
            sampled "JDK $r samples, virtual threads, ${options//-XX:+Use/}" "$home" $s us=150 -Xmx200m $options && whole
        done
        workload=
    fi
    parked "JDK $r parked" "$home" $s
    if [ -n "$soak" ]; then
        sampled "JDK $r samples, interpreter only" "$home" $s '' -Xint
        sampled "JDK $r samples, C1 only" "$home" $s '' -XX:TieredStopAtLevel=1
        sampled "JDK $r samples, C2 only" "$home" $s '' -XX:-TieredCompilation
        sampled "JDK $r samples, ZGC" "$home" $s '' -XX:+UseZGC
        fuzzed "JDK $r fuzz" "$home" 60 10000000
    else
        fuzzed "JDK $r fuzz" "$home" 1 50000
    fi
    if [ -e "$home/lib/libjsig.so" ]; then
        preload=$home/lib/libjsig.so
        fuzzed "JDK $r fuzz, libjsig, checked JNI, small stacks" "$home" $s 20000 -Xcheck:jni -Xss512k
        preload=
    else
        echo "skip JDK $r fuzz with libjsig: this JDK has none"
    fi
done
exit $failed
