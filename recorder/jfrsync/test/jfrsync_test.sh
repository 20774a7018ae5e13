#!/bin/bash
# The JDK's recorder beside ours, on every JDK that has one: one file that all readers take, nothing
# told twice, one clock, contexts on the JDK's events, and what happens when half of it is missing.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh
. recorder/test/events_lib.sh

need jq
if [ ! -e "$agent" ] || [ ! -e "$B/jfrkit.jar" ]; then
    skip 'the JDK recorder beside ours' 'the agent was not built'
    exit 0
fi
jar=$(realpath "$B/jfrkit.jar")
mkdir -p "$work/classes"

cat >"$work/Both.java" <<'JAVA'
import jfrkit.*;
/** Works for SECONDS as alice: allocates, collects, waits, commits an event of the JDK's API. And
 *  until the JDK's recorder has had 60 of those events, if it should, for three minutes at most. */
public class Both {
    static class Mine extends jdk.jfr.Event { int n; }
    static final EventType OURS = EventType.define("both.Ours").stackTrace(false).fields(Field.ofInt("n")).build();
    static Object lock = new Object();
    static byte[][] kept = new byte[64][];
    public static void main(String[] args) throws Exception {
        ContextType user = ContextType.of("app", "user");
        long begin = System.nanoTime(), until = begin + (long) (Double.parseDouble(args[0]) * 1e9);
        boolean wanted = args.length > 1;
        int n = 0, waits = 0, told = 0;
        while (System.nanoTime() < until || wanted && told < 60 && System.nanoTime() < begin + 180_000_000_000L) {
            try (Scope s = user.open("alice")) {
                for (int i = 0; i < 20000; i++)
                    kept[n++ & 63] = new byte[1000];
                synchronized (lock) { lock.wait(25); waits++; }
                Mine m = new Mine();
                m.n = waits;
                if (m.isEnabled() && ++told % 20 == 0)
                    System.out.println("told=" + told);
                long before = System.nanoTime();
                m.commit();
                OURS.begin().set(0, waits).commit();
                System.out.println("pair=" + waits + " " + (System.nanoTime() - before));
                if (waits % 10 == 0) {
                    System.gc();
                    System.out.println("collected=" + waits / 10);
                }
                if (waits == 1)
                    System.out.println("ready=1");
            }
        }
        System.out.println("waits=" + waits + "\ndone=1");
    }
}
JAVA

cat >"$work/Plain.java" <<'JAVA'
public class Plain { public static void main(String[] a) throws Exception { Thread.sleep(1500); System.out.println("done=1"); } }
JAVA

# one that is told by the JDK alone, with stacks and threads
cat >"$work/two.jfc" <<'JFC'
<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0">
  <event name="jdk.JavaMonitorWait"><setting name="enabled">true</setting><setting name="threshold">0 ms</setting></event>
  <event name="jdk.ExecutionSample"><setting name="enabled">true</setting><setting name="period">10 ms</setting></event>
  <event name="jdk.GarbageCollection"><setting name="enabled">true</setting></event>
  <event name="jdk.GCPhasePauseLevel1"><setting name="enabled">true</setting></event>
  <event name="Both$Mine"><setting name="enabled">true</setting></event>
</configuration>
JFC
echo '<configuration version="2.0"><event name="jdk.BooleanFlag"><setting name="enabled">false</setting></event></configuration>' >"$work/less.jfc"
echo '<configuration version="2.0"><event name="jdk.GarbageCollection"><setting' >"$work/broken.jfc"
ours=settings=none,cpu=5ms
for e in GarbageCollection YoungGarbageCollection OldGarbageCollection GCPhasePause; do
    ours+=",+jdk.$e#enabled=true"
done
ours+=,+jfrkit.App#emit=always,buffer=32m

both() { # both OUT OPTIONS SECONDS
    rm -rf "$1" "$1.jdk"
    timeout -k 5 300 "$home/bin/java" ${java_options[@]+"${java_options[@]}"} "-agentpath:$agent=file=$1,$2" \
        -cp "$work/classes:$jar" Both "$3" both \
        >"$work/out" 2>"$work/err" </dev/null || wrong "java: $(tail -3 "$work/err")"
}

start_both() { # start_both OUT OPTIONS SECONDS: in the background; returns when it works
    rm -rf "$1" "$1.jdk"
    "$home/bin/java" ${java_options[@]+"${java_options[@]}"} ${1:+"-agentpath:$agent=file=$1,$2"} \
        -cp "$work/classes:$jar" Both "$3" >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    children+=("$pid")
    wait_for "$work/out" '^ready=1' || give_up "the program did not start: $(tail -3 "$work/err")"
}

