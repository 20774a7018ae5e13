#!/bin/bash
# Events of single things, and periodic ones: on every JDK they say what the workload says it did,
# and other tools read them without a complaint.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh
. recorder/test/events_lib.sh

everything="settings=profile,jdk.JavaExceptionThrow#enabled=true,jdk.JavaExceptionThrow#throttle=off"
everything+=",jdk.JavaErrorThrow#enabled=true,jdk.ExceptionStatistics#enabled=true"
everything+=",jdk.JavaMonitorWait#enabled=true,jdk.JavaMonitorWait#threshold=10ms"
everything+=",jdk.ClassDefine#enabled=true,jdk.Compilation#enabled=true,jdk.Compilation#threshold=0ms"
everything+=",alloc=16k,jdk.InitialEnvironmentVariable#enabled=true,jdk.SystemProcess#enabled=true,jdk.FileWrite#enabled=false"

# --- events whose number is known ---

single_events() { # HOME FILE
    local n

    java_options=(-Dmy.password=abracadabra -Dmy.plain=visible -XX:+UseSerialGC)
    program "$1" "$2" "$everything" Waits 10 --token abracadabra
    java_options=()
    is_whole "$2"
    # other threads of the JDK wait too, but not often and for less than our thresholds
    between contended "$(query "$2" JavaMonitorEnter '[.[] | select(.stackTrace.frames[0].method.name == "contend")] | length')" 9 10
    between waits "$(query "$2" JavaMonitorWait '[.[] | select(.timeout == "PT0.025S" and .timedOut)] | length')" 10 10
    between sleeps "$(query "$2" ThreadSleep '[.[] | select(.time == "PT0.025S")] | length')" 10 10
    between parks "$(query "$2" ThreadPark '[.[] | select(.timeout == "PT0.025S" and .parkedClass.name == "java/lang/Object")] | length')" 10 10
    between 'sleep time' "$(query "$2" ThreadSleep "map($seconds) | add")" 0.25 5
    between exceptions "$(query "$2" JavaExceptionThrow '[.[] | select(.message // "" | startswith("boom ") or startswith("trouble "))] | length')" 95 100
    between errors "$(query "$2" JavaErrorThrow '[.[] | select(.thrownClass.name == "Waits$Trouble")] | length')" 10 10
    between 'throw site' "$(query "$2" JavaErrorThrow '[.[] | select(.thrownClass.name == "Waits$Trouble" and ([.stackTrace.frames[].method.name] | index("fail")))] | length')" 10 10
    between children "$(query "$2" ThreadStart '[.[] | select((.thread.javaName | startswith("child-")) and .parentThread.javaName == "main" and (.stackTrace.frames | length) > 1)] | length')" 10 10
    between ended "$(query "$2" ThreadEnd '[.[] | select(.thread.javaName | startswith("child-"))] | length')" 10 10
    between 'System.gc()' "$(query "$2" SystemGC length)" 10 10
    n=$(query "$2" GarbageCollection '[.[] | select(.cause == "System.gc()" and .name == "SerialOld")] | length')
    between collections "$n" 10 10
    between summaries "$(query "$2" GCHeapSummary '[.[] | select(.heapUsed > 0 and .heapUsed <= .heapSpace.committedSize)] | length')" 20 1000
    between classes "$(query "$2" ClassDefine '[.[] | select(.definedClass.name == "Waits$Boom")] | length')" 1 1
    between compilations "$(query "$2" Compilation '[.[] | select(.codeSize > 0 and .method.name != null)] | length')" 3 100000
    # What is not known is absent, and what was not compiled is not there.
    between 'compilations with a duration or a level' "$(query "$2" Compilation '[.[] | select(has("duration") or has("compileLevel"))] | length')" 0 0
    between 'compiled natives' "$(query "$2" Compilation '[.[] | select((.method.modifiers / 256 | floor) % 2 == 1 or (.method.name | test("^(linkTo|invokeBasic)")))] | length')" 0 0
}

# --- what periodic events say ---

