#!/bin/bash
# Contexts of programs that know nothing of jfrkit, from their own slf4j, Log4j, JBoss Log Manager and OpenTelemetry:
# each read of a file has what the program had set, whether the recorder was there first or came later.
set -u
. test-data/workload/lib.sh
. recorder/test/events_lib.sh

reads=settings=none,+jdk.FileRead#enabled=true,+jdk.FileRead#threshold=0ns,+jdk.FileRead#withContext=true
keys=user+request

need jq
jars sources org.apache.logging.log4j:log4j-core:2.24.3 org.jboss.logmanager:jboss-logmanager:2.1.19.Final \
    ch.qos.logback:logback-classic:1.3.15 org.slf4j:slf4j-api:2.0.17 io.opentelemetry:opentelemetry-sdk-trace:1.67.0 ||
    { skip 'contexts of libraries' "$why"; exit 0; }
mkdir -p "$work/classes"
[ -n "$(compiler)" ] || { skip 'contexts of libraries' 'no JDK with a compiler'; exit 0; }
javac "$(compiler)" -nowarn --release 8 -Xlint:-options -cp "$jars/*" -d "$work/classes" test-data/workload/Sources.java \
    >"$work/log" 2>&1 || give_up "javac: $(grep -m1 error "$work/log")"
[ "$(nm "$agent" 2>/dev/null | grep -c woven_classes_1)" != 0 ] ||
    { skip 'contexts of libraries' 'the agent was built without ASM'; exit 0; }

# begin HOME LIBRARY ROUNDS [JAVA-OPTION...]: starts the program, $pid
begin() {
    local home=$1 library=$2 rounds=$3

    shift 3
    rm -rf "$work/files"
    mkdir -p "$work/files"
    : >"$work/out" # of the one before; nothing of it must be waited for
    : >"$work/err"
    "$home/bin/java" -Xcheck:jni "$@" -cp "$work/classes:$jars/*" Sources "$library" "$work/files" "$rounds" \
        >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    children+=("$pid")
}

# go N: a round of reads
go() {
    touch "$work/files/go$1"
    wait_for "$work/out" "^done=$1" "$pid" || wrong "round $1: $(tail -1 "$work/err")"
}

# said PATTERN: waits until the agent says it
said() {
    wait_for "$work/err" "$1" "$pid" || wrong "the agent does not say '$1': $(grep jfrkit: "$work/err" | tail -2)"
}

# reads_of FILE ROUND: as the program says it, by the values that the recording has
reads_of() {
    "$B/jfr2json" --layout ndjson -e jdk.FileRead --stack-depth 0 "$1" 2>/dev/null |
        jq -r --arg d "$work/files/$2-" '.values | select((.path // "") | startswith($d)) | . as $v |
            ["want " + ($v.path | ltrimstr($d)),
             (["trace_id", "span_id", "name", "route", "user", "request"][] as $k |
                 ([$v | to_entries[] | select(.key | test("^(mdc|otel)[0-9]*_" + $k + "$")) | .value | select(. != null)] | unique[]) |
                 $k + "=" + .)] | join(" ")'
}

# are_right FILE ROUND: what was recorded is what the program had
are_right() {
    reads_of "$1" "$2" | sort >"$work/got"
    sed -n "s/^want $2-/want /p" "$work/out" | sort >"$work/want"
    [ -s "$work/want" ] || wrong "round $2 read nothing"
    cmp -s "$work/want" "$work/got" || wrong "round $2: $(diff "$work/want" "$work/got" | head -6)"
}

ended() {
    wait "$pid" || wrong "exit code $?: $(tail -1 "$work/err")"
    ! grep 'values are missing' "$work/err" >"$work/log" || wrong "$(cat "$work/log")"
    # -Xcheck:jni writes to standard output; its words on signal handlers are about the recorder's own. The launcher of
    # JDK 8 has three warnings of its own before the program begins, without the agent, too.
    [ "$v" != 8 ] || sed -i '1,/^ready/d' "$work/out"
    ! grep -aE '^WARNING in native|^FATAL' "$work/out" >"$work/log" || wrong "$(head -2 "$work/log")"
}

# from_start HOME LIBRARY SOURCES WHAT [JAVA-OPTION...]: the agent is there before the library, and says WHAT
from_start() {
    begin "$1" "$2" 1 "-agentpath:$agent=file=$work/start.jfr,$reads,contextsource=$3" "${@:5}"
    said "$4"
    sleep 1.2 # a class that is half loaded when the library is found is changed up to a second later
    go 1
    ended
}

