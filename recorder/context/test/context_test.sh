#!/bin/bash
# Contexts from Java into events, on every JDK: who sets them, when, on what kind of thread, and what
# the JDK's tools and Mission Control make of the files.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh

if [ ! -e "$agent" ] || [ ! -e "$B/jfrkit.jar" ]; then
    skip contexts "the agent was not built"
    exit 0
fi
jar=$(realpath "$B/jfrkit.jar")
all=settings=none
for e in FileRead ExecutionSample; do
    all+=",+jdk.$e#enabled=true,+jdk.$e#withContext=true"
done
all+=,+jdk.FileRead#threshold=0ns,cpu=1ms

# contexts HOME OUT OPTIONS MODE ARGUMENT...: runs the program with the agent
contexts() {
    local home=$1 out=$2 options=$3

    shift 3
    rm -rf "$out" "$work/files"
    timeout 300 "$home/bin/java" ${java_options[@]+"${java_options[@]}"} \
        ${options:+"-agentpath:$agent=file=$out,$options"} \
        -cp "$classes:$jar" Contexts "$@" >"$work/out" 2>"$work/err" || wrong "java: $(tail -3 "$work/err")"
    [ -n "$options" ] || return 0
    is_whole "$out"
}

# reads FILE [CONTEXT]: "name user action" of each file read below our folder
reads() {
    "$B/jfr2json" --layout ndjson -e jdk.FileRead --stack-depth 0 "$1" |
        jq -c --arg d "$work/files/" --arg c "${2:-tracer-context}" '.values |
            select(.path != null and (.path | startswith($d))) |
            [(.path | ltrimstr($d)), .[$c + "_user"], .[$c + "_action"]]'
}

expect() { # expect GOT WANTED: files with a line each
    diff <(sort "$1") <(sort "$2") >>"$work/wrong"
}

share() {
    local alice bob all_samples bad

    contexts "$home" "$work/share.jfr" "$all" share 2
    # What a scope takes beside its work is not measured, and is much while code is interpreted.
    alice=$(samples "$work/share.jfr" 'Contexts[.]burn[; ]' -c user=alice -e jdk.ExecutionSample)
    bob=$(samples "$work/share.jfr" 'Contexts[.]burn[; ]' -c user=bob -e jdk.ExecutionSample)
    is_share "CPU samples of alice" "$alice" $((alice + bob)) "$(truth alice)" \
        "$(($(truth alice) + $(truth bob)))" "$(draws "$work/share.jfr" "Contexts[.]burn$")"
    bad=$("$B/jfr2json" --layout ndjson -e jdk.ExecutionSample --stack-depth 0 "$work/share.jfr" |
        jq -r '.values | [.["tracer-context_user"], .["tracer-context_action"],
            .["tracer-context_file"] != null] | @tsv' | sort | uniq -c |
        grep -vE $'(\t\tfalse|alice\tstore\ttrue|bob\tload\tfalse)$')
    [ -z "$bad" ] || wrong "tuples that were never set: $bad"
    # burn() is never called outside of a scope.
    bad=$("$B/jfr2json" --layout ndjson -e jdk.ExecutionSample --stack-depth 1 "$work/share.jfr" |
        jq -c '.values | select(.stackTrace.frames[0].method.name == "burn" and .["tracer-context_user"] == null)' |
        wc -l)
    [ "$bad" = 0 ] || wrong "$bad samples have lost their context"
    echo "# JDK $v: $alice:$bob samples for $(truth alice):$(truth bob) ns, $(truth switches) switches"
    verdict "samples of two users in proportion, no tuple that was not set, JDK $v"
}

virtual() {
    [ "$v" -ge 21 ] || { inapplicable "virtual threads, JDK $v" "it has none"; return; }
    # Room for all of it: the drain thread may not run for a while on a machine with other work.
    contexts "$home" "$work/virtual.jfr" "$all,buffer=64m" virtual "$work/files" 1000 10
    reads "$work/virtual.jfr" | jq -r 'if .[0] == .[1] then "right" else "wrong \(.)" end' |
        sort | uniq -c | sed 's/^ *//' >"$work/got"
    echo "10000 right" | expect "$work/got" /dev/stdin
    verdict "1000 virtual threads keep their context, 10000 checks, JDK $v"
}

