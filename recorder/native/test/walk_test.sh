#!/bin/bash
# Walks native stacks at every instruction of known shapes and compares each walk with libgcc's
# unwinder; then at random moments in system calls, signal handlers and a dlopen storm. SOAK=1 takes
# twenty times as many samples.
set -u
cd "$(dirname "$0")/../../.." || exit 1
B=${B:-build}
cxx=${CXX:-g++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
from=test-data/workload/native
# no frame pointers, lazy linkage: what is hardest
flags=(-O2 -g -fomit-frame-pointer -fPIE -I. -I$from -D_GNU_SOURCE -w)

if [ "$(uname -m)" != x86_64 ]; then
    echo "skip native walks: only written for x86-64"
    exit 0
fi
if ! command -v "$cxx" >/dev/null; then
    echo "skip native walks: no C++ compiler ($cxx)"
    exit 0
fi
make -s B="$B" "$B/libjfrkit.a" >"$work/log" 2>&1 &&
    ${CC:-cc} -std=c11 "${flags[@]}" -c -o "$work/walk.o" $from/walk_shapes.c >>"$work/log" 2>&1 &&
    ${CC:-cc} -std=c11 "${flags[@]}" -fno-inline -c -o "$work/c.o" $from/shapes_c.c >>"$work/log" 2>&1 &&
    "$cxx" "${flags[@]}" -c -o "$work/cxx.o" $from/shapes_cxx.cc >>"$work/log" 2>&1 &&
    "$cxx" -Wl,-z,lazy -pie -pthread -o "$work/walk_shapes" "$work"/*.o "$B/libjfrkit.a" -lm -ldl \
        >>"$work/log" 2>&1 || {
    echo "not ok walk_shapes compiles"
    tail -20 "$work/log"
    exit 1
}
samples=500
[ "${SOAK:-0}" != 1 ] || samples=10000
timeout 250 "$work/walk_shapes" $samples
rc=$?
[ $rc = 0 ] || echo "not ok walk_shapes ends well: exit code $rc"
# The rules of the largest libraries at hand are those that readelf prints.
files=$(compgen -G '/usr/lib/jvm/*/lib/server/libjvm.so' | xargs -r realpath | sort -u)
if [ -n "$files" ] && [ -x "$B/recorder/native/test/cfi_table_test" ]; then
    if CFI_LIBRARIES=$files "$B/recorder/native/test/cfi_table_test" >"$work/rules" 2>&1; then
        echo "ok rules of libjvm.so are those that readelf prints"
    else
        echo "not ok rules of libjvm.so are those that readelf prints"
    fi
    grep -E ' rows |^skip' "$work/rules"
else
    echo "skip rules of libjvm.so: no JDK or no unit tests"
fi
exit $rc
