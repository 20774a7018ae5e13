#!/bin/bash
# jfrsummary against `jfr summary` of JDK 17 and 25, on ours and others' recordings (those of
# sample_lib.sh; SOAK=1: all) and on fresh ones.
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

. tools/test/jdk_lib.sh
. tools/test/sample_lib.sh
. tools/test/answers_lib.sh

collect() {
    local f odd=("$shared"/edge-cases/{base,ultra_min,fields_differ,dup_event_name,unknown_event}.jfr
        "$shared"/edge-cases/{typeid*,event_super*,idreuse*,metaid_*,reference_full,trailing}.jfr)

    mkdir -p "$work/in"
    own_recordings | xargs -I{} cp {} "$work/in/"
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

compare() { # compare VERSION HOME
    local f n=0

    : >"$work/diff"
    for f in "$work"/in/*.jfr; do
        answer "$1" "$2" "$f" summary || continue
        "$B/jfrsummary" -q --compat "$1" "$f" >"$work/is" 2>/dev/null
        n=$((n + 1))
        if [[ $1:$f == 17:*/jdk15.jfr ]]; then # its types without events stand in another order
            [ -z "$2" ] || { ask && diff <(sort "$work/answer") <(sort "$work/is") >>"$work/diff"; }
        else
            is_answer "$work/is" || difference "$work/is" >>"$work/diff"
        fi
    done
    [ $n -gt 5 ] || echo "$n recordings" >>"$work/diff"
    verdict "summary of JDK $1, $n recordings"
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
    f=$(ls "$work"/in/{fresh*,jdk17}.jfr 2>/dev/null | head -1)
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
mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    record "$home" "$(release "$home")"
done
for version in 17 25; do
    compare $version "$(jdk_home $version)"
done
own_layouts
same_with_any_threads
exit_codes
exit $failed