# Changes as fast as it goes: every event has the tuple that was set for it, and no sample has parts
# of two.
switches() { # switches KIND THREADS CHANGES
    local kind=$1 settings=$all rate n

    [ "$kind" != virtual ] || [ "$v" -ge 21 ] || { inapplicable "changes on virtual threads, JDK $v" "it has none"; return; }
    contexts "$home" "$work/switches.jfr" "$settings,+test.Switch#withContext=true,buffer=64m" switches "$2" "$3" "$kind"
    "$B/jfr2json" --layout ndjson -e test.Switch "$work/switches.jfr" | jq -r '.values |
        [.number, .["tracer-context_user"], .["tracer-context_action"], .["tracer-context_file"],
            .["tracer-context_trace"]] | @tsv' |
        awk -F '\t' '{ if ($2 == "u-" $1 && $3 == "a-" $1 && $4 == "f-" $1 && $5 == "t-" $1) n++; else print "torn: " $0 }
            END { print n > "/dev/stderr" }' >"$work/got" 2>"$work/n"
    head -3 "$work/got" >>"$work/wrong"
    n=$(cat "$work/n")
    [ "$n" = "$(truth events)" ] || wrong "$n of $(truth events) events"
    "$B/jfr2json" --layout ndjson -e jdk.ExecutionSample --stack-depth 0 "$work/switches.jfr" | jq -r '.values |
        [.["tracer-context_user"], .["tracer-context_action"], .["tracer-context_file"], .["tracer-context_trace"],
            .sampledThread.javaName, .sampledThread.javaThreadId] | @tsv' |
        awk -F '\t' '$1 != "" { n++ }
            $1 != "" && (substr($1, 2) != substr($2, 2) || substr($1, 2) != substr($3, 2) || substr($1, 2) != substr($4, 2)) {
                print "torn: " $0 }
            $1 != "" && kind == "virtual" && ($5 !~ /^switcher-[0-9]+$/ || $6 == 0) { print "not of a virtual thread: " $0 }
            END { if (n < 10) print n + 0 " samples with a context" }' kind="$kind" | head -3 >>"$work/wrong"
    rate=$(truth per_cpu_second)
    [ "${rate:-0}" -gt 0 ] || wrong 'no changes were counted'
    verdict "$3 changes on each of $2 $kind threads, $((rate / 1000)) 000 per second of CPU time, JDK $v"
}

edges() {
    contexts "$home" "$work/edges.jfr" "$all" edges "$work/files"
    reads "$work/edges.jfr" | jq -c '.[0:2]' >"$work/got"
    {
        echo '["none",null]'
        echo '["empty",""]'
        jq -nc '["hostile", "\u00e4\u20ac\ud83d\ude00 </script>\n\""]'
        jq -nc '["long", "x" * 255]'
        jq -nc '"abcdefghijklmnopqrstuvwxyz0123456789ABCD" as $all | range(1; 41) | ["length-\(.)", $all[0:.]]'
        jq -nc '"abcdefghijklmnopqrst" as $all | range(20) as $at | (8364, 228, 0) as $odd |
            ["odd-\($at)-\($odd)", $all[0:$at] + ([$odd] | implode) + $all[$at + 1:]]'
        echo '["wrong-order",null]'
        echo '["closed-elsewhere","elsewhere"]'
        echo '["snapshot","elsewhere"]'
        echo '["after-snapshot",null]'
    } >"$work/want"
    expect "$work/got" "$work/want"
    [ "$(truth other)/$(truth many)/$(truth last)" = false/true/false ] ||
        wrong "limits: $(grep = "$work/out")"
    contexts "$home" "$work/overflow.jfr" "$all" overflow "$work/files"
    reads "$work/overflow.jfr" | jq -c '.[0:2]' >"$work/got"
    echo '["overflow","<overflow>"]' | expect "$work/got" /dev/stdin
    verdict "null, empty, hostile, long, wrong order, other threads, limits, JDK $v"
}

# Values come and go, over chunks too: those who were there right now are right, all of them.
evict() {
    contexts "$home" "$work/evict.jfr" "$all,chunktime=2s" evict "$work/files"
    reads "$work/evict.jfr" | jq -r '.[0:2] | @tsv' >"$work/got"
    [ "$(wc -l <"$work/got")" = 36 ] || wrong "$(wc -l <"$work/got") reads, not 36"
    awk '$1 != $2' "$work/got" | head -3 >>"$work/wrong"
    verdict "values that are forgotten and come again, over chunks, JDK $v"
}

