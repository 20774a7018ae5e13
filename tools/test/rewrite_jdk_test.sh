#!/bin/bash
# jfrcut and jfrcat beside the JDK's tool: it shows the same before and after, and what it cuts out
# or puts together is what they do. SOAK=1: of recordings of others too.
set -u
. "$(dirname "$0")/rewrite_lib.sh"

# record HOME NAME: a recording of a JVM with several chunks
record() {
    cat >"$work/Load.java" <<'END'
public class Load {
    static class Named extends jdk.jfr.Event {
        @jdk.jfr.Label("Who") String who;
        @jdk.jfr.Timespan("NANOSECONDS") long took;
    }
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 40; i++) {
            Named e = new Named();
            e.begin();
            Thread t = new Thread(() -> new StringBuilder("x".repeat(100000)).reverse(), "worker-" + i % 3);
            t.start();
            t.join();
            e.who = i % 2 == 0 ? "user" + i : null;
            e.took = i;
            e.commit();
            if (i == 20) {
                try (jdk.jfr.Recording r = new jdk.jfr.Recording()) { /* begins and ends a chunk */
                    r.enable("jdk.JavaMonitorEnter");
                    r.start();
                    r.stop();
                }
            }
            System.gc();
        }
    }
}
END
    fresh_recording "$1" "$work/$2.jfr" "$work/Load.java" a-token >/dev/null 2>&1
}

# pieces FILE: one file for each chunk, as $work/piece_N.jfr. The JDK's tool mistakes chunks with
# several clocks, so it is asked about one at a time.
pieces() {
    rm -f "$work"/piece_*.jfr
    "$B/jfrcut" -q --split 1 -o "$work/piece.jfr" "$1"
}

# json_same WANT GOT: as JDK 25 prints them; of the first jfr2json prints the same bytes
json_same() {
    "$B/jfr2json" -q --compat 25 --stack-depth 5 "$1" >"$work/a.json" 2>/dev/null
    timeout 300 "$jfr25" print --json "$2" >"$work/b.json" 2>"$work/err" ||
        { wrong "$1: $(head -1 "$work/err")"; return; }
    "$B/bench/jsoncmp" "$work/a.json" "$work/b.json" >"$work/said" 2>&1 ||
        wrong "$(basename "$1"): $(head -3 "$work/said")"
    grep -q '^ *"type": "[^"]*", *$' "$work/b.json" || wrong "$1: no events"
}

prints_the_same() {
    local f p n=0

    for f in "$work"/jvm*.jfr $(own_recordings jdk25-server) $(own_recordings 'async-profiler-*') \
        $(own_recordings jfrkit-jdk17) ${SOAK:+$(sample | grep -E '/(jdk|async-profiler)/[^/]*\.jfr$')}; do
        pieces "$f"
        for p in "$work"/piece_*.jfr; do
            "$B/jfrcut" -o "$work/cut.jfr" "$p" || wrong "$f: exit code $?"
            json_same "$p" "$work/cut.jfr"
            n=$((n + 1))
        done
    done
    [ $n -gt 0 ] || wrong 'no recording'
    verdict "JDK 25 prints $n chunks alike before and after"
}

describes_the_same() {
    local f j t

    for f in "$work"/jvm*.jfr; do
        "$B/jfrcut" -o "$work/cut.jfr" "$f"
        j=$jfr25
        [ "$(basename "$f")" != jvm17.jfr ] || j=$jfr17
        "$j" metadata "$f" >"$work/a" && "$j" metadata "$work/cut.jfr" >"$work/b" || wrong "$f: $j metadata"
        diff "$work/a" "$work/b" >>"$work/why" 2>&1
        for t in "a $f" "b $work/cut.jfr"; do
            "$j" summary "${t#* }" | awk '/^=/ { rows = 1; next } rows && !/jdk.(Metadata|Check[Pp]oint)/ { print $1, $2 }' |
                sort >"$work/${t%% *}"
        done
        diff "$work/a" "$work/b" >>"$work/why" 2>&1
        [ -s "$work/b" ] || wrong "$j summary: no rows"
    done
    # Chunk by chunk: times of later chunks are off in `jfr view` by what the clock's declared rate is
    # off. jfrcut's clock is exact, so a time could be shown as that of the next second.
    pieces "$f" # the last one is that of JDK 25
    for f in "$work"/piece_*.jfr; do
        "$B/jfrcut" -o "$work/cut.jfr" "$f"
        for t in gc gc-pauses jdk.GarbageCollection active-settings; do
            "$jfr25" view "$t" "$f" | sed 1,5d >"$work/a" && "$jfr25" view "$t" "$work/cut.jfr" |
                sed 1,5d >"$work/b" || wrong "$f: view $t"
            diff "$work/a" "$work/b" >>"$work/why" 2>&1
        done
        [ -s "$work/b" ] || wrong "$f: no active settings"
    done
    verdict 'metadata, summary and views stay the same'
}

# scrubbed NAME ARGS-OF-JFR -- ARGS-OF-JFRCUT
scrubbed() {
    local name=$1 theirs=()

    shift
    while [ "$1" != -- ]; do
        theirs+=("$1")
        shift
    done
    shift
    rm -f "$work/theirs.jfr"
    "$jfr25" scrub "${theirs[@]}" "$work/jvm25.jfr" "$work/theirs.jfr" >/dev/null || wrong "$name: jfr scrub"
    "$B/jfrcut" "$@" -o "$work/ours.jfr" "$work/jvm25.jfr" || wrong "$name: exit code $?"
    same "$work/theirs.jfr" "$work/ours.jfr"
    [ "$(stat -c %s "$work/ours.jfr")" -le "$(stat -c %s "$work/theirs.jfr")" ] || wrong "$name: larger"
}

