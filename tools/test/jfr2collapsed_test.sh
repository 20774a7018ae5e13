#!/bin/bash
# jfr2collapsed against what `jfr print --json` of JDK 25 shows of our recordings of JDK 17 and 25, and
# against async-profiler's converter where Maven Central can be reached (SOAK=1: on recordings of others too). (tools/test/oracle.sh compares with the
# collapsed stacks of grafana/jfr-parser.)
set -u
. "$(dirname "$0")/exit_lib.sh"
shopt -s nullglob
B=${B:-build}
shared=${SHARED:-../shared}
collapsed=$B/jfr2collapsed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

verdict() { # verdict NAME: $work/wrong is empty
    if [ -s "$work/wrong" ]; then
        echo "not ok $1"
        head -20 "$work/wrong" | cut -c1-300 | sed 's/^/    /'
        failed=1
    else
        echo "ok $1"
    fi
    : >"$work/wrong"
}

. tools/test/jdk_lib.sh
. tools/test/sample_lib.sh
. tools/test/answers_lib.sh

total() {
    awk '{ n += $NF } END { printf "%.0f\n", n }'
}

# Every type with stacks: as many events as the JDK's tool shows, with a stack and without.
same_counts() { # same_counts FILE VERSION, $work/events.json
    local type n

    jq -r '[.recording.events[] | select(.values | has("stackTrace")) | .type] | group_by(.)[]
        | "\(.[0]) \(length)"' "$work/events.json" >"$work/want"
    while read -r type n; do
        [ "$("$collapsed" -e "$type" "$1" | total)" = "$n" ] || echo "$type: not $n"
    done <"$work/want" >>"$work/wrong"
    [ "$(wc -l <"$work/want")" -ge 10 ] || echo 'hardly any type' >>"$work/wrong"
    verdict "counts of $(wc -l <"$work/want") types as jfr 25 shows them, of JDK $2"
}

# The same stacks, frame by frame with lines, of all types together.
same_stacks() { # same_stacks FILE VERSION, $work/events.json
    jq -r '.recording.events[].values | select(has("stackTrace")) | .stackTrace
        | if . == null then "[no stack]" else [.frames | reverse[]
        | "\(.method.type.name).\(.method.name)\(if .lineNumber > 0 then ":\(.lineNumber)" else "" end)"]
        | if . == [] then "[no frames]" else join(";") end end' "$work/events.json" |
        LC_ALL=C sort | uniq -c | awk '{ n = $1; sub(/^ *[0-9]+ /, ""); print $0, n }' |
        LC_ALL=C sort >"$work/want"
    "$collapsed" -k all --lines --names slash "$1" | LC_ALL=C sort >"$work/is"
    diff "$work/want" "$work/is" >>"$work/wrong"
    verdict "$(wc -l <"$work/want") stacks as jfr 25 shows them, of JDK $2"
}

same_sums() { # same_sums FILE VERSION, $work/events.json
    local want

    want=$(jq '[.recording.events[] | select(.values | has("stackTrace"))
        | select(.type == "jdk.ObjectAllocationSample") | .values.weight] | add // 0' "$work/events.json")
    [ "$("$collapsed" -e ObjectAllocationSample -u weight "$1" 2>/dev/null | total)" = "$want" ] ||
        echo "weight: not $want" >>"$work/wrong"
    [ "$("$collapsed" -e ObjectAllocationSample -u bytes "$1" | total)" = "$want" ] ||
        echo "bytes: not $want" >>"$work/wrong"
    want=$(jq '[.recording.events[] | select(.values | has("stackTrace")) | select(.type == "jdk.ThreadPark")
        | .values.duration | ltrimstr("PT") | rtrimstr("S") | tonumber * 1000000000 | round] | add // 0' \
        "$work/events.json")
    [ "$("$collapsed" -e ThreadPark -u duration "$1" | total)" = "$want" ] ||
        echo "duration: $("$collapsed" -e ThreadPark -u duration "$1" | total), not $want" >>"$work/wrong"
    verdict "sums of bytes and durations as jfr 25 shows them, of JDK $2"
}

