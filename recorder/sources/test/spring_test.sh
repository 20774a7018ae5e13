#!/bin/bash
# Who pays, in a Spring Boot service without any change: each user's CPU time and bytes are what the JVM's own counters
# say, no sample is of another user, and requests are counted once.
#   SERVERS='tomcat jetty'   what serves the requests: of tomcat, jetty and undertow
#   SOAK=1   all of these, with the OpenTelemetry agent too, attached to late too, on the oldest and newest JDK from 17 on
set -u
. test-data/workload/lib.sh
. test-data/spring/shop_lib.sh

otel=2.33.1 # of the OpenTelemetry Java agent
quiet=(-Dotel.traces.exporter=none -Dotel.metrics.exporter=none -Dotel.logs.exporter=none)
interval=5000000 # ns of CPU time between samples
bytes=65536 # between samples of allocations

# fetch URL: the text there
fetch() {
    "$load_java" -cp "$work/load" Load "$1" 2>"$work/log" || wrong "no answer from $1: $(head -1 "$work/log")"
}

# users ROUNDS PREFIX: the load of eight users, whose names begin so; then $work/truth is what each took
users() {
    "$load_java" -cp "$work/load" Load "$url" "$1" "$2" 2>"$work/log" || wrong "load: $(head -1 "$work/log")"
    fetch "$url/truth" >"$work/truth"
}

# serve HOME VARIANT HOW: the service under load, recorded to $work/app.jfr
serve() {
    local home=$1 variant=$2 how=$3 options=() jvm=("$1/bin/java") rounds=8 n

    [ "$server" = tomcat ] || rounds=4
    [ -z "${SOAK:-}" ] || rounds=24
    # An event for every span, and stacks of 100 frames every 64 kB: the default of 4 MB is full before a busy machine drains it.
    options=(--cpu "$((interval / 1000000))ms" --alloc "$bytes" -s +jfrkit.Mdc#emit=always -s +jfrkit.Otel#emit=always
        --option buffer=32m -o "$work/app.jfr")
    [ "$variant" = mdc ] || jvm+=("-javaagent:$jars/opentelemetry-javaagent-$otel.jar" "${quiet[@]}")
    jvm+=(-Dserver.port=0 -jar "$shop")
    rm -f "$work/app.jfr"
    : >"$work/out"
    if [ "$how" = record ]; then
        "$B/jfrkit" record --report none "${options[@]}" -- "${jvm[@]}" >"$work/out" 2>&1 </dev/null &
    else
        "${jvm[@]}" >"$work/out" 2>&1 </dev/null &
    fi
    pid=$!
    children+=("$pid")
    url=http://127.0.0.1:$(port)
    [ "$how" = record ] || "$B/jfrkit" start -q "${options[@]}" "$pid" >"$work/log" 2>&1 || wrong "start: $(cat "$work/log")"
    for ((n = 0; n < 60; n++)); do # until its keys are chosen
        users 1 warm-
        ! grep -q 'keys of MDC that are recorded' "$work/out" || break
    done
    [ $n -lt 60 ] || wrong "no keys were chosen: $(grep jfrkit: "$work/out")"
    since=$(date -u +%Y-%m-%dT%H:%M:%S.%NZ)
    users $rounds ''
    if [ "$how" = start ]; then
        "$B/jfrkit" status -v "$pid" >"$work/status" 2>&1 || wrong "status: $(cat "$work/status")"
        "$B/jfrkit" stop -q "$pid" >"$work/log" 2>&1 || wrong "stop: $(cat "$work/log")"
        "$load_java" -cp "$work/load" Load "$url" 1 after- 2>"$work/log" || wrong "after the end: $(cat "$work/log")"
    fi
    kill "$(pgrep -f -- "-jar $shop" | head -1)"
    wait "$pid"
    ! grep -E 'jfrkit: (warning|error)' "$work/out" >"$work/log" || wrong "$(cat "$work/log")"
}

# is_near NAME GOT WANT SAMPLES [SLACK]: wrong() unless it is within 6.2 standard errors of a count of so many samples,
# 3 %, and SLACK
is_near() {
    awk -v g="$2" -v w="$3" -v n="$4" -v slack="${5:-0}" 'BEGIN { d = g - w; if (d < 0) d = -d
        exit !(w > 0 && n >= 20 && d <= w * (6.2 / sqrt(n) + 0.03) + slack) }' || wrong "$1: $2, not $3 ($4 samples)"
}

compare() { # compare HOME: with the truth, for each user: share of CPU time, bytes, requests
    local all true_all user cpu allocated requests slack=0

    "$B/jfrkit" table --by user -f csv "$work/app.jfr" 2>"$work/log" | tr -d '\r' |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { print $1, $at["samples"], $at["allocated_bytes"], $at["requests"] }' >"$work/table"
    [ "$(wc -l <"$work/truth")" = 8 ] || wrong "the truth: $(cat "$work/truth")"
    all=$(awk 'NR == FNR { is[$1] = 1; next } $1 in is { n += $2 } END { print n + 0 }' "$work/truth" "$work/table")
    true_all=$(awk '{ n += $2 } END { print n + 0 }' "$work/truth")
    # Before JDK 24 the VM may take a sample late, at what the thread allocates for its next user: 0.2 % of the bytes here.
    [ "$(release "$1")" -ge 24 ] || slack=$(awk '{ n += $3 } END { print n * 0.01 }' "$work/truth")
    is_near 'CPU time of all users' "$((all * interval))" "$true_all" "$all"
    while read -r user cpu allocated requests; do
        read -r _ samples got counted < <(grep "^$user " "$work/table") || wrong "no row of $user"
        is_share "CPU time of $user" "$samples" "$all" "$cpu" "$true_all" "$all"
        is_near "bytes of $user" "$got" "$allocated" $((allocated / bytes)) "$slack"
        [ "$counted" = "$requests" ] || wrong "requests of $user: $counted, not $requests"
        echo "# $user: CPU $((cpu / 1000000)) ms, recorded $((samples * interval / 1000000)); bytes $allocated, $got; requests $requests, $counted"
    done <"$work/truth"
}

