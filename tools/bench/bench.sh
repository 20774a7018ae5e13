#!/bin/bash
# Our commands and their peers side by side, in one run on one machine: CPU time and peak memory of
# whole processes, least of RUNS (5). Prints ratios beside the goals; asserts nothing.
#   RUNS=5   SAMPLES=1400000 of the large generated recording   OLD=FOLDER of another build, for the start
set -u
B=${B:-build}
. tools/bench/peers_lib.sh
runs=${RUNS:-5}
samples=${SAMPLES:-1400000}
dir=$B/bench
peers=$B/peers
converter=4.5
mkdir -p "$dir" "$peers"

jdk() { # jdk 25: its home, if there is one
    grep -lE "^JAVA_VERSION=\"$1[.\"]" /usr/lib/jvm/*/release 2>/dev/null | head -1 | xargs -r dirname
}

fetch_converter() {
    jar=$peers/jfr-converter-$converter.jar
    [ -e "$jar" ] || timeout 300 mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
        "-Dartifact=tools.profiler:jfr-converter:$converter" "-DoutputDirectory=$peers" \
        >"$peers/mvn.log" 2>&1
    [ -e "$jar" ]
}

generate() { # generate FILE SAMPLES STACKS CHUNKS
    [ -e "$1" ] || "$dir/gen" "$1" --samples "$2" --stacks "$3" --min-depth 20 --max-depth 120 \
        --chunks "$4" --threads 64 --seed 1
}

record() { # record FILE: the file server under load for 20 s, seen by the JDK's own recorder
    [ -e "$1" ] && return
    "$java/bin/javac" -d "$dir/classes" test-data/workload/FileServer.java &&
        "$java/bin/java" -XX:StartFlightRecording:filename="$1",settings=profile \
            -cp "$dir/classes" FileServer 20 >/dev/null 2>&1
}

# record_javac FILE RECORDER SIZE: javac compiles the same classes again and again; samples of CPU and of
# allocations, in chunks of that size, dense enough for many of them in a minute
record_javac() {
    local options

    [ -e "$1" ] && return
    if [ "$2" = jdk ]; then
        cat >"$dir/javac.jfc" <<END
<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0">
  <event name="jdk.ExecutionSample"><setting name="enabled">true</setting><setting name="period">1 ms</setting></event>
  <event name="jdk.ObjectAllocationInNewTLAB"><setting name="enabled">true</setting><setting name="stackTrace">true</setting></event>
</configuration>
END
        options=("-XX:StartFlightRecording:filename=$1,settings=$dir/javac.jfc" -XX:-ResizeTLAB -XX:TLABSize=8k
            "-XX:FlightRecorderOptions:maxchunksize=$3,stackdepth=128")
    else
        fetch_profiler || return
        options=("-agentpath:$profiler=start,event=ctimer,interval=1ms,alloc=1k,jfr,chunksize=$3,file=$1,loglevel=error")
    fi
    "$java/bin/javac" -d "$dir/classes" test-data/workload/Compile.java &&
        timeout 600 "$java/bin/java" "${options[@]}" -cp "$dir/classes" Compile 12 80 >/dev/null 2>&1
}

least() { # least FILE: of each column
    awk '{ for (i = 1; i <= NF; i++) if (NR == 1 || $i < least[i]) least[i] = $i }
        END { print least[1], least[2], least[3] }' "$1"
}

# race NAME CPU-GOAL MEMORY-GOAL RUNS FILE -- OURS... -- PEER...     goals: 10 = one tenth; - = none
# A process may run at a lower speed from its begin to its end, so they take turns, and the least of each counts.
race() {
    local name=$1 cpu_goal=$2 rss_goal=$3 n=$4 file=$5 ours=() peer=() i

    shift 6
    while [ "$1" != -- ]; do
        ours+=("$1")
        shift
    done
    shift
    peer=("$@")
    [ -e "$file" ] || { echo "skip $name: no $file"; return; }
    rm -f "$dir"/{ours,peer}.cost
    for ((i = 0; i < n; i++)); do
        "$dir/measure" "${ours[@]}" >>"$dir/ours.cost" || { echo "skip $name: ours failed"; return; }
        "$dir/measure" "${peer[@]}" >>"$dir/peer.cost" || { echo "skip $name: peer failed"; return; }
    done
    echo "$(least "$dir/ours.cost") $(least "$dir/peer.cost") $cpu_goal $rss_goal" | awk -v name="$name" '
        function ratio(a, b) { return a > 0 ? sprintf("1/%.1f", b / a) : "-" }
        function goal(g) { return g == "-" ? "" : "(1/" g ")" }
        { printf "%-34s %8.2f %8.2f %7s %-7s %8.1f %8.1f %7s %-6s %7.2f %7.2f\n", name,
            $1, $4, ratio($1, $4), goal($7), $2, $5, ratio($2, $5), goal($8), $3, $6 }'
}

java=$(jdk 25)
[ -n "$java" ] || java=$(jdk 17)
[ -n "$java" ] || { echo "skip bench: no JDK under /usr/lib/jvm"; exit 0; }
big=$dir/big.jfr small=$dir/small.jfr real=$dir/real.jfr
if [ -x "$dir/gen" ]; then
    generate "$big" "$samples" 60000 10
    generate "$small" $((samples / 20)) 3000 1
else
    echo "skip generated recordings: no $dir/gen"
fi
record "$real" || echo "skip real recording: the workload did not run"

echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2- | xargs), $(nproc) processors;" \
    "JDK $(sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' "$java/release"), jfr-converter $converter;" \
    "least of $runs runs"
ls -l "$big" "$small" "$real" 2>/dev/null | awk '{ printf "%s: %.1f MB\n", $NF, $5 / 1e6 }'
printf '%-34s %8s %8s %15s %8s %8s %14s %7s %7s\n' '' 'CPU s' 'peer' 'ratio (goal)' 'MB' peer \
    'ratio (goal)' 'wall s' peer
if fetch_converter; then
    # The converter counts every sampled thread unless told otherwise: that is our kind wall.
    for f in "$big" "$real"; do
        name=$(basename "$f")
        race "jfr2collapsed $name" 10 5 "$runs" "$f" -- "$B/jfr2collapsed" -k wall -o "$dir/ours.txt" "$f" \
            -- "$java/bin/java" -jar "$jar" -o collapsed "$f" "$dir/peer.collapsed"
        race "jfr2flame $name" 10 5 "$runs" "$f" -- "$B/jfr2flame" -k wall -o "$dir/ours.html" "$f" \
            -- "$java/bin/java" -jar "$jar" "$f" "$dir/peer.html"
        # A page of ours has every sample with its time and thread, as their heat map has times.
        race "jfr2flame, a heat map $name" 10 5 "$runs" "$f" -- "$B/jfr2flame" -k wall -o "$dir/ours.html" "$f" \
            -- "$java/bin/java" -jar "$jar" -o heatmap "$f" "$dir/peer.heatmap.html"
        race "jfr2pprof $name" 10 5 "$runs" "$f" -- "$B/jfr2pprof" -o "$dir/ours.pb.gz" "$f" \
            -- "$java/bin/java" -jar "$jar" -o pb.gz "$f" "$dir/peer.pb.gz"
        race "jfr2pprof -k wall $name" 10 5 "$runs" "$f" -- "$B/jfr2pprof" -k wall -o "$dir/ours.pb.gz" "$f" \
            -- "$java/bin/java" -jar "$jar" -o pb.gz "$f" "$dir/peer.pb.gz"
        race "jfr2otlp $name" 10 5 "$runs" "$f" -- "$B/jfr2otlp" -o "$dir/ours.otlp" "$f" \
            -- "$java/bin/java" -jar "$jar" -o otlp "$f" "$dir/peer.otlp"
        race "jfr2otlp -k wall $name" 10 5 "$runs" "$f" -- "$B/jfr2otlp" -k wall -o "$dir/ours.otlp" "$f" \
            -- "$java/bin/java" -jar "$jar" -o otlp "$f" "$dir/peer.otlp"
    done
    # Continuous profiling writes many small chunks, each with its own constants.
    record_javac "$dir/large-chunks.jfr" async-profiler 100m
    record_javac "$dir/small-chunks.jfr" async-profiler 262144
    record_javac "$dir/jdk-chunks.jfr" jdk 1m
    for f in "$dir/large-chunks.jfr" "$dir/small-chunks.jfr" "$dir/jdk-chunks.jfr"; do
        name="$(basename "$f" .jfr), $("$B/jfrsummary" --json "$f" 2>/dev/null | jq '[.producers[].chunks] | add')"
        race "jfr2collapsed $name" 10 5 "$runs" "$f" -- "$B/jfr2collapsed" -k alloc -o "$dir/ours.txt" "$f" \
            -- "$java/bin/java" -jar "$jar" --alloc -o collapsed "$f" "$dir/peer.collapsed"
        race "jfr2flame, a heat map $name" 8.3 - "$runs" "$f" -- "$B/jfr2flame" -k alloc -o "$dir/ours.html" "$f" \
            -- "$java/bin/java" -jar "$jar" --alloc -o heatmap "$f" "$dir/peer.heatmap.html"
        # The peer's flame graph has no times, as ours without single samples.
        race "jfr2flame --aggregate $name" 8.3 - "$runs" "$f" -- "$B/jfr2flame" --aggregate -k alloc -o "$dir/ours.html" "$f" \
            -- "$java/bin/java" -jar "$jar" --alloc "$f" "$dir/peer.html"
        race "jfr2pprof $name" 8.3 - "$runs" "$f" -- "$B/jfr2pprof" -k alloc -o "$dir/ours.pb.gz" "$f" \
            -- "$java/bin/java" -jar "$jar" --alloc -o pb.gz "$f" "$dir/peer.pb.gz"
        race "jfr2otlp $name" 8.3 - "$runs" "$f" -- "$B/jfr2otlp" -k alloc -o "$dir/ours.otlp" "$f" \
            -- "$java/bin/java" -jar "$jar" --alloc -o otlp "$f" "$dir/peer.otlp"
    done
else
    echo "skip jfr2collapsed, jfr2flame: tools.profiler:jfr-converter:$converter cannot be fetched"
fi
for f in "$small" "$real"; do
    race "jfr2json --stack-depth 64 $(basename "$f")" 10 - 1 "$f" -- \
        "$B/jfr2json" --layout jdk --stack-depth 64 "$f" \
        -- "$java/bin/jfr" print --json --stack-depth 64 "$f"
    race "jfrkit print $(basename "$f")" 20 - 1 "$f" -- "$B/jfrkit" print "$f" -- "$java/bin/jfr" print "$f"
    race "jfrkit print, all frames $(basename "$f")" 20 - 1 "$f" -- "$B/jfrkit" print --stack-depth 64 "$f" \
        -- "$java/bin/jfr" print --stack-depth 64 "$f"
    # No peer makes these; the same events as text are the nearest.
    race "jfr2csv $(basename "$f")" - - 1 "$f" -- "$B/jfr2csv" -o "$dir/ours.csv" "$f" \
        -- "$java/bin/jfr" print --stack-depth 64 "$f"
    race "jfr2parquet $(basename "$f")" - - 1 "$f" -- "$B/jfr2parquet" -o "$dir/ours.lake/" "$f" \
        -- "$java/bin/jfr" print --stack-depth 64 "$f"
    race "jfr2parquet, samples $(basename "$f")" - - 1 "$f" -- "$B/jfr2parquet" -e ExecutionSample -o "$dir/ours.lake/" "$f" \
        -- "$java/bin/jfr" print --events jdk.ExecutionSample --stack-depth 64 "$f"
    race "jfr2trace $(basename "$f")" - - 1 "$f" -- "$B/jfr2trace" -o "$dir/ours.trace" "$f" \
        -- "$java/bin/jfr" print --stack-depth 64 "$f"
done
for f in "$big" "$real"; do
    race "jfrsummary $(basename "$f")" 5 - "$runs" "$f" -- "$B/jfrsummary" "$f" \
        -- "$java/bin/jfr" summary "$f"
done
for f in "$big" "$real"; do
    for v in hot-methods events-by-count; do
        race "jfrview $v $(basename "$f")" 10 - "$runs" "$f" -- "$B/jfrview" -o "$dir/ours.txt" $v "$f" \
            -- "$java/bin/jfr" view $v "$f"
    done
done
mkdir -p "$dir/pieces"
[ -e "$dir/pieces/big_0.jfr" ] || "$B/jfrcut" --split 1 -o "$dir/pieces/big.jfr" "$big"
rm -f "$dir/scrubbed.jfr" "$dir/assembled.jfr"
race "jfrcut big.jfr" - - 1 "$big" -- "$B/jfrcut" -e jdk.ExecutionSample -o "$dir/cut.jfr" "$big" \
    -- "$java/bin/jfr" scrub --include-events jdk.ExecutionSample "$big" "$dir/scrubbed.jfr"
race "jfrcat, 10 pieces" - - 1 "$big" -- "$B/jfrcat" -o "$dir/cat.jfr" "$dir"/pieces/*.jfr \
    -- "$java/bin/jfr" assemble "$dir/pieces" "$dir/assembled.jfr"

# Questions in SQL: whole runs, beside a view of ours and DuckDB on Parquet of the same recording.
asked=$dir/asked.jfr
[ -e "$asked" ] || "$dir/gen" "$asked" --samples 3000000 --stacks 2000 --min-depth 20 --max-depth 60 --chunks 16 \
    --users 200 --actions 20 --mix --seed 1
events=$("$B/jfrkit" sql -f csv "$asked" "select count(*) from jdk_ExecutionSample" 2>/dev/null | tail -1 | tr -d '\r')
cost() { # cost NAME COMMAND...
    local name=$1

    shift
    "$dir/measure" -n "$runs" "$@" | awk -v name="$name" -v n="$events" \
        '{ printf "%-34s %8.2f s of CPU, %.1f MB, %.1f M samples/s\n", name, $1, $2, n / 1e6 / $1 }'
}
if [ -n "$events" ]; then
    echo
    echo "jfrkit sql, $events samples of $(stat -c %s "$asked") bytes (goals: 3 M/s by several columns, the join in 2 s)"
    cost 'count' "$B/jfrkit" sql "$asked" 'select count(*) from jdk_ExecutionSample'
    cost 'by method' "$B/jfrkit" sql "$asked" 'select top_frame, count(*) from jdk_ExecutionSample group by 1 order by 2 desc limit 10'
    cost 'by user' "$B/jfrkit" sql "$asked" 'select context.user, count(*) from jdk_ExecutionSample group by 1 order by 2 desc limit 10'
    cost 'by state and thread' "$B/jfrkit" sql "$asked" \
        'select state, thread, count(*) from jdk_ExecutionSample group by 1, 2 order by 3 desc limit 10'
    cost 'samples in 100 000 waits' "$B/jfrkit" sql "$asked" "select count(*) from (select thread as t, startTime as began,
        duration as ns from jdk_JavaMonitorEnter limit 100000) w join jdk_ExecutionSample s on s.thread = w.t
        and during(s.startTime, w.began, w.ns)"
    cost 'jfrview hot-methods' "$B/jfrview" hot-methods "$asked"
    . tools/test/engines_lib.sh
    if engines pyarrow=26.0.1 duckdb=2.0.1; then
        rm -rf "$dir/asked.lake"
        "$B/jfr2parquet" -q -e ExecutionSample -o "$dir/asked.lake/" "$asked"
        PYTHONPATH=$engine_folder cost 'DuckDB on Parquet, state and thread' python3 -c "import duckdb
duckdb.execute('set threads = 1')
duckdb.sql('''select state, sampledThread.javaName, count(*) from '$dir/asked.lake/jdk.ExecutionSample/**/*.parquet'
    group by all order by 3 desc limit 10''').fetchall()"
    fi
fi

# Slow requests: ten times as many events as requests, of which only some are looked into.
# REQUESTS=10000000 needs 2 GB of disk and a minute to make.
requests=${REQUESTS:-300000}
served=$dir/requests-$requests.jfr
[ -e "$served" ] || "$dir/gen" "$served" --samples $((10 * requests)) --stacks 20000 --min-depth 10 --max-depth 40 \
    --chunks $((requests / 100000 + 1)) --threads 64 --mix --requests --hold 10 --seed 1
echo
echo "$requests requests, $((11 * requests)) events; goals: twice the processor time of jfr2collapsed, and 500 MB for 10000000"
{
    "$dir/measure" -n "$runs" "$B/jfr2collapsed" -q -o /dev/null "$served"
    "$dir/measure" -n "$runs" "$B/jfrkit" slow -q "$served"
} | awk '{ cpu[NR] = $1; mb[NR] = $2 }
    END { printf "jfr2collapsed %.2f s, %.0f MB; jfrkit slow %.2f s, %.0f MB: %.2f times\n",
        cpu[1], mb[1], cpu[2], mb[2], cpu[2] / cpu[1] }'

# What any command costs before it has read much. OLD=FOLDER: a build to compare with.
start_ms() { # start_ms BUILD
    "$dir/measure" -n 50 "$1/jfrkit" top "$short" | awk '{ printf "%.1f", $3 * 1000 }'
}
short=$dir/short.jfr
[ -e "$short" ] || "$dir/gen" "$short" --samples 100 --stacks 10 --chunks 1 --seed 1
echo
echo "jfrkit top, a recording of 100 samples: $(start_ms "$B") ms${OLD:+, before: $(start_ms "$OLD") ms (goal: at most 2 more)}"

dense=$dir/dense.jfr # many events, few stacks: what reading an event costs
[ -e "$dense" ] || "$dir/gen" "$dense" --samples 6000000 --stacks 500 --min-depth 20 --max-depth 60 \
    --chunks 4 --threads 64 --seed 1
echo
echo "the format library alone (goals: iterate 1000 MB/s, decode 400 MB/s, 0 allocations)"
"$dir/reader" "$dense"
echo
echo "writer (goals: 5 M events/s, 300 MB/s, a flush of 100 000 events under 5 ms)"
"$dir/writer" "$dir"
echo
B=$B "$(dirname "$0")/walk.sh"
B=$B "$(dirname "$0")/native.sh"
echo
tools/bench/agent.sh
B=$B tools/bench/idle.sh
B=$B tools/bench/page.sh
B=$B tools/bench/context.sh
B=$B tools/bench/custom.sh
