#!/bin/bash
# jfr2json against `jfr print --json` of every JDK found, byte for byte, and its layouts against one
# another; on ours and others' recordings (of sample_lib.sh those without gzip; SOAK=1: all that are small
# enough) and on fresh ones.
set -u
. "$(dirname "$0")/exit_lib.sh"
shopt -s nullglob
B=${B:-build}
shared=${SHARED:-../shared}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# Where the JDK's tool is known to be wrong (17: only that one), and why; such an answer must differ.
known='
flush_incremental_metadata  a thread that chunk 1 does not define stays null in chunk 2, which does
idreuse_middiff             constants of chunk 1 are shown in chunk 2
idreuse_midsame             the same
metaid_same_diff            types of chunk 1 are used in chunk 2
cpool_false_attr            constantPool="false" counts as true
dim2                        two dimensions are read as one
dup_field                   of two fields with one name the first is shown twice
typeid1_declared            checkpoints are shown as events
17:jdk17                    1e23 is shown as 9.999999999999999E22
17:jdk25                    the same'

verdict() { # verdict NAME: $work/wrong is empty
    if [ -s "$work/wrong" ]; then
        echo "not ok $1"
        sed 's/^/    /' "$work/wrong" | head -20
        failed=1
    else
        echo "ok $1"
    fi
    : >"$work/wrong"
}

. tools/test/jdk_lib.sh
. tools/test/sample_lib.sh
. tools/test/answers_lib.sh

program() {
    cat >"$work/Odd.java" <<'END'
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.*;

public class Odd {
    @Name("odd.Values") @Category({"Odd", "Own / Values"})
    static class Values extends Event {
        boolean flag = true; byte b = -1; short s = -2; int i = -3; long l = Long.MIN_VALUE;
        char c = '"'; float f = 1e-3f; double d = 1.7976931348623157e308;
        String text = "quote\" back\\ slash/ \t\n\r\f\b\u0000\u007f \u00e9\u4e2d\u2028 \ud83d\ude00 \ud83d";
        String empty = "", none = null;
        @Timespan(Timespan.MILLISECONDS) long span = -129_542_145;
        @Timespan(Timespan.NANOSECONDS) long forever = Long.MAX_VALUE;
        @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH) long when = 253402300800000L;
        @Percentage double share = Double.NaN;
        Class<?> type = int[].class; Thread thread = Thread.currentThread();
    }

    static void deep(int n) {
        if (n > 0) deep(n - 1);
        else new Values().commit();
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 120; i++) {
            Thread t = new Thread(() -> {
                deep(60);
                LockSupport.parkNanos(1000000);
                byte[][] garbage = new byte[200][];
                for (int k = 0; k < garbage.length; k++) garbage[k] = new byte[5000];
            }, "t\u00e9\ud83d\ude00-" + i % 7);
            t.start();
            t.join();
            if (i % 40 != 5) continue;
            System.gc();
            Recording another = new Recording(); // a new chunk begins, and one when it stops
            another.start();
            another.close();
        }
    }
}
END
}

record() { # record HOME VERSION
    TZ=Asia/Kolkata fresh_recording "$1" "$work/in/fresh$2.jfr" "$work/Odd.java" >"$work/record.log" 2>&1 || cat "$work/record.log"
}

# A choice: tools/test/oracle.sh looks at all of them.
collect() {
    local f

    own_recordings | grep -v killed-jfrkit | xargs -I{} cp {} "$work/in/"
    for f in $(sample | grep -E '/(jdk|async-profiler|damaged)/[^/]*\.jfr$'); do
        [ "$(stat -c %s "$f")" -gt 600000 ] || cp "$f" "$work/in/"
    done
    for f in $(sed '/:/d; s/ .*//' <<<"$known") reference_full base arrays inline_struct strings units cesu \
        bad_utf8 cp_dup missing_consts frame_extra ticks_differ fields_differ; do
        cp "$shared/edge-cases/$f.jfr" "$work/in/" 2>/dev/null
    done
}