periodic_events() { # HOME FILE
    local e

    for e in ActiveRecording ActiveSetting JVMInformation OSInformation CPUInformation \
        CPUTimeStampCounter VirtualizationInformation InitialSystemProperty InitialEnvironmentVariable \
        NativeLibrary SystemProcess CPULoad ThreadCPULoad ThreadContextSwitchRate PhysicalMemory \
        SwapSpace ResidentSetSize JavaThreadStatistics ClassLoadingStatistics CompilerStatistics \
        GCHeapMemoryUsage ExceptionStatistics; do
        [ "$(count "$2" jdk.$e)" -gt 0 ] || wrong "no jdk.$e"
    done
    between 'shares of processors' "$(query "$2" CPULoad '[.[] | select(.jvmUser >= 0 and .jvmUser + .jvmSystem <= .machineTotal + 0.001 and .machineTotal <= 1)] | length')" 1 1000
    between 'loads of threads' "$(query "$2" ThreadCPULoad '[.[] | select(.eventThread.osThreadId > 0 and .user > 0 and .user <= 1)] | length')" 1 1000
    [ "$(query "$2" JVMInformation '.[0].javaArguments')" = 'Waits 10 --token [redacted]' ] ||
        wrong "java arguments: $(query "$2" JVMInformation '.[0].javaArguments')"
    query "$2" JVMInformation '.[0].jvmArguments' | grep -qF -- '-Dmy.password=[redacted]' || wrong 'no jvm arguments'
    query "$2" JVMInformation '.[0].jvmVersion' | grep -qE 'VM \(.* for linux-[a-z0-9_]+ JRE \(' || wrong 'no version'
    [ "$(query "$2" InitialSystemProperty '.[] | select(.key == "my.plain").value')" = visible ] || wrong 'no property'
    [ "$(query "$2" InitialSystemProperty '.[] | select(.key == "my.password").value')" = '[redacted]' ] || wrong 'a secret property'
    ! grep -q abracadabra "$2" || wrong 'a secret is in the file'
    between threads "$(query "$2" JavaThreadStatistics '.[-1] | select(.peakCount >= .activeCount and .accumulatedCount >= .activeCount) | .activeCount')" 2 100
    between classes "$(query "$2" ClassLoadingStatistics '.[-1].loadedClassCount')" 300 100000
    between 'settings in force' "$(query "$2" ActiveSetting '[.[] | select(.name == "threshold" and .value == "10 ms")] | length')" 1 100
}

# --- other tools ---

readers() { # FILE VIEW...: beside those that every recording has
    local file=$1 home said version view
    mapfile -t homes < <(jdks)
    for home in "${homes[@]}"; do
        [ -x "$home/bin/jfr" ] || continue
        version=$(release "$home")
        jfr "$home" print "$file" >"$work/print" 2>"$work/said" || wrong "jfr print of $version fails"
        [ ! -s "$work/said" ] || wrong "jfr print of $version: $(head -1 "$work/said")"
        jfr "$home" summary "$file" >"$work/summary" 2>&1 || wrong "jfr summary of $version fails"
        [ "$(grep -c '^jdk\.ThreadPark {' "$work/print")" = "$(awk '$1 == "jdk.ThreadPark" { print $2 }' "$work/summary")" ] ||
            wrong "jfr of $version counts differently"
        [ "$version" -ge 21 ] || continue
        views "$home" "$file" "$work/views" || wrong "jfr view of $version fails"
        for view in gc gc-pauses $2 contention-by-site contention-by-thread thread-cpu-load \
            system-properties environment-variables jvm-information active-settings active-recordings \
            thread-start exception-by-type exception-count hot-methods native-libraries system-processes; do
            said=$(cat "$work/views/$view" 2>&1)
            [ -n "$said" ] || wrong "$version has no view $view"
            ! grep -qiE "$complaint" <<<"$said" ||
                wrong "jfr view $view of $version: $(grep -iE "$complaint" <<<"$said" | head -1)"
        done
        grep -q 'my\.plain *visible' "$work/views/system-properties" || wrong "$version: no property in view"
        grep -qE 'Waits\$Boom +[0-9]' "$work/views/exception-by-type" || wrong "$version: no Boom in view"
        grep -q 'Old Garbage Collection' "$work/views/gc" || wrong "$version: no collection in view"
    done
}

mission_control() { # FILE
    local said

    said=$(test-data/interop/jmc.sh "$1" 2>&1)
    case $said in
    skip*) skip 'Mission Control' "${said#*: }"; return ;;
    ok*) ;;
    *) wrong "$said" ;;
    esac
    verdict 'Mission Control opens it without a warning'
}

all_events() { # HOME VERSION
    last=$work/all-$2.jfr
    single_events "$1" "$last"
    verdict "events whose number is known, JDK $2"
    periodic_events "$1" "$last"
    verdict "periodic events, JDK $2"
    readers "$last" "$([ "$2" -lt 11 ] || echo allocation-by-class)"
    verdict "jfr of all JDKs reads what was recorded on $2"
}

last=
each_jdk all_events
[ -z "$last" ] || mission_control "$last"
exit $failed
