#!/bin/bash
# Every C++ name of the libraries at hand, as c++filt writes it and as we do: the share that agrees.
# Then names of a Rust program, when there is a compiler.
set -u
cd "$(dirname "$0")/../../.." || exit 1
B=${B:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/names.c" <<'C'
#include "recorder/symbols/demangle.h"
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    static char line[70000], name[70000];
    (void)argv;
    while (fgets(line, sizeof(line), stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        puts(demangle(line, name, sizeof(name), argc > 1 ? DEMANGLE_NO_PARAMS : DEMANGLE_FULL) ? name
                                                                                              : line);
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
for file in $(compgen -G '/usr/lib/jvm/*/lib/server/libjvm.so' | xargs -r realpath | sort -u) \
    $(compgen -G '/usr/lib/*-linux-gnu/libstdc++.so.6'); do
    { nm "$file"; nm -D "$file"; } 2>/dev/null | awk '{ print $NF }' | sed 's/@.*//' |
        grep '^_Z' | sort -u >"$work/mangled"
    [ -s "$work/mangled" ] || continue
    for style in '' -p; do
        "$work/names" $style <"$work/mangled" >"$work/ours"
        c++filt $style <"$work/mangled" >"$work/theirs"
        paste "$work/ours" "$work/theirs" | awk -F'\t' -v name="$(basename "$file")${style:+ $style}" '
            { n++; if ($1 == $2) same++; else if (shown++ < 3) print "# ours   " $1 "\n# theirs " $2 }
            END { printf "%s %s: %d of %d names agree (%.3f %%)\n",
                      (same >= n * 0.999 ? "ok" : "not ok"), name, same, n, same * 100 / n }'
    done
done
rust=$(command -v rustc || echo "$HOME/.cargo/bin/rustc")
if [ ! -x "$rust" ]; then
    echo "skip Rust names: no compiler"
    exit 0
fi
echo 'mod a { pub trait T { fn run(&self) -> u32; } impl T for Vec<u32> { #[inline(never)] fn run(&self) -> u32 { self.iter().sum() } } }
use a::T; fn main() { println!("{}", vec![1u32, 2].run()); }' >"$work/r.rs"
if "$rust" -C symbol-mangling-version=legacy -o "$work/r" "$work/r.rs" 2>"$work/log" ||
    "$rust" -o "$work/r" "$work/r.rs" 2>"$work/log"; then
    nm "$work/r" | awk '{ print $NF }' | grep -E '^_ZN.*17h[0-9a-f]{16}E$' | sort -u >"$work/mangled"
    "$work/names" -p <"$work/mangled" >"$work/ours"
    c++filt -s rust <"$work/mangled" | sed -E 's/::h[0-9a-f]{16}$//' >"$work/theirs"
    paste "$work/ours" "$work/theirs" | awk -F'\t' '
        { n++; if ($1 == $2) same++; else if (shown++ < 3) print "# ours   " $1 "\n# theirs " $2 }
        END { printf "%s Rust: %d of %d names agree\n", (n > 0 && same >= n * 0.99 ? "ok" : "not ok"), same, n }'
else
    echo "skip Rust names: $(head -1 "$work/log")"
fi
