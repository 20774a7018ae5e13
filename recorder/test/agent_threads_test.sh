#!/bin/bash
# Which threads and which names: short ones, deep ones, sleeping ones, native ones, classes that go.
. test-data/workload/lib.sh

[ -e "$agent" ] || { skip 'the agent knows all threads' 'it was not built'; exit 0; }
mapfile -t homes < <(jdks)
[ ${#homes[@]} != 0 ] || { skip 'the agent knows all threads' 'no JDK'; exit 0; }
command -v jq >/dev/null || { skip 'the agent knows all threads' 'no jq'; exit 0; }

# status KEY: from the last answer of the agent
status() {
    sed -n "s/^$1: //p" "$work/reply" | tail -1
}

new_reply() {
    rm -f "$work/reply"
    (umask 077; : >"$work/reply")
}

for home in "${homes[@]}"; do
    jdk=$(release "$home")
    if ! workload; then
        skip "the agent knows all threads on JDK $jdk" "$why"
        continue
    fi

    record "$home" "$work/churn.jfr" cpu=1ms churn 2 || wrong "exit code $?"
    churned=$(samples "$work/churn.jfr" 'Churned')
    nameless=$(samples "$work/churn.jfr" '\[unknown_method\]')
    [ "$churned" -gt 20 ] || wrong "$churned samples of classes that come and go"
    [ $((nameless * 100)) -le "$churned" ] || wrong "$nameless of $churned have no name"
    is_whole "$work/churn.jfr"
    verdict "classes that come and go keep 99 % of their names on JDK $jdk"

    record "$home" "$work/threads.jfr" cpu=1ms threads 3 || wrong "exit code $?"
    short=$(samples "$work/threads.jfr" '^short-|lambda.*shortLived' --threads)
    # a catch counts for a whole tick of some 4 ms: 4 standard errors, and what starting a thread
    # costs before it is known; the thread that starts them does not count, its share follows the load
    within 'samples of short threads' "$short" $(($(truth short_cpu_ns) / 1000000)) \
        "$(awk -v n="$short" 'BEGIN { print 20 + 800 / sqrt(n + 1) }')"
    is_whole "$work/threads.jfr"
    verdict "threads shorter than a tick have their samples on JDK $jdk"

    record "$home" "$work/rename.jfr" cpu=1ms,chunktime=1s rename 4 50 || wrong "exit code $?"
    for color in red blue; do
        got=$(samples "$work/rename.jfr" "^$color-.*Workload[./]$color" --threads)
        [ "$got" -gt 10 ] || wrong "$got samples in $color() have the name of then"
    done
    # none at all, but a tick may be told of after the next one has begun
    other=$(samples "$work/rename.jfr" '^red-.*Workload[./]blue|^blue-.*Workload[./]red' --threads)
    [ $((other * 100)) -le "$got" ] || wrong "$other samples have another name than that of then"
    blues=$("$B/jfr2collapsed" --threads "$work/rename.jfr" | grep -o '^blue-[0-9]*' | sort -u | wc -l)
    [ "$blues" -gt 5 ] || wrong "$blues names of 50"
    for name in early late; do
        got=$(samples "$work/rename.jfr" "^$name-0" --threads)
        [ "$got" -gt 5 ] || wrong "$got samples of $name-0, which another thread renamed"
    done
    is_whole "$work/rename.jfr"
    verdict "threads that are renamed have the name of then on JDK $jdk"

    record "$home" "$work/deep.jfr" cpu=2ms,depth=20 deep 2 || wrong "exit code $?"
    longest=$("$B/jfr2collapsed" "$work/deep.jfr" | awk -F'[;]' '{ if (NF > n) n = NF } END { print n }')
    [ "$longest" = 20 ] || wrong "the longest stack has $longest frames"
    "$B/jfr2json" --layout ndjson "$work/deep.jfr" | grep -c '"truncated":true' >/dev/null || wrong 'none is truncated'
    verdict "deep stacks are cut off where wished and say so on JDK $jdk"

    new_reply
    record "$home" "$work/wall.jfr" "cpu=off,wall=20ms,reply=$work/reply" idle 3 || wrong "exit code $?"
    # Fewer on a machine that is too busy to look, but not more than fit into the recording, and of
    # one thread as many as of another.
    most=$("$B/jfrsummary" "$work/wall.jfr" | sed -n 's/^ *Duration: \([0-9]*\) s.*/\1/p')
    most=$(((most + 1) * 50 + 10))
    for thread in sleeper waiter parker; do
        got=$("$B/jfr2collapsed" --kind wall --threads "$work/wall.jfr" |
            awk -v t="$thread" '$0 ~ "^" t "-0;" { n += $NF } END { print n + 0 }')
        [ "$got" -gt 20 ] && [ "$got" -le "$most" ] || wrong "$got samples of $thread-0, at most $most fit"
        [ "$thread" = sleeper ] || within "samples of $thread-0, as of sleeper-0" "$got" "$first" 10
        first=$got
    done
    [ "$(status wall-signals)" -lt $(($(status wall-samples) / 10)) ] ||
        wrong "$(status wall-signals) signals for $(status wall-samples) samples of idle threads"
    is_whole "$work/wall.jfr"
    verdict "threads that wait are sampled without being woken on JDK $jdk"

    if has_native; then
        new_reply
        record "$home" "$work/native.jfr" "cpu=2ms,reply=$work/reply" native 3 || wrong "exit code $?"
        burner=$(samples "$work/native.jfr" 'native_burn|burn')
        [ "${burner:-0}" -gt 10 ] || wrong "$burner samples of a native thread: $(head -3 "$work/out")"
        verdict "threads that the VM does not know are sampled on JDK $jdk"

        record "$home" "$work/guest.jfr" cpu=2ms guest 5 || wrong "exit code $?"
        for part in before after; do
            # of 2.5 s each, but for the second or two until the thread is found, or found to have left
            got=$(samples "$work/guest.jfr" "^native-$part;.*burn_$part" --threads)
            [ "$got" -gt 100 ] || wrong "$got samples in burn_$part() under its name"
        done
        other=$(samples "$work/guest.jfr" 'native-before.*burn_after|native-after.*burn_before' --threads)
        [ "$other" -le 5 ] || wrong "$other samples have another name than that of then"
        is_whole "$work/guest.jfr"
        within 'CPU time of a thread that leaves the VM' "$(samples "$work/guest.jfr" 'burn_after')" 1250 5
        verdict "a native thread that leaves the VM and renames itself is sampled on JDK $jdk"
    else
        skip "threads that the VM does not know are sampled on JDK $jdk" 'no C compiler for the library'
    fi
done
exit $failed
