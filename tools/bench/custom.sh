#!/bin/bash
# What an event of a program's own costs, in nanoseconds on its thread, on each JDK: three texts and
# the stack, through jfrkit.EventType and through jdk.jfr.Event, and without a recorder.
set -u
. test-data/workload/lib.sh

[ -e "$agent" ] || { echo "skip what an event of one's own costs: no agent"; exit 0; }
jar=$(realpath "$B/jfrkit.jar")
mkdir -p "$work/classes"

cost() { # cost NAME: of the last run
    awk -v n="$1" '$1 == n { print $2 }' "$work/cost"
}

printf '\n%-10s %12s %16s %12s %10s\n' JDK own-event without-stack jdk-event absent
mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    "$home/bin/javac" -nowarn -cp "$jar" -d "$work/classes" test-data/workload/CustomEvents.java \
        test-data/workload/EventCost.java 2>"$work/log" || { echo "skip JDK $(release "$home"): $(head -1 "$work/log")"; continue; }
    own() { # own OPTIONS
        "$home/bin/java" ${1:+"-agentpath:$agent=file=$work/c.jfr,settings=none,buffer=64m,quiet,$1"} \
            -cp "$work/classes:$jar" CustomEvents cost >"$work/cost" 2>/dev/null
    }
    own +test.Request#stackTrace=true
    with=$(cost own-event)
    own +test.Request#stackTrace=false
    without=$(cost own-event)
    own ''
    absent=$(cost no-event)
    "$home/bin/java" "-XX:StartFlightRecording:filename=$work/e.jfr" -cp "$work/classes" EventCost \
        >"$work/cost" 2>/dev/null
    printf '%-10s %12s %16s %12s %10s\n' "$(release "$home")" "$with" "$without" "$(cost jdk-event)" "$absent"
done
