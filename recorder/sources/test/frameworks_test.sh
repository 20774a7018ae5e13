#!/bin/bash
# Services of the frameworks that people use, unchanged: work of four users, on the threads of their requests and on those
# that it is handed to. Each sample of the work has the user whom its stack names, and none has another one.
#   ONLY_FRAMEWORKS='vertx pekko'   these
#   SOAK=1   all of them, on the oldest and the newest JDK that they run on, also with the OpenTelemetry agent, and attached to
set -u
. test-data/workload/lib.sh

otel=2.33.1 # of the OpenTelemetry Java agent
quiet=(-Dotel.traces.exporter=none -Dotel.metrics.exporter=none -Dotel.logs.exporter=none)
logback=ch.qos.logback:logback-classic:1.5.18

declare -A needs=(
    [javalin]="io.javalin:javalin:6.7.0 $logback"
    [helidon]="io.helidon.webserver:helidon-webserver:4.2.3 $logback"
    [webflux]="org.springframework.boot:spring-boot-starter-webflux:3.5.7 io.micrometer:context-propagation:1.1.3"
    [vertx]="io.vertx:vertx-web:4.5.14 $logback"
    [vertx5]="io.vertx:vertx-web:5.0.4 $logback"
    [grpc]="io.grpc:grpc-netty-shaded:1.73.0 io.grpc:grpc-stub:1.73.0 $logback"
    [pekko]="org.apache.pekko:pekko-actor_2.13:1.1.3 $logback"
)
# paths: of the URLs that are requested from a service; its App has one for each. Default: "now later async".
# oldest: the oldest JDK that a service runs on. Default: 17.
declare -A paths=(
    [grpc]='now later async client'
    [vertx]='now later async timer'
    [vertx5]='now later async timer'
    [quarkus]='now loop later async common'
    [kotlin]='now later async nobody forked virtual vertx'
)
declare -A oldest=([helidon]=21)

# by_javac NAME: $command, which runs it: one source and jars
by_javac() {
    local classes=$built/classes source=test-data/frameworks/$1

    [ -d "$source" ] || source=${source%[0-9]}
    # shellcheck disable=SC2086
    jars "framework-$1" ${needs[$1]} || return
    [ "$classes/ready" -nt "$source/App.java" ] && [ "$classes/ready" -nt test-data/frameworks/Work.java ] || {
        mkdir -p "$classes"
        "$compiler/bin/javac" -nowarn -parameters --release "${oldest[$1]:-17}" -cp "$jars/*" -d "$classes" \
            "$source/App.java" test-data/frameworks/Work.java >"$built/log" 2>&1 && touch "$classes/ready"
    } || { why="javac: $(grep -m1 error "$built/log")"; return 1; }
    command=(-cp "$classes:$jars/*" frameworks.App)
}

