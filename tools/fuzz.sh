#!/bin/bash
# Runs libFuzzer targets: tools/fuzz.sh SECONDS TARGET...
#   RUNS=n   so many inputs from a fixed seed, nothing learnt before: the same code, the same answer
# Seeds: test-data/fuzz/NAME and test-data/fuzz/recording; what is learnt stays in build/fuzz/corpus.
# A finding is kept as build/fuzz/NAME-* and makes the run fail.
set -u
seconds=$1
shift
passed=0 failed=0
# By default the address sanitizer holds 256 MB of freed memory back, which is half of the limit below.
export ASAN_OPTIONS=quarantine_size_mb=64${ASAN_OPTIONS:+:$ASAN_OPTIONS}

fuzz() {
    local name seeds=() log corpus rate limits

    name=$(basename "$1" _fuzz)
    log=build/fuzz/$name.log
    corpus=build/fuzz/corpus/$name
    limits=()
    if [ -n "${RUNS:-}" ]; then
        corpus=$(mktemp -d)
        limits=(-runs="$RUNS" -seed=1)
    fi
    mkdir -p "$corpus"
    for d in "test-data/fuzz/$name" test-data/fuzz/recording; do
        [ ! -d "$d" ] || seeds+=("$d")
    done
    if "$1" -max_total_time="$seconds" "${limits[@]}" -rss_limit_mb=512 -malloc_limit_mb=256 -timeout=10 \
        -max_len=16384 -print_final_stats=1 -close_fd_mask=1 -artifact_prefix="build/fuzz/$name-" \
        "$corpus" "${seeds[@]}" >"$log" 2>&1 </dev/null; then
        rate=$(awk '/average_exec_per_sec/ { print $2 }' "$log")
        echo "ok $name: ${rate:-?} execs/s, $(ls "$corpus" | wc -l) inputs learnt"
        passed=$((passed + 1))
    else
        echo "not ok $name: $(grep -oE 'build/fuzz/[^ ]*' "$log" | tail -1), log in $log"
        grep -m1 -A12 -E 'ERROR|runtime error|Assertion' "$log" | sed 's/^/    /'
        failed=$((failed + 1))
    fi
    [ -z "${RUNS:-}" ] || rm -rf "$corpus"
}

mkdir -p build/fuzz
for target; do
    fuzz "$target"
done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
