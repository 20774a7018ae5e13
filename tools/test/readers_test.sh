#!/bin/bash
# Every kind of recording that we write, through every reader that others wrote. What is compared:
#   jfr     JDK 11 and later: counts by type in the summary, and every value of every event and stack
#   JMC     counts by type; it opens the file without a warning
#   parser  grafana's jfr-parser, from $SHARED/tools: counts of the types that it has, and their frames
#   conv    async-profiler's jfrconv: the samples of each kind and their frames
# A recording of the JDK is the control. The last lines are a table: a cell is the number of events that
# were compared, "-" where a reader is missing or cannot read that kind of file.
set -u
. test-data/workload/lib.sh
. tools/test/sample_lib.sh
known=(jdk.ExecutionSample jdk.ObjectAllocationSample jdk.JavaMonitorEnter jdk.ThreadPark) # to jfr-parser and jfrconv
declare -A cell

# --- what we write ------------------------------------------------------------------------------

with_agent() { # with_agent OUT OPTIONS CLASS ARGUMENT...
    local out=$1 options=$2 java=("$home/bin/java")

    shift 2
    [ "$(release "$home")" -lt 22 ] || java+=(--enable-native-access=ALL-UNNAMED)
    timeout -k 5 120 "${java[@]}" "-agentpath:$agent=file=$out,$options" -cp "$classes:$(realpath "$B/jfrkit.jar")" \
        "$@" >"$work/out" 2>"$work/err" </dev/null
}

recordings() {
    # Some allocations have no stack: Strings of the launcher, before any Java method. A sample each 16 kB has others.
    local event with='' all=settings=profile,cpu=5ms,wall=off,lock=1us,alloc=16k

    cp "$(own_recordings jdk25-server)" "$in/control.jfr"
    record "$home" "$in/samples.jfr" $all lock 1 || wrong "exit code $?: $(tail -1 "$work/err")"
    record "$home" "$in/events.jfr" settings=profile,wall=off,chunktime=1s alloc 2 || wrong "exit code $?: $(tail -1 "$work/err")"
    for event in ExecutionSample FileRead; do
        with+=",+jdk.$event#enabled=true,+jdk.$event#withContext=true"
    done
    with_agent "$in/contexts.jfr" "settings=none,cpu=2ms,chunktime=1s$with" Contexts share 2 ||
        wrong "java: $(tail -3 "$work/err")"
    record "$home" "$in/sync.jfr" "$all,jfrsync=default" lock 1 || wrong "exit code $?: $(tail -1 "$work/err")"
    with_agent "$in/custom.jfr" settings=none,buffer=64m CustomEvents many 2 1000 || wrong "java: $(tail -3 "$work/err")"
    java_options=("-agentpath:$agent=file=$in/killed.jfr,$all")
    run "$home" lock 60
    sleep 2
    kill -9 "$pid"
    wait "$pid" 2>/dev/null
    java_options=()
}

rewritten() {
    "$B/jfrcut" -o "$in/cut.jfr" "$in/samples.jfr" || wrong "jfrcut: exit code $?"
    "$B/jfrcut" -q -t no-such-thread -o "$in/empty.jfr" "$in/samples.jfr" || wrong "jfrcut -t: exit code $?"
    "$B/jfrcut" --from 10% --to 90% --scrub -o "$in/part.jfr" "$in/events.jfr" || wrong "jfrcut --from: exit code $?"
    "$B/jfrcat" -o "$in/cat.jfr" "$in/cut.jfr" "$in/part.jfr" || wrong "jfrcat: exit code $?"
    "$B/jfrcut" -q --repair -o "$in/repaired.jfr" "$in/killed.jfr" || wrong "jfrcut --repair: exit code $?"
    "$B/jfrannotate" -q -o "$in/annotated.jfr" "$in/contexts.jfr" || wrong "jfrannotate: exit code $?"
    "$B/jfrcut" --no-contexts -o "$in/plain.jfr" "$in/contexts.jfr" || wrong "jfrcut --no-contexts: exit code $?"
    "$B/jfrcut" -c user=alice -o "$in/alice.jfr" "$in/contexts.jfr" || wrong "jfrcut -c: exit code $?"
}

# --- readers ------------------------------------------------------------------------------------

counts() { # counts FILE: "type number" of its events
    "$B/jfrsummary" --json "$1" 2>/dev/null |
        jq -r '.types[] | select(.count > 0 and (.name | test("^jdk.(Metadata|CheckPoint|Checkpoint)$") | not)) | "\(.name) \(.count)"' | sort
}

