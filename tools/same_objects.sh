#!/bin/bash
# same_objects.sh REVISION [FOLDER...]: compiles the sources of the folders (default: all), tests left out, as they are here
# and as they were in a revision, without debug information, and compares the objects. For changes of comments, which must
# not change code.
set -u
revision=$1
shift
[ $# -gt 0 ] || set -- jfrfmt config convert recorder tools
B=${B:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git archive "$revision" | tar -x -C "$work" || exit 1
built=$(realpath "$B") here=$PWD
jdk=$(dirname "$(dirname "$(compgen -G '/usr/lib/jvm/*/include/jvmti.h' | head -1)")")
flags=(-std=c11 -D_GNU_SOURCE -I. "-I$built" -O2 -g0 -fPIC -fvisibility=hidden -DHAS_SQLITE -DHAS_LIBIBERTY -isystem "$jdk/include"
    -isystem "$jdk/include/linux" $(pkg-config --cflags libxml-2.0))
n=0 bad=0
while read -r file; do
    [ -e "$work/$file" ] || { echo "new: $file"; continue; }
    (cd "$here" && cc "${flags[@]}" -c -o "$work/here.o" "$file") 2>"$work/log" && (cd "$work" && cc "${flags[@]}" -c -o then.o "$file") 2>>"$work/log" ||
        { echo "does not compile: $file: $(head -1 "$work/log")"; bad=$((bad + 1)); continue; }
    cmp -s "$work/here.o" "$work/then.o" || { echo "differs: $file"; bad=$((bad + 1)); }
    n=$((n + 1))
done < <(find "$@" -name '*.c' | grep -vE '/test/|_test\.c|_fuzz\.c|package/reading' | sort)
echo "$n objects compared, $bad differ"
[ $bad = 0 ]
