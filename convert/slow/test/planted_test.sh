#!/bin/bash
# A service in which some requests are slow for a known reason: jfrkit slow has to name it first.
#   ROUNDS=2      runs for each reason; with SOAK=1 it is 100, of which 95 must be right
#   REASONS=...   only these
set -u
. test-data/workload/lib.sh
jfrkit=$B/jfrkit
rounds=${ROUNDS:-${SOAK:+100}}
rounds=${rounds:-2}

# What the first reason has to be: a condition of jq.
declare -A answers=(
    [lock]='.part == "lock" and .what == "Slow$Ledger" and .where == "Slow$Ledger.add" and .holder == "closer"'
    [file]='.part == "io" and (.what | endswith("/pipe")) and .where == "Slow.readPipe"'
    [peer]='.part == "io" and (.what | test("^(localhost|127.0.0.1):[0-9]+$")) and .where == "Slow.ask"'
    [gc]='.part == "gc" and (.what | test("System.gc"))'
    [cpu]='.part == "runnable"'
    [user]='.part == "value" and .what == "user=mallory"'
    [code]='.part == "running" and (.where | test("Slow.rareSlowPath"))'
    [pool]='.part == "parked" and .what == "java.util.concurrent.FutureTask"'
)

# waited: us in which some task of this machine has waited for a processor so far; 0 if the kernel does not say
waited() {
    sed -n 's/^some.*total=//p' /proc/pressure/cpu 2>/dev/null | grep . || echo 0
}

# one REASON: a run; false, and a line in $work/missed, if the first reason is another one
one() {
    local reason=$1 before began list=.reasons

    before=$(waited) began=$(date +%s%6N)
    # The quick compiler alone: on a crowded machine the other one has no time before the first requests
    # are measured, and they would be slow because they are interpreted.
    rm -rf "$work/folder" "$work/slow.jfr"
    mkdir "$work/folder"
    "$jfrkit" record -q -o "$work/slow.jfr" --cpu 2ms --wall 4ms -s 'jdk.JavaMonitorEnter#threshold=1 ms' \
        -s 'jdk.ThreadPark#threshold=1 ms' -s '+jfrkit.Request#emit=always' -- \
        "$java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx300m -cp "$classes:$jar" Slow "$reason" "$work/folder" 2.5 >"$work/out" 2>"$work/err" ||
        { wrong "$reason: exit code $?: $(tail -1 "$work/err")"; return 1; }
    # Where some task waits for a processor half of the time, slow requests have waited, too, and `slow` says so: what was
    # planted is the first of the other reasons then.
    [ "$reason" = cpu ] || [ $((2 * ($(waited) - before))) -lt $(($(date +%s%6N) - began)) ] || list='(.reasons | map(select(.part != "runnable")))'
    "$jfrkit" slow --json "$work/slow.jfr" >"$work/slow.json" 2>>"$work/wrong" || wrong "$reason: jfrkit slow fails"
    jq -e '(.scopes > 30) and ([.slowest[] | (.parts | add) == .duration] | all)' "$work/slow.json" >/dev/null ||
        wrong "$reason: $(jq -c '.scopes' "$work/slow.json") scopes; the parts of one are not its duration"
    # The part that a request hands to the pool is in a list of its own.
    [ "$reason" != pool ] || jq -e '([.slowest[].elsewhere.tasks] | min) == 1 and ([.slowest[].elsewhere.cpu] | max) > 0' \
        "$work/slow.json" >/dev/null || wrong "pool: $(jq -c '[.slowest[].elsewhere]' "$work/slow.json")"
    jq -e "${list}[0] | ${answers[$reason]}" "$work/slow.json" >/dev/null && return
    jq -c '[.reasons[] | {reason, share, confidence}][:3]' "$work/slow.json" >>"$work/missed"
    return 1
}

command -v jq >/dev/null || { skip 'planted reasons' 'no jq'; exit 0; }
home=$(jdk_home 25 || jdk_home 17)
jar=$B/jfrkit.jar
[ -n "$home" ] && [ -e "$agent" ] && [ -e "$jar" ] || { skip 'planted reasons' 'no JDK 17 or 25, or no agent'; exit 0; }
workload || { skip 'planted reasons' "$why"; exit 0; }
java=$home/bin/java
for reason in ${REASONS:-lock file peer gc cpu user code pool}; do
    : >"$work/missed"
    right=0
    for ((i = 0; i < rounds; i++)); do
        one $reason && right=$((right + 1))
    done
    [ $((100 * right)) -ge $((95 * rounds)) ] ||
        wrong "$right of $rounds runs name it first; the others: $(cat "$work/missed")"
    verdict "slow because of $reason: $rounds runs"
    [ $reason != pool ] || cp "$work/slow.jfr" "$work/app.jfr"
done

# The commands of the guide, on the recording with the full pool; the request that it follows is the slowest.
guide() {
    local line id n=0 kit

    kit=$(realpath "$jfrkit")
    id=$("$jfrkit" slow --json "$work/app.jfr" | jq -r '.slowest[0].values.id')
    mkdir -p "$work/guide"
    mv "$work/app.jfr" "$work/guide/"
    while IFS= read -r line; do
        line=${line#    jfrkit }
        n=$((n + 1))
        [[ $line != sql* ]] || ! "$kit" sql 2>&1 | grep -q 'built without' || continue
        (cd "$work/guide" && eval "'$kit' ${line//176/$id}") >"$work/out" 2>"$work/err" ||
            wrong "jfrkit $line: exit code $?: $(tail -1 "$work/err")"
        [ -s "$work/out" ] || { [[ $line =~ -o\ ([a-z.]+) ]] && [ -s "$work/guide/${BASH_REMATCH[1]}" ]; } || wrong "jfrkit $line prints nothing"
    done < <(grep '^    jfrkit ' tools/docs/slow.md | grep -v ' record ')
    [ $n = 11 ] || wrong "$n commands in the guide, not 11"
    # The page draws the thread of the pool below that of the request.
    grep -q '<p class="thread">pool-1-thread-' "$work/guide/slow.html" || wrong 'the page has no thread of the pool'
    verdict 'the commands of the guide to slow requests'
}
[ ! -e "$work/app.jfr" ] || guide
exit $failed