same_bytes() { # same_bytes VERSION HOME
    local f name n=0 bytes=0 tool depth

    for f in "$work"/in/*.jfr; do
        name=$(basename "$f" .jfr)
        [[ $name == fresh* ]] && depth=64 || depth=5
        answer "$1" "$2" "$f" print --json --stack-depth $depth || continue
        "$B/jfr2json" -q --compat "$1" --stack-depth $depth "$f" >"$work/is"
        n=$((n + 1)) bytes=$((bytes + $(stat -c %s "$work/is")))
        tool=right
        ! grep -qE "^($1:)?$name " <<<"$known" || tool=wrong
        if is_answer "$work/is"; then
            [ $tool = right ] || echo "$name agrees, but is said to differ"
        else
            [ $tool = wrong ] || difference "$work/is"
        fi >>"$work/wrong"
    done
    [ $n -gt 5 ] || echo "$n recordings" >"$work/wrong"
    verdict "same bytes as jfr $1: $n recordings, $((bytes / 1000000)) MB"
}

same_filters() { # same_filters VERSION HOME
    local f filter words

    f=$(own_recordings jdk25)
    for filter in '--events|CPULoad,jdk.GC*' '--events|*Sam?le*' '--categories|GC,Java Application' \
        '--events|Nothing' '--categories|Java Virtual Mach*,Operating System' \
        '--categories|GC, Java Application|--events|test.Units,CPULoad'; do
        # Here JDK 17 takes what either of them chooses.
        [[ $1 != 17 || $filter != *--*--* ]] || continue
        IFS='|' read -ra words <<<"$filter"
        answer "$1" "$2" "$f" print --json "${words[@]}" || echo "$filter: no answer"
        "$B/jfr2json" --compat "$1" "${words[@]}" "$f" >"$work/is"
        is_answer "$work/is" || difference "$work/is"
    done >>"$work/wrong"
    verdict "same filters as jfr $1"
}

any_threads() {
    local layout f n=0

    for layout in jdk ndjson columns stacktable; do
        for f in "$work"/in/{fresh*,jdk25-server,killed,ticks_differ,fields_differ}.jfr; do
            [ -e "$f" ] || continue
            n=$((n + 1))
            "$B/jfr2json" -q -l $layout -j1 "$f" | md5sum >"$work/one"
            "$B/jfr2json" -q -l $layout -j4 "$f" | md5sum | diff "$work/one" - >/dev/null ||
                echo "$layout: $f" >>"$work/wrong"
        done
    done
    [ $n -gt 0 ] || echo 'no recording at all' >>"$work/wrong"
    verdict 'same bytes from one and from four threads'
}

# Stacks come again and again: what is kept of them is small beside what is written.
keeps_stacks_once() {
    local n

    [ -x "$B/bench/gen" ] || { echo 'skip memory for stacks: bench/gen is not built'; return; }
    "$B/bench/gen" "$work/deep.jfr" --samples 10000 --stacks 50 --min-depth 60 --max-depth 64 --chunks 2
    n=$( (ulimit -v 100000 && "$B/jfr2json" -j1 -l columns "$work/deep.jfr" 2>"$work/err") | wc -c)
    [ "$n" -gt 100000000 ] || echo "columns: only $n bytes: $(head -1 "$work/err")" >>"$work/wrong"
    verdict "columns of $((n / 1000000)) MB are made in less memory"
}

# Every layout has the same events as ndjson, once it is put together again.
layouts_agree() {
    local f n=0

    for f in "$work"/in/{fresh*,jfrkit-jdk17,reference_full,base,arrays,inline_struct,crash}.jfr; do
        [ -e "$f" ] || continue
        "$B/jfr2json" -q -l ndjson --stack-depth 3 "$f" >"$work/ndjson"
        "$B/jfr2json" -q -l stacktable --stack-depth 3 "$f" | jq -c '.stacks as $s | .events[] |
            .values |= with_entries(if .value | type == "string" and $s[.] then .value |= $s[.] else . end)' |
            cmp -s - <(jq -c . "$work/ndjson") || echo "stacktable: $f" >>"$work/wrong"
        "$B/jfr2json" -q -l columns --stack-depth 3 "$f" | jq -S 'map_values(.values)' |
            cmp -s - <(jq -sS 'group_by(.type) | map({(.[0].type): (map(.values) as $v |
                reduce ($v | map(keys) | add | unique[]) as $k ({}; .[$k] = [$v[][$k]]))}) | add // {}' \
                "$work/ndjson") || echo "columns: $f" >>"$work/wrong"
        "$B/jfr2json" -q --compat own --stack-depth 3 "$f" | jq -c '.recording.events[]' |
            cmp -s - <(jq -c . "$work/ndjson") || echo "jdk: $f" >>"$work/wrong"
        n=$((n + 1))
    done
    [ $n -gt 0 ] || echo 'no recording at all' >>"$work/wrong"
    verdict 'layouts hold the same events'
}

exit_codes() {
    local f=$1 json=$B/jfr2json

    head -c "$(($(stat -c %s "$f") - 100))" "$f" >"$work/cut.jfr"
    is_code 0 "$json" "$f"
    is_code 3 "$json" "$work/cut.jfr"
    is_code 1 "$json" --strict "$work/cut.jfr"
    is_code 1 "$json" "$work/Odd.java"
    is_code 1 "$json" "$work/none"
    is_code 2 "$json" --fields no.such,startTime "$f"
    is_code 2 "$json" --layout yaml "$f"
    is_code 2 "$json" --stack-depth -1 "$f"
    is_code 2 "$json" --compat 11 "$f"
    is_code 2 "$json" --event '/(/' "$f"
    is_code 2 bash -c "'$json' --from -5s <'$f'"
    is_code 0 "$json" -t nobody "$f"
    is_code 4 "$json" -e Nothing --fail-empty "$f"
    verdict 'exit codes'
}

streams() {
    local f=$1

    "$B/jfr2json" "$f" >"$work/want"
    gzip -c "$f" | "$B/jfr2json" -j4 | cmp - "$work/want" >>"$work/wrong" 2>&1
    verdict 'a compressed stream gives the same bytes'
    "$B/jfr2json" -l ndjson --from 20ms "$f" >"$work/want"
    cat "$f" | "$B/jfr2json" -l ndjson --from 20ms | cmp - "$work/want" >>"$work/wrong" 2>&1
    [ -s "$work/want" ] || echo 'no event' >>"$work/wrong"
    verdict 'times from the start in a stream'
}

examples() {
    local line

    sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/p' tools/man/jfr2json.1 | grep '^jfr2json\|^zstd' | sed 's/\\-/-/g' >"$work/examples"
    cp "$1" "$work/app.jfr"
    zstd -q -c "$1" >"$work/app.jfr.zst"
    ln -s "$PWD/$B/jfr2json" "$work/jfr2json"
    while IFS= read -r line; do
        (cd "$work" && PATH=$work:$PATH && eval "set -o pipefail; $line") >"$work/is" 2>&1 </dev/null ||
            { echo "$line"; cat "$work/is"; } >>"$work/wrong"
        [ -s "$work/is" ] || [[ $line == *' -o '* ]] || echo "$line: prints nothing" >>"$work/wrong"
    done <"$work/examples"
    [ "$(wc -l <"$work/examples")" -ge 3 ] || echo 'fewer than three' >>"$work/wrong"
    verdict 'examples of the man page'
}

# An object that is held through 300 others: longer chains than that are found in leaks.
long_chain() { # VERSION HOME
    "$B/convert/json/test/nesting_test" --write "$work/chain.jfr" 300 || echo 'not written' >>"$work/wrong"
    "$B/jfr2json" --compat "$1" "$work/chain.jfr" >"$work/is" 2>>"$work/wrong"
    if [ -n "$2" ]; then
        jfr "$2" print --json "$work/chain.jfr" | cmp - "$work/is" >>"$work/wrong" 2>&1
    fi
    [ "$(grep -c '"address": ' "$work/is")" = 301 ] || echo 'not 301 objects' >>"$work/wrong"
    verdict "a chain of 300 references, as JDK $1 prints it"
}

mkdir "$work/in"
: >"$work/wrong"
program
collect
fresh=''
mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    record "$home" "$(release "$home")"
    fresh=$work/in/fresh$(release "$home").jfr
done
for version in 17 25; do
    home=$(jdk_home $version)
    same_bytes $version "$home"
    same_filters $version "$home"
    long_chain $version "$home"
done
any_threads
keeps_stacks_once
if command -v jq >/dev/null; then layouts_agree; else echo 'skip layouts: no jq'; fi
[ -n "$fresh" ] || fresh=$work/in/jdk25.jfr
exit_codes "$fresh"
streams "$fresh"
if command -v jq >/dev/null && command -v zstd >/dev/null; then
    examples "$fresh"
else
    echo 'skip examples: no jq or zstd'
fi
exit $failed
