#!/bin/bash
# What a context costs, in nanoseconds, on each JDK: with a recording, with interval events off, and
# without the recorder; beside an empty native call and an event of the JDK's own recorder.
set -u
. test-data/workload/lib.sh

[ -e "$agent" ] || { echo "skip what a context costs: no agent"; exit 0; }
jar=$(realpath "$B/jfrkit.jar")
mkdir -p "$work/classes"

cost() { # cost NAME: of the last run
    awk -v n="$1" '$1 == n { print $2 }' "$work/cost"
}

printf '\n%-10s %-26s %10s %10s %10s %10s %10s\n' JDK context native open+close new-text absent jdk-event
for home in $(jdks); do
    "$home/bin/javac" -nowarn -cp "$jar" -d "$work/classes" test-data/workload/ContextCost.java || exit 1
    "$home/bin/java" -cp "$work/classes:$jar" ContextCost >"$work/cost" 2>/dev/null
    absent=$(cost open-close-3-cached)
    event=-
    if "$home/bin/javac" -nowarn -d "$work/classes" test-data/workload/EventCost.java 2>/dev/null; then
        "$home/bin/java" "-XX:StartFlightRecording:filename=$work/e.jfr" -cp "$work/classes" EventCost \
            >"$work/cost" 2>/dev/null
        event=$(cost jdk-event)
    fi
    for emit in used never; do
        "$home/bin/java" "-agentpath:$agent=file=$work/c.jfr,+jfrkit.Cost#emit=$emit,quiet" \
            -cp "$work/classes:$jar" ContextCost >"$work/cost" 2>/dev/null
        printf '%-10s %-26s %10s %10s %10s %10s %10s\n' "$(release "$home")" "interval events: $emit" \
            "$(cost native-call)" "$(cost open-close-3-cached)" \
            "$(awk -v a="$(cost open-close-never-seen)" -v b="$(cost text)" 'BEGIN { printf "%.1f", a - b }')" \
            "$absent" "$event"
    done
done
echo "goals: open+close 30, new-text 200, absent 2"