# samples_where [OPTION...]: samples of CPU time
samples_where() {
    "$B/jfrkit" table --by event -k cpu -f csv "$@" "$work/app.jfr" 2>/dev/null | awk -F, 'NR > 1 { n += $2 } END { print n + 0 }'
}

# Each page belongs to one user, or two.
strangers() {
    local page user n all

    while read -r page user; do
        all=$(samples_where -w "frame ~ /$page/")
        n=$(samples_where -w "frame ~ /$page/" -c "user!=/^(warm-)?($user)\$/" -c "user=/./")
        echo "# $page: $all samples, $n of others than $user"
        [ "$n" = 0 ] && [ "$all" -ge 20 ] || wrong "$n of $all samples of $page are of others than $user"
    done <<<$'Pages.search alice|dave\nPages.report bob\nPages.items carol\nOrders.work erin\nOrders.started grace\nOrders.price heidi\nAnswer.getSum frank'
}

# others: work that is handed to other threads has its user
others() {
    local frame user all with

    while read -r frame user; do
        all=$(samples_where --from "$since" -w "frame ~ /$frame/")
        with=$(samples_where --from "$since" -w "frame ~ /$frame/" -c "user=$user")
        echo "# $frame, on other threads: $with of $all samples have their user"
        [ "$all" -ge 50 ] && [ $((with * 100)) -ge $((all * 99)) ] || wrong "$with of $all samples of $frame, on other threads, have their user"
    done <<<$'Orders.work erin\nOrders.started grace\nOrders.price heidi\nAnswer.getSum frank'
}

# traces: samples within requests of the four users have a trace
traces() {
    local all with
    all=$(samples_where -w 'frame ~ /Pages\./' -c 'user=/^[abcd]/')
    with=$(samples_where -w 'frame ~ /Pages\./' -c 'user=/^[abcd]/' -c 'trace_id=/./')
    [ "$all" -ge 100 ] && [ $((with * 100)) -ge $((all * 99)) ] || wrong "$with of $all samples of requests have a trace"
    "$B/jfrkit" table --by name -f csv "$work/app.jfr" 2>/dev/null | grep -q '^GET /search/{n},' || wrong 'no span is called by its route'
    "$B/jfrkit" table --by route -f csv "$work/app.jfr" 2>/dev/null | grep -q '^/items/{n},' || wrong 'no route'
    echo "# with a trace: $with of $all samples"
}

service() { # service HOME VARIANT HOW
    local title="a Spring Boot service on $server with $2, recorded by $3, JDK $(release "$1")"

    if [ "$2" = otel ]; then
        jars "otel-$otel" "io.opentelemetry.javaagent:opentelemetry-javaagent:$otel" || { skip "$title" "$why"; return; }
    fi
    serve "$@"
    "$B/jfrkit" print --events jfrkit.EventLoss "$work/app.jfr" >"$work/log" 2>&1
    ! grep -q 'buffer full' "$work/log" || wrong "events were lost: $(grep -E -A2 'buffer full' "$work/log" | paste -sd' ')"
    compare "$1"
    strangers
    others
    [ "$2" = mdc ] || traces
    verdict "$title: CPU time, bytes and requests are those of the users"
}

mapfile -t homes < <(jdks | while read -r home; do [ "$(release "$home")" -lt 17 ] || echo "$home"; done)
load_java=$(compiler)/bin/java
[ ${#homes[@]} != 0 ] || { skip 'a Spring Boot service' 'no JDK 17 or later with a compiler'; exit 0; }
nm "$agent" 2>/dev/null | grep -q woven_classes_1 || { skip 'a Spring Boot service' 'the agent was built without ASM'; exit 0; }
javac "$(compiler)" -nowarn -d "$work/load" test-data/spring/Load.java >"$work/log" 2>&1 || give_up "javac: $(head -1 "$work/log")"

# served_by SERVER
served_by() {
    local server=$1 home variant how

    shop "$server" || { skip "a Spring Boot service on $server" "$why"; return; }
    if [ -z "${SOAK:-}" ]; then
        service "${homes[0]}" mdc record
        return
    fi
    for home in "${homes[@]}"; do
        for variant in mdc otel; do
            for how in record start; do
                service "$home" $variant $how
            done
        done
    done
}

[ -z "${SOAK:-}" ] || mapfile -t homes < <(printf '%s\n' "${homes[@]}" | sed -n '1p;$p' | uniq)
for server in ${SERVERS:-tomcat jetty ${SOAK:+undertow}}; do
    served_by "$server"
done
exit $failed
