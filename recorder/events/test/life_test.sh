#!/bin/bash
# Classes that come and go, virtual threads that begin, end and are pinned, and how the VM ends: as
# many events as there were such things, on every JDK.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh
. recorder/test/events_lib.sh

loaders=50
wanted=settings=none,jdk.ClassLoad#enabled=true,jdk.ClassDefine#enabled=true,jdk.ClassUnload#enabled=true
wanted+=,jdk.Shutdown#enabled=true,jdk.DumpReason#enabled=true

# ends HOME HOW CODE REASON: records a program that ends like this
ends() {
    local home=$1 java

    rm -f "$work/end.jfr"
    java_of "$home"
    timeout -k 5 300 "${java[@]}" "-agentpath:$agent=file=$work/end.jfr,$wanted" Classes $loaders "$2" \
        >"$work/out" 2>"$work/err" </dev/null
    code=$?
    [ "$code" = "$3" ] || wrong "$2: exit code $code: $(tail -1 "$work/err")"
    is_whole "$work/end.jfr"
    [ "$(query "$work/end.jfr" Shutdown 'map(.reason) | join(",")')" = "$4" ] ||
        wrong "$2: $(query "$work/end.jfr" Shutdown 'map(.reason) | join(",")')"
    [ "$(query "$work/end.jfr" DumpReason 'map([.reason, .recordingId | tostring] | join(" ")) | join(",")')" = 'JVM shutdown 1' ] ||
        wrong "$2: dumped because of $(query "$work/end.jfr" DumpReason .)"
}

classes() { # HOME: of the recording that ends() made
    local passing='select((.loadedClass // .definedClass // .unloadedClass).name == "Classes$Passing" and .definingClassLoader.type.name == "Classes$Loader")'

    between 'loaded by their loaders' "$(query "$work/end.jfr" ClassLoad "map($passing) | length")" $loaders $loaders
    between 'loaded from there' "$(query "$work/end.jfr" ClassLoad "map($passing | select(.stackTrace.frames | map(.method.name) | index(\"define\"))) | length")" $loaders $loaders
    between 'loaded by the boot loader' "$(query "$work/end.jfr" ClassLoad 'map(select(.definingClassLoader.name == "bootstrap" and .definingClassLoader.type == null)) | length')" 50 100000
    between defined "$(query "$work/end.jfr" ClassDefine "map($passing) | length")" $loaders $loaders
    between unloaded "$(query "$work/end.jfr" ClassUnload "map($passing) | length")" $loaders $loaders
    # whatever else the JDK lets go of
    between 'unloaded in all' "$(count "$work/end.jfr" jdk.ClassUnload)" $loaders "$(truth unloaded)"
}

virtual() { # HOME
    # The JDK parks a pinned thread for a lock, too.
    local pinned='map(select((.stackTrace.frames | map(.method.name) | index("<clinit>")) and (.stackTrace.frames | map(.method.type.name) | index("java/util/concurrent/locks/ReentrantLock") | not)))' took

    program "$1" "$work/virtual.jfr" settings=none,jdk.VirtualThreadStart#enabled=true,jdk.VirtualThreadEnd#enabled=true,jdk.VirtualThreadPinned#enabled=true,jdk.VirtualThreadPinned#threshold=0ms Pinned 10
    is_whole "$work/virtual.jfr"
    between begun "$(query "$work/virtual.jfr" VirtualThreadStart 'map(.javaThreadId) | unique | length')" 10 10
    between ended "$(query "$work/virtual.jfr" VirtualThreadEnd 'map(.javaThreadId) | unique | length')" 10 10
    between 'with a stack' "$(query "$work/virtual.jfr" VirtualThreadStart 'map(select(.stackTrace.frames | length > 0)) | length')" 10 10
    # Two threads are pinned, each in one park or in several, for what the program measured less what passed
    # between its clock and the park.
    between 'threads pinned' "$(query "$work/virtual.jfr" VirtualThreadPinned "$pinned | map(.eventThread.javaThreadId) | unique | length")" 2 2
    between 'times pinned' "$(query "$work/virtual.jfr" VirtualThreadPinned "$pinned | length")" 2 "$(truth pinned)"
    took=$(truth seconds)
    between 'seconds pinned' "$(query "$work/virtual.jfr" VirtualThreadPinned "$pinned | map($seconds) | add")" \
        "$(awk -v s="$took" 'BEGIN { print s / 2 }')" "$took"
    between 'pinned by other means' "$(query "$work/virtual.jfr" VirtualThreadPinned 'map(select(.blockingOperation != "LockSupport.park" or (.carrierThread.javaName | startswith("ForkJoinPool") | not))) | length')" 0 0
}

copies() { # HOME: a copy says that it is one
    run "$1" cpu 30
    "$B/jfrec" start -o "$work/run.jfr" --settings none -s jdk.DumpReason#enabled=true --agent "$agent" "$pid" \
        >"$work/said" 2>&1 || wrong "start: $(tail -1 "$work/said")"
    "$B/jfrec" dump -o "$work/copy.jfr" "$pid" >"$work/said" 2>&1 || wrong "dump: $(tail -1 "$work/said")"
    "$B/jfrec" stop -v "$pid" >"$work/said" 2>&1 || wrong "stop: $(tail -1 "$work/said")"
    kill "$pid"
    wait "$pid" 2>/dev/null
    [ "$(query "$work/copy.jfr" DumpReason 'map(.reason) | join(",")')" = 'Dump requested' ] || wrong 'a copy does not say so'
    [ "$(query "$work/run.jfr" DumpReason 'map(.reason) | join(",")')" = 'Dump requested,Stop requested' ] ||
        wrong "reasons: $(query "$work/run.jfr" DumpReason 'map(.reason) | join(",")')"
}

life() { # HOME VERSION
    workload || { wrong "$why"; return; }
    ends "$1" return 0 'No remaining non-daemon Java threads'
    ends "$1" halt 4 'Shutdown requested from Java'
    ends "$1" exit 3 'Shutdown requested from Java'
    [ "$(query "$work/end.jfr" Shutdown '.[0].stackTrace.frames | map(.method.name) | index("main") != null')" = true ] ||
        wrong 'nobody asked for the end'
    verdict "how the VM ends, JDK $2"
    classes "$1"
    verdict "classes that come and go, JDK $2"
    if [ "$2" -ge 11 ]; then
        copies "$1"
        verdict "why a recording was written, JDK $2"
    fi
    if [ "$2" -lt 21 ]; then
        inapplicable "virtual threads on JDK $2" 'they came with 21'
        return
    fi
    compile Pinned || { skip "virtual threads begin, end and are pinned, JDK $2" "$why"; return; }
    virtual "$1"
    verdict "virtual threads begin, end and are pinned, JDK $2"
}

mapfile -t homes < <(runtimes)
each_jdk life "${homes[@]}"
exit $failed
