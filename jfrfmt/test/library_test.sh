#!/bin/bash
# libjfr as other programs see it: installed into a folder, found by pkg-config, linked as shared and as static library. The
# programs are the two examples of jfrfmt/README.md. The JDK's jfr reads what one of them writes.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/jdk_lib.sh
. tools/test/sample_lib.sh
cc=${CC:-cc}
command -v pkg-config >/dev/null || { echo 'skip libjfr: no pkg-config'; exit 0; }

# example N FILE: the N-th program of the README
example() {
    awk -v n="$1" '/^```c$/ { i++; inside = i == n; next } /^```$/ { inside = 0 } inside' jfrfmt/README.md >"$2"
    [ "$(wc -l <"$2")" -ge 25 ] || wrong "the README has no example $1"
}

usr=$work/usr
env -u MAKEFLAGS -u MAKELEVEL make -s B="$B" install-lib PREFIX="$usr" >"$work/log" 2>&1 || wrong "make install-lib: $(tail -3 "$work/log")"
export PKG_CONFIG_PATH=$usr/lib/pkgconfig
version=$(pkg-config --modversion jfrkit) || wrong 'pkg-config does not find it'
same version "$version" "$("$B/jfrkit" --version | awk '{ print $NF }')"
example 1 "$work/read.c"
example 2 "$work/write.c"
for program in read write; do
    # shellcheck disable=SC2046
    "$cc" -Wall -Wextra -Werror -o "$work/$program" "$work/$program.c" $(pkg-config --cflags --libs jfrkit) >>"$work/wrong" 2>&1
    # shellcheck disable=SC2046
    "$cc" -o "$work/$program-static" "$work/$program.c" $(pkg-config --cflags jfrkit) "$usr/lib/libjfr.a" -lzstd -lz -llz4 -pthread >>"$work/wrong" 2>&1
done
export LD_LIBRARY_PATH=$usr/lib
readelf -d "$work/read" | grep -q 'NEEDED.*\[libjfr\.so\.1\]' || wrong 'the program does not need libjfr.so.1'
! readelf -d "$work/read-static" | grep -q libjfr || wrong 'the static program needs libjfr'
"$work/write" "$work/reads.jfr" >>"$work/wrong" 2>&1 || wrong "write: exit code $?"
printf '/tmp/app.log %s\n' 0 4096 8192 >"$work/want"
for program in read read-static; do
    "$work/$program" "$work/reads.jfr" 2>&1 | diff "$work/want" - >>"$work/wrong"
done
"$work/write-static" "$work/static.jfr" >>"$work/wrong" 2>&1 || wrong "write-static: exit code $?"
"$work/read" "$work/static.jfr" | diff "$work/want" - >>"$work/wrong"
verdict 'both examples of the README, linked either way'

file=$(own_recordings jfrkit-jdk25)
"$work/read" "$file" | LC_ALL=C sort >"$work/have"
"$B/jfr2csv" -e FileRead --fields path,bytesRead "$file" 2>/dev/null | tr -d '\r' | awk -F, 'NR > 1 { print $1, $2 }' | LC_ALL=C sort >"$work/want"
[ "$(wc -l <"$work/want")" -gt 100 ] && cmp "$work/want" "$work/have" >>"$work/wrong" 2>&1 || wrong 'other values than jfr2csv has'
head -c 30000 "$file" | "$work/read" >"$work/have" 2>"$work/err" && wrong 'a cut file is read without an error'
[ -s "$work/err" ] || wrong 'no message about a cut file'
"$work/read" "$work/none.jfr" 2>"$work/err" && wrong 'a missing file is no error'
grep -q 'No such file' "$work/err" || wrong "a missing file: $(cat "$work/err")"
verdict 'the reader reads a recording as jfr2csv does, and reports what is wrong'

home=$(jdk_home 25 || jdk_home 17)
if [ -n "$home" ]; then
    "$home/bin/jfr" print --events FileRead "$work/reads.jfr" >"$work/have" 2>&1
    [ "$(grep -c 'path = "/tmp/app.log"' "$work/have")" = 3 ] && grep -q 'bytesRead = 8.0 kB' "$work/have" || wrong "$(head -20 "$work/have")"
    verdict "the JDK's jfr prints what the writer wrote"
else
    echo "skip the JDK's jfr: no JDK"
fi

for symbol in $(nm -D --defined-only "$usr/lib/libjfr.so" | awk '$2 != "A" { print $3 }' | sed 's/@.*//') \
    $(nm -g --defined-only "$usr/lib/libjfr.a" | awk 'NF == 3 { print $3 }'); do
    [[ $symbol == jfr_* ]] || wrong "exported: $symbol"
    grep -rqE "\b$symbol\(" "$usr/include/jfr" || wrong "$symbol is in no header"
done
[ "$(nm -D --defined-only "$usr/lib/libjfr.so" | grep -c ' T jfr_')" -gt 80 ] || wrong 'few functions are exported'
# No other name that could be a program's own, but for the guards of the headers.
if ctags --version 2>/dev/null | grep -q 'Universal Ctags'; then
    (cd "$usr/include/jfr" && find . -name '*.h' -exec ctags -x --kinds-C=+fdtsegup-m --language-force=C {} + 2>/dev/null) >"$work/names"
    [ "$(wc -l <"$work/names")" -gt 150 ] || wrong 'few names in the headers'
    awk '$1 !~ /^(jfr_|JFR_|JFRFMT_[A-Z_]*_H$)/ && !/__anon/ { print "in a header: " $1 }' "$work/names" >>"$work/wrong"
fi
# A header alone is enough for each of them, and for C++ it is not meant.
for header in $(cd "$usr/include/jfr" && find . -name '*.h' | sed 's|^\./||'); do
    echo "#include <$header>" | "$cc" -std=c11 -fsyntax-only -Wall -Wextra -Werror -I"$usr/include/jfr" -x c - >>"$work/wrong" 2>&1
done
verdict 'what is exported begins with jfr_ and is in a header, and each header stands alone'

# changed_abi BASELINE: what programs that were built with the baseline would find changed
changed_abi() {
    abidiff --no-added-syms "$1" "$B/libjfr.so.$version" 2>&1
}
if ! command -v abidiff >/dev/null; then
    echo 'skip the ABI of libjfr: no abidiff (abigail-tools)'
elif [ "$(uname -m)" != x86_64 ] || ! readelf -S "$B/libjfr.so.$version" | grep -q '\.debug_info'; then
    echo 'skip the ABI of libjfr: the baseline is of x86-64, and needs debug information'
else
    gzip -dc jfrfmt/libjfr.abi.gz >"$work/abi"
    changed_abi "$work/abi" >"$work/log" || wrong "not what jfrfmt/libjfr.abi.gz has; 'make abi' if programs need not be built again: $(grep -v '^$' "$work/log" | head -20)"
    # What the check has to find: a function that is gone, a structure of another size.
    sed "s/'jfr_event_begin'/'jfr_event_gone'/g" "$work/abi" >"$work/other"
    changed_abi "$work/other" >"$work/log" && wrong 'a missing function is no change'
    sed "/<class-decl name='jfr_event' /s/size-in-bits='[0-9]*'/size-in-bits='64'/" "$work/abi" >"$work/other"
    changed_abi "$work/other" >"$work/log" && wrong 'another size is no change'
    cmp -s "$work/abi" "$work/other" && wrong 'no structure jfr_event'
    verdict 'programs that were built with libjfr 1.0.0 need not be built again'
fi
exit $failed