# without_jdk SETTINGS WHY: the JDK's half does not begin, which is said once; its collections are
# ours, those of a generation too, with one numbering.
without_jdk() {
    local file=$work/short.jfr ids

    start_both "$file" "$ours,jfrsync=$work/$1" 60
    wait_for "$work/err" 'no events'
    wait_for "$work/out" "^collected=$(($(grep -c '^collected=' "$work/out") + 5))" || wrong 'no collections'
    "$B/jfrec" stop -v "$pid" >"$work/said" 2>&1 || wrong "stop: $(cat "$work/said")"
    kill -9 "$pid"
    wait "$pid" 2>/dev/null
    is_whole "$file"
    [ ! -e "$file.jdk" ] || wrong "$file.jdk is left"
    between 'our samples' "$(count "$file" jdk.ExecutionSample)" 1 100000
    [ "$(grep -cE "no events of the JDK's recorder: .*($2).*; garbage collections are recorded without it" "$work/err")" = 1 ] ||
        wrong "log: $(head -3 "$work/err")"
    [ "$(wc -l <"$work/err")" = 1 ] || wrong "more than one line: $(cat "$work/err")"
    between 'our collections' "$(count "$file" jdk.GarbageCollection)" 3 100000
    ids=$(query "$file" jdk.GarbageCollection 'map(.gcId) | unique | tostring')
    [ "$(query "$file" jdk.GCPhasePause 'map(.gcId) | unique | tostring')" = "$ids" ] || wrong "pauses of others than $ids"
    [ "$(($(count "$file" jdk.YoungGarbageCollection) + $(count "$file" jdk.OldGarbageCollection)))" = \
        "$(count "$file" jdk.GarbageCollection)" ] || wrong 'not every collection is of a generation'
}

# until the JDK's recorder has had so many times 20 more events of the program, some 0.6 s each
jdk_had() {
    local i=0 before

    before=$(grep -c '^told=' "$work/out")
    until [ "$(grep -c '^told=' "$work/out")" -ge $((before + $1)) ]; do
        i=$((i + 1))
        [ $i -lt 600 ] || { wrong "the JDK's recorder gets no events"; return; }
        sleep 0.1
    done
}

summed() { # summed TYPE: of the last `jfr summary`
    awk -v t="$1" '$1 == t { n += $2 } END { print n + 0 }' "$work/summary"
}

# whose FILE TYPE: which chunks have events of it
chunks() {
    python3 - "$1" <<'PY'
import struct, sys
d = open(sys.argv[1], 'rb').read()
at = 0
while at < len(d):
    size, = struct.unpack('>q', d[at + 8:at + 16])
    start, _, ticks, per = struct.unpack('>4q', d[at + 32:at + 64])
    print(start, ticks, per, d[at + 67] & 2)
    at += size
PY
}

readable() { # readable FILE: whole, in order, with one clock
    local starts

    is_whole "$1"
    [ ! -e "$1.jdk" ] || wrong "$(ls -d "$1.jdk"/*) is left"
    [ "$(stat -c %a "$1")" = 600 ] || wrong "mode $(stat -c %a "$1")"
    mkdir -p "$work/read$v"
    cp "$1" "$work/read$v/" # for all readers, at the end
    command -v python3 >/dev/null || return
    starts=$(chunks "$1" | cut -d' ' -f1)
    [ "$starts" = "$(sort -nu <<<"$starts")" ] || wrong "chunks are not in order"
    [ "$(chunks "$1" | cut -d' ' -f3 | sort -u | wc -l)" = 1 ] || wrong "clocks differ"
}

# told_once FILE: the JDK tells what it alone tells, and we the rest, each once
told_once() {
    local file=$1 waits

    waits=$(count "$file" jdk.JavaMonitorWait)
    between "the JDK's waits" "$waits" 5 100000
    between "the JDK's phases" "$(count "$file" jdk.GCPhasePauseLevel1)" 1 100000
    between "the program's events" "$(count "$file" 'Both$Mine')" 5 100000
    between 'our samples' "$(count "$file" jdk.ExecutionSample)" 5 100000
    # each collection once: by its number, which both would give
    [ "$(query "$file" jdk.GarbageCollection 'map(.gcId) | length == (unique | length)')" = true ] ||
        wrong 'collections are told twice'
    [ "$(query "$file" jdk.ActiveRecording length)" -le "$(chunks "$file" | wc -l)" ] || wrong 'recordings'
    jfr "$home" summary "$file" >"$work/summary" 2>&1 || wrong "jfr summary: $(head -2 "$work/summary")"
    [ "$(summed jdk.JavaMonitorWait)" = "$waits" ] || wrong "jfr counts other waits"
    [ "$(summed jdk.ExecutionSample)" = "$(count "$file" jdk.ExecutionSample)" ] || wrong "jfr counts other samples"
}

# The JDK has the collections that our settings ask for, and its numbers are the only ones: phases
# are of collections that are told, but for those that a recording began or ended in.
one_numbering() {
    local unknown

    between "collections" "$(count "$1" jdk.GarbageCollection)" 1 100000
    between "pauses" "$(count "$1" jdk.GCPhasePause)" 1 100000
    between "generations" "$(($(count "$1" jdk.YoungGarbageCollection) + $(count "$1" jdk.OldGarbageCollection)))" 1 100000
    unknown=$(jfr "$home" print --json --events 'jdk.*GarbageCollection,jdk.GCPhasePause,jdk.GCPhasePauseLevel1' "$1" |
        jq -r '[.recording.events[] | {type, id: .values.gcId}] |
            (map(select(.type == "jdk.GarbageCollection").id) | unique) as $all |
            map(select(.id > ($all | min) and .id < ($all | max)) | select(.id as $i | $all | index($i) | not)) |
            length')
    [ "$unknown" = 0 ] || wrong "$unknown phases of collections that nobody tells of"
}

# An event of the JDK's API and one of ours, committed one after the other, are not further apart than both commits
# took, which the program prints. JDK 11 knows only the millisecond in which a chunk begins.
one_clock() {
    jfr "$home" print --json --events 'Both$Mine,both.Ours' "$1" |
        jq -r '.recording.events[] | [.type, .values.n, .values.startTime] | @tsv' |
        awk -v by="$([ "$v" = 11 ] && echo 0.0011 || echo 0.0001)" '
            FILENAME != "-" { if (sub(/^pair=/, "")) took[$1] = $2 / 1e9; next }
            { split($3, t, /[T:+Z-]/); s = t[4] * 3600 + t[5] * 60 + t[6] }
            $1 == "both.Ours" { ours[$2] = s }
            $1 != "both.Ours" { theirs[$2] = s; last = $2 > last ? $2 + 0 : last }
            END { for (i = 1; i <= last; i++) if (i in theirs && i in ours) {
                      n++; apart = ours[i] - theirs[i]; sum += apart; slow += took[i]
                      near += apart > -by - took[i] && apart < by + took[i]
                      first = n == 1 ? apart : first; end = apart }
                  printf "%d of %d events lie together, on average %.0f us apart, the first %.0f, the last %.0f;", near, n,
                      sum / (n + 1e-9) * 1e6, first * 1e6, end * 1e6
                  printf " both commits took %.0f us\n", slow / (n + 1e-9) * 1e6
                  exit !(n > 5 && near > n / 2) }' "$work/out" - >"$work/said" || wrong "$(cat "$work/said")"
}

# The JDK's tool joins our intervals onto its own events of other chunks, where both call a thread by
# one key: since 25.
contexts() {
    [ "$v" -ge 25 ] || return
    jfr "$home" print --events jdk.JavaMonitorWait "$1" | grep -q 'App.user = "alice"' ||
        wrong "jfr print shows no Context line on the JDK's events"
}

mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    v=$(release "$home")
    has_recorder "$home" || { skip "jfrsync, JDK $v" 'it has no jdk.jfr.Configuration to ask'; continue; }
    [ -e "$work/classes/Both.class" ] ||
        javac "$home" -nowarn -cp "$jar" -d "$work/classes" "$work/Both.java" "$work/Plain.java" 2>"$work/log" ||
        { skip "jfrsync, JDK $v" "javac: $(head -1 "$work/log")"; continue; }
    file=$work/both$v.jfr

    start_both "$file" "$ours,jfrsync=$work/two.jfc,chunktime=2s" 300
    until_told jfrsync recording
    jdk_had 5
    "$B/jfrec" dump -o "$work/dump.jfr" "$pid" >"$work/said" 2>&1 || wrong "dump: $(cat "$work/said")"
    readable "$work/dump.jfr" 2>/dev/null
    between "the JDK's waits in the dump" "$(count "$work/dump.jfr" jdk.JavaMonitorWait)" 5 100000
    "$B/jfrec" stop -v "$pid" >"$work/said" 2>&1 || wrong "stop: $(cat "$work/said")"
    readable "$file"
    told_once "$file"
    one_numbering "$file"
    one_clock "$file"
    contexts "$file"
    verdict "dumped and stopped, one file of both, JDK $v"

    # again in the same process, by jfrec, with a name that the JDK knows and a file that has less
    "$B/jfrec" start -o "$work/again$v.jfr" --settings default --jfrsync default --jfrsync "$work/less.jfc" "$pid" >"$work/said" 2>&1 ||
        wrong "start: $(cat "$work/said")"
    until_told jfrsync recording
    jdk_had 3
    "$B/jfrec" stop -v "$pid" >"$work/said" 2>&1 || wrong "stop: $(cat "$work/said")"
    readable "$work/again$v.jfr"
    jfr "$home" summary "$work/again$v.jfr" >"$work/summary" 2>&1
    [ "$(summed jdk.ObjectAllocationSample)" = "$(count "$work/again$v.jfr" jdk.ObjectAllocationSample)" ] ||
        wrong "jfr summary counts other allocations"
    between "the JDK's settings" "$(count "$work/again$v.jfr" jdk.IntFlag)" 1 100000
    [ "$(count "$work/again$v.jfr" jdk.BooleanFlag)" = 0 ] || wrong 'the second file does not count'
    verdict "a second recording, with settings that the JDK knows, JDK $v"

    # killed in the middle: our half is whole, the JDK's is in its repository
    "$B/jfrec" start -o "$work/killed.jfr" --jfrsync "$work/two.jfc" "$pid" >"$work/said" 2>&1 ||
        wrong "start: $(cat "$work/said")"
    until_told jfrsync recording
    jdk_had 3
    kill -9 "$pid"
    wait "$pid" 2>/dev/null
    is_whole "$work/killed.jfr"
    between 'our samples before the kill' "$(count "$work/killed.jfr" jdk.ExecutionSample)" 1 100000
    repository=$(compgen -G "/tmp/*_*_$pid/*.jfr" | tail -1)
    [ -n "$repository" ] || wrong "the JDK's chunks are gone"
    rm -rf "$work/killed.jfr.jdk" "$(dirname "${repository:-$work/none/x}")"
    verdict "killed, JDK $v"

    # by the processor's own counter, which runs apart from the system's clock
    java_options=(-XX:+UnlockExperimentalVMOptions -XX:+UseFastUnorderedTimeStamps)
    both "$file" "$ours,jfrsync=$work/two.jfc" 12
    readable "$file"
    told_once "$file"
    one_clock "$file"
    java_options=()
    verdict "both end with the VM, JDK $v"

    without_jdk missing.jfc 'missing.jfc'
    verdict "settings that are not there, JDK $v"
    without_jdk broken.jfc '[Pp]arse|XML|settings|configuration'
    verdict "settings that the JDK refuses, JDK $v"
    timeout 300 "$home/bin/java" --limit-modules java.base "-agentpath:$agent=file=$work/base.jfr,jfrsync=profile" \
        -cp "$work/classes" Plain >"$work/out" 2>"$work/err" || wrong "java: $(tail -3 "$work/err")"
    is_whole "$work/base.jfr"
    [ "$(cat "$work/err")" = "jfrkit: warning: no events of the JDK's recorder: this JVM has no module jdk.jfr" ] ||
        wrong "$(head -3 "$work/err")"
    [ "$(truth done)" = 1 ] && [ ! -e "$work/base.jfr.jdk" ] || wrong 'not like without the option'
    verdict "a JVM without jdk.jfr, JDK $v"
done
# An older JDK need not know a newer one's types.
mapfile -t readers < <(jdks)
for reader in "${readers[@]}"; do
    for v in $(jdks | while read -r home; do release "$home"; done); do
        files=("$work/read$v"/*.jfr)
        [ ! -e "${files[0]}" ] || [ "$(release "$reader")" -lt $v ] || jdk_reads "$reader" "${files[@]}" >>"$work/wrong"
    done
    verdict "JDK $(release "$reader") reads what JDKs up to it recorded"
done
# Mission Control does not know a field of JDK 25's own threads. On a busy machine the only slow write may be one to
# standard output, which has no path in either recorder.
said=$(test-data/interop/jmc.sh --allow "'virtual'" --allow 'FileWrite: pages find no value of path' "$work"/both*.jfr "$work"/again*.jfr 2>&1)
echo "$said" | grep -E '^(skip|not ok)' | sed 's/^not ok /not ok Mission Control: /'
! grep -q '^not ok' <<<"$said" || { echo "$said" | head -20 | sed 's/^/    /'; failed=1; }
echo "$said" | grep -q '^ok' && echo "ok Mission Control opens them"
exit $failed
