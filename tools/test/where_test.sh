#!/bin/bash
# --where against jq on what jfr2json prints of the same events: of recordings of each producer that
# are at hand (the odd and the small ones whole, of large ones some types), and of generated ones;
# and what every command makes of it.
set -u
. "$(dirname "$0")/exit_lib.sh"
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/sample_lib.sh
shared=${SHARED:-../shared}
shopt -s nullglob

# condition @@ the same in jq, where $v are the values of an event
conditions() {
    cat <<'END2'
duration > 10ms @@ $v.duration | span > 10000000
duration >= 0.5s and duration < 1h @@ ($v.duration | span) as $d | $d >= 500000000 and $d < 3600000000000
duration @@ $v.duration != null
not duration @@ $v.duration == null
eventThread.javaName = "main" @@ (thread | .javaName?) == "main"
eventThread ~ /[Tt]hread|main/ @@ thread | .javaName? // .osName? // "" | test("[Tt]hread|main")
eventThread.osThreadId > 3000 or eventThread.javaThreadId = 1 @@ (thread | .osThreadId? // 0) > 3000 or (thread | .javaThreadId?) == 1
eventThread.group.parent.name = 'system' @@ (thread | .group?.parent?.name?) == "system"
sampledThread != null and state ~ /RUNNABLE/ @@ $v.sampledThread != null and ($v.state // "" | text | test("RUNNABLE"))
state = 'STATE_RUNNABLE' @@ $v.state == "STATE_RUNNABLE"
objectClass ~ /java\.(lang|util)/ or objectClass.name = '[B' @@ ($v.objectClass | .name? // "") as $n | ($n | gsub("/"; ".") | test("java[.](lang|util)")) or $n == "[B"
event = "jdk.ExecutionSample" or event ~ /GC/ @@ .type == "jdk.ExecutionSample" or (.type | test("GC"))
event ~ /^jdk/ and not (event ~ /Setting|GC/ or event = 'jdk.ThreadPark') @@ (.type | test("^jdk")) and (.type | test("Setting|GC") or . == "jdk.ThreadPark" | not)
value = 'true' and name != 'enabled' or value = null @@ $v.value == "true" and $v.name != "enabled" or $v.value == null
weight > 1MiB || allocationSize >= 1kB @@ ($v.weight | num) > 1048576 or ($v.allocationSize | num) >= 1024
gcId >= 1 and gcId != 2 @@ ($v.gcId | num) >= 1 and $v.gcId != 2
heapSpace.committedSize > 100MB and heapUsed < 1GB @@ ($v.heapSpace | .committedSize? | num) > 104857600 and ($v.heapUsed != null) and $v.heapUsed < 1073741824
machineTotal > 5% or jvmUser < 0.5 @@ ($v.machineTotal | num) > 0.05 or ($v.jvmUser != null and $v.jvmUser < 0.5)
startTime >= '2023-11-20T16:22:25Z' and startTime <= '2024-06-01T00:00Z' @@ $v.startTime >= "2023-11-20T16:22:25" and $v.startTime < "2024-06-01T00:00:00Z"
frame ~ /Thread[.]run/ @@ frames | any(test("Thread[.]run"))
frame !~ /java[.]util/ @@ frames | all(test("java[.]util") | not)
stackTrace = null @@ $v.stackTrace == null
END2
}

helpers='
def span: if type == "string" then capture("^(?<s>-?)PT(-?(?<h>[0-9]+)H)?(-?(?<m>[0-9]+)M)?(-?(?<n>[0-9]+)([.](?<f>[0-9]+))?S)?$")
    | ((.h // "0" | tonumber) * 3600 + (.m // "0" | tonumber) * 60 + (.n // "0" | tonumber)) * 1000000000
      + ((.f // "") + "000000000" | .[0:9] | tonumber) else -1 end;
def num: if type == "number" then . else -1e300 end;
def text: if type == "string" then . else "" end;
'

# matches FILE: for each condition the lines of events that jq chooses are those that we print
matches() {
    local f=$1 i=0 condition filters='' n=0 total

    "$B/jfr2json" -q -l ndjson "$f" >"$work/all" 2>/dev/null
    while IFS= read -r condition; do
        filters="$filters${filters:+, }(${condition#* @@ })"
    done < <(conditions)
    jq -r "$helpers"'.type as $t | .values as $v
        | def thread: if $v | has("eventThread") then $v.eventThread else $v.sampledThread end;
          def frames: [$v.stackTrace | objects | .frames[]? | .method
              | if . == null then "" else ((.type.name // "") | gsub("/"; ".")) + "." + (.name // "") end];
          ['"$filters"'] | map(if . then "1" else "0" end) | join("")' "$work/all" >"$work/bits" 2>"$work/err" ||
        head -3 "$work/err" >>"$work/wrong"
    while IFS= read -r condition; do
        condition=${condition%% @@ *}
        i=$((i + 1))
        "$B/jfr2json" -q -l ndjson -w "$condition" "$f" >"$work/is" 2>"$work/err"
        awk -v k=$i 'NR == FNR { m[NR] = substr($0, k, 1); next } m[FNR] == "1"' "$work/bits" "$work/all" >"$work/want"
        # Nothing has the field: then nothing can be chosen, unless its absence is.
        if grep -q 'no event type has' "$work/err"; then
            continue
        fi
        cmp -s "$work/want" "$work/is" ||
            echo "$(basename "$f"), $condition: $(wc -l <"$work/is") events, jq has $(wc -l <"$work/want")" >>"$work/wrong"
        [ ! -s "$work/is" ] || n=$((n + 1))
        cat "$work/is" >>"$work/chosen"
    done < <(conditions)
    total=$(wc -l <"$work/all")
    verdict "$(basename "$f"): as jq chooses of $total events, $n conditions that choose"
}

recordings() {
    local f

    for f in $(own_recordings jdk25-server) $(own_recordings async-profiler-jdk25) $(own_recordings jfrkit-jdk25) \
        ${SOAK:+"$shared"/recordings/jdk/jdk2*.jfr "$shared"/recordings/jdk/flush*.jfr}; do
        "$B/jfrcut" -q -e 'Thread*,GC*,CPULoad,ActiveSetting,ObjectAllocation*,ExecutionSample,File*' --to 30% \
            -o "$work/some-$(basename "$f")" "$f" 2>/dev/null && echo "$work/some-$(basename "$f")"
    done
    ls "$shared"/recordings/datadog/new_spancontext.jfr.gz \
        "$shared"/recordings/jrockit-era/7u40.jfr "$shared"/recordings/damaged/killed1.jfr \
        "$shared"/edge-cases/{reference_full,units,typeids,inline_struct}.jfr 2>/dev/null
}

against_jq() {
    local f

    command -v jq >/dev/null || { echo 'skip against jq: no jq'; return; }
    "$B/bench/gen" --samples 300 --stacks 50 --chunks 2 "$work/generated.jfr"
    : >"$work/chosen"
    for f in "$work/generated.jfr" $(recordings); do
        matches "$f"
    done
    [ -s "$work/chosen" ] || echo 'no condition chose anything' >>"$work/wrong"
    verdict 'conditions choose'
}

every_command() {
    local f=$work/own.jfr command all some

    "$B/convert/context/test/context_test" --write "$f" FIELDS 4 120 5
    for command in jfr2json 'jfr2json -l columns' jfr2csv jfr2collapsed jfr2pprof jfr2otlp jfr2speedscope jfr2firefox jfr2trace \
        'jfr2table --by user' jfr2table 'jfrview events-by-count' jfrcut jfr2flame; do
        all=$("$B"/$command "$f" | cksum)
        some=$("$B"/$command -w 'ctx.user = "user1"' "$f" | cksum)
        [ "$all" != "$some" ] || echo "$command: the condition changes nothing" >>"$work/wrong"
        # What a condition says, options of their own say too.
        same "$command" "$some" "$("$B"/$command -c user=user1 "$f" | cksum)"
        # jfrcut copies where nothing is asked for.
        [ "$command" != jfrcut ] || all=$("$B/jfrcut" -e '*' "$f" | cksum)
        same "$command, what is always true" "$("$B"/$command -w 'startTime != null' "$f" | cksum)" "$all"
        is_code 2 "$B"/$command -w 'ctx.user = ' "$f"
        is_code 2 "$B"/$command -w 'no_such_field = 1' -o "$work/none" "$f"
        [ ! -e "$work/none" ] || echo "$command: leaves a file" >>"$work/wrong"
        is_code 4 "$B"/$command --fail-empty -w 'false' -o "$work/none" "$f"
    done
    is_code 2 "$B/jfrdiff" -w 'ctx.user ~ /(/' user=user1 user=user2 "$f"
    is_code 2 "$B/jfrdiff" -w 'no_such_field = 1' user=user1 user=user2 "$f"
    is_code 0 "$B/jfrdiff" -w 'event != "x"' user=user1 user=user2 "$f"
    verdict 'every command takes a condition, and its exit codes'
    same 'threads' "$("$B/jfr2json" -j1 -w 'frame ~ /handle/ or ctx.action = "store"' "$f" | cksum)" \
        "$("$B/jfr2json" -j4 -w 'frame ~ /handle/ or ctx.action = "store"' "$f" | cksum)"
    verdict 'same bytes from one and from four threads'
}

messages() {
    local f=$work/own.jfr

    same 'place' "$("$B/jfr2json" -w 'duration > and x' "$f" 2>&1)" \
        "jfr2json: --where: character 12: expected a field or a value, not 'and' (try --help)"
    same 'near' "$("$B/jfr2json" -w 'eventThread.javaNam = "x"' "$f" 2>&1 >/dev/null)" \
        "jfr2json: --where: no event type has a field 'eventThread.javaNam', did you mean 'eventThread.javaName'?"
    same 'kinds' "$("$B/jfr2json" -w 'startTime > 5' "$f" 2>&1 >/dev/null)" \
        "jfr2json: --where: character 1: a point in time ('2026-11-20T09:34:16Z') is compared with a number"
    same 'kinds, quiet' "$("$B/jfr2json" -q -w 'startTime > 5' "$f" 2>&1 >/dev/null)" ''
    verdict 'messages'
}

# What --help shows is a condition, of fields that this recording may not have.
help_tells() {
    local line n=0

    while read -r line; do
        eval "'$B/jfr2json' $line -o '$work/x' '$work/own.jfr'" >"$work/said" 2>&1
        [ $? = 0 ] || ! grep -vq "no event type has a field" "$work/said" || cat "$work/said" >>"$work/wrong"
        n=$((n + 1))
    done < <("$B/jfr2json" --help=where | grep -E '^ +--where ')
    [ $n -ge 2 ] || echo "$n examples" >>"$work/wrong"
    for line in "--from=-30s" "--from=50%" "--from=09:34:16.5" "--to=1h30m" "--to=2026-11-20T09:34:16Z"; do
        "$B/jfr2json" --help=time | grep -qwF -- "${line#*=}" || echo "--help=time: no $line" >>"$work/wrong"
        is_code 0 "$B/jfr2json" "$line" -o "$work/x" "$work/own.jfr"
    done
    verdict 'what --help=where and --help=time show is understood'
}

every_command
messages
help_tells
against_jq
exit $failed