# trace_of READ: the trace id that the program had at it
trace_of() {
    sed -nE "s/^want 1-$1 trace_id=([0-9a-f]+) .*/\1/p" "$work/out"
}

# has_all_parts EVENT CONDITION 'FIRST LATER': so many first parts of requests, and later ones, are in the recording
has_all_parts() {
    local is
    is=$(query "$work/start.jfr" "$1" "[.[] | select($2)] |
        \"\(map(select(.isContinuation | not)) | length) \(map(select(.isContinuation)) | length)\"")
    [ "$is" = "$3" ] || wrong "parts of requests in $1: $is, not $3"
}

# has_parts READ 'FIRST LATER': so many first parts of requests, and later ones, have its trace
has_parts() {
    has_all_parts jfrkit.Otel ".trace_id == \"$(trace_of "$1")\"" "$2"
}

each_library() { # each_library HOME: by the agent from the start
    local v
    v=$(release "$1")
    from_start "$1" slf4j mdc=$keys 'contexts come from slf4j'
    are_right "$work/start.jfr" 1
    verdict "MDC of slf4j, JDK $v"
    from_start "$1" otel otel,+jfrkit.Otel#emit=always 'contexts come from the OpenTelemetry API'
    are_right "$work/start.jfr" 1
    has_parts server '1 7'
    has_parts job0 '1 1'
    has_parts called0 '2 0'
    [ "$("$B/jfr2table" --by route -f tsv "$work/start.jfr" 2>/dev/null | awk -F '\t' '$1 == "/orders/{id}" { print $NF }')" = 1 ] ||
        wrong "requests by route: $("$B/jfr2table" --by route -f tsv "$work/start.jfr" | tail -3)"
    # The thread that the request hands work to has a span of its own, whose name and route are others.
    [ "$("$B/jfrkit" slow --json --by route "$work/start.jfr" 2>>"$work/wrong" |
        jq -c '[.slowest[] | select(.key == "/orders/{id}") | .elsewhere.tasks]')" = '[1]' ] ||
        wrong "work on another thread: $("$B/jfrkit" slow --json --by route "$work/start.jfr" | jq -c '.slowest, .notes')"
    verdict "spans and baggage of OpenTelemetry, JDK $v"
    # Of 64 requests seven have reads, 12 in all.
    from_start "$1" often otel+mdc=$keys 'contexts come from the OpenTelemetry API'
    are_right "$work/start.jfr" 1
    has_all_parts jfrkit.Otel "[.trace_id] | inside($(sed -nE 's/.*trace_id=(\S+).*/"\1"/p' "$work/out" | jq -sc .))" '7 5'
    has_all_parts jfrkit.Mdc '.user == "alice" or .user == "bob"' '7 0'
    verdict "values that change often, JDK $v"
}

once() { # once HOME: what does not depend on the JVM
    local v n
    v=$(release "$1")
    from_start "$1" log4j mdc=$keys 'contexts come from Log4j'
    are_right "$work/start.jfr" 1
    verdict "ThreadContext of Log4j, JDK $v"
    from_start "$1" jboss mdc=$keys 'contexts come from JBoss'
    are_right "$work/start.jfr" 1
    verdict "MDC of JBoss Log Manager, JDK $v"
    from_start "$1" loaders mdc=$keys 'contexts come from slf4j'
    are_right "$work/start.jfr" 1
    verdict "a library that another loader loads later, JDK $v"

    begin "$1" slow 2 "-agentpath:$agent=file=$work/slow.jfr,$reads,contextsource=otel"
    said 'contexts come from the OpenTelemetry API'
    go 1
    said 'changed a class that was being loaded'
    go 2
    ended
    are_right "$work/slow.jfr" 2
    verdict "a class that is half loaded when the others are changed, JDK $v"

    mkdir -p "$work/modules"
    cp "$jars"/slf4j-api-*.jar "$jars"/logback-*.jar "$work/modules"
    from_start "$1" slf4j mdc=$keys 'contexts come from slf4j' -p "$work/modules" --add-modules org.slf4j,ch.qos.logback.classic
    are_right "$work/start.jfr" 1
    verdict "a library that is a named module, JDK $v"

    from_start "$1" slf4j auto 'keys of MDC that are recorded: .*request$' # the agent may see user first
    are_right "$work/start.jfr" 1
    ! "$B/jfr2json" "$work/start.jfr" 2>/dev/null | grep -q sesame || wrong 'a password was recorded'
    verdict "keys are chosen, secrets are not recorded, JDK $v"

    from_start "$1" slf4j mdc=password+user 'keys of MDC that are recorded: password, user$'
    ! "$B/jfr2json" "$work/start.jfr" 2>/dev/null | grep -q sesame || wrong 'a password was recorded'
    [ "$(query "$work/start.jfr" jdk.FileRead '[.[].mdc_password] | map(select(. == "[redacted]")) | length')" -gt 0 ] ||
        wrong 'nothing is redacted'
    verdict "a secret that was selected is redacted, JDK $v"

    begin "$1" slf4j 1 "-agentpath:$agent=file=$work/none.jfr,$reads,contextsource=none" -verbose:class
    go 1
    ended
    [ "$(query "$work/none.jfr" jdk.FileRead '[.[] | keys[] | select(startswith("mdc"))] | length')" = 0 ] || wrong 'it has contexts'
    ! grep -q 'jfrkit[./]weave' "$work/out" || wrong 'classes are loaded'
    verdict "nothing is changed with contextsource=none, JDK $v"
}

