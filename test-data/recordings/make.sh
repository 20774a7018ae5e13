#!/bin/bash
# Makes the recordings of this folder: test-data/recordings/make.sh [NAME...]. They are checked in, so
# this is needed only for a new kind; answers.sh then writes what the JDK's tools say of them.
#
#   jdk17, jdk25              the JDK's recorder: every kind of field, value and text
#   jdk17-server, ...         a file server on three chunks: samples, allocations, locks, files
#   async-profiler-jdk17, ... async-profiler 4.5 from Maven Central: CPU time, allocations, locks; on 25 the wall clock
#   jfrkit-jdk17, ...         our recorder: contexts on files and samples, scopes that stay open
#   killed-...                what a recorder leaves in its file when its process is killed
#   cut-...                   the first part of one of the above, and one with bytes overwritten
#
# They are made in an empty environment under /tmp, and without events that list processes, environment
# variables and system properties: of the machine they hold its processor and its system's version alone.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tools/test/jdk_lib.sh
B=$(realpath "${B:-build}")
out=$PWD/test-data/recordings
profiler=4.5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wanted=("$@")

wants() { # wants NAME
    [ ${#wanted[@]} = 0 ] || [[ " ${wanted[*]} " == *" $1 "* ]]
}

keep() { # keep NAME FILE
    gzip -9nc "$2" >"$out/$1.jfr.gz"
    echo "$1: $(stat -c %s "$2") bytes, $(stat -c %s "$out/$1.jfr.gz") compressed"
}

start() { # start HOME ARGUMENT...: a JVM in an empty environment, in the background; $pid is its number
    env -i -C "$work" PATH=/usr/bin:/bin LC_ALL=C.UTF-8 HOME=/nonexistent "$1/bin/java" "${@:2}" >"$work/log" 2>&1 &
    pid=$!
}

java() { # java HOME ARGUMENT...: the same, and waits for its end
    start "$@"
    wait $pid || cat "$work/log"
}

# settings HOME: profile.jfc, without the events that describe the machine
settings() {
    local e quiet=()

    for e in SystemProcess InitialEnvironmentVariable InitialSystemProperty NetworkUtilization \
        InitialSecurityProperty NativeLibrary ModuleExport ModuleRequire; do
        ! grep -q "\"jdk.$e\"" "$1/lib/jfr/profile.jfc" || quiet+=("jdk.$e#enabled=false")
    done
    "$1/bin/jfr" configure --input "$1/lib/jfr/profile.jfc" --output "$work/own.jfc" "${quiet[@]}" >"$work/log"
}

of_jdk() { # of_jdk RELEASE
    local home=$(jdk_home "$1")

    settings "$home"
    if wants "jdk$1"; then
        java "$home" "-XX:StartFlightRecording:filename=$work/x.jfr,settings=$work/own.jfc" -Xlog:disable \
            -cp "$work/classes" Events
        keep "jdk$1" "$work/x.jfr"
    fi
    if wants "jdk$1-server"; then
        start "$home" "-XX:StartFlightRecording:filename=$work/x.jfr,settings=$work/own.jfc" -Xlog:disable \
            -cp "$work/classes" FileServer 5 3
        for _ in 1 2; do # a chunk ends with each copy
            sleep 2
            "$home/bin/jcmd" $pid JFR.dump "filename=$work/copy.jfr" >"$work/log.dump" || cat "$work/log.dump"
        done
        wait $pid
        keep "jdk$1-server" "$work/x.jfr"
    fi
}

of_async_profiler() { # of_async_profiler RELEASE EVENTS
    local name=async-profiler-jdk$1 jar=$work/async-profiler.jar

    wants "$name" || return 0
    [ -e "$jar" ] || {
        curl -fsS -o "$jar" \
            "https://repo.maven.apache.org/maven2/tools/profiler/async-profiler/$profiler/async-profiler-$profiler.jar"
        unzip -qo "$jar" 'linux-x64/*' -d "$work/profiler"
    }
    java "$(jdk_home "$1")" "-agentpath:$work/profiler/linux-x64/libasyncProfiler.so=start,$2,jfr,file=$work/x.jfr" \
        -cp "$work/classes" FileServer 3 3
    keep "$name" "$work/x.jfr"
}

ours=settings=none,cpu=5ms,context=tracer-context:user\;action\;file\;trace
for e in FileRead ExecutionSample; do
    ours+=",+jdk.$e#enabled=true,+jdk.$e#withContext=true"
done
ours+=,+jdk.FileRead#threshold=0ns

of_jfrkit() { # of_jfrkit RELEASE
    local name=jfrkit-jdk$1

    wants "$name" || return 0
    java "$(jdk_home "$1")" "-agentpath:$work/libjfrkit.so=file=$work/x.jfr,$ours,chunktime=1s" \
        -cp "$work/classes:$work/jfrkit.jar" Contexts open "$work/files" 3
    keep "$name" "$work/x.jfr"
}

# killed NAME HOME OPTION...: what lies there when the process is killed after a while
killed() {
    local name=$1

    wants "killed-$name" || return 0
    shift
    start "$@" -cp "$work/classes:$work/jfrkit.jar" FileServer 60 3
    sleep 5
    kill -9 $pid
    wait $pid 2>/dev/null || true
    keep "killed-$name" "$(ls -S "$work"/killed/*/*.jfr "$work"/killed.jfr 2>/dev/null | head -1)"
    rm -rf "$work/killed" "$work/killed.jfr"
}

damaged() {
    local whole=$out/jdk25.jfr.gz

    wants cut-jdk25 || return 0
    gzip -dc "$whole" >"$work/whole.jfr"
    head -c $(($(stat -c %s "$work/whole.jfr") * 3 / 5)) "$work/whole.jfr" >"$work/x.jfr"
    keep cut-jdk25 "$work/x.jfr"
    # text in the place of events
    head -c 3000 /usr/share/common-licenses/GPL-3 | tr '[:alpha:]' x |
        dd of="$work/whole.jfr" bs=1 seek=$(($(stat -c %s "$work/whole.jfr") / 2)) conv=notrunc 2>"$work/log"
    keep cut-overwritten "$work/whole.jfr"
}

for n in 17 25; do
    [ -n "$(jdk_home $n)" ] || { echo "make.sh: no JDK $n" >&2; exit 1; }
done
home=$(jdk_home 17)
javac "$home" -nowarn --release 11 -cp "$B/jfrkit.jar" -d "$work/classes" \
    test-data/workload/{Events,FileServer,Contexts}.java
cp "$B/libjfrkit.so" "$B/jfrkit.jar" "$work" # under a path that says nothing
of_jdk 17
of_jdk 25
of_jfrkit 17
of_jfrkit 25
of_async_profiler 17 event=cpu,alloc=64k,lock=1ms
of_async_profiler 25 event=cpu,wall=20ms,alloc=64k,lock=1ms
settings "$(jdk_home 25)"
killed jdk25 "$(jdk_home 25)" "-XX:StartFlightRecording:settings=$work/own.jfc" -Xlog:disable \
    "-XX:FlightRecorderOptions:repository=$work/killed"
killed jfrkit "$home" "-agentpath:$work/libjfrkit.so=file=$work/killed.jfr,$ours"
damaged
du -cb "$out"/*.gz | tail -1
