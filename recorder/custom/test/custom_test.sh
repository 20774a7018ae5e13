#!/bin/bash
# Events of a program's own, from Java and C, on every JDK: all of them, with what was put into them,
# under the settings, as the JDK's tools, Mission Control and our reader see them.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh
. recorder/test/events_lib.sh

need jq
if [ ! -e "$agent" ] || [ ! -e "$B/jfrkit.jar" ]; then
    skip 'events of a program' 'the agent was not built'
    exit 0
fi
jar=$(realpath "$B/jfrkit.jar")

# custom HOME OUT OPTIONS MODE ARGUMENT...: runs the program with the agent; OPTIONS '': without
custom() {
    local home=$1 out=$2 options=$3 java=("$1/bin/java")

    shift 3
    rm -f "$out"
    [ "$(release "$home")" -lt 22 ] || java+=(--enable-native-access=ALL-UNNAMED)
    timeout -k 5 300 "${java[@]}" ${options:+"-agentpath:$agent=file=$out,$options"} \
        -cp "$classes:$jar" CustomEvents "$@" >"$work/out" 2>"$work/err" </dev/null ||
        wrong "java $*: $(tail -3 "$work/err")"
    [ "$(truth done)" = 1 ] || wrong "$*: not done"
    [ -z "$options" ] || is_whole "$out"
}

# silent FILE...: the JDK's parser reads them and has nothing to say
silent() {
    jdk_reads "$home" "$@" >>"$work/wrong"
}

# is NAME GOT WANT
is() {
    [ "$2" = "$3" ] || wrong "$1: $2, not $3"
}

every() {
    custom "$home" "$work/every.jfr" settings=none every
    [ -z "$(jfr "$home" print "$work/every.jfr" 2>&1 >/dev/null)" ] || wrong "jfr print has something to say"
    jfr "$home" print --json --events test.Every "$work/every.jfr" |
        jq -c '.recording.events[0].values | [.flag, .small, .short_, .letter, .number, .span, .when[0:10],
            .size, .address, .rate, .share, .real, .text, .other.javaName, .what.name, .nothing,
            .eventThread.javaName, .stackTrace.frames[0].method.name]' >"$work/got"
    jq -nc '[true, -7, -700, "\u00e4", -70000, "PT1.5S", "2023-11-14", 1099511627776, 51966, 50, 0.25,
        -1e100, "\u00e4\u20ac\ud83d\ude00 </script>\n", "main", "[Ljava/lang/String;", null, "main",
        "commitEvery"]' >"$work/want"
    sed -i 's/java\.lang\.String/java\/lang\/String/' "$work/got"
    # jq 1.7 leaves numbers as they are written until something is computed from them.
    diff <(jq -c '(.[] | numbers) |= . + 0' "$work/got") <(jq -c '(.[] | numbers) |= . + 0' "$work/want") >>"$work/wrong"
    "$B/jfrmeta" "$work/every.jfr" | awk '/^@Name\("test.Every"\)/ { on = 1 } on; on && /^}/ { exit }' >"$work/meta"
    for note in '@Label("Every Kind")' '@Description("All that there is")' '@Category("Test")' \
        '@Label("Flag")' '@Description("A byte")' '@DataAmount("BITS")' '@Timespan("MILLISECONDS")' \
        '@Timestamp("MILLISECONDS_SINCE_EPOCH")' '@DataAmount("BYTES")' '@MemoryAddress' '@Frequency' \
        '@Percentage' '@Experimental' '@Unsigned' 'Thread other' 'Class what' 'char letter'; do
        grep -qF -- "$note" "$work/meta" || wrong "jfrmeta shows no $note"
    done
    verdict "a field of each kind and its annotations, JDK $v"
}