late() { # late HOME: the recorder comes to a program that runs, goes, and comes again
    local v jfrec="$B/jfrec"
    v=$(release "$1")
    begin "$1" slf4j 4
    go 1
    "$jfrec" start -q --context-source mdc=$keys --settings none -s jdk.FileRead#enabled=true -s jdk.FileRead#threshold=0ns \
        -s jdk.FileRead#withContext=true -o "$work/late.jfr" "$pid" >"$work/log" 2>&1 || wrong "start: $(cat "$work/log")"
    said 'keys of MDC that are recorded'
    go 2
    "$jfrec" status -v "$pid" >"$work/status" 2>&1
    grep -q '^context-sources  *slf4j$' "$work/status" && grep -q '^mdc-keys  *user, request$' "$work/status" &&
        grep -q '^mdc-keys-not-recorded  *password$' "$work/status" || wrong "status: $(grep -E '^(context|mdc)' "$work/status")"
    "$jfrec" stop -q "$pid" >"$work/log" 2>&1 || wrong "stop: $(cat "$work/log")"
    go 3
    "$jfrec" start -q --context-source otel+mdc=$keys --settings none -s jdk.FileRead#enabled=true -s jdk.FileRead#threshold=0ns \
        -s jdk.FileRead#withContext=true -o "$work/again.jfr" "$pid" >"$work/log" 2>&1 || wrong "start: $(cat "$work/log")"
    go 4
    ended
    are_right "$work/late.jfr" 2
    are_right "$work/again.jfr" 4
    verdict "a recorder that comes to a program that runs, twice, JDK $v"
}

held() { # held HOME: what a thread had set when the recorder stopped is not there for the next one
    local v n jfrec="$B/jfrec" options=(--context-source mdc=$keys --settings none -s jdk.FileRead#enabled=true
        -s jdk.FileRead#threshold=0ns -s jdk.FileRead#withContext=true)
    v=$(release "$1")
    begin "$1" held 4 -Xlog:redefine+class+load=info
    wait_for "$work/out" '^ready' "$pid" || wrong "the program does not start: $(head -1 "$work/err")"
    for n in 1 3; do
        "$jfrec" start -q "${options[@]}" -o "$work/held$n.jfr" "$pid" >"$work/log" 2>&1 || wrong "start: $(cat "$work/log")"
        go $n
        "$jfrec" stop -q "$pid" >"$work/log" 2>&1 || wrong "stop: $(cat "$work/log")"
        go $((n + 1))
    done
    ended
    are_right "$work/held1.jfr" 1
    are_right "$work/held3.jfr" 3
    # Twice changed, and twice made as it was.
    [ "$(grep -c 'redefined name=org.slf4j.MDC,' "$work/out")" = 4 ] || wrong "redefined: $(grep -c 'redefined name=org.slf4j.MDC' "$work/out") times"
    verdict "a recorder that stops leaves no values and no changed class, JDK $v"
}

mapfile -t homes < <(runtimes)
each_jdk each_library "${homes[@]}"
newest=$(jdks | tail -1)
once "$newest"
held "$newest"
mapfile -t homes < <(runtimes | sed -n '1p;$p')
each_jdk late "${homes[@]}"
exit $failed
