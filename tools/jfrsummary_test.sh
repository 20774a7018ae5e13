#!/bin/bash
# jfrsummary against `jfr summary` of every JDK found, on real recordings (those of
# sample_lib.sh; SOAK=1: all) and on a fresh one.
set -u
B=${B:-build}
shared=${SHARED:-../shared}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

ok() {
    echo "ok $1"
}

not_ok() {
    echo "not ok $1"
    sed 's/^/    /' "$work/diff" | head -20
    failed=1
}

# verdict NAME: $work/diff is empty
verdict() {
    if [ -s "$work/diff" ]; then not_ok "$1"; else ok "$1"; fi
}

. tools/jdk_lib.sh
. tools/sample_lib.sh

collect() {
    local f odd=("$shared"/edge-cases/{base,ultra_min,fields_differ,dup_event_name,unknown_event}.jfr
        "$shared"/edge-cases/{typeid*,event_super*,idreuse*,metaid_*,reference_full,trailing}.jfr)

    mkdir -p "$work/in"
    for f in $(sample) "${odd[@]}"; do
        case $f in
        *'*'*) ;;
        *.gz) gunzip -c "$f" >"$work/in/$(basename "$f" .gz)" ;;
        *) [ ! -e "$f" ] || cp "$f" "$work/in/" ;;
        esac
    done
}

record() {
    cat >"$work/Load.java" <<'END'
public class Load {
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 20; i++) {
            Thread t = new Thread(() -> new StringBuilder("x".repeat(100000)).reverse());
            t.start();
            t.join();
            System.gc();
        }
    }
}
END
    fresh_recording "$1" "$work/in/fresh$2.jfr" "$work/Load.java" >/dev/null 2>&1
}

# Rows of numbers; the order of types without events is another matter when JVMs are mixed.
rows() {
    sort "$1"
}

compare() {
    local jdk=$1 version=$2 f n=0 same=0 jfr

    jfr=$(fast_jfr "$jdk" "$work/jfr")
    : >"$work/diff"
    for f in "$work"/in/*.jfr; do
        timeout 300 "$jfr" summary "$f" >"$work/want" 2>/dev/null || continue
        "$B/jfrsummary" -q --compat "$version" "$f" >"$work/is" 2>/dev/null
        n=$((n + 1))
        diff <(rows "$work/want") <(rows "$work/is") >"$work/one" ||
            { echo "$(basename "$f")"; cat "$work/one"; } >>"$work/diff"
        ! cmp -s "$work/want" "$work/is" || same=$((same + 1))
    done
    [ $n -gt 0 ] || echo 'no recording at all' >"$work/diff"
    verdict "summary of JDK $version, $n recordings, $same byte for byte"
    : >"$work/diff"
    [ $((n - same)) -le 1 ] || echo "$((n - same)) of $n are in another order" >"$work/diff"
    verdict "order of ties of JDK $version"
}

# The default layout and JSON hold the same numbers as the compatible one, merged by name.
own_layouts() {
    local f

    : >"$work/diff"
    for f in "$work"/in/*.jfr; do
        "$B/jfrsummary" -q --json "$f" >"$work/json" 2>/dev/null || [ $? = 3 ] || continue
        python3 - "$work/json" <("$B/jfrsummary" -q "$f") "$f" >>"$work/diff" <<'END'
import json, re, sys
d = json.load(open(sys.argv[1]))
rows = {}
for line in open(sys.argv[2], encoding='utf-8'):
    m = re.match(r' (.*?) +(\d+) +(\d+) +[\d.]+% +\S+$', line)
    if m:
        rows[m[1]] = (int(m[2]), int(m[3]))
name = lambda t: '%d (missing event metadata)' % t['id'] if t['name'] is None else t['name']
types = {name(t): t for t in d['types'] if t['count']}
want = {n: (t['count'], t['bytes']) for n, t in types.items()}
if rows != want:
    print(sys.argv[3], set(rows.items()) ^ set(want.items()))
if sum(t['count'] for n, t in types.items() if n not in ('jdk.Metadata', 'jdk.Checkpoint')) != d['events']:
    print(sys.argv[3], 'sum of events')
if sum(c['bytes'] for c in d['chunks']) != d['bytes']:
    print(sys.argv[3], 'sum of bytes')
END
    done
    verdict 'text and JSON agree'
}

same_with_any_threads() {
    : >"$work/diff"
    cat "$work"/in/*.jfr >"$work/all"
    "$B/jfrsummary" -q -j1 --json "$work/all" >"$work/one"
    "$B/jfrsummary" -q -j4 --json "$work/all" | diff "$work/one" - >"$work/diff"
    [ -s "$work/one" ] || echo 'nothing' >"$work/diff"
    verdict 'same output with one and four threads'
}

exit_codes() {
    local f

    : >"$work/diff"
    f=$(ls "$work"/in/fresh*.jfr 2>/dev/null | head -1)
    [ -n "$f" ] || { echo 'skip exit codes: no recording'; return; }
    check() {
        local want=$1
        shift
        "$@" >/dev/null 2>&1 </dev/null
        [ $? = "$want" ] || echo "$*: not $want" >>"$work/diff"
    }
    head -c "$(($(wc -c <"$f") - 100))" "$f" >"$work/cut"
    check 0 "$B/jfrsummary" "$f"
    check 3 "$B/jfrsummary" "$work/cut"
    check 1 "$B/jfrsummary" --strict "$work/cut"
    check 1 "$B/jfrsummary" /etc/passwd
    check 1 "$B/jfrsummary" "$work/absent.jfr"
    check 2 "$B/jfrsummary" --compat 11 "$f"
    check 2 "$B/jfrsummary" --compat 17x "$f"
    check 2 "$B/jfrsummary" --no-such-option "$f"
    verdict 'exit codes'
}

collect
jdks=0
for jdk in /usr/lib/jvm/*; do
    version=$(release "$jdk")
    [ -n "$version" ] && [ -x "$jdk/bin/jfr" ] && [ ! -e "$work/seen$version" ] || continue
    : >"$work/seen$version"
    record "$jdk" "$version"
done
for jdk in /usr/lib/jvm/*; do
    version=$(release "$jdk")
    case $version in 17 | 25) ;; *) continue ;; esac
    [ -x "$jdk/bin/jfr" ] && [ ! -e "$work/done$version" ] || continue
    : >"$work/done$version"
    jdks=$((jdks + 1))
    compare "$jdk" "$version"
done
[ $jdks -gt 0 ] || echo 'skip summary of a JDK: none found'
if ls "$work"/in/*.jfr >/dev/null 2>&1; then
    own_layouts
    same_with_any_threads
else
    echo 'skip own layouts: no recordings'
fi
exit_codes
exit $failed
