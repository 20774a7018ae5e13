#!/bin/bash
# Which thread held a contended monitor: the wall-clock sampler finds out, on every JDK.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh
. recorder/test/events_lib.sh

# Ten times, main waits for a monitor that a thread "holder" holds: for so long that the sampler runs meanwhile on a busy
# machine, too.
of_main='[.[] | select(.stackTrace.frames[0].method.name == "contend")]'
locks='jdk.JavaMonitorEnter#threshold=10ms'

is_found() { # HOME VERSION
    local file=$work/found.jfr

    java_options=(-Dhold=200)
    program "$1" "$file" "settings=profile,wall=4ms,$locks" Waits 10
    java_options=()
    between waits "$(query "$file" JavaMonitorEnter "$of_main | length")" 9 10
    between 'waits with a holder' "$(query "$file" JavaMonitorEnter "$of_main | map(select(.previousOwner.javaName == \"holder\")) | length")" 8 10
    between 'waits with another holder' "$(query "$file" JavaMonitorEnter "$of_main | map(select((.previousOwner.javaName // \"holder\") != \"holder\")) | length")" 0 0
    # A dead thread's number may be a new one's: each round's holder is a thread of its own.
    between 'threads that held it' "$(query "$file" JavaMonitorEnter "$of_main | map(.previousOwner.javaThreadId // empty) | unique | length")" 8 10
    verdict "the holder of a monitor on JDK $2"
}

# Without the sampler nothing asks, and without the module nothing answers.
is_unknown() { # HOME VERSION
    local file=$work/unknown.jfr

    program "$1" "$file" "settings=profile,profiler.WallClockSample#enabled=false,$locks" Waits 3
    between 'holders without --wall' "$(query "$file" JavaMonitorEnter '[.[] | select(.previousOwner != null)] | length')" 0 0
    if [ "$2" -gt 8 ]; then
        java_options=(--limit-modules java.base)
        program "$1" "$file" "settings=profile,wall=4ms,$locks" Waits 3
        java_options=()
        between waits "$(query "$file" JavaMonitorEnter "$of_main | length")" 2 3
        between 'holders without java.management' "$(query "$file" JavaMonitorEnter '[.[] | select(.previousOwner != null)] | length')" 0 0
        ! grep -i management "$work/err" >>"$work/wrong" || wrong 'it complains'
    fi
    verdict "no holder where none can be found, on JDK $2"
}

one_jdk() {
    is_found "$1" "$2"
    is_unknown "$1" "$2"
}

mapfile -t homes < <(runtimes)
each_jdk one_jdk ${homes[@]+"${homes[@]}"}
exit $failed