# Defined seconds after the recording began, and after chunks have ended: the fields are there, in all
# events of one type.
late() {
    local said

    contexts "$home" "$work/late.jfr" "$all,chunktime=1s" late "$work/files" 2.2
    [ "$("$B/jfrsummary" --json "$work/late.jfr" | jq ".chunks | length")" -gt 2 ] || wrong "one chunk"
    said=$(test-data/interop/jmc.sh --count jdk.FileRead "$work/late.jfr" 2>&1)
    ! grep 'differ between chunks' <<<"$said" >>"$work/wrong"
    grep '^skip ' <<<"$said" || [[ $said == *"jdk.FileRead $(count "$work/late.jfr" jdk.FileRead)"* ]] || wrong "JMC: $said"
    reads "$work/late.jfr" >"$work/got"
    printf '%s\n' '["before",null,null]' '["late","late",null]' | expect "$work/got" /dev/stdin
    [ "$("$B/jfrmeta" "$work/late.jfr" | grep -c 'String tracer-context_user')" = 2 ] ||
        wrong 'not one field in each of two event types'
    jfr "$home" print --json --events jdk.FileRead "$work/late.jfr" |
        jq -c --arg d "$work/files/" '.recording.events[].values |
            select(.path != null and (.path | startswith($d))) | .["tracer-context_user"]' >"$work/got"
    printf '%s\n' null '"late"' | expect "$work/got" /dev/stdin
    jfr "$home" summary "$work/late.jfr" | grep -q TracerContext || wrong 'no interval events'
    if [ "$v" -ge 25 ]; then
        jfr "$home" print --events jdk.FileRead "$work/late.jfr" |
            grep -q 'TracerContext.user = "late"' || wrong 'jfr print has no Context lines'
    fi
    verdict "a context that is defined late, and as the JDK's tool sees it, JDK $v"
}

# lines FILE: of each file read below our folder, as the newest JDK's tool says whose it was
lines() {
    jfr "$newest" print --events 'jdk.FileRead,jfrkit.*' "$1" |
        awk -v d="$work/files/" '/^jdk.FileRead/ { user = "" } /Context: TracerContext.user/ { user = $NF }
            /path = / && index($0, d) { n = split($3, part, "/"); file = part[n] }
            /^}/ && file != "" { print "\"" file, user; file = "" }'
}

# times FILE: when the parts of scopes that stay open are, and the first and last events
times() {
    "$B/jfr2json" --layout ndjson -e jfrkit.TracerContext,jdk.FileRead "$1" | jq -r '.type as $t | .values |
        select($t == "jdk.FileRead" or .action == "hold") | [$t, .startTime, .duration, .user] | @tsv' |
        sort -k 2 | awk -F '\t' '$1 != last { print before; print } { last = $1; before = $0 } END { print before }' | tr '\n' ' '
}

