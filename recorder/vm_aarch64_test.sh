#!/bin/bash
# The walker for the other processor, as far as a compiler can tell.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc=$(command -v aarch64-linux-gnu-gcc)
jdk=$(ls -d /usr/lib/jvm/*/include 2>/dev/null | head -1)
failed=0

[ -n "$cc" ] || { echo "skip aarch64: no aarch64-linux-gnu-gcc"; exit 0; }
[ -n "$jdk" ] || { echo "skip aarch64: no JDK with headers"; exit 0; }
for f in recorder/safe_load.c recorder/vm*.c recorder/walk_vm*.c recorder/jfrkit_walk.c; do
    [[ $f != *_test.c ]] || continue
    "$cc" -std=c11 -D_GNU_SOURCE -I. -isystem "$jdk" -isystem "$jdk/linux" -O2 -Wall -Wextra -Werror \
        -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-missing-field-initializers -fPIC -c \
        -o "$work/o.o" "$f" >"$work/log" 2>&1 && continue
    echo "not ok $f compiles for aarch64"
    sed 's/^/    /' "$work/log"
    failed=1
done
[ $failed != 0 ] || echo "ok the walker compiles for aarch64"
echo "skip aarch64 walks: no such machine to run them on"
exit $failed
