#!/bin/bash
# What a fleet costs: the samples of JVMS JVMs for an hour as Parquet, and the queries of tools/docs/fleet.md on them, by
# DuckDB and ClickHouse. 20 recordings are made, and each is given to JVMS/20 hosts by links: an engine reads all files,
# the disk holds each once. Times are those of a warm page cache.
#   JVMS=10000     of which a tenth is asked, too
#   SAMPLES=90000  of a JVM in an hour: 20 ms and half a processor
#   LAKE=FOLDER    where the tables are, and stay; build/bench/fleet
set -u
B=${B:-build}
. tools/bench/peers_lib.sh
. tools/test/engines_lib.sh
jvms=${JVMS:-10000} samples=${SAMPLES:-90000}
lake=$(realpath -m "${LAKE:-$B/bench/fleet}")
[ -x "$B/bench/gen" ] || { echo "skip the fleet: no $B/bench/gen"; exit 0; }
mkdir -p "$lake"

seconds() { # seconds COMMAND...: of the processor
    "$B/bench/measure" "$@" | cut -d' ' -f1
}

# fill LAKE JVMS
fill() {
    local to=$1 n=$2 i host

    [ -e "$to/.full" ] && return
    rm -rf "$to"
    for ((i = 0; i < n; i++)); do
        host=$to/jdk.ExecutionSample/host=web$i/service=service-$((i % 10))/version=1.$((i / 10 % 2 + 4))
        mkdir -p "$host"
        ln "$lake/made/$((i % 20))/jdk.ExecutionSample/"*.parquet "$host/"
    done
    mkdir -p "$to/stacks"
    for ((i = 0; i < 20; i++)); do
        ln "$lake/made/$i/stacks/"*.parquet "$to/stacks/$i.parquet"
    done
    touch "$to/.full"
}

if [ ! -e "$lake/made/cost" ]; then
    rm -rf "$lake/made" "$lake"/lake-*
    mkdir -p "$lake/made"
    for ((i = 0; i < 20; i++)); do
        "$B/bench/gen" --samples "$samples" --stacks 3000 --chunks 4 --users 200 --actions 20 --seed $((i + 1)) \
            "$lake/app.jfr" || exit 1
        stat -c %s "$lake/app.jfr"
        seconds "$B/jfr2parquet" -e ExecutionSample -o "$lake/made/$i/" "$lake/app.jfr"
    done | paste - - | awk '{ b += $1; s += $2 } END { print b / NR, b / 1e6 / s }' >"$lake/made/cost"
    rm "$lake/app.jfr"
    [ -n "$(find "$lake/made/19/stacks" -name '*.parquet')" ] || { rm -rf "$lake/made"; echo 'no tables' >&2; exit 1; }
fi
read -r recorded rate <"$lake/made/cost"
packed=$(du -sb "$lake/made" --exclude=cost | awk '{ print $1 / 20 }')
awk -v r="$recorded" -v p="$packed" -v rate="$rate" -v n="$samples" 'BEGIN {
    printf "%d samples an hour: %.1f MB of recording, %.2f MB of Parquet (%.1f bytes each); %.0f MB/s on one core\n", n,
        r / 1e6, p / 1e6, p / n, rate
    for (jvms = 1; jvms <= 1e6; jvms *= jvms == 1 ? 1e4 : 100)
        printf "%d JVMs, a day: %.3g GB of recordings, %.3g GB of Parquet, %.3g hours of a core to convert\n", jvms,
            r * 24 * jvms / 1e9, p * 24 * jvms / 1e9, r * 24 * jvms / 1e6 / rate / 3600 }'
sed 's/context\.trace_id/context.action/' tools/docs/fleet.md >"$lake/guide.md"
big_engines pyarrow=26.0.1 duckdb=2.0.1 chdb=4.4.0 || { echo "skip queries: $why"; exit 0; }
for n in $((jvms / 10)) "$jvms"; do
    fill "$lake/lake-$n" "$n"
    echo "$n JVMs, $(find "$lake/lake-$n" -name '*.parquet' -printf '%s\n' | awk '{ b += $1 } END { printf "%.2f GB", b / 1e9 }')," \
        "$((n * samples / 1000000)) M samples"
    for engine in duckdb clickhouse; do
        TIMES=1 timeout 3000 "$big_python" -W ignore test-data/parquet/fleet.py $engine "$lake/guide.md" "$lake/lake-$n" \
            2>&1 >"$lake/$engine-$n" | sed -n "s/^seconds/$engine/p"
    done
    diff -q "$lake/duckdb-$n" "$lake/clickhouse-$n" >/dev/null && echo 'equal answers' || echo 'the answers differ'
done