# A scope that is open when a chunk, the recording or a copy ends: all of them know it.
ongoing() {
    local part n

    if [ "$(release "$newest")" -lt 25 ]; then
        inapplicable "open scopes as the JDK's tool sees them, JDK $v" 'jfr print shows contexts from JDK 25 on'
        return
    fi
    rm -rf "$work/parts" "$work/open.jfr" "$work/files" "$work/copy.jfr" "$work/seen"
    "$home/bin/java" "-agentpath:$agent=file=$work/open.jfr,$all,chunktime=1s,context=tracer-context:user;action;file;trace" \
        -cp "$classes:$jar" Contexts open "$work/files" 4 >"$work/out" 2>"$work/err" &
    pid=$!
    children+=("$pid")
    wait_for "$work/out" '^active=' || give_up 'the program did not start'
    sleep 1
    "$B/jfrec" dump -o "$work/copy.jfr" "$pid" >"$work/said" 2>&1 || wrong "jfrec dump: $(cat "$work/said")"
    wait "$pid" || wrong "java: $(tail -3 "$work/err")"
    is_whole "$work/open.jfr"
    mkdir "$work/parts"
    jfr "$newest" disassemble --output "$work/parts" --max-chunks 1 "$work/open.jfr" >"$work/log" 2>&1
    n=$(find "$work/parts" -name '*.jfr' | wc -l)
    [ "$n" -gt 2 ] || wrong "$n chunks"
    for part in "$work"/parts/*.jfr "$work/copy.jfr" "$work/open.jfr"; do
        lines "$part" >"$work/got"
        [ "$(dirname "$part")" != "$work/parts" ] || tr -d '"' <"$work/got" | awk '{ print $2 }' | sort -u >>"$work/seen"
        awk '$1 != $2' "$work/got" | head -2 | grep . >>"$work/wrong" && wrong "in $(basename "$part"): $(times "$part")"
    done
    grep -q holder "$work/got" || wrong 'nothing was read'
    [ "$v" -lt 21 ] || grep -q virtual "$work/got" || wrong 'no virtual thread'
    # The parts of a scope lie one behind the other, without gaps; one begins earlier where its chunk
    # has events from before.
    "$B/jfr2json" --layout ndjson -e jfrkit.TracerContext "$work/open.jfr" |
        jq -r '.values | select(.action == "hold") | [.user, .startTime, .duration] | @tsv' |
        sort | awk -F '[\tTZS:]' '{ at = ($3 * 60 + $4) * 60 + $5; n[$1]++
            if (n[$1] > 1 && (at - end[$1] > 1e-6 || end[$1] - at > 0.5)) print "a part of " $1 " begins " at - end[$1] " s too late"
            end[$1] = at + $NF == 0 ? at : at + substr($0, match($0, /PT/) + 2) }
            END { for (u in n) print n[u], u >"/dev/stderr" }' >>"$work/wrong" 2>"$work/parts.n"
    sort "$work/seen" | uniq -c |
        awk 'FNR == NR { n[$2] = $1; next } n[$2] < $1 { print "only " n[$2] + 0 " parts of " $2 " for " $1 " chunks" }' \
            "$work/parts.n" - >>"$work/wrong"
    # Each scope is one request, in however many parts it is told of.
    "$B/jfr2json" --layout ndjson -e jfrkit.TracerContext "$work/open.jfr" |
        jq -r '.values | select(.action == "hold") | "\(.user) \(.isContinuation)"' | sort | uniq -c |
        awk '{ n[$2 " " $3] = $1; users[$2] }
            END { for (u in users) if (n[u " false"] != 1 || n[u " true"] < 1)
                print u ": " n[u " false"] + 0 " first parts, " n[u " true"] + 0 " others" }' >>"$work/wrong"
    "$B/jfr2table" --by user -c action=hold -f json "$work/open.jfr" |
        jq -r '.rows[] | select(.requests != 1) | "\(.user) has \(.requests) requests"' >>"$work/wrong"
    verdict "scopes that are open when a chunk, a copy or the recording ends, JDK $v"
}

# who FILE CONTEXT EVENT: what, of whom, doing what, counted
who() {
    "$B/jfr2json" --layout ndjson -e "$3" --stack-depth 0 "$1" |
        jq -r --arg c "$2" '"\(.values.path) \(.values[$c + "_user"]) \(.values[$c + "_action"])"' |
        sort | uniq -c
}

# again FILE EVENT: how many events have another context, and of how many, when the fields are taken
# away and put back from the interval events
again() {
    "$B/jfrcut" --drop-fields tracer-context_user,tracer-context_action,tracer-context_file,tracer-context_trace \
        -o "$work/bare.jfr" "$1" 2>>"$work/wrong" &&
        "$B/jfrannotate" -o "$work/again.jfr" "$work/bare.jfr" 2>>"$work/wrong"
    who "$1" tracer-context "$2" >"$work/want"
    who "$work/again.jfr" TracerContext "$2" >"$work/got"
    awk 'FNR == NR { n[$2, $3, $4] = $1; all += $1; next } { n[$2, $3, $4] -= $1 }
        END { for (k in n) off += n[k] < 0 ? -n[k] : 0; print off + 0, all + 0 }' "$work/want" "$work/got"
}

annotated() {
    local off all

    if [ -e "$work/open.jfr" ]; then # its test needs the jfr of JDK 25
        read -r off all < <(again "$work/open.jfr" jdk.FileRead)
        [ "$off" = 0 ] && [ "$all" -gt 0 ] || wrong "scopes that stay open: $off of $all"
    fi
    if [ "$v" -ge 21 ]; then
        read -r off all < <(again "$work/virtual.jfr" jdk.FileRead)
        [ "$off" = 0 ] && [ "$all" -ge 10000 ] || wrong "virtual threads: $off of $all"
    fi
    # A sample taken while a scope is being opened or closed may fall on either side.
    read -r off all < <(again "$work/share.jfr" jdk.ExecutionSample)
    [ "$((off * 20))" -le "$all" ] && [ "$all" -gt 0 ] || wrong "samples: $off of $all"
    verdict "jfrannotate finds the contexts that the fields had ($off of $all samples differ), JDK $v"
}

absent() {
    contexts "$home" "$work/none.jfr" '' once "$work/files"
    [ "$(truth active)/$(truth me)" = false/false ] || wrong "$(cat "$work/out")"
    verdict "without the recorder, JDK $v"
}

loaders() {
    local n=70

    contexts "$home" "$work/loaders.jfr" "$all" loaders "$work/files" "$jar" "$classes" $n
    reads "$work/loaders.jfr" | jq -r 'select(.[0] == .[1]) | .[0]' | sort -u >"$work/got"
    [ "$(wc -l <"$work/got")" = $n ] || wrong "$(wc -l <"$work/got") of $n have their context"
    # whom nobody tells that there is a recording takes no time
    "$B/jfr2json" --layout ndjson -e jfrkit.TracerContext "$work/loaders.jfr" | jq -r .values.startTime | sort -u >"$work/got"
    [ "$(wc -l <"$work/got")" = $n ] || wrong "scopes of $n begin at $(wc -l <"$work/got") times"
    verdict "the API in $n class loaders, JDK $v"
}

# The API is loaded and has found no recorder; then one is attached.
attached() {
    rm -rf "$work/attached.jfr" "$work/files"
    "$home/bin/java" -cp "$classes:$jar" Contexts attached "$work/files" >"$work/out" 2>"$work/err" &
    pid=$!
    children+=("$pid")
    wait_for "$work/out" '^active=false' || give_up 'the program did not start'
    "$B/jfrec" start -o "$work/attached.jfr" --settings none --setting +jdk.FileRead#enabled=true \
        --setting +jdk.FileRead#threshold=0ns --setting +jdk.FileRead#withContext=true "$pid" \
        >"$work/said" 2>&1 || wrong "jfrec start: $(cat "$work/said")"
    mkdir -p "$work/files" && : >"$work/files/attached"
    wait "$pid" || wrong "java: $(tail -3 "$work/err")"
    [ "$(truth late)" = true ] || wrong 'the API did not notice'
    reads "$work/attached.jfr" | jq -c '.[0:2]' >"$work/got"
    echo '["late","late"]' | expect "$work/got" /dev/stdin
    verdict "attached after the API was loaded, JDK $v"
}

# A program written for a JDK that has jdk.jfr.ContextType.
shim() {
    mkdir -p "$work/shim"
    cat >"$work/shim/Shim.java" <<'JAVA'
import java.io.*;
import java.nio.file.*;
import shim.RequestContext;
public class Shim {
    public static void main(String[] args) throws Exception {
        for (String user : new String[] {"bob", "larry"}) {
            File f = new File(args[0], user);
            f.getParentFile().mkdirs();
            Files.write(f.toPath(), new byte[16]);
            try (RequestContext c = new RequestContext(user, "load", "f")) {
                try (InputStream in = new FileInputStream(f)) { in.read(); }
            }
            try (InputStream in = new FileInputStream(f)) { in.read(); }
        }
    }
}
JAVA
    javac "$home" -nowarn --patch-module jdk.jfr=recorder/java/shim -d "$work/shim/out" \
        "$work/shim/Shim.java" test-data/workload/shim/RequestContext.java >"$work/log" 2>&1 ||
        wrong "javac: $(grep -m1 error "$work/log")"
    rm -rf "$work/shim.jfr" "$work/files" "$work/shim/out/module-info.class" "$work/shim/out/jdk"
    timeout 300 "$home/bin/java" "-agentpath:$agent=file=$work/shim.jfr,$all" -cp "$work/shim/out" \
        Shim "$work/files" >"$work/out" 2>"$work/err" || wrong "java: $(tail -3 "$work/err")"
    ! grep -q warning "$work/out" "$work/err" || wrong "$(grep -h -m1 warning "$work/out" "$work/err")"
    reads "$work/shim.jfr" >"$work/got"
    printf '%s\n' '["bob","bob","load"]' '["bob",null,null]' '["larry","larry","load"]' \
        '["larry",null,null]' | expect "$work/got" /dev/stdin
    mkdir -p "$work/shim/out/META-INF/services"
    : >"$work/shim/out/META-INF/services/jdk.jfr.ContextType\$Registration"
    timeout 300 "$home/bin/java" "-agentpath:$agent=file=$work/asked.jfr,settings=none" -cp "$work/shim/out" \
        Shim "$work/files" >"$work/out" 2>"$work/err" || wrong "a file of its service does not suffice: $(tail -3 "$work/err")"
    verdict "a class that extends jdk.jfr.ContextType, unchanged, JDK $v"
}

# A file server on Javalin, with a context class that was written for another JDK and settings that
# ask for it; the pipeline is the one that its README has.
web() {
    jars javalin io.javalin:javalin:5.6.3 || { skip "a web framework, JDK $v" "$why"; return; }
    mkdir -p "$work/web"
    cat >"$work/web.jfc" <<'JFC'
<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0" label="Files" description="Without thresholds" provider="Test">
    <event name="jdk.FileRead" withContext="true">
        <setting name="enabled">true</setting>
        <setting name="stackTrace">true</setting>
        <setting name="threshold" control="file-threshold">0 ms</setting>
    </event>
    <event name="jdk.FileWrite" withContext="true">
        <setting name="enabled">true</setting>
        <setting name="stackTrace">true</setting>
        <setting name="threshold" control="file-threshold">0 ms</setting>
    </event>
    <event name="jdk.SocketWrite" withContext="true">
        <setting name="enabled">true</setting>
        <setting name="stackTrace">true</setting>
        <setting name="threshold" control="socket-threshold">0 ms</setting>
    </event>
</configuration>
JFC
    javac "$home" -nowarn --patch-module jdk.jfr=recorder/java/shim -cp "$jars/*" -d "$work/web/out" \
        test-data/workload/WebFiles.java test-data/workload/shim/RequestContext.java >"$work/log" 2>&1 ||
        wrong "javac: $(grep -m1 error "$work/log")"
    rm -rf "$work/web.jfr" "$work/files" "$work/web/out/module-info.class" "$work/web/out/jdk"
    timeout 300 "$home/bin/java" "-agentpath:$agent=file=$work/web.jfr,settings=$work/web.jfc" \
        -cp "$work/web/out:$jars/*" WebFiles "$work/files" >"$work/out" 2>"$work/err" ||
        wrong "java: $(tail -3 "$work/err")"
    is_whole "$work/web.jfr"
    jfr "$home" print --events jdk.FileRead --json "$work/web.jfr" |
        jq -r '[.recording.events[].values | select(.["tracer-context_user"] != null)] |
            group_by(.["tracer-context_user"])[] |
            "\(.[0]["tracer-context_user"]) \(map(.bytesRead) | add)"' | grep -v '^_' >"$work/got"
    sed -n 's/^loaded //p' "$work/out" >"$work/want"
    [ "$(wc -l <"$work/want")" = 10 ] || wrong 'not ten users'
    expect "$work/got" "$work/want"
    "$B/jfr2table" --by user -f json "$work/web.jfr" |
        jq -r '.rows[] | select(.user != null and (.user | startswith("_") | not)) | "\(.user) \(.read_bytes)"' >"$work/got"
    expect "$work/got" "$work/want"
    if [ "$v" -ge 21 ]; then
        jfr "$home" view --width 200 jdk.FileRead "$work/web.jfr" >"$work/got" 2>&1
        grep -q 'user *action *file *trace' "$work/got" && grep -qE ' alice +load ' "$work/got" ||
            wrong "jfr view: $(sed -n 4,6p "$work/got")"
    fi
    verdict "a server on Javalin: bytes read per user are what the users loaded, JDK $v"
}

# What slf4j and OpenTelemetry know, mirrored by the adapters; and without either of them.
adapters() { # adapters SLF4J OTEL JAR...
    local slf4j=$1 otel=$2

    shift 2
    jars "adapters-$slf4j-$otel" "$@" "io.opentelemetry:opentelemetry-sdk-trace:$otel" ||
        { skip "slf4j $slf4j and OpenTelemetry $otel, JDK $v" "$why"; return; }
    mkdir -p "$work/adapters"
    cat >"$work/Alone.java" <<'JAVA'
public class Alone {
    public static void main(String[] args) {
        System.out.println("mdc=" + jfrkit.Mdc.install("mdc", "user") + "\notel=" + jfrkit.OpenTelemetry.install());
    }
}
JAVA
    cat >"$work/TooLate.java" <<'JAVA'
public class TooLate {
    public static void main(String[] args) {
        io.opentelemetry.context.Context.current();
        System.out.println("otel=" + jfrkit.OpenTelemetry.install());
    }
}
JAVA
    [ -e "$work/adapters/Alone.class" ] ||
        javac "$home" -nowarn -cp "$jar:$jars/*" -d "$work/adapters" test-data/workload/Adapters.java "$work/Alone.java" "$work/TooLate.java" \
            >"$work/log" 2>&1 || wrong "javac: $(grep -m1 error "$work/log")"
    rm -rf "$work/adapters.jfr" "$work/files"
    timeout 300 "$home/bin/java" "-agentpath:$agent=file=$work/adapters.jfr,settings=none,+jdk.FileRead#enabled=true,+jdk.FileRead#threshold=0ns,+jdk.FileRead#withContext=true" \
        -cp "$work/adapters:$jar:$jars/*" Adapters "$work/files" >"$work/out" 2>"$work/err" ||
        wrong "java: $(tail -3 "$work/err")"
    [ "$(truth mdc)/$(truth otel)" = true/true ] || wrong "installed: $(grep = "$work/out")"
    "$B/jfr2json" --layout ndjson -e jdk.FileRead --stack-depth 0 "$work/adapters.jfr" |
        jq -r --arg d "$work/files/" '.values | select(.path != null and (.path | startswith($d))) |
            "\(.path | ltrimstr($d)) \(.mdc_user) \(.mdc_request) \(.otel_trace_id) \(.otel_span_id)"' >"$work/got"
    sed -n 's/^want //p' "$work/out" >"$work/want"
    [ "$(wc -l <"$work/want")" = 11 ] || wrong 'the program did not read everything'
    expect "$work/got" "$work/want"
    "$home/bin/java" "${cheap[@]#-J}" -cp "$work/adapters:$jar" Alone >"$work/out" 2>&1
    [ "$(truth mdc)/$(truth otel)" = false/false ] || wrong "without the libraries: $(cat "$work/out")"
    "$home/bin/java" "${cheap[@]#-J}" -cp "$work/adapters:$jar:$jars/*" TooLate >"$work/out" 2>"$work/err"
    [ "$(truth otel)" = false ] && grep -q '^jfrkit: OpenTelemetry.install() has no effect: a context was current before' "$work/err" ||
        wrong "installed too late: $(cat "$work/out" "$work/err")"
    verdict "keys of slf4j $slf4j's MDC and OpenTelemetry $otel's ids, JDK $v"
}

c_program() {
    cat >"$work/c.c" <<'C'
#include "recorder/api/jfrkit_context.h"
int main(void)
{
    static const char *const names[] = {"user"}, *const values[] = {"alice"};
    jk_context_type t = jk_context_define("c", names, 1);
    int depth = jk_context_push(t, values);
    jk_context_pop(depth);
    jk_context_set(t, 0, "x");
    jk_context_clear(t);
    return t != 0 || depth != 0 || jk_context_is_recording();
}
C
    ${CC:-cc} -Wall -Wextra -Werror -I. -o "$work/c" "$work/c.c" -ldl 2>"$work/log" || wrong "$(head -3 "$work/log")"
    "$work/c" || wrong 'a program without the recorder is told that there is one'
    ${CXX:-c++} -x c++ -Wall -Wextra -Werror -I. -fsyntax-only "$work/c.c" 2>"$work/log" || wrong "$(head -3 "$work/log")"
    verdict "the C interface links and runs without the recorder, and is C++"
}


# Threads that sleep are not woken: their context is read from outside.
idle() {
    local all=0 n who starved

    contexts "$home" "$work/idle.jfr" "settings=none,cpu=off,+profiler.WallClockSample#enabled=true,+profiler.WallClockSample#withContext=true,wall=10ms" idle 6
    "$B/jfr2json" --layout ndjson -e profiler.WallClockSample --stack-depth 0 "$work/idle.jfr" |
        jq -r '.values | select(.sampledThread.javaName == "main") | [.["tracer-context_user"] // "nobody",
            .["tracer-context_action"] // "-", .samples] | @tsv' >"$work/sleeping"
    all=$(awk '{ n += $3 } END { print n + 0 }' "$work/sleeping")
    # A sampler that has no processor looks late: of shares it says nothing then, of contexts all the same.
    starved=$(awk -v n="$all" -v ns="$(($(truth alice) + $(truth bob) + $(truth nobody)))" -v cpus="$(nproc)" '
        { print (n < ns / 1e7 * 0.9 || $1 > 2 * cpus) }' /proc/loadavg)
    [ "$starved" = 0 ] || echo "# JDK $v: $all samples with too few processors: shares not compared"
    for who in alice bob nobody; do
        n=$(awk -v w=$who '$1 == w { n += $3 } END { print n + 0 }' "$work/sleeping")
        awk -v n="$n" -v all="$all" -v t="$(truth $who)" -v sum="$(($(truth alice) + $(truth bob) + $(truth nobody)))" -v starved="$starved" 'BEGIN {
            off = n / (all + 0.001) - t / sum; exit !(n > 0 && (starved || (off < 0.05 && off > -0.05))) }' ||
            wrong "wall samples of $who: $n of $all, for $(truth $who) ns"
    done
    cut -f1,2 "$work/sleeping" | sort | uniq -c | grep -vE $'(alice\twait|bob\trest|nobody\t-)$' >>"$work/wrong"
    [ "$starved" = 1 ] || [ "$(wc -l <"$work/sleeping")" -lt $((all / 2)) ] || wrong "$(wc -l <"$work/sleeping") events for $all samples: idle ones are not counted together"
    verdict "samples of threads that sleep have their contexts, JDK $v"
}

newest=$(jdks | tail -1)
mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    v=$(release "$home")
    workload || give_up "$why"
    absent
    share
    switches platform 4 200000
    switches virtual 1000 500
    idle
    edges
    evict
    late
    loaders
    ongoing
    attached
    virtual
    annotated
    [ "$v" -lt 11 ] || { shim; web; }
    adapters 1.7 1.38.0 ch.qos.logback:logback-classic:1.2.13
    adapters 2.0 1.67.0 ch.qos.logback:logback-classic:1.3.15 org.slf4j:slf4j-api:2.0.17
done
c_program
# Those of the newest JDK; some may have been skipped.
mapfile -t files < <(ls "$work"/{share,edges,evict,late,open,copy,virtual,shim,web,adapters,again}.jfr 2>/dev/null)
# jmc_groups FILE TYPE COLUMN [SUMMED]: what Mission Control's core makes of events of a type, grouped
# by a field of ours, is what jfr2table says where there are no intervals, of which the former knows
# nothing. Events of nobody are no group to it.
jmc_groups() {
    local file=$work/fields.jfr

    [ -e "$1" ] || return
    "$B/jfrcut" -E jfrkit.TracerContext -o "$file" "$1" 2>>"$work/wrong"
    "$B/jfr2table" --by user -e "$2" -f json "$file" |
        jq -r --arg c "$3" '.rows[] | select(.user != null) | "\(.user) \(.[$c])"' >"$work/want"
    test-data/interop/jmc.sh --by "$2" tracer-context_user ${4:+"$4"} "$file" >"$work/got" 2>&1 ||
        wrong "$2 of $(basename "$1"): $(head -3 "$work/got")"
    ! grep -q '^skip' "$work/got" || return
    [ "$(wc -l <"$work/want")" -ge 2 ] || wrong "$2 of $(basename "$1"): not two users"
    expect "$work/got" "$work/want"
}
: >"$work/got"
jmc_groups "$work/share.jfr" jdk.ExecutionSample samples
jmc_groups "$work/virtual.jfr" jdk.FileRead read_bytes bytesRead
jmc_groups "$work/web.jfr" jdk.FileRead read_bytes bytesRead
# it says why
grep '^skip' "$work/got" || verdict "Mission Control's core groups and sums by a context as jfr2table does"
said=$(test-data/interop/jmc.sh "${files[@]}" 2>&1)
echo "$said" | grep -E '^(skip|not ok)' | sed 's/^not ok /not ok Mission Control: /'
! grep -q '^not ok' <<<"$said" || failed=1
echo "$said" | grep -q '^ok' && echo "ok Mission Control opens them"
exit $failed
