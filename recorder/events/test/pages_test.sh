#!/bin/bash
# What was recorded with our default and profile settings fills the pages of Mission Control, no rule of
# it fails; and every view of `jfr view` that asks for events which we wrote has rows.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh
. recorder/test/events_lib.sh

# Types that pages are made of and that the workload causes with any settings.
pages=(ExecutionSample ObjectAllocationSample CPULoad ThreadCPULoad PhysicalMemory GarbageCollection GCHeapSummary
    GCPhasePause ThreadPark ThreadSleep JavaMonitorEnter ClassLoadingStatistics ThreadStart ThreadEnd JVMInformation
    OSInformation CPUInformation InitialSystemProperty NativeLibrary ActiveRecording ActiveSetting)

mission_control() { # mission_control NAME FILE TYPE...: its pages have events of these types
    local said type wanted=() name=$1 file=$2

    shift 2
    for type; do wanted+=(--count "$type"); done
    said=$(test-data/interop/jmc.sh "${wanted[@]}" "$file" 2>&1)
    case $said in
    skip*) skip "Mission Control, $name" "${said#*: }"; return ;;
    ok*) ;;
    *) wrong "$said" ;;
    esac
    for type; do
        grep -qE "${type//./\\.} [1-9]" <<<"$said" || wrong "pages have no $type"
    done
    verdict "Mission Control's pages and rules, $name"
}

all_views() { # all_views NAME FILE
    local jdk view event said n=0

    jdk=$(jdks | tail -1)
    if [ "$(release "$jdk")" -lt 21 ]; then
        skip "views of jfr, $1" 'no JDK that has them'
        return
    fi
    views "$jdk" "$2" "$work/views" || wrong 'jfr view fails'
    while read -r view event; do
        [ "$(count "$2" "jdk.$event")" -gt 0 ] || continue
        said=$(cat "$work/views/$view" 2>&1)
        ! grep -q 'Missing event found' <<<"$said" || continue # it wants types, too, that we do not make
        n=$((n + 1))
        [ "$(grep -c . <<<"$said")" -gt 2 ] && ! grep -qiE "$complaint" <<<"$said" ||
            wrong "jfr view $view has no rows, though there is jdk.$event"
    done < <(view_events "$jdk")
    [ $n -ge 25 ] || wrong "only $n views are about events that we write"
    verdict "$n views of jfr, $1"
}

recorded() { # HOME VERSION
    local settings file more

    # files are not: the workload writes to a pipe alone, which has no path
    for settings in default profile; do
        file=$work/$settings.jfr
        more=
        # what costs too much to be on by itself
        [ $settings = default ] || more=,jdk.ClassLoad#enabled=true,jdk.InitialEnvironmentVariable#enabled=true,jdk.SystemProcess#enabled=true
        program "$1" "$file" "settings=$settings$more,jdk.ThreadPark#threshold=10ms,jdk.ThreadSleep#threshold=10ms,jdk.JavaMonitorEnter#threshold=10ms,jdk.FileWrite#enabled=false,quiet=true" Waits 5
        is_whole "$file"
        mission_control "$settings settings, JDK $2" "$file" "${pages[@]/#/jdk.}"
    done
    all_views "JDK $2" "$file"
}

# Recordings of one thing alone, whose files declare few types.
alone() { # HOME VERSION
    program "$1" "$work/wall.jfr" settings=none,wall=20ms,quiet=true Waits 5
    is_whole "$work/wall.jfr"
    mission_control "wall-clock time alone, JDK $2" "$work/wall.jfr" profiler.WallClockSample
    workload || { wrong "$why"; return; }
    mkdir -p "$work/files"
    program "$1" "$work/io.jfr" settings=none,+jdk.FileRead#enabled=true,+jdk.FileRead#threshold=0ns,+jdk.FileWrite#enabled=true,+jdk.FileWrite#threshold=0ns,+jdk.SocketRead#enabled=true,+jdk.SocketRead#threshold=0ns,quiet=true FileIO "$work/files"
    is_whole "$work/io.jfr"
    mission_control "files and sockets alone, JDK $2" "$work/io.jfr" jdk.FileRead jdk.FileWrite jdk.SocketRead
}

each_jdk recorded
each_jdk alone
exit $failed
