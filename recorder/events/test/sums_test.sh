#!/bin/bash
# Numbers and sums: what was waited for, blocked and allocated, against what the JVM counts; at the
# start and attached, on threads of the system and virtual ones.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh
. recorder/test/events_lib.sh

sums() { # HOME
    local got

    record "$1" "$work/sums.jfr" settings=none,jdk.JavaMonitorWait#enabled=true,jdk.ThreadSleep#enabled=true,jdk.ThreadPark#enabled=true idle 2
    is_whole "$work/sums.jfr"
    between 'number of sleeps' "$(count "$work/sums.jfr" jdk.ThreadSleep)" "$(truth sleeps)" $(($(truth sleeps) + 12))
    between 'number of parks' "$(count "$work/sums.jfr" jdk.ThreadPark)" "$(truth parks)" $(($(truth parks) + 12))
    got=$(query "$work/sums.jfr" ThreadPark "map($seconds) | add * 1e9 | round")
    within 'time in parks' "$got" "$(truth parked_ns)" 10
    got=$(query "$work/sums.jfr" ThreadSleep "map($seconds) | add * 1e9 | round")
    within 'time in sleeps' "$got" "$(truth slept_ns)" 10
    record "$1" "$work/sums.jfr" settings=none,lock=1us lock 2 4
    is_whole "$work/sums.jfr"
    within 'number of blocks' "$(count "$work/sums.jfr" jdk.JavaMonitorEnter)" "$(truth blocked)" 10
    got=$(query "$work/sums.jfr" JavaMonitorEnter "map($seconds) | add * 1e3 | round")
    within 'time blocked' "$got" "$(truth blocked_ms)" 10
    record "$1" "$work/sums.jfr" settings=none,jdk.ThreadStart#enabled=true,jdk.ThreadEnd#enabled=true threads 1
    # a few threads are the JVM's own
    between 'threads begun' "$(count "$work/sums.jfr" jdk.ThreadStart)" "$(truth started)" $(($(truth started) + 12))
    between 'threads ended' "$(count "$work/sums.jfr" jdk.ThreadEnd)" "$(truth started)" $(($(truth started) + 12))
}

allocation() { # HOME
    local site all got

    record "$1" "$work/alloc.jfr" settings=none,alloc=512k alloc 2 3
    is_whole "$work/alloc.jfr"
    if [ "$(release "$1")" -lt 11 ]; then
        grep -q 'came with JDK 11' "$work/err" || wrong "no word about it: $(cat "$work/err")"
        return
    fi
    all=$(query "$work/alloc.jfr" ObjectAllocationSample 'map(.weight) | add')
    within 'bytes of all threads' "$all" "$(truth threads_bytes)" 10
    for site in allocNodes allocInts allocBytes; do
        got=$(query "$work/alloc.jfr" ObjectAllocationSample "map(select(.stackTrace.frames[0].method.name == \"$site\").weight) | add")
        within "bytes of $site" "$got" "$(truth ${site}_bytes)" 15
    done
    # the throttle makes samples rarer, not sums smaller
    record "$1" "$work/alloc.jfr" settings=none,jdk.ObjectAllocationSample#enabled=true,jdk.ObjectAllocationSample#throttle=150/s alloc 3 3
    between 'samples at 150/s' "$(count "$work/alloc.jfr" jdk.ObjectAllocationSample)" 100 1500
    all=$(query "$work/alloc.jfr" ObjectAllocationSample 'map(.weight) | add')
    within 'bytes at 150/s' "$all" "$(truth threads_bytes)" 30
}

virtual_threads() { # HOME
    compile VirtualLocks || { wrong "$why"; return; }
    program "$1" "$work/virtual.jfr" settings=none,lock=1ms VirtualLocks 20
    is_whole "$work/virtual.jfr"
    within 'threads that waited' "$(query "$work/virtual.jfr" JavaMonitorEnter 'map(.eventThread.javaThreadId) | unique | length')" \
        "$(truth waiters)" 10
    within 'time waited' "$(query "$work/virtual.jfr" JavaMonitorEnter "map($seconds) | add * 1e9 | round")" \
        "$(truth waited_ns)" 10
}

attached() { # HOME
    run "$1" idle 12
    "$B/jfrec" start -o "$work/late.jfr" --settings none --lock 1ms -s jdk.ThreadSleep#enabled=true \
        -s jdk.JavaExceptionThrow#enabled=true -s jdk.SystemGC#enabled=true -s jdk.ThreadStart#enabled=true \
        --agent "$agent" "$pid" >"$work/said" 2>&1 || wrong "start: $(tail -1 "$work/said")"
    sleep 2
    "$B/jfrec" stop -v "$pid" >"$work/said" 2>&1 || wrong "stop: $(tail -1 "$work/said")"
    kill "$pid"
    wait "$pid" 2>/dev/null
    is_whole "$work/late.jfr"
    [ "$(count "$work/late.jfr" jdk.ThreadSleep)" -gt 20 ] || wrong 'no sleeps'
    [ "$(count "$work/late.jfr" jdk.ThreadPark)" -gt 20 ] || wrong 'no parks'
    ! grep -qE 'no jdk\.|cannot be intercepted' "$work/err" || wrong "$(cat "$work/err")"
    ! grep -qE 'Re-registering' "$work/out" "$work/err" || wrong 'the VM warns about natives'
}

all_sums() { # HOME VERSION
    sums "$1"
    verdict "numbers and sums of waits, JDK $2"
    allocation "$1"
    verdict "allocated bytes, JDK $2"
    if [ "$2" -ge 21 ]; then
        virtual_threads "$1"
        verdict "monitors of virtual threads, JDK $2"
    fi
    attached "$1"
    verdict "attached to JDK $2"
}

each_jdk all_sums
exit $failed