many() {
    custom "$home" "$work/many.jfr" settings=none,buffer=64m many 8 5000
    silent "$work/many.jfr"
    is events "$(count "$work/many.jfr" test.Count)" 40000
    is 'different ones' "$(query "$work/many.jfr" test.Count 'map([.thread, .n, .text]) | unique | length')" 40000
    is "jfr's" "$(jfr "$home" summary "$work/many.jfr" | awk '$1 == "test.Count" { print $2 }')" 40000
    is losses "$(count "$work/many.jfr" jfrkit.EventLoss)" 0
    verdict "40000 events of 8 threads, JDK $v"
    [ "$v" -ge 21 ] || { inapplicable "events of virtual threads, JDK $v" 'it has none'; return; }
    custom "$home" "$work/virtual.jfr" settings=none,buffer=64m virtual 1000 10
    is 'of virtual threads' "$(query "$work/virtual.jfr" test.Count \
        'map([.thread, .n]) | unique | length')" 10000
    is threads "$(query "$work/virtual.jfr" test.Count 'map(.eventThread.javaThreadId) | unique | length')" 1000
    is 'threads of each number' "$(query "$work/virtual.jfr" test.Count \
        'group_by(.thread) | map(map(.eventThread.javaThreadId) | unique | length) | max')" 1
    verdict "10000 events of 1000 virtual threads, JDK $v"
}

settings() {
    local file=$work/settings.jfr

    custom "$home" "$file" "settings=none,+test.Slow#threshold=1 ms,+test.Off#enabled=false,\
+test.NoStack#stackTrace=false,+test.Throttled#throttle=5/s,+test.Plain#withContext=true,+test.Plain#period=1 s" settings
    silent "$file"
    is 'what it says' "$(cat "$work/err")" "jfrkit: warning: setting 'period' of 'test.Plain' is ignored: events of a program's own have none such"
    # an event that should be short may have been made to wait by others on the machine
    between Slow "$(count "$file" test.Slow)" 10 40
    is 'shorter than 1 ms' "$(query "$file" test.Slow 'map(select(.duration | ltrimstr("PT") | rtrimstr("S") | tonumber < 0.001)) | length')" 0
    is Off "$(count "$file" test.Off)" 0
    is Default "$(count "$file" test.Default)" 0
    is NoStack "$(query "$file" test.NoStack 'map(.stackTrace) | unique | tostring + "\(length)"')" '[null]1'
    between Throttled "$(count "$file" test.Throttled)" 1 10
    is Plain "$(query "$file" test.Plain 'map(.app_user) | unique | .[0]')/$(count "$file" test.Plain)" alice/200
    is 'settings in force' "$("$B/jfrsummary" "$file" | grep -cE '^ test.Slow .*threshold=1 ms')" 1
    if [ "$v" -ge 25 ]; then
        jfr "$home" print --events test.Inside "$file" | grep -q 'Contextual.tenant = "acme"' ||
            wrong 'jfr print shows no Context line of a contextual field'
    fi
    is 'contextual field' "$("$B/jfr2json" -l ndjson --with-context -e test.Inside "$file" | grep -c acme)" 1
    verdict "thresholds, switches, stacks, rates, contexts by the settings, JDK $v"
}

# The same types by the annotations of jdk.jfr and by ours, recorded by the JDK's recorder and by ours
# under the same settings: the same events, with and without stacks, and the same answers.
twins() { # twins WHO OPTION-OF-JAVA
    timeout -k 5 300 "$home/bin/java" "$2" -cp "$work/classes:$jar" Twins "$1" \
        >"$work/said.$1" 2>"$work/err.$1" </dev/null || wrong "java: $(tail -3 "$work/err.$1")"
    sed -i '/^twin\.\|^[A-Za-z]* [0-9]/!d' "$work/said.$1" # the JVM's own words
    jfr "$home" print --json --events 'twin.*' "$work/$1.jfr" |
        jq -r '.recording.events[] | [.type, .values.n, .values.stackTrace != null,
            .values.stackTrace.frames[0].method.name, .values.eventThread.javaName] | map(tostring) | join(" ")' |
        sort >"$work/got.$1"
    # JDK 11's own recorder writes the annotation twice.
    jfr "$home" metadata "$work/$1.jfr" | sed -nE 's/^@Name\("(twin\.[A-Za-z]*)"\)/\1/p' | sort -u >"$work/types.$1"
}

