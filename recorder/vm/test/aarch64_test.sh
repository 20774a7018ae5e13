#!/bin/bash
# The walker for the other processor: it compiles, and its unit tests run where an emulator is. What
# needs a VM is not run there.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc=$(command -v aarch64-linux-gnu-gcc)
jdk=$(ls -d /usr/lib/jvm/*/include 2>/dev/null | head -1)
failed=0
flags=(-std=c11 -D_GNU_SOURCE -Itest-data/cross -I. -isystem "$jdk" -isystem "$jdk/linux" -O2 -Wall -Wextra -Werror
    -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-missing-field-initializers -fPIC -pthread)

[ -n "$cc" ] || { echo "skip aarch64: no aarch64-linux-gnu-gcc"; exit 0; }
[ -n "$jdk" ] || { echo "skip aarch64: no JDK with headers"; exit 0; }

# What walks, and what it needs; the rest of the recorder wants libraries that are not here.
sources=(recorder/{native,symbols,vm}/*.c recorder/base/{safe_load,radix,walk_reason,code_range,proc}.c
    recorder/walk/{jfrkit_walk,parked,snapshot,vm_walker,vm_walker_check}.c jfrfmt/base/cursor.c)
for f in "${sources[@]}"; do
    "$cc" "${flags[@]}" -c -o "$work/${f//\//_}.o" "$f" >"$work/log" 2>&1 && continue
    echo "not ok $f compiles for aarch64"
    sed 's/^/    /' "$work/log"
    failed=1
done
[ $failed = 0 ] || exit 1
aarch64-linux-gnu-ar rcs "$work/walker.a" "$work"/*.o
echo "ok the walker compiles for aarch64"

emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static)
[ -n "$emulator" ] || { echo "skip unit tests for aarch64: no qemu-aarch64"; exit 0; }
for test in base/test/safe_load native/test/walk symbols/test/perf_map vm/test/dict native/test/symbols symbols/test/demangle symbols/test/elf; do
    "$cc" "${flags[@]}" -rdynamic -o "$work/${test##*/}_test" "recorder/${test}_test.c" "$work/walker.a" -ldl -lm \
        >"$work/log" 2>&1 || { echo "not ok $test links for aarch64"; sed 's/^/    /' "$work/log" | tail -20; failed=1; continue; }
    timeout 300 "$emulator" -L /usr/aarch64-linux-gnu "$work/${test##*/}_test" >"$work/log" 2>&1
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
echo "skip walks of a VM on aarch64: no such machine"
exit $failed
