#!/bin/bash
# What jfrkit push sends, as real receivers understand it: an OpenTelemetry Collector, which decodes OTLP profiles and sends
# them on to a server of ours, and a program on Pyroscope's API, whose recording grafana/jfr-parser reads. Both are built
# with Go from public modules: ENGINES=1, since that takes minutes.
set -u
. test-data/workload/lib.sh
kit=$(realpath "$B/jfrkit")
[ -n "${ENGINES:-}" ] || { skip 'receivers of push' 'ENGINES=1 runs it'; exit 0; }
command -v python3 >/dev/null || { skip 'receivers of push' 'no python3'; exit 0; }
command -v go >/dev/null || { skip 'receivers of push' 'no go'; exit 0; }
"$kit" push --retry 0s --to http://127.0.0.1:1/ "$kit" 2>&1 | grep -q 'needs libcurl' && { skip 'receivers of push' 'no libcurl.so.4'; exit 0; }
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY
version=v0.165.0
built=$(realpath -m "$B/receivers")
mkdir -p "$built"

# collector: $built/collector, an OpenTelemetry Collector with profiles; false, and $why
collector() {
    [ -x "$built/collector" ] && return
    why="cannot be built, see $built/collector.log"
    GOBIN=$built timeout 150 go install "go.opentelemetry.io/collector/cmd/builder@$version" >"$built/collector.log" 2>&1 &&
        mkdir -p "$built/source" && cp test-data/push/collector.yaml "$built/source/" &&
        (cd "$built/source" && timeout 450 "$built/builder" --config collector.yaml) >>"$built/collector.log" 2>&1 &&
        mv "$built/source/collector" "$built/collector"
}

receiver() {
    [ "$built/receiver" -nt test-data/push/receiver/main.go ] && return
    why="cannot be built, see $built/receiver.log"
    (cd test-data/push/receiver && timeout 150 go build -o "$built/receiver" .) >"$built/receiver.log" 2>&1
}

# served NAME COMMAND...: starts a server that prints "port N"; $url
served() {
    local name=$1

    shift
    "$@" >"$work/$name" 2>&1 &
    children+=($!)
    wait_for "$work/$name" '^port' $! || give_up "$name: $(cat "$work/$name")"
    url=http://127.0.0.1:$(sed -n 's/^port //p' "$work/$name")
}

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# recordings with contexts, with links to spans, of async-profiler, and of the JDK
"$B/convert/context/test/context_test" --write "$work/contexts.jfr" BOTH 4 120 5 >"$work/log"
"$B/convert/formats/test/formats_test" --write "$work/links.jfr" >"$work/log"
cp test-data/recordings/async-profiler-jdk17.jfr.gz test-data/recordings/jdk17-server.jfr.gz "$work/"
files=("$work/contexts.jfr" "$work/links.jfr" "$work/async-profiler-jdk17.jfr.gz" "$work/jdk17-server.jfr.gz")

if collector; then
    mkdir "$work/got"
    served server python3 test-data/push/server.py "$work/got"
    port=$(free_port)
    cat >"$work/collector.yaml" <<END
receivers: { otlp: { protocols: { http: { endpoint: "127.0.0.1:$port" } } } }
exporters: { otlp_http: { endpoint: "$url", compression: none, sending_queue: { enabled: false } } }
service:
  telemetry: { metrics: { level: none } }
  pipelines: { profiles: { receivers: [otlp], exporters: [otlp_http] } }