like_the_jdk() {
    local bound

    [ "$v" -ge 11 ] || { inapplicable "events as with jdk.jfr, JDK $v" 'it has none'; return; }
    [ -e "$work/classes/Twins.class" ] ||
        javac "$home" -nowarn -cp "$jar" -d "$work/classes" test-data/workload/Twins.java 2>"$work/log" ||
        { wrong "javac: $(head -3 "$work/log")"; verdict "events as with jdk.jfr, JDK $v"; return; }
    rm -f "$work"/{jdk,jfrkit}.jfr
    twins jdk "-XX:StartFlightRecording:filename=$work/jdk.jfr,settings=$work/twins.jfc"
    twins jfrkit "-agentpath:$agent=file=$work/jfrkit.jfr,settings=$work/twins.jfc"
    is_whole "$work/jfrkit.jfr"
    diff "$work/said.jdk" "$work/said.jfrkit" >>"$work/wrong"
    diff "$work/got.jdk" "$work/got.jfrkit" >>"$work/wrong"
    diff "$work/types.jdk" "$work/types.jfrkit" >>"$work/wrong"
    is 'events of the JDK' "$(wc -l <"$work/got.jdk")" 27
    bound=$(sed -n 's/^bound=//p' "$work/err.jfrkit")
    is 'lasts until its end' "$(query "$work/jfrkit.jfr" twin.Plain \
        "map(select(.n == 9) | $seconds * 1e9 <= ${bound:-0}) | tostring")" '[true]'
    verdict "types, events and stacks as with jdk.jfr's annotations, JDK $v"
}

wrong_use() {
    custom "$home" "$work/wrong.jfr" settings=none wrong
    silent "$work/wrong.jfr"
    is kind "$(truth kind)" 'IllegalArgumentException: test.Count: field 0 is of kind int'
    is real "$(truth real)" 'IllegalArgumentException: test.Count: field 1 is of kind long'
    is twice "$(truth twice)" 'IllegalArgumentException: test.Twice has two fields a'
    is unnamed "$(truth unnamed)" 'IllegalArgumentException: an event type needs a name'
    for key in jdk dash taken unit other room; do
        [ "$(truth $key)" != null ] && [ -n "$(truth $key)" ] || wrong "$key is not refused"
    done
    is 'text of a cut event' "$(query "$work/wrong.jfr" test.Count 'map(.text | length) | tostring')" '[667,5]'
    is losses "$(query "$work/wrong.jfr" jfrkit.EventLoss 'map({(.reason): .total}) | add | tostring')" \
        '{"no room for the event type":3,"event unlike its type":15,"text cut":1}'
    between 'bytes lost' "$(query "$work/wrong.jfr" jdk.DataLoss '.[0].total')" 6999 6999
    custom "$home" '' '' wrong # the same exceptions, the rest is never heard of
    is 'kind, alone' "$(truth kind)" 'IllegalArgumentException: test.Count: field 0 is of kind int'
    is 'jdk, alone' "$(truth jdk)" null
    verdict "wrong use is told, counted, and does no harm, JDK $v"
}

# Types that come with the first and with a later chunk.
late() {
    custom "$home" "$work/late.jfr" settings=none,chunktime=500ms late 3
    silent "$work/late.jfr"
    for type in Early Later; do
        is "$type" "$(query "$work/late.jfr" "test.$type" 'map(.n) | length == (max - min + 1)')" true
    done
    verdict "types of a later chunk, JDK $v"
}

loaders() {
    custom "$home" "$work/loaders.jfr" settings=none loaders "$jar" "$classes"
    is recorded "$(grep -c recorded=true "$work/out")/$(count "$work/loaders.jfr" test.Count)" 2/2
    verdict "the API in two class loaders, JDK $v"
}

# The API is loaded and has found no recorder; then one is attached, twice.
attached() {
    local first=$work/first.jfr second=$work/second.jfr

    rm -f "$first" "$second"
    "$home/bin/java" -cp "$classes:$jar" CustomEvents late 8 >"$work/out" 2>"$work/err" &
    pid=$!
    children+=("$pid")
    wait_for "$work/out" '^enabled=false' || give_up 'the program did not start'
    "$B/jfrec" start -o "$first" --settings none "$pid" >"$work/said" 2>&1 || wrong "start: $(cat "$work/said")"
    sleep 1
    "$B/jfrec" stop -v "$pid" >"$work/said" 2>&1 || wrong "stop: $(cat "$work/said")"
    "$B/jfrec" start -o "$second" --settings none --setting +test.Later#stackTrace=false "$pid" \
        >"$work/said" 2>&1 || wrong "start again: $(cat "$work/said")"
    wait "$pid" || wrong "java: $(tail -3 "$work/err")"
    is noticed "$(truth noticed)" true
    for file in "$first" "$second"; do
        is_whole "$file"
        is "gaps in $(basename "$file")" "$(query "$file" test.Early 'map(.n) | length == (max - min + 1)')" true
        between "events of $(basename "$file")" "$(count "$file" test.Early)" 20 800
    done
    is 'threads of the second recording' \
        "$(query "$second" test.Early 'map(.eventThread.javaName) | unique | tostring')" '["main"]'
    is 'stacks by the second settings' "$(query "$second" test.Later 'map(.stackTrace) | unique | tostring')" '[null]'
    verdict "attached after the API was loaded, and a second recording, JDK $v"
}

