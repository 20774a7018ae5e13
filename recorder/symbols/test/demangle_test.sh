#!/bin/bash
# Every C++ name of the libraries at hand is as c++filt writes it, and the names of a Rust program, where a compiler is.
set -u
cd "$(dirname "$0")/../../.." || exit 1
B=${B:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/names.c" <<'C'
#include "recorder/symbols/demangle.h"
#include <stdio.h>
#include <string.h>
int main(void)
{
    static char line[70000], name[70000];
    while (fgets(line, sizeof(line), stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        puts(demangle(line, name, sizeof(name)) ? name : line);
    }
    return 0;
}
C
make -s B="$B" "$B/libjfrkit.a" >"$work/log" 2>&1 &&
    ${CC:-cc} -I. -o "$work/names" "$work/names.c" "$B/libjfrkit.a" 2>>"$work/log" || {
    echo "not ok the demangler compiles"
    tail "$work/log"
    exit 1
}
if ! command -v c++filt >/dev/null || ! command -v nm >/dev/null; then
    echo "skip names as c++filt writes them: binutils are missing"
    exit 0
fi
if [ "$(echo _Z1fv | "$work/names")" != f ]; then
    echo "skip names as c++filt writes them: built without libiberty"
    exit 0
fi

# agree NAME: each name of $work/mangled
agree() {
    "$work/names" <"$work/mangled" >"$work/ours"
    c++filt -p <"$work/mangled" >"$work/theirs"
    if [ -s "$work/mangled" ] && cmp -s "$work/ours" "$work/theirs"; then
        echo "ok $1: $(wc -l <"$work/mangled") names"
    else
        echo "not ok $1"
        diff "$work/ours" "$work/theirs" | head -6 | cut -c1-300 | sed 's/^/    /'
    fi
}

for file in $(compgen -G '/usr/lib/jvm/*/lib/server/libjvm.so' | xargs -r realpath | sort -u) \
    $(compgen -G '/usr/lib/*-linux-gnu/libstdc++.so.6'); do
    { nm "$file"; nm -D "$file"; } 2>/dev/null | awk '{ print $NF }' | sed 's/@.*//' |
        grep '^_Z' | sort -u >"$work/mangled"
    [ ! -s "$work/mangled" ] || agree "names of $(basename "$file")"
done
rust=$(command -v rustc || echo "$HOME/.cargo/bin/rustc")
if [ ! -x "$rust" ]; then
    echo "skip Rust names: no compiler"
    exit 0
fi
echo 'mod a { pub trait T { fn run(&self) -> u32; } impl T for Vec<u32> { #[inline(never)] fn run(&self) -> u32 { self.iter().sum() } } }
use a::T; fn main() { println!("{}", vec![1u32, 2].run()); }' >"$work/r.rs"
for scheme in legacy v0; do
    "$rust" -C symbol-mangling-version=$scheme -o "$work/r" "$work/r.rs" 2>"$work/log" ||
        "$rust" -Z unstable-options -C symbol-mangling-version=$scheme -o "$work/r" "$work/r.rs" 2>"$work/log" ||
        { echo "skip Rust names, $scheme: $(head -1 "$work/log")"; continue; }
    nm "$work/r" | awk '{ print $NF }' | grep -E '^_ZN.*17h[0-9a-f]{16}E$|^_R' | sort -u >"$work/mangled"
    "$work/names" <"$work/mangled" >"$work/ours"
    c++filt -i -s rust <"$work/mangled" >"$work/theirs"
    if [ -s "$work/mangled" ] && cmp -s "$work/ours" "$work/theirs"; then
        echo "ok Rust names, $scheme: $(wc -l <"$work/mangled")"
    else
        echo "not ok Rust names, $scheme"
        diff "$work/ours" "$work/theirs" | head -6 | sed 's/^/    /'
    fi
done
