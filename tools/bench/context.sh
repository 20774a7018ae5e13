#!/bin/bash
# What a context costs, in nanoseconds, on each JDK: with a recording, with interval events off, and
# without the recorder; beside an empty native call, a look at the clock (System.nanoTime, which an
# interval event needs) and an event of the JDK's own recorder. And what a
# read costs that is too short for an event, beside the same without the recorder: the least of rounds
# that take turns.
set -u
. test-data/workload/lib.sh

[ -e "$agent" ] || { echo "skip what a context costs: no agent"; exit 0; }
jar=$(realpath "$B/jfrkit.jar")
mkdir -p "$work/classes"

cost() { # cost NAME: of the last run
    awk -v n="$1" '$1 == n { print $2 }' "$work/cost"
}

printf '\n%-10s %-22s %10s %7s %10s %10s %7s %10s\n' JDK context native clock open+close new-text absent jdk-event
mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
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
        printf '%-10s %-22s %10s %7s %10s %10s %7s %10s\n' "$(release "$home")" "interval events: $emit" \
            "$(cost native-call)" "$(cost clock)" "$(cost open-close-3-cached)" \
            "$(awk -v a="$(cost open-close-never-seen)" -v b="$(cost text)" 'BEGIN { printf "%.1f", a - b }')" \
            "$absent" "$event"
    done
done
echo "goals: open+close 30 (and a look at the clock, when scopes have interval events), new-text 200, absent 2"

# io FILE [OPTION-OF-JAVA]: keeps the least of each
io() {
    "$home/bin/java" ${2:+"$2"} -cp "$work/classes" IoCost >>"$1" 2>/dev/null
}

least() { # least NAME FILE
    awk -v n="$1" '$1 == n && (least == 0 || $2 < least) { least = $2 } END { print least }' "$2"
}

printf '\n%-10s %-10s %10s %10s %10s\n' JDK 'a read' alone hooked hook
mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    "$home/bin/javac" -nowarn -d "$work/classes" test-data/workload/IoCost.java || exit 1
    rm -f "$work"/{alone,hooked}
    for _ in 1 2 3 4; do
        io "$work/alone"
        io "$work/hooked" "-agentpath:$agent=file=$work/c.jfr,settings=none,+jdk.FileRead#enabled=true,+jdk.FileRead#threshold=1s,quiet"
    done
    for how in stream channel; do
        alone=$(least $how "$work/alone") hooked=$(least $how "$work/hooked")
        printf '%-10s %-10s %10s %10s %10s\n' "$(release "$home")" $how "$alone" "$hooked" \
            "$(awk -v a="$hooked" -v b="$alone" 'BEGIN { printf "%.1f", a - b }')"
    done
done
echo "goal: hook 60"

# Hand-over of a task, all threads on one processor: without the recorder, with it and no context, and with a user in the
# MDC. A process may run at a lower speed from its begin to its end, so the least of some that take turns counts.
processor=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
jars sources org.apache.logging.log4j:log4j-core:2.24.3 org.jboss.logmanager:jboss-logmanager:2.1.19.Final \
    ch.qos.logback:logback-classic:1.3.15 org.slf4j:slf4j-api:2.0.17 io.opentelemetry:opentelemetry-sdk-trace:1.67.0 ||
    { echo "skip what handing a task over costs: $why"; exit 0; }
printf '\n%-10s %-22s %10s %18s %10s %10s\n' JDK 'a task, ns' execute 'ForkJoin execute' fork MDC.put
hows=(alone 'no context' notasks context)

by_turns() { # by_turns PROGRAM [COMMAND...]: runs it by COMMAND in each of these ways by turns; $work/task-HOW has what it prints
    local program=$1 how options user

    shift
    "$home/bin/javac" -nowarn -cp "$jars/*" -d "$work/classes" "test-data/workload/$program.java" || exit 1
    rm -f "$work"/task-*
    for _ in 1 2 3; do
        for how in "${hows[@]}"; do
            options=("-agentpath:$agent=file=$work/c.jfr,settings=none,quiet") user=(alice)
            case $how in
            alone) options=() ;;
            'no context') user=() ;;
            notasks) options=("${options[0]},contextsource=notasks") ;;
            esac
            "$@" "$home/bin/java" "${options[@]}" -cp "$work/classes:$jars/*" "$program" "${user[@]}" >>"$work/task-$how" 2>/dev/null
        done
    done
}

for home in "${homes[@]}"; do
    by_turns TaskCost taskset -c "$processor"
    for how in "${hows[@]}"; do
        printf '%-10s %-22s' "$(release "$home")" "$how"
        printf ' %10s %18s %10s %10s\n' $(for what in execute fork-join-execute fork mdc-put; do least $what "$work/task-$how"; done)
    done
done
echo "goals: hand-over 100 over alone, MDC.put 60, no context 5"

# The least that finding a context by its task can cost, whatever the recorder does: see TaskFloor.
printf '\n%-10s %10s %10s %10s %10s %10s\n' 'a task, ns' plain hash table ring wrapper
for home in "${homes[@]}"; do
    "$home/bin/javac" -nowarn -d "$work/classes" test-data/workload/TaskFloor.java || exit 1
    "$home/bin/java" -cp "$work/classes" TaskFloor >"$work/cost" 2>/dev/null
    printf '%-10s %10s %10s %10s %10s %10s\n' "$(release "$home")" "$(cost plain)" "$(cost hash)" "$(cost table)" \
        "$(cost ring)" "$(cost wrapper)"
done

# A span is made current and its scope closed: without the recorder, and with it. The least of some processes again.
printf '\n%-10s %-10s %14s %14s\n' JDK 'a span, ns' 'known trace' 'new trace'
for home in "${homes[@]}"; do
    "$home/bin/javac" -nowarn -cp "$jars/*" -d "$work/classes" test-data/workload/SpanCost.java || exit 1
    rm -f "$work"/span-*
    for _ in 1 2 3; do
        "$home/bin/java" -cp "$work/classes:$jars/*" SpanCost wait >>"$work/span-alone" 2>/dev/null
        "$home/bin/java" "-agentpath:$agent=file=$work/c.jfr,settings=none,quiet" -cp "$work/classes:$jars/*" SpanCost wait \
            >>"$work/span-hooked" 2>/dev/null
    done
    for how in alone hooked; do
        printf '%-10s %-10s %14s %14s\n' "$(release "$home")" $how "$(least span-known "$work/span-$how")" \
            "$(least span-new "$work/span-$how")"
    done
done
echo "goals over alone: known 100, new 200"

# A value reaches a subscriber of Reactor, emitted by a thread without a context.
jars signals ch.qos.logback:logback-classic:1.3.15 org.slf4j:slf4j-api:2.0.17 io.projectreactor:reactor-core:3.7.12 ||
    { echo "skip what a signal costs: $why"; exit 0; }
printf '\n%-12s %8s %14s %10s %10s\n' 'a signal, ns' alone 'no context' notasks context
for home in "${homes[@]}"; do
    by_turns SignalCost
    printf '%-12s %8s %14s %10s %10s\n' "$(release "$home")" $(for how in "${hows[@]}"; do least signal "$work/task-$how"; done)
done
