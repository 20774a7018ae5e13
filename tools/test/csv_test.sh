#!/bin/bash
# Cells of jfr2csv, and markers of jfr2firefox, against the same values of jfr2json: what lies in constants and structures,
# names in place of threads and classes, nothing in place of null.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/sample_lib.sh
command -v jq >/dev/null || { echo 'skip cells: no jq'; exit 0; }

# cells TYPE PATH=JQ...: the columns PATH of all events of a type are what JQ makes of them.
cells() {
    local type=$1 paths= filter= pair

    shift
    for pair; do
        paths+=,${pair%%=*}
        filter+=", (${pair#*=})"
    done
    "$B/jfr2json" -l ndjson -e "$type" "$recording" | jq -r "[.values | ${filter#, }] | @csv" | tr -d '"' >"$work/want"
    "$B/jfr2csv" -e "$type" --fields "${paths#,}" "$recording" | tail -n +2 | tr -d '\r"' >"$work/have"
    [ "$(sort -u "$work/want" | wc -l)" -ge "${least:-2}" ] || wrong "$type: nothing to compare with"
    cmp "$work/want" "$work/have" >/dev/null ||
        wrong "$type ${paths#,}: $(diff "$work/want" "$work/have" | head -3 | tr '\n' ' ')"
}

name='(.javaName // .osName)'
recording=$(own_recordings jdk25-server)
cells jdk.ThreadStart "startTime=.startTime" "thread=.thread | $name" "thread.javaThreadId=.thread.javaThreadId" \
    "thread.group.name=.thread.group.name" "parentThread=.parentThread | $name"
cells jdk.ObjectAllocationSample "weight=.weight" "objectClass=.objectClass.name" "objectClass.modifiers=.objectClass.modifiers" \
    "objectClass.package.name=.objectClass.package.name" "stackTrace.truncated=.stackTrace.truncated" \
    "objectClass.classLoader.type.name=.objectClass.classLoader.type.name"
cells jdk.ExecutionSample "sampledThread=.sampledThread | $name" "state=.state" \
    'stackTrace=[.stackTrace.frames[] | "\(.method.type.name).\(.method.name):\(.lineNumber)" | gsub("/(?!0x)"; ".") | sub(":-1$"; "")] | reverse | join(";")'
least=1 cells jdk.GarbageCollection "gcId=.gcId" "name=.name" "cause=.cause"
least=1 cells jdk.JVMInformation "jvmName=.jvmName" "pid=.pid" "javaArguments=.javaArguments"
verdict 'cells are the values that JSON has'

# A marker has the same fields; structures are their names, or JSON in a string.
recording=$(own_recordings jdk25-server)
"$B/jfr2firefox" -q "$recording" | jq -S -c '[.threads[].markers.data[] | select(.type == "jdk.SocketRead" or .type == "jdk.ClassLoad") |
    {type, host, bytesRead, loadedClass, definingClassLoader}] | sort_by(tostring)' >"$work/have"
"$B/jfr2json" -l ndjson -e jdk.SocketRead,jdk.ClassLoad "$recording" | jq -S -c -n '[inputs | select(.values.duration != "PT0S") | {type} +
    (.values | {host, bytesRead, loadedClass: .loadedClass.name, definingClassLoader: .definingClassLoader.name})] | sort_by(tostring)' >"$work/want"
[ "$(jq length "$work/want")" -ge 10 ] || wrong "$(jq length "$work/want") markers only"
cmp "$work/want" "$work/have" >/dev/null || wrong "$(diff <(jq -c '.[]' "$work/want") <(jq -c '.[]' "$work/have") | head -3 | cut -c1-250)"
verdict 'markers are the values that JSON has'
exit $failed