END
    "$built/collector" --config "$work/collector.yaml" --feature-gates=service.profilesSupport >"$work/collector" 2>&1 &
    children+=($!)
    wait_for "$work/collector" 'Everything is ready' $! || give_up "the collector: $(tail -3 "$work/collector")"
    for f in "${files[@]}"; do
        rm -f "$work/got"/*
        OTEL_RESOURCE_ATTRIBUTES=host.name=web1,service.version=1.5 "$kit" push -q --service shop --unscrubbed \
            --to "http://127.0.0.1:$port/v1development/profiles" "$f" >"$work/log" 2>&1 || wrong "exit code $?: $(cat "$work/log")"
        OTEL_RESOURCE_ATTRIBUTES=host.name=web1,service.version=1.5 OTEL_SERVICE_NAME=shop \
            "$kit" convert -q -f otlp -o "$work/want.otlp" "$f"
        python3 test-data/push/stacks.py "$work/want.otlp" >"$work/want"
        python3 test-data/push/stacks.py "$work"/got/*.body >"$work/have"
        diff "$work/want" "$work/have" >"$work/log" || wrong "$(head -6 "$work/log")"
        grep -qx 'resource service.name=shop' "$work/have" && [ "$(wc -l <"$work/have")" -gt 5 ] || wrong "only $(wc -l <"$work/have") lines"
        [ "$f" != "$work/contexts.jfr" ] || grep -q 'user=user1 ;' "$work/have" || wrong 'no user'
        [ "$f" != "$work/links.jfr" ] || grep -q ' [0-9a-f]\{32\};' "$work/have" || wrong 'no link to a span'
        echo "# $(basename "$f"): $(wc -l <"$work/have") stacks"
    done
    "$kit" push --retry 0s --to "http://127.0.0.1:$port/v1/profiles" -f otlp "$work/contexts.jfr" >"$work/log" 2>&1
    [ $? = 1 ] && grep -q 404 "$work/log" || wrong "a wrong path: $(cat "$work/log")"
    verdict 'an OpenTelemetry Collector has each stack, weight, attribute and link'
else
    skip 'an OpenTelemetry Collector' "$why"
fi

if receiver; then
    served receiver "$built/receiver" "$work"
    for f in "${files[@]}"; do
        "$kit" push -q -f pyroscope-pprof --unscrubbed --service shop --to "$url" "$f" >"$work/log" 2>&1 || wrong "exit code $?: $(cat "$work/log")"
        line=$(grep '^profile shop ' "$work/receiver" | tail -1)
        while read -r type words; do
            have=$(grep -oE " $type=[0-9]+" <<<"$line" | cut -d= -f2)
            # shellcheck disable=SC2086
            want=$("$kit" convert -q -f collapsed $words -o - "$f" 2>/dev/null | awk '{ n += $NF } END { printf "%.0f", n }')
            [ -z "$have" ] || [ "$have" = "$want" ] || wrong "$(basename "$f"): $type is $have, not $want"
        done <<<'samples/count -k cpu
alloc_objects/count -k alloc
alloc_space/bytes -k alloc -u bytes'
        [ "$(grep -oE '/(count|bytes)=[0-9]+' <<<"$line" | wc -l)" -ge 1 ] || wrong "$(basename "$f"): $line"
        echo "# $(basename "$f"): $line"
    done
    verdict "Pyroscope's API reads the profiles"

    parser=$work/parser shared=$(realpath -m "${SHARED:-../shared}")/tools/jfr-parser
    [ -d "$shared" ] && (cd "$shared" && go build -o "$parser" ./count) >"$work/log" 2>&1 || parser=
    for f in "${files[@]}"; do
        "$kit" push -q -f pyroscope --unscrubbed --service shop --to "$url" "$f" >"$work/log" 2>&1 || wrong "exit code $?: $(cat "$work/log")"
        "$kit" annotate -q --pyroscope "$work/want.labels" -o "$work/want.jfr" "$f"
        cmp "$work/want.jfr" "$work/shop.jfr" >"$work/log" 2>&1 || wrong "$(basename "$f"): another recording: $(cat "$work/log")"
        [ -z "$parser" ] && continue
        case $f in *.gz) gzip -dc "$f" ;; *) cat "$f" ;; esac >"$work/plain.jfr"
        want=$("$parser" "$work/plain.jfr" | cut -f2- | sort) have=$("$parser" "$work/shop.jfr" | cut -f2- | sort)
        [ -n "$have" ] && [ "$want" = "$have" ] || wrong "$(basename "$f"): jfr-parser counts $have, not $want"
        echo "# $(basename "$f"): $(tr '\n\t' '  ' <<<"$have")"
    done
    grep '^refused' "$work/receiver" && wrong 'the receiver refused something'
    verdict 'Pyroscope gets a recording that its parser reads'
    [ -n "$parser" ] || skip "grafana's jfr-parser" "no $shared, or no Go that builds it"
else
    skip "Pyroscope's API" "$why"
fi
exit $failed
