#!/bin/bash
# Contexts of ours on events of the JDK's recorder beside us, on every JDK: events that say themselves
# for whom they were recorded, in chunks where threads have other keys than in ours.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh
. recorder/test/events_lib.sh

need jq
if [ ! -e "$agent" ] || [ ! -e "$B/jfrkit.jar" ]; then
    skip "contexts on the JDK's events" 'the agent was not built'
    exit 0
fi
jar=$(realpath "$B/jfrkit.jar")
mkdir -p "$work/classes"

cat >"$work/Turns.java" <<'JAVA'
import jfrkit.*;
/** Works for two users and nobody by turns, until SECONDS after the JDK records: waits 20 ms for
 *  alice, 30 for bob, 10 for nobody, and commits an event that says for whom. */
public class Turns {
    @jdk.jfr.StackTrace(false) static class Mine extends jdk.jfr.Event { String who; }
    static final Object lock = new Object();
    static void work(String who, long millis) throws Exception {
        Mine m = new Mine();
        m.begin();
        synchronized (lock) { lock.wait(millis); }
        m.who = who;
        m.end();
        Thread.sleep(1);
        m.commit();
    }
    static boolean records() {
        return jdk.jfr.FlightRecorder.isInitialized() && new Mine().isEnabled();
    }
    public static void main(String[] args) throws Exception {
        ContextType type = ContextType.of("app", "user");
        long start = System.nanoTime(), until = start + 60_000_000_000L;
        boolean began = false;
        while (System.nanoTime() < until) {
            try (Scope s = type.open("alice")) { work("alice", 20); }
            try (Scope s = type.open("bob")) { work("bob", 30); }
            work("nobody", 10);
            if (!began && records()) {
                began = true;
                until = System.nanoTime() + (long) (Double.parseDouble(args[0]) * 1e9);
            }
        }
        System.out.println("began=" + began + "\ndone=1");
    }
}
JAVA
cat >"$work/two.jfc" <<'JFC'
<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0">
  <event name="jdk.JavaMonitorWait"><setting name="enabled">true</setting><setting name="threshold">0 ms</setting></event>
  <event name="Turns$Mine"><setting name="enabled">true</setting></event>
</configuration>
JFC

# pairs FILE EVENT TRUTH: "for whom / according to the context", of the main thread's, counted; TRUTH
# is a filter
pairs() {
    "$B/jfr2json" -l ndjson -e "$2" --stack-depth 0 "$1" 2>>"$work/wrong" |
        jq -r ".values | select(.eventThread.javaName == \"main\") | \"\\($3) \\(.App_user // \"nobody\")\"" |
        sort | uniq -c
}

# right NAME LEAST: of pairs on standard input all are equal, and each of three kinds is there
right() {
    awk -v name="$1" -v least="$2" '$2 != $3 { print name ": " $1 " of " $2 " are said to be of " $3 }
        $2 == $3 { n[$2] = $1 }
        END { for (i = split("alice bob nobody", who); i > 0; i--)
                  if (n[who[i]] < least) print name ": " n[who[i]] + 0 " of " who[i] }' >>"$work/wrong"
}

by_timeout='{"PT0.02S": "alice", "PT0.03S": "bob", "PT0.01S": "nobody"}[.timeout] // .timeout'
mapfile -t homes < <(runtimes)
for home in "${homes[@]}"; do
    v=$(release "$home")
    has_recorder "$home" || { skip "contexts on the JDK's events, JDK $v" 'it has no jdk.jfr.Configuration to ask'; continue; }
    [ -e "$work/classes/Turns.class" ] ||
        javac "$home" -nowarn -cp "$jar" -d "$work/classes" "$work/Turns.java" 2>"$work/log" ||
        { skip "contexts on the JDK's events, JDK $v" "javac: $(head -1 "$work/log")"; continue; }
    file=$work/turns$v.jfr
    timeout -k 5 300 "$home/bin/java" \
        "-agentpath:$agent=file=$file,settings=none,cpu=off,chunktime=2s,jfrsync=$work/two.jfc" \
        -cp "$work/classes:$jar" Turns 7 >"$work/out" 2>"$work/err" </dev/null || wrong "java: $(tail -3 "$work/err")"
    [ "$(truth began)" = true ] || wrong "the JDK did not record: $(head -3 "$work/err")"
    is_whole "$file"
    "$B/jfrannotate" -o "$work/annotated.jfr" "$file" 2>>"$work/wrong" || wrong 'jfrannotate failed'
    is_whole "$work/annotated.jfr"
    pairs "$work/annotated.jfr" jdk.JavaMonitorWait "$by_timeout" | right 'waits' 20
    pairs "$work/annotated.jfr" 'Turns$Mine' .who | right "the program's events" 20
    # Other commands join them by themselves.
    n=$("$B/jfr2json" -l ndjson -e jdk.JavaMonitorWait -c user=alice --stack-depth 0 "$file" |
        jq -r '.values | select(.eventThread.javaName == "main") | .timeout' | sort | uniq -c)
    awk '$2 != "PT0.02S" || NR > 1 { exit 1 } END { if (NR != 1) exit 1 }' <<<"$n" || wrong "-c user=alice chooses $n"
    verdict "contexts on events that the JDK's recorder has beside us, JDK $v"
done
exit $failed