compared() { # compared READER FILE NUMBER: verdict, and the cell of the table
    local name

    name=$(basename "$2" .jfr)
    [ -s "$work/wrong" ] || cell[$1 $name]=$3
    [ ! -s "$work/wrong" ] || cell[$1 $name]=WRONG
    verdict "$1 reads $name"
}

by_jfr() { # by_jfr HOME FILE
    local v said

    v=$(release "$1")
    jfr "$1" summary "$2" 2>&1 | awk '/^=+$/ { rows = 1; next } rows && NF == 3 && $2 > 0 && $1 !~ /^jdk.(Metadata|Check[Pp]oint)$/ { print $1, $2 }' |
        sort >"$work/theirs"
    diff "$work/ours" "$work/theirs" >>"$work/wrong"
    "$B/jfr2json" -q --compat "$([ "$v" -ge 21 ] && echo 25 || echo 17)" --stack-depth 64 "$2" >"$work/a.json" 2>/dev/null
    jfr "$1" print --json --stack-depth 64 "$2" >"$work/b.json" 2>"$work/err" || wrong "print: $(head -1 "$work/err")"
    # JDK 11 and 21 compute the times in chunks after the first up to 256 ns differently.
    [ "$v" != 11 ] && [ "$v" != 21 ] || sed -i -E 's/"[0-9-]+T[0-9:.]+Z"/"a time"/g' "$work/a.json" "$work/b.json"
    said=$("$B/bench/jsoncmp" "$work/a.json" "$work/b.json" 2>&1) || wrong "$(head -3 <<<"$said")"
    compared "jfr$v" "$2" "$(sed -nE 's/^([0-9]+) of \1 events agree.*/\1/p' <<<"$said")"
}

by_jmc() { # by_jmc FILE
    local said type n options=()

    while read -r type _; do
        options+=(--count "$type")
    done <"$work/ours"
    said=$(test-data/interop/jmc.sh "${options[@]}" --allow virtual --allow 'more than one PID' "$1" 2>&1)
    ! grep '^skip ' <<<"$said" || return 0
    # A file without a path, or a command line that was scrubbed, is no fault of the file.
    sed 1d <<<"$said" | grep -vE 'pages find no value of (path|jvmArguments|javaArguments)$' >>"$work/wrong"
    said=$(head -1 <<<"$said")
    [[ $said == *' events '* ]] || wrong "$said"
    while read -r type n; do
        # Mission Control does not show the exception that each error is, too.
        [ "$type" = jdk.JavaExceptionThrow ] || [[ " $said " == *" $type $n "* ]] || wrong "not $type $n: $said"
    done <"$work/ours"
    compared JMC "$1" "$(awk '{ n += $2 } END { print n + 0 }' "$work/ours")"
}

frames() { # frames FILE EVENT...: all frames of the stacks of these events
    "$B/jfr2json" -q -l ndjson -e "$(IFS=,; echo "${*:2}")" --stack-depth all "$1" 2>/dev/null |
        jq -s '[.[].values.stackTrace // {frames: []} | .frames | length] | add // 0'
}

by_parser() { # by_parser FILE
    local said

    "$parser" "$1" >"$work/said" 2>&1 || wrong "$(cut -f2- "$work/said")"
    cut -f2- "$work/said" | sort >"$work/theirs"
    {
        grep -E "^($(IFS='|'; echo "${known[*]}")) " "$work/ours" | tr ' ' '\t'
        printf 'frames\t%s\n' "$(frames "$1" "${known[@]}")"
    } | sort | diff - "$work/theirs" >>"$work/wrong"
    compared parser "$1" "$(awk '$1 != "frames" { n += $2 } END { print n + 0 }' "$work/theirs")"
}

by_conv() { # by_conv FILE
    local kind n depth sum=0
    local -A of=([wall]=jdk.ExecutionSample,jdk.NativeMethodSample [alloc]=jdk.ObjectAllocationSample [lock]=jdk.JavaMonitorEnter,jdk.ThreadPark)

    for kind in wall alloc lock; do
        n=$("$B/jfr2json" -q -l ndjson -e "${of[$kind]}" "$1" 2>/dev/null | jq -c 'select(.values.stackTrace != null)' | wc -l)
        depth=$(frames "$1" "${of[$kind]}")
        rm -f "$work/collapsed"
        "$home/bin/java" "${cheap[@]#-J}" -jar "$jar" "--$kind" -o collapsed "$1" "$work/collapsed" >"$work/said" 2>&1 ||
            wrong "--$kind: $(grep -m1 Exception "$work/said")"
        # Its stacks of allocations and locks end with a class.
        [ $kind = wall ] || depth=$((depth + n))
        awk -v n="$n" -v depth="$depth" -v kind="$kind" '
            { sum += $NF; all += split($0, frame, ";") * $NF }
            END {
                if (sum + 0 != n) print "--" kind ": " sum + 0 " samples, not " n
                if (all + 0 != depth) print "--" kind ": " all + 0 " frames, not " depth
            }' "$work/collapsed" >>"$work/wrong"
        sum=$((sum + n))
    done
    compared conv "$1" $sum
}

