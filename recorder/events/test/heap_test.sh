#!/bin/bash
# What jdk.GCHeapSummary says was in use before and after each collection is what the VM's own log of
# collections says, with each collector; and jdk.GCHeapMemoryUsage lies between.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh
. recorder/test/events_lib.sh
need jq

# logged: megabytes before and after each collection, by $work/gc.log
logged() {
    grep -E 'GC\([0-9]+\) Pause' "$work/gc.log" | sed -nE 's/.* ([0-9]+)M->([0-9]+)M\(.*/\1 \2/p'
}

# recorded FILE: the same by events, one line for each collection
recorded() {
    query "$1" GCHeapSummary 'group_by(.gcId) | .[] | [.[] | .heapUsed / 1048576 | floor] | join(" ")'
}

# agree MORE: the same number of lines, and none before a collection is more than MORE away from the
# other. After it the thread that waits for memory has got some, within the pause, but not in the log.
agree() {
    logged >"$work/logged"
    recorded "$work/heap.jfr" >"$work/recorded"
    [ "$(wc -l <"$work/logged")" -ge 3 ] || wrong "$(wc -l <"$work/logged") collections"
    paste -d ' ' "$work/logged" "$work/recorded" | awk -v more="$1" '
        function far(a, b, more) { return a - b > more || b - a > more }
        NF != 4 || far($1, $3, more) || far($2, $4, 2) { print "logged and recorded: " $0 }' >"$work/far"
    [ ! -s "$work/far" ] || wrong "$(head -3 "$work/far")"
}

usage_is_sound() { # HOME
    between 'heap usages' "$(query "$work/heap.jfr" GCHeapMemoryUsage '[.[] | select(.used > 1000000 and .used <= .committed and .committed <= .max and .max <= 209715200)] | length')" 1 1000
    [ "$(query "$work/heap.jfr" GCHeapMemoryUsage 'map(.used) | unique | length')" -gt 2 ] ||
        wrong 'the heap usage does not change between collections'
}

mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    version=$(release "$home")
    workload || { skip "heap on JDK $version" "$why"; continue; }
    [ "$version" -ge 9 ] || { inapplicable "heap on JDK $version" 'its log of collections is of another kind'; continue; }
    for collector in Serial Parallel G1; do
        java_options=("-XX:+Use${collector}GC" -Xmx200m -Xms200m "-Xlog:gc:file=$work/gc.log::filecount=0")
        record "$home" "$work/heap.jfr" 'settings=none,+jdk.GCHeapSummary#enabled=true,+jdk.GCHeapMemoryUsage#enabled=true,+jdk.GCHeapMemoryUsage#period=50 ms' alloc 3 ||
            wrong "exit code $?: $(tail -1 "$work/err")"
        [ $collector = G1 ] && agree 2 || agree 0 # G1 counts whole regions
        usage_is_sound
        verdict "heap of $collector on JDK $version"
    done
done
exit $failed