from_c() {
    local file=$work/c.jfr

    ${CC:-cc} -O1 -g -Wall -Wextra -Wno-missing-field-initializers -Werror -I. $(headers) \
        -fPIC -shared -o "$work/libcustom.so" test-data/workload/custom.c -pthread \
        2>"$work/log" || { skip "events from C, JDK $v" "cc: $(head -1 "$work/log")"; return; }
    custom "$home" "$file" settings=none,buffer=64m native "$work/libcustom.so" 8 2000
    silent "$file"
    is 'results of wrong uses' "$(truth wrong)" 0
    is events "$(count "$file" test.FromC)" 16001
    is 'different ones, values, threads that are not themselves' "$(query "$file" test.FromC '[
        (map([.thread, .n]) | unique | length), (map([.text, .what.name, .share]) | unique),
        (map(select(.who.osThreadId != .eventThread.osThreadId)) | length)] | tostring')" \
        '[16001,[["from C","java/lang/String",0.5]],0]'
    query "$file" test.FromC 'map({thread, names: .stackTrace.frames | map(.method.name)}) |
        (map(select(.thread == -1))[0].names | join(" ")),
        (map(select(.thread >= 0 and (.names | index("custom_commit_one") != null))) | length)' >"$work/got"
    is 'stack in Java' "$(head -1 "$work/got")" 'natives main'
    between 'stacks in C' "$(tail -1 "$work/got")" 15900 16000
    is losses "$(query "$file" jfrkit.EventLoss 'map({(.reason): .total}) | add | tostring')" \
        '{"event unlike its type":3}'
    verdict "events of 8 threads of C, and of Java's through C, JDK $v"
}

c_alone() {
    ${CC:-cc} -Wall -Wextra -Wno-missing-field-initializers -Werror -I. -DALONE -o "$work/c" \
        test-data/workload/custom.c -ldl -pthread 2>"$work/log" || wrong "$(head -3 "$work/log")"
    "$work/c" >"$work/out" || wrong 'a program without the recorder is told that there is one'
    echo '#include "recorder/api/jfrkit_event.h"' >"$work/cpp.cc"
    ${CXX:-c++} -Wall -Wextra -Werror -I. -fsyntax-only "$work/cpp.cc" 2>"$work/log" || wrong "$(head -3 "$work/log")"
    verdict 'the C interface links and runs without the recorder, and is C++'
}

mkdir -p "$work/classes"
cat >"$work/twins.jfc" <<'JFC'
<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0">
  <event name="twin.OffThenOn"><setting name="enabled">true</setting></event>
  <event name="twin.OnThenOff"><setting name="enabled">false</setting></event>
  <event name="twin.NoStackThenStack"><setting name="stackTrace">true</setting></event>
  <event name="twin.StackThenNone"><setting name="stackTrace">false</setting></event>
  <event name="twin.SlowThenAll"><setting name="threshold">0 ms</setting></event>
  <event name="twin.AllThenSlow"><setting name="threshold">20 ms</setting></event>
</configuration>
JFC
mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    v=$(release "$home")
    workload || give_up "$why"
    every
    many
    settings
    like_the_jdk
    wrong_use
    late
    loaders
    attached
    from_c
done
c_alone
said=$(test-data/interop/jmc.sh "$work/every.jfr" "$work/settings.jfr" "$work/late.jfr" "$work/c.jfr" 2>&1)
echo "$said" | grep -E '^(skip|not ok)' | sed 's/^not ok /not ok Mission Control: /'
! grep -q '^not ok' <<<"$said" || failed=1
echo "$said" | grep -q '^ok' && echo "ok Mission Control opens them"
exit $failed
