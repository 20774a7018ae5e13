#!/bin/bash
# Our event types against those of the JDKs: `jfr metadata` of 25 must say the same of all of them,
# 17's of all fields that it has.
set -u
. tools/test/jdk_lib.sh
B=${B:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One line per event and field: what it is called, holds and means. Numbers are unsigned or not as
# they are; texts for people (Description) are left out.
flat() {
    awk '
        function reset() { n = 0; category = ""; event = ""; label = "" }
        /^@Name/ { reset(); split($0, q, "\""); event = q[2]; next }
        /^@Category/ { category = $0; next }
        /^@Label/ { label = $0; next }
        /^class .* extends jdk.jfr.Event/ && event != "" { print event, category, label; inside = 1; next }
        /^}/ { inside = 0; reset() }
        !inside { next }
        /^  @Description/ { next }
        /^  @/ { sub(/^  /, ""); notes[n++] = $0; next }
        /;$/ {
            for (i = 1; i < n; i++)
                for (k = i; k > 0 && notes[k] < notes[k - 1]; k--) {
                    swap = notes[k]; notes[k] = notes[k - 1]; notes[k - 1] = swap
                }
            line = event "." $2 " " $1
            for (i = 0; i < n; i++) line = line " " notes[i]
            print line
            n = 0
        }' "$1" | sed 's/;//'
}

types() { # FILE: names of event types
    sed -n 's/^@Name("\(jdk\.[^"]*\)")/\1/p' "$1" | sort
}

[ -x "$B/recorder/settings/test/jdk_types_test" ] || { echo "skip jdk types: recorder/settings/test/jdk_types_test is not built"; exit 0; }
"$B/recorder/settings/test/jdk_types_test" "$work/own.jfr" >/dev/null 2>&1 || { echo 'not ok declare'; exit 1; }
bad=0 seen=0
for jfr in /usr/lib/jvm/*/bin/jfr; do
    [ -x "$jfr" ] && [ ! -L "$(dirname "$(dirname "$jfr")")" ] || continue
    home=${jfr%/bin/jfr}
    version=$(release "$home")
    jfr "$home" metadata >"$work/jdk" 2>/dev/null || continue
    jfr "$home" metadata "$work/own.jfr" >"$work/own" || { echo "not ok $version reads our metadata"; bad=1; continue; }
    seen=1
    flat "$work/own" | grep '^jdk\.' >"$work/own.flat"
    flat "$work/jdk" >"$work/jdk.flat"
    if [ "$version" -ge 25 ]; then
        # the JDK has more types than we make
        types "$work/own" | sed 's/\./\\./; s/.*/^&[. ]/' >"$work/names"
        # ... and its compilations have fields that the VM does not tell an agent
        grep -f "$work/names" "$work/jdk.flat" |
            grep -vE '^jdk.Compilation\.(duration|compiler|compileLevel|isOsr|inlinedBytes|arenaBytes) ' | sort >"$work/want"
        sort "$work/own.flat" | diff - "$work/want" >"$work/found"
    else
        # other releases: the fields that both have are called the same and hold the same
        sort "$work/own.flat" | sed -n 's/^\(jdk[^ ]*\.[^ ]* [^ ]*\) .*/\1/p' | sort -u >"$work/a"
        sed -n 's/^\(jdk[^ ]*\.[^ ]* [^ ]*\) .*/\1/p' "$work/jdk.flat" | sort -u >"$work/b"
        join <(cut -d' ' -f1,2 "$work/a") <(cut -d' ' -f1,2 "$work/b") | awk '$2 != $3' >"$work/found"
        [ "$(join <(cut -d' ' -f1 "$work/a") <(cut -d' ' -f1 "$work/b") | wc -l)" -ge 100 ] ||
            echo 'fewer than 100 fields in common' >>"$work/found"
    fi
    if [ -s "$work/found" ]; then
        echo "not ok JDK $version has the same types"
        head -40 "$work/found"
        bad=1
    else
        echo "ok JDK $version has the same types ($(wc -l <"$work/own.flat") lines)"
    fi
done
[ $seen = 1 ] || echo 'skip jdk types: no JDK with jfr'
exit $bad