# by_maven NAME: $command: a project with a build of its own
by_maven() {
    local source=test-data/frameworks/$1

    command -v mvn >/dev/null || { why='no mvn'; return 1; }
    [ -e "$built/ready" ] && [ -z "$(find "$source" test-data/frameworks/Work.java -newer "$built/ready")" ] || {
        rm -rf "$built/lib" # jars of other versions
        cp -r "$source"/* "$built/"
        mkdir -p "$built/src/main/java/frameworks"
        cp test-data/frameworks/Work.java "$built/src/main/java/frameworks/"
        JAVA_HOME=$compiler timeout 500 mvn -q -B -f "$built/pom.xml" package \
            org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
            -DincludeScope=runtime -DoutputDirectory="$built/lib" >"$built/log" 2>&1 && touch "$built/ready"
    } || { why="mvn failed, see $built/log"; return 1; }
    command=(-cp "$built/target/classes:$built/lib/*" frameworks.App)
    [ "$1" != quarkus ] ||
        command=(-Dquarkus.http.port=0 -Dquarkus.http.host=127.0.0.1 -jar "$built/target/quarkus-app/quarkus-run.jar")
}

# build NAME: $command; false, and $why
build() {
    built=$(realpath -m "$B/frameworks/$1")
    mkdir -p "$built"
    exec 9>"$built/lock"
    flock 9
    if [ -e "test-data/frameworks/$1/pom.xml" ]; then by_maven "$1"; else by_javac "$1"; fi
    local code=$?
    exec 9>&-
    return $code
}

# load NAME ROUNDS: requests of four users at once
load() {
    local class=(-cp "$work/load" frameworks.Load)

    [ "$1" != grpc ] || class=("${command[@]}")
    # shellcheck disable=SC2086
    "$compiler/bin/java" "${class[@]}" "$port" "$2" ${paths[$1]:-now later async} >"$work/log" 2>&1 ||
        wrong "load: $(grep -m1 -E 'Exception|Error' "$work/log")"
}

# serve HOME NAME VARIANT HOW: the service under load, recorded to $work/app.jfr; $since is when its user was recorded
serve() {
    local home=$1 name=$2 jvm=("$1/bin/java") options=(--cpu 2ms -o "$work/app.jfr") n

    [ "$3" = mdc ] || jvm+=("-javaagent:$jars_otel/opentelemetry-javaagent-$otel.jar" "${quiet[@]}")
    rm -f "$work/app.jfr"
    : >"$work/out"
    if [ "$4" = record ]; then
        "$B/jfrkit" record --report none "${options[@]}" -- "${jvm[@]}" "${command[@]}" >"$work/out" 2>&1 </dev/null &
    else
        "${jvm[@]}" "${command[@]}" >"$work/out" 2>&1 </dev/null &
    fi
    pid=$!
    children+=("$pid")
    wait_for "$work/out" '^port [0-9]|Listening on: http' "$pid" || give_up "$name does not start: $(tail -3 "$work/out")"
    port=$(grep -oE '^port [0-9]+|Listening on: http://127.0.0.1:[0-9]+' "$work/out" | grep -oE '[0-9]+$')
    jvm_pid=$pid
    [ "$4" = start ] || jvm_pid=$(pgrep -P "$pid" | head -1)
    [ "$4" = record ] || { load "$name" 4; "$B/jfrkit" start -q "${options[@]}" "$pid" >"$work/log" 2>&1 || wrong "start: $(cat "$work/log")"; }
    for ((n = 0; n < 30; n++)); do
        load "$name" 1
        ! grep -q 'keys of MDC that are recorded' "$work/out" || break
    done
    [ $n -lt 30 ] || wrong "no keys were chosen: $(grep jfrkit: "$work/out")"
    load "$name" 4 # a thread that waits in a pool gets one task without its context
    since=$(date -u +%Y-%m-%dT%H:%M:%S.%NZ)
    load "$name" "${ROUNDS:-25}"
    [ "$4" = record ] || "$B/jfrkit" stop -q "$pid" >"$work/log" 2>&1 || wrong "stop: $(cat "$work/log")"
    kill "$jvm_pid"
    wait "$pid"
    ! grep -E 'jfrkit: (warning|error)' "$work/out" >"$work/log" || wrong "$(cat "$work/log")"
}

# samples_where CONDITION: samples of CPU time since then
samples_where() {
    "$B/jfrkit" table --by event -k cpu -f csv --from "$since" -w "$1" "$work/app.jfr" 2>/dev/null |
        awk -F, 'NR > 1 { n += $2 } END { print n + 0 }'
}

# users_of METHOD HOW: samples of the work in it, those with its user, and those with another one. When a JVM is attached to,
# each thread that waits in a pool gets one more task without its context, some of them late.
users_of() {
    local user name all=0 own=0 other=0 frames least=99

    for user in alice bob carol dave; do
        name=$(sed 's/./\U&/' <<<"$user")
        frames="frame ~ /Work.of$name/ and frame ~ /$1/ and not frame ~ /Nobody/"
        all=$((all + $(samples_where "$frames")))
        own=$((own + $(samples_where "$frames and ctx.user = '$user'")))
        other=$((other + $(samples_where "$frames and ctx.user != '$user' and ctx.user ~ /./")))
    done
    [ "$2" = record ] || least=96
    echo "# $1: $own of $all samples have their user, $other another one"
    [ "$all" -ge 40 ] && [ $((own * 100)) -ge $((all * least)) ] && [ "$other" = 0 ] ||
        wrong "$own of $all samples of $1 have their user, $other another one"
}

framework() { # framework HOME NAME VARIANT HOW
    local title="$2 with $3, by $4, JDK $(release "$1")" n

    serve "$@"
    users_of Work.now "$4"
    users_of Work.later "$4"
    if [ "$2" = grpc ]; then # one task writes for several calls; about a third of it is for calls that users began
        n=$(samples_where 'frame ~ /WriteQueue.flush/')
        [ "$n" -ge 40 ] && [ $(($(samples_where 'frame ~ /WriteQueue.flush/ and ctx.user ~ /./') * 100)) -ge $((n * 15)) ] ||
            wrong "of $n samples of what is written, $(samples_where 'frame ~ /WriteQueue.flush/ and ctx.user ~ /./') have a user"
    fi
    if [ "$2" = kotlin ]; then # what is woken up by another user is not that one's
        n=$(samples_where 'frame ~ /Nobody.work/')
        [ "$n" -ge 20 ] && [ "$(samples_where 'frame ~ /Nobody.work/ and ctx.user ~ /./')" = 0 ] ||
            wrong "$(samples_where 'frame ~ /Nobody.work/ and ctx.user ~ /./') of $n samples of nobody have a user"
    fi
    verdict "$title: work has its user"
}

compiler=$(compiler)
[ -n "$compiler" ] && [ "$(release "$compiler")" -ge 17 ] || { skip 'services of frameworks' 'no JDK 17 or later with a compiler'; exit 0; }
nm "$agent" 2>/dev/null | grep -q woven_classes_1 || { skip 'services of frameworks' 'the agent was built without ASM'; exit 0; }
javac "$compiler" -nowarn -d "$work/load" test-data/frameworks/{Work,Load}.java >"$work/log" 2>&1 || give_up "javac: $(head -1 "$work/log")"
names='vertx pekko'
variants=(mdc) ways=(record)
if [ -n "${SOAK:-}" ]; then
    names='grpc javalin webflux micronaut quarkus vertx vertx5 pekko kotlin helidon'
    ways=(record start)
    ! jars "otel-$otel" "io.opentelemetry.javaagent:opentelemetry-javaagent:$otel" || { variants+=(otel) jars_otel=$jars; }
fi
for name in ${ONLY_FRAMEWORKS:-$names}; do
    build "$name" || { skip "$name" "$why"; continue; }
    mapfile -t homes < <(runtimes | while read -r home; do [ "$(release "$home")" -lt "${oldest[$name]:-17}" ] || echo "$home"; done |
        if [ -n "${SOAK:-}" ]; then sed -n '1p;$p' | uniq; else tail -1; fi)
    [ ${#homes[@]} != 0 ] || skip "$name" "no JDK ${oldest[$name]:-17} or later"
    for home in "${homes[@]}"; do
        for variant in "${variants[@]}"; do
            for how in "${ways[@]}"; do
                framework "$home" "$name" "$variant" "$how"
            done
        done
    done
done
exit $failed