# traits FILE: what is true of each recording of HotSpot, and what a reader may rely on
traits() {
    "$B/jfrmeta" --json --ids "$1" | jq -r '
        .types as $all | [.types[].name] as $names
        | ($all | map(select(.simple)) | map(.name)) as $simple
        | (("boolean byte char double float int long short java.lang.String java.lang.Thread java.lang.Class",
            "jdk.types.ThreadGroup jdk.types.ClassLoader jdk.types.Package jdk.types.Symbol jdk.types.Method",
            "jdk.types.StackTrace jdk.types.StackFrame jdk.types.FrameType jdk.types.ThreadState") | split(" ")[]
            | select(IN($names[]) | not) | "no type \(.)"),
          ($all[] | .name as $of | .fields[]? | select((.type | IN($simple[])) and (.pooled | not))
            | "\($of).\(.name) has a simple type and is in no pool"),
          ($all[] | select(.kind == "event") | .name as $of | .fields[]? | select(.array) | "\($of).\(.name) is an array"),
          ($all | group_by(.id)[] | select(length > 1) | "types with one id: \(map(.name) | join(", "))"),
          ($all | group_by(.name)[] | select(length > 1) | "\(.[0].name) has \(length) layouts")' >>"$work/wrong"
    verdict "$(basename "$1" .jfr) has the traits of HotSpot's files"
}

# --- all of it ----------------------------------------------------------------------------------

command -v jq >/dev/null || { skip readers 'no jq'; exit 0; }
home=$(jdks | tail -1)
[ -n "$home" ] && [ -e "$agent" ] && [ -e "$B/jfrkit.jar" ] || { skip readers 'no JDK or no agent'; exit 0; }
workload || { skip readers "$why"; exit 0; }
parser=$work/parser
shared=$(realpath -m "${SHARED:-../shared}")/tools/jfr-parser
if [ ! -d "$shared" ] || ! command -v go >/dev/null || ! (cd "$shared" && go build -o "$parser" ./count) >"$work/go" 2>&1; then
    skip "grafana's jfr-parser" "no $shared, or no Go that builds it"
    parser=
fi
jar=
if jars jfrconv tools.profiler:jfr-converter:4.5; then
    jar=$(compgen -G "$jars/jfr-converter-*.jar")
else
    skip "async-profiler's converter" "$why"
fi
in=$work/in
mkdir "$in"
recordings
rewritten
verdict 'recordings are made'

# jfrconv expects the next event where the fields that it has end, so it reads no event with contexts.
kinds='control samples events sync custom killed cut empty part cat repaired plain'
with_contexts='contexts annotated alice'
readers=
mapfile -t homes < <(runtimes)
for h in "${homes[@]}"; do
    [ "$(release "$h")" -lt 11 ] || readers+=" jfr$(release "$h")"
done
for v in 11 21; do
    [[ "$readers " == *" jfr$v "* ]] || skip "jfr of JDK $v" 'neither installed nor to be had from PyPI'
done
cp "$(own_recordings jdk17-server)" "$in/control17.jfr"
traits "$in/control17.jfr"
for kind in $kinds $with_contexts; do
    [ $kind = sync ] || traits "$in/$kind.jfr" # chunks of two recorders, each with its own types
    counts "$in/$kind.jfr" >"$work/ours"
    mapfile -t homes < <(runtimes)
    for h in "${homes[@]}"; do
        [ "$(release "$h")" -lt 11 ] || by_jfr "$h" "$in/$kind.jfr"
    done
    by_jmc "$in/$kind.jfr"
    [ -z "$parser" ] || by_parser "$in/$kind.jfr"
    [[ " $with_contexts " == *" $kind "* ]] || [ -z "$jar" ] || by_conv "$in/$kind.jfr"
done
printf '# %-14s' 'recording'
printf '%10s' $readers JMC parser conv
for kind in $kinds $with_contexts; do
    printf '\n# %-14s' "$kind"
    for reader in $readers JMC parser conv; do
        printf '%10s' "${cell[$reader $kind]:--}"
    done
done
echo
exit $failed