scrubs_alike() {
    scrubbed types --include-events jdk.ExecutionSample,GarbageCollection -- -e jdk.ExecutionSample,GarbageCollection
    scrubbed no-types --exclude-events InitialSystemProperty,jdk.GC\* -- -E InitialSystemProperty,jdk.GC\*
    scrubbed category --include-categories GC -- --category GC
    # The JDK's tool looks for threads in eventThread only.
    others=ExecutionSample,NativeMethodSample,ThreadAllocationStatistics
    scrubbed threads --exclude-events $others --exclude-threads 'worker-*' -- -E $others -T 'worker-*'
    verdict 'keeps what jfr scrub keeps, in no more bytes'
}

scrubs_secrets() {
    "$B/jfrcut" --scrub -o "$work/cut.jfr" "$work/jvm25.jfr" || wrong "exit code $?"
    "$jfr25" print --json "$work/cut.jfr" >"$work/b.json" || wrong 'print'
    jq -r '.recording.events[] | select(.type | test("InitialSystemProperty|InitialEnvironmentVariable|JVMInformation|SystemProcess"))
        | [.type, .values.value, .values.jvmArguments, .values.jvmFlags, .values.javaArguments, .values.commandLine]
        | join("")' "$work/b.json" | sort | uniq -c >"$work/left"
    ! grep -vE '^ *[0-9]+ jdk\.(InitialEnvironmentVariable|JVMInformation|SystemProcess)$' "$work/left" >>"$work/why"
    grep -q JVMInformation "$work/left" || wrong 'JVMInformation is gone'
    grep -qaF a-token "$work/jvm25.jfr" || wrong 'no command line to remove'
    ! grep -qaF a-token "$work/cut.jfr" || wrong 'the command line is still in the bytes'
    "$B/jfrcut" -E InitialSystemProperty -o "$work/rest.jfr" "$work/jvm25.jfr"
    [ "$("$B/jfrsummary" --json "$work/rest.jfr" | jq .events)" = "$("$B/jfrsummary" --json "$work/cut.jfr" | jq .events)" ] ||
        wrong 'other events are gone too'
    verdict 'secrets are gone, also from the bytes'
}

puts_together_alike() {
    mkdir -p "$work/dir" "$work/repository"
    "$jfr25" disassemble --output "$work/dir" --max-chunks 1 "$work/jvm25.jfr" >/dev/null || wrong disassemble
    pieces "$work/jvm25.jfr"
    for p in "$work"/dir/*.jfr; do
        cmp "$p" "$work/piece_${p##*_}" >>"$work/why" 2>&1
    done
    cp "$work"/dir/*.jfr "$work/repository"
    "$jfr25" assemble "$work/repository" "$work/assembled.jfr" >/dev/null || wrong assemble
    "$B/jfrcat" -o "$work/cat.jfr" "$work"/dir/*.jfr || wrong "exit code $?"
    same "$work/assembled.jfr" "$work/cat.jfr"
    verdict 'parts as jfr disassemble makes them, put together as jfr assemble does'
}

# some_events FILE: those that a JVM of any version has
some_events() {
    "$jfr25" print --json --stack-depth 64 --events \
        jdk.ExecutionSample,Load\$Named,jdk.GarbageCollection,jdk.ThreadStart "$1" || wrong "print $1"
}

# Two JVMs in one file: the JDK's tool shows each event as in a file of its own chunk.
merges() {
    local f p

    "$B/jfrcat" -o "$work/cat.jfr" "$work/jvm17.jfr" "$work/jvm25.jfr" || wrong "exit code $?"
    some_events "$work/cat.jfr" | jq . >"$work/cat.json" # strings escaped as jq does
    for f in jvm17 jvm25; do
        pieces "$work/$f.jfr"
        for p in "$work"/piece_*.jfr; do
            some_events "$p"
        done
    done | jq -s '{recording: {events: map(.recording.events) | add}}' >"$work/both.json"
    "$B/bench/jsoncmp" "$work/both.json" "$work/cat.json" >"$work/said" 2>&1 || wrong "$(head -5 "$work/said")"
    "$jfr17" summary "$work/cat.jfr" >/dev/null && "$jfr17" print "$work/cat.jfr" >/dev/null || wrong 'JDK 17'
    verdict 'two JVMs of different versions in one file'
}

opens_in_mission_control() {
    local said

    "$B/jfrcut" -o "$work/cut25.jfr" "$work/jvm25.jfr"
    "$B/jfrcut" -e ExecutionSample -o "$work/few.jfr" "$work/jvm17.jfr"
    "$B/jfrcat" -o "$work/cat.jfr" "$work/jvm25.jfr" "$work/piece_0.jfr"
    said=$(test-data/interop/jmc.sh --allow virtual "$work"/{cut25,few,cat}.jfr 2>&1)
    grep '^skip ' <<<"$said" && return
    ! grep -v '^ok ' <<<"$said" >>"$work/why"
    verdict 'Mission Control opens what comes out'
}

find_jdks
[ -n "$jfr25" ] || { echo "skip the JDK's tool: no JDK 25"; exit 0; }
record "${java25%/bin/java}" jvm25
[ -z "$jfr17" ] || record "${java17%/bin/java}" jvm17
prints_the_same
describes_the_same
scrubs_alike
scrubs_secrets
puts_together_alike
[ -z "$jfr17" ] || merges
opens_in_mission_control
exit $failed
