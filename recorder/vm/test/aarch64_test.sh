#!/bin/bash
# The walker for the other processor: it compiles, and where an emulator is its unit tests run, and walks in a JVM of
# that processor are compared with what JVMTI says.
#   SOAK=1   more of them, in JVMs of three releases, and samples
set -u
. tools/test/jdk_lib.sh
. recorder/walk/test/walk_lib.sh
B=${B:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc=$(command -v aarch64-linux-gnu-gcc)
jdk=$(compiler)/include
failed=0
flags=(-std=c11 -D_GNU_SOURCE -Itest-data/cross -I. -isystem "$jdk" -isystem "$jdk/linux" -O2 -Wall -Wextra -Werror
    -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-missing-field-initializers -fPIC -pthread)

[ -n "$cc" ] || { echo "skip aarch64: no aarch64-linux-gnu-gcc"; exit 0; }
[ -d "$jdk" ] || { echo "skip aarch64: no JDK with headers"; exit 0; }

# What walks, and what it needs; the rest of the recorder wants libraries that are not here.
sources=(recorder/{native,symbols,vm}/*.c recorder/base/{safe_load,radix,walk_reason,code_range,proc}.c
    recorder/walk/{jfrkit_walk,parked,snapshot,vm_walker,vm_walker_check}.c jfrfmt/base/{array,cursor}.c)
for f in "${sources[@]}"; do
    "$cc" "${flags[@]}" -c -o "$work/${f//\//_}.o" "$f" >"$work/log" 2>&1 && continue
    echo "not ok $f compiles for aarch64"
    sed 's/^/    /' "$work/log"
    failed=1
done
[ $failed = 0 ] || exit 1
aarch64-linux-gnu-ar rcs "$work/walker.a" "$work"/*.o
echo "ok the walker compiles for aarch64"

emulator=("$(command -v qemu-aarch64 || command -v qemu-aarch64-static)" -L /usr/aarch64-linux-gnu)
[ -n "${emulator[0]}" ] || { echo "skip unit tests for aarch64: no qemu-aarch64"; exit 0; }
for test in base/test/safe_load native/test/walk symbols/test/perf_map vm/test/dict vm/test/zgc native/test/symbols symbols/test/elf; do
    "$cc" "${flags[@]}" -rdynamic -o "$work/${test##*/}_test" "recorder/${test}_test.c" "$work/walker.a" -ldl -lm \
        >"$work/log" 2>&1 || { echo "not ok $test links for aarch64"; sed 's/^/    /' "$work/log" | tail -20; failed=1; continue; }
    timeout 300 "${emulator[@]}" "$work/${test##*/}_test" >"$work/log" 2>&1
    rc=$?
    if [ $rc = 0 ]; then
        echo "ok $test on aarch64: $(grep -m1 ' tests of ' "$work/log")"
        grep '^skip ' "$work/log"
    else
        echo "not ok $test on aarch64: exit code $rc"
        tail -5 "$work/log" | cut -c1-300 | sed 's/^/    /'
        failed=1
    fi
done

# --- in a JVM ---

agent=$work/agent.so
patience=600

# walks RELEASE NAME OPTIONS JVM-OPTION... -- CLASS ARG...: what the agent says is in $work/log
walks() {
    run "$B/jdks-aarch64/$1" "$work/log" "$3" -XX:+UseSerialGC "${@:4}"
    rc=$?
    grep -E '^WALK (methods|compiled|stacks|sample|sample-reasons) ' "$work/log" | sed "s/^WALK/# aarch64, JDK $1, $2:/"
}

said() { # said LINE KEY
    value "$work/log" "$@"
}

judge() { # judge NAME CONDITION-RESULT
    if [ "$rc$2" = 00 ]; then
        echo "ok $1"
    else
        echo "not ok $1: exit code $rc"
        grep '^WALK' "$work/log" | head -20 | cut -c1-300 | sed 's/^/    /'
        failed=1
    fi
}

releases=$([ -n "${SOAK:-}" ] && echo 17 21 25 || echo 21)
for release in $releases; do
    java=$B/jdks-aarch64/$release/bin/java
    [ -x "$java" ] || { echo "skip walks on aarch64, JDK $release: tools/setup.sh jdks has not fetched it"; continue; }
    if [ ! -e "$agent" ]; then
        "$cc" "${flags[@]}" -w -shared -Wl,-z,defs -o "$agent" test-data/agent/walk*.c "$work/walker.a" -ldl -lm \
            >"$work/log" 2>&1 || { echo 'not ok the agent links for aarch64'; tail -20 "$work/log" | sed 's/^/    /'; exit 1; }
    fi
    programs=(Walk{Oracle,Work})
    [ "$release" -lt 21 ] || programs+=(Walk{Virtual,Fibers})
    mkdir -p "$work/$release"
    javac "$(compiler)" -nowarn --release "$release" -d "$work/$release" $(printf 'test-data/workload/%s.java ' "${programs[@]}") \
        >"$work/log" 2>&1 || { echo "skip walks on aarch64, JDK $release: javac: $(head -1 "$work/log")"; continue; }
    n=$([ -n "${SOAK:-}" ] && echo 2000 || echo 60)
    walks "$release" stacks methods,compiled -- WalkOracle "$agent" "$n" 4
    [ "$(said methods wrong)" = 0 ] && [ "$(said compiled wrong)" = 0 ] && [ "$(said stacks api_wrong)" = 0 ] &&
        [ "$(grep -c '^WALK stacks .* wrong=0$' "$work/log")" = 2 ] && [ "$(grep -c '^WALK stacks .* calls=0' "$work/log")" = 0 ]
    judge "stacks are JVMTI's on aarch64, JDK $release" $?
    if [ "$release" -ge 21 ]; then
        walks "$release" 'virtual threads' '' -- WalkVirtual "$agent" $((n / 2))
        [ "$(said stacks wrong)" = 0 ] && [ "$(said stacks api_wrong)" = 0 ] && [ "$(said stacks in_heap)" -gt 1000 ]
        judge "stacks of virtual threads are JVMTI's on aarch64, JDK $release" $?
    fi
    [ -n "${SOAK:-}" ] || continue
    for program in "${programs[@]}"; do
        [[ $program = Walk@(Work|Fibers) ]] || continue
        walks "$release" "samples of $program" sample,noagct,us=1000 -Xmx200m -- $program 30
        awk -v s="$(said sample samples)" -v b="$(said sample bottom)" 'BEGIN { exit !(s >= 200 && b >= 0.99 * s) }'
        judge "samples of $program reach the thread's start on aarch64, JDK $release" $?
    done
done
exit $failed