any_input() {
    local f=$1 how

    "$collapsed" -k all -j1 "$f" >"$work/want"
    [ -s "$work/want" ] || echo 'nothing' >>"$work/wrong"
    "$collapsed" -k all -j4 "$f" | cmp - "$work/want" >>"$work/wrong" 2>&1
    verdict 'same stacks from one and from four threads'
    for how in cat 'gzip -c' 'zstd -qc' 'lz4 -qc'; do
        command -v ${how%% *} >/dev/null || { echo "skip input of ${how%% *}: not installed"; continue; }
        $how "$f" >"$work/packed"
        "$collapsed" -k all <"$work/packed" | cmp - "$work/want" >>"$work/wrong" 2>&1
        "$collapsed" -k all "$work/packed" | cmp - "$work/want" >>"$work/wrong" 2>&1
        verdict "same stacks through ${how%% *}, as a stream and as a file"
    done
    "$collapsed" -k all "$f" "$f" | total >"$work/twice"
    awk '{ n += 2 * $NF } END { printf "%.0f\n", n }' "$work/want" | cmp - "$work/twice" >>"$work/wrong" 2>&1
    verdict 'two recordings add up'
}

exit_codes() {
    local f=$1

    head -c "$(($(stat -c %s "$f") - 100))" "$f" >"$work/cut.jfr"
    is_code 0 "$collapsed" "$f"
    is_code 0 "$collapsed" -t nobody "$f"
    is_code 1 "$collapsed" "$work/none"
    is_code 1 "$collapsed" "$0"
    is_code 1 "$collapsed" --strict "$work/cut.jfr"
    is_code 1 "$collapsed" -o "$work/no/such/folder" "$f"
    is_code 2 "$collapsed" -k what "$f"
    is_code 2 "$collapsed" --names long "$f"
    is_code 2 "$collapsed" --package-depth 0 "$f"
    is_code 2 "$collapsed" --package-depth 2x "$f"
    is_code 2 "$collapsed" --depth x "$f"
    is_code 2 "$collapsed" -I '(' "$f"
    is_code 2 "$collapsed" -X '[' "$f"
    is_code 3 "$collapsed" "$work/cut.jfr"
    is_code 4 "$collapsed" --fail-empty -e Nothing "$f"
    is_code 4 "$collapsed" --fail-empty -X . "$f"
    verdict 'exit codes'
}

options() {
    local f=$1

    "$collapsed" -k all --threads "$f" | grep -q '^main;' || echo 'no thread' >>"$work/wrong"
    "$collapsed" -k all -u no.such.field "$f" 2>&1 | grep -q "number 'no.such.field'" ||
        echo 'no word of a wrong field' >>"$work/wrong"
    "$collapsed" -k all --no-hidden "$f" | grep 'LambdaForm\$' >>"$work/wrong"
    "$collapsed" -k all --normalize "$f" | grep -oE '[^;]*(Lambda|MH|DMH)[$/+.]*(0x)?[0-9]{3}[^;]*' >>"$work/wrong"
    [ "$("$collapsed" -k all --depth 1 "$f" | grep -c ';')" = 0 ] || echo 'deeper than 1' >>"$work/wrong"
    [ "$("$collapsed" --help | wc -l)" -le 40 ] || echo 'help is longer than a screen' >>"$work/wrong"
    verdict 'options'
}

# The peer's --cpu knows async-profiler's samples only, and its stacks of allocations end in classes.
# It adds up ticks and then makes them nanoseconds, we round each event as the JDK does: where a tick
# is none, they differ by less than one for each event.
converter() { # converter FILE OPTIONS OURS
    local is want most=0

    rm -f "$work/peer"
    "$java" "${cheap[@]#-J}" -jar "$jar" $2 -o collapsed "$1" "$work/peer" >/dev/null 2>&1
    want=$(total <"$work/peer" 2>/dev/null) || want=-1
    is=$("$collapsed" $3 "$1" | grep -v '^\[no stack\] ' | total) # which the peer leaves out
    [ "$2" != '--lock --total' ] || most=$("$collapsed" -k lock "$1" | total)
    [ "$is" -le "$want" ] && [ $((want - is)) -le "$most" ] ||
        echo "$(basename "$1") $2: $is, not $want" >>"$work/wrong"
    peers=$((peers + (want > 0)))
}

against_converter() {
    local f peers=0

    jars jfrconv tools.profiler:jfr-converter:4.5 || { echo "skip async-profiler's converter: $why"; return; }
    jar=$(compgen -G "$jars/jfr-converter-*.jar")
    [ -n "${java:-}" ] || { echo "skip async-profiler's converter: no JDK"; return; }
    for f in $(own_recordings 'async-profiler-*') $(own_recordings 'jdk*') \
        ${SOAK:+"$shared"/recordings/async-profiler/ap45-*.jfr "$shared"/recordings/jdk/jdk2*.jfr}; do
        # Where nothing sampled the wall clock, the peer takes samples of CPU time and of native code.
        ! "$collapsed" -qk wall "$f" 2>"$work/said" | grep -q . || converter "$f" --wall '-k wall'
        converter "$f" --alloc '-k alloc'
        converter "$f" '--alloc --total' '-k alloc -u bytes'
        converter "$f" --lock '-k lock'
        converter "$f" '--lock --total' '-k lock -u duration'
        [[ $f != */async-profiler* && $f != */ap45-* ]] || converter "$f" --cpu '-k cpu'
    done
    verdict "$peers totals as async-profiler's converter has them"
}

