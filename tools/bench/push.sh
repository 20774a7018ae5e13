#!/bin/bash
# What sending a recording costs: a Spring Boot service under load is recorded, and jfrkit push --every sends it to a server
# on this machine in each format for a while. Prints bytes and requests for each JVM and day, the CPU time of the sender as a
# share of one processor, and its memory. Asserts nothing.
#   SECONDS_EACH=60  EVERY=10s  OPTIONS='--cpu 10ms' of jfrkit record
set -u
. test-data/workload/lib.sh
. test-data/spring/shop_lib.sh

kit=$(realpath "$B/jfrkit") seconds=${SECONDS_EACH:-60} every=${EVERY:-10s}
java=$(compiler)/bin/java
shop || { echo "skip a Spring Boot service: $why"; exit 0; }
javac "$(compiler)" -nowarn -d "$work/load" test-data/spring/Load.java >"$work/log" 2>&1 || give_up "javac: $(head -1 "$work/log")"
# shellcheck disable=SC2086
"$kit" record -q ${OPTIONS:-} -o "$work/app.jfr" -- "$java" -Dserver.port=0 -jar "$shop" >"$work/out" 2>&1 </dev/null &
pid=$!
children+=("$pid")
port=$(port)
service=$(pgrep -f -- "-jar $shop" | while read -r p; do [ "$(cat "/proc/$p/comm")" = java ] && echo "$p"; done | head -1)
"$java" -cp "$work/load" Load "http://127.0.0.1:$port" 100000 '' >"$work/log" 2>&1 &
children+=($!)
sleep 20

recorded() { # bytes
    "$kit" status --json "$service" | sed -n 's/^ *"bytes": \([0-9]*\).*/\1/p'
}

echo "format requests/day MB/day sender-%-of-a-processor sender-MB recording-MB/day"
for format in otlp pyroscope pyroscope-pprof recording recording.gz; do
    mkdir "$work/$format"
    python3 test-data/push/server.py "$work/$format" >"$work/server" 2>&1 &
    children+=($!)
    wait_for "$work/server" '^port' $! || give_up "no server: $(cat "$work/server")"
    url=http://127.0.0.1:$(sed -n 's/^port //p' "$work/server")/
    [ $format != recording.gz ] || url+='{host}/{name}-{time}.jfr.gz'
    # The first interval is all of the recording so far: it is not counted.
    timeout -s INT 2 "$kit" push -q --every 1s --spool-folder "$work/spool-$format" -f "${format%.gz}" --to "$url" "$service" >"$work/log" 2>&1
    rm -f "$work/$format"/*
    began=$(date +%s%N) before=$(recorded)
    /usr/bin/time -f '%U %S %M' -o "$work/time" timeout -s INT "$seconds" \
        "$kit" push -q --every "$every" --spool-folder "$work/spool-$format" -f "${format%.gz}" --to "$url" "$service" >"$work/log" 2>&1
    took=$((($(date +%s%N) - began) / 1000000))
    bytes=$(cat "$work/$format"/*.[a-ik-z]* "$work/$format"/*.jfr 2>/dev/null | wc -c)
    echo "$format $(ls "$work/$format"/*.json | wc -l) $bytes $took $(($(recorded) - before)) $(tail -1 "$work/time")" |
        awk '{ d = 86400000 / $4; printf "%s %.0f %.1f %.2f %.0f %.0f\n", $1, $2 * d, $3 * d / 1e6, ($6 + $7) / $4 * 1e5, $8 / 1e3, $5 * d / 1e6 }'
done
kill "$service"
wait "$pid"
