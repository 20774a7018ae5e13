#!/bin/bash
# jfrkit slow: the parts of every scope add up to it, in every recording; quantiles are those of the
# events; what the recording lacks is said.
set -u
. test-data/workload/lib.sh
. tools/test/sample_lib.sh
jfrkit=$B/jfrkit

command -v jq >/dev/null || { skip 'slow scopes' 'no jq'; exit 0; }

# Any event with a duration and a thread is taken for a scope, and every one for a slow one.
parts() {
    local f n=0 rc

    for f in $(own_recordings) $(sample); do
        "$jfrkit" slow -q --json --slower 1ns -n 100000000 --scope '*' "$f" >"$work/slow.json" 2>"$work/err"
        rc=$?
        [ $rc = 0 ] || [ $rc = 3 ] || { grep -q 'no event of these types' "$work/err" || wrong "$f: exit code $rc: $(tail -1 "$work/err")"; continue; }
        jq -e '[.slowest[] | (.parts | add) == .duration and ([.parts[], .estimated[], .error[]] | min) >= 0] | all' \
            "$work/slow.json" >/dev/null ||
            wrong "$f: $(jq -c 'first(.slowest[] | select((.parts | add) != .duration or ([.parts[], .estimated[], .error[]] | min) < 0))' "$work/slow.json")"
        jq -e '([.groups[].count] | add // 0) == .scopes and ([.groups[].slow] | add // 0) == .slow and .slow_examined == (.slowest | length)' \
            "$work/slow.json" >/dev/null || wrong "$f: groups do not add up to the scopes"
        n=$((n + $(jq '.slowest | length' "$work/slow.json")))
        for jobs in 1 4; do
            "$jfrkit" slow -q --json -j $jobs "$f" 2>&1 | cat >"$work/jobs-$jobs"
        done
        cmp "$work/jobs-1" "$work/jobs-4" >>"$work/wrong" 2>&1
    done
    [ "$n" -gt 2000 ] || wrong "only $n scopes were split"
    verdict "the parts of each scope are its duration"
}

quantiles() {
    local file

    file=$(own_recordings async-profiler-jdk25)
    "$jfrkit" slow -q --json --scope jdk.ThreadPark "$file" | jq -c '.groups[] | [.count, .p50, .p90, .p99, .max, .total]' >"$work/is"
    "$jfrkit" print -q -l ndjson -e ThreadPark "$file" | jq -s -c '
        def q(x): .[([(length * x | ceil) - 1, 0] | max)];
        [.[].values.duration | ltrimstr("PT") | rtrimstr("S") | tonumber * 1e9 | round] | sort
        | [length, q(0.5), q(0.9), q(0.99), max, add]' >"$work/events"
    cmp "$work/is" "$work/events" >>"$work/wrong" 2>&1 || paste -d' ' "$work/is" "$work/events" >>"$work/wrong"
    verdict 'quantiles are those of the events'
}

says() { # says CODE TEXT OPTION...
    local code=$1 text=$2 rc

    shift 2
    "$jfrkit" slow "$@" >"$work/out" 2>&1
    rc=$?
    [ $rc = "$code" ] || wrong "slow $*: exit code $rc, not $code"
    grep -qF -- "$text" "$work/out" || wrong "slow $*: $(cat "$work/out")"
}

messages() {
    local ours server

    ours=$(own_recordings jfrkit-jdk25)
    server=$(own_recordings jdk17-server)
    says 0 'no scopes: the recordings have no events that last and hold a context' "$server"
    says 2 '--scope: no event of these types' --scope jdk.Nothing "$ours"
    says 2 'recordings are read twice' - <"$ours"
    says 2 "--slower: 'soon' is no time" --slower soon "$ours"
    says 2 "--slower: 'p100' is no time" --slower p100 "$ours"
    says 2 "no event type has a field 'users', did you mean" -w 'users = "alice"' "$ours"
    says 2 "--by: no scope has a value of 'nothing'" --by nothing "$ours"
    says 0 'no scope is selected' -c user=missing "$ours"
    says 0 'Note: no wall-clock samples' "$ours"
    says 0 'Note: scopes in which nothing was recorded are missing' "$ours"
    # A filter selects scopes, not events inside of them.
    "$jfrkit" slow -q --json --by user -c 'user=virtual-4' "$ours" | jq -e '.groups | length == 1 and .[0].key == "virtual-4"' >/dev/null ||
        wrong '-c user= does not select the scopes of this user'
    "$jfrkit" slow -q --json --min-duration 10ms "$ours" | jq -e '.scopes > 0 and ([.slowest[].duration] | min >= 10000000)' >/dev/null ||
        wrong '--min-duration does not select long scopes'
    verdict 'filters select scopes, and what is missing is said'
}

parts
quantiles
messages
exit $failed