# Recordings of async-profiler 3, which wrote samples of all threads as jdk.ExecutionSample.
default_kind() {
    local java jars library name f command

    java=$(jdk_home 17) # it crashes on 25
    [ -n "$java" ] || { echo 'skip the default kind of async-profiler 3: no JDK 17'; return; }
    jars async-profiler3 tools.profiler:async-profiler:3.0 || { echo "skip the default kind of async-profiler 3: $why"; return; }
    library=$work/libasyncProfiler.so
    python3 -c 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read("linux-x64/libasyncProfiler.so"))' \
        "$jars"/async-profiler-3.0.jar >"$library"
    cat >"$work/Sleeps.java" <<'END'
public class Sleeps {
    public static void main(String[] args) throws Exception {
        new Thread(() -> { for (long i = 0, end = System.nanoTime() + 500_000_000; System.nanoTime() < end; i++); }).start();
        Thread.sleep(1000);
    }
}
END
    for name in wall=20ms event=cpu,wall=20ms; do
        f=$work/${name/,/-}.jfr
        "$java/bin/java" "-agentpath:$library=start,$name,jfr,file=$f" "$work/Sleeps.java" >"$work/out" 2>&1 || cat "$work/out" >>"$work/wrong"
    done
    f=$work/wall=20ms.jfr
    [ "$("$collapsed" -k wall "$f" | total)" -gt 50 ] || echo 'no wall-clock samples' >>"$work/wrong"
    "$collapsed" "$f" 2>>"$work/wrong" | cmp - <("$collapsed" -k wall "$f") >>"$work/wrong" 2>&1
    for command in 'jfrkit top' 'jfrkit top --by thread' jfr2table 'jfr2table --by thread' 'jfrkit convert -f d3'; do
        "$B"/$command "$f" 2>>"$work/wrong" | cmp - <("$B"/$command -k wall "$f") >>"$work/wrong" 2>&1
    done
    "$B/jfr2flame" -o "$work/page.html" "$f" 2>>"$work/wrong"
    grep -q '"start":"wall"' "$work/page.html" || echo 'the page does not open by wall' >>"$work/wrong"
    verdict 'wall-clock samples alone are the default'
    # Of both: CPU, and a line that names the other.
    f=$work/event=cpu-wall=20ms.jfr
    for command in jfr2collapsed 'jfrkit top' jfr2table 'jfr2table --by thread'; do
        "$B"/$command "$f" 2>"$work/err" | cmp - <("$B"/$command -k cpu "$f") >>"$work/wrong" 2>&1
        grep -q ': samples of CPU time; this recording also has wall-clock samples (-k wall)$' "$work/err" ||
            echo "$command: no word of wall-clock samples" >>"$work/wrong"
        "$B"/$command -k cpu "$f" 2>&1 >/dev/null | grep . >>"$work/wrong"
        "$B"/$command -q "$f" 2>&1 >/dev/null | grep . >>"$work/wrong"
    done
    verdict 'with samples of both kinds CPU is the default, and one line says so'
}

: >"$work/wrong"
for version in 17 25; do
    file=$(own_recordings jdk$version) home=$(jdk_home $version)
    [ -z "$home" ] || java=$home/bin/java
    command -v jq >/dev/null || { echo 'skip against jfr print: no jq'; continue; }
    answer 25 "$(jdk_home 25)" "$file" print --json --stack-depth 64
    "$B/jfr2json" -q --compat 25 --stack-depth 64 "$file" >"$work/is"
    is_answer "$work/is" || difference "$work/is" >>"$work/wrong"
    # jq does not take half a surrogate pair.
    sed -E 's/\\u[dD][89a-fA-F][0-9a-fA-F]{2}/?/g' "$work/is" >"$work/events.json"
    same_counts "$file" "$version"
    same_stacks "$file" "$version"
    same_sums "$file" "$version"
done
any_input "$file"
exit_codes "$file"
options "$file"
against_converter
default_kind
exit $failed
