#!/bin/bash
# jfrkit follow: the events of a recording that is being written, each once: of the JDK's repository, of our recorder's
# file, when the JVM is killed, and with a reader that stops for a while.
set -u
. test-data/workload/lib.sh
jfrkit=$(realpath "$B/jfrkit")

home=$(jdk_home 25 || jdk_home 17)
[ -n "$home" ] || { skip 'follow' 'no JDK 17 or 25'; exit 0; }
cat >"$work/Beats.java" <<'END'
import jdk.jfr.Event;

public class Beats {
    static class Beat extends Event {
        int number;
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            Beat beat = new Beat();
            beat.begin();
            beat.number = i;
            Thread.sleep(4);
            beat.commit();
        }
    }
}
END

# wait_until CONDITION...: for at most a minute
wait_until() {
    for ((n = 0; n < 600; n++)); do
        ! "$@" || return 0
        sleep 0.1
    done
    wrong "waited in vain: $*"
}

# begin_jvm ROUNDS OPTION...: the JDK's recorder; $pid, and $repository once it writes there
begin_jvm() {
    local rounds=$1

    shift
    rm -rf "$work/repository"
    mkdir "$work/repository"
    "$home/bin/java" -XX:StartFlightRecording:filename="$work/whole.jfr" \
        -XX:FlightRecorderOptions:repository="$work/repository" "$@" "$work/Beats.java" "$rounds" >"$work/jvm" 2>&1 &
    pid=$!
    children+=("$pid")
    wait_until compgen -G "$work/repository/*/*.jfr" >/dev/null
    repository=$(compgen -G "$work/repository/*" | head -1)
}

# as_lines <TEXT: an event a line, sorted
as_lines() {
    awk 'BEGIN { RS = "}\n\n" } /[^\n]/ { gsub(/\n/, " "); print }' | sort
}

same_as() { # same_as FILE: what was followed is what the whole recording has
    "$jfrkit" print -q -e 'Beats$Beat' "$1" | as_lines >"$work/want"
    as_lines <"$work/followed" >"$work/got"
    [ -s "$work/want" ] || wrong 'no events'
    cmp -s "$work/want" "$work/got" ||
        wrong "$(wc -l <"$work/want") events, $(wc -l <"$work/got") followed: $(diff "$work/want" "$work/got" | head -4)"
}

begin_jvm 900
"$jfrkit" follow -e 'Beats$Beat' "$repository" >"$work/followed" 2>"$work/err" || wrong "exit code $?: $(cat "$work/err")"
wait "$pid"
[ "$(grep -c '^  number = ' "$work/followed")" = 900 ] || wrong "$(grep -c '^  number = ' "$work/followed") of 900 beats"
same_as "$work/whole.jfr"
verdict 'follow to the end of a JVM that the JDK records'

# Small chunks: the recorder goes from file to file.
begin_jvm 900 -XX:FlightRecorderOptions:maxchunksize=1M -XX:FlightRecorderOptions:repository="$work/repository"
"$jfrkit" follow -e 'Beats$Beat' -w 'number >= 100' "$repository" >"$work/followed" 2>"$work/err" || wrong "exit code $?"
wait "$pid"
[ "$(grep -c '^  number = ' "$work/followed")" = 800 ] || wrong "$(grep -c '^  number = ' "$work/followed") of 800 beats"
verdict 'follow with a condition'

# A reader that stops for ten seconds loses nothing.
begin_jvm 900
"$jfrkit" follow --stack-depth all "$repository" 2>"$work/err" | { sleep 10; cat; } >"$work/all"
wait "$pid"
awk 'BEGIN { RS = "}\n\n"; ORS = RS } /Beats\$Beat \{/' "$work/all" >"$work/followed"
[ "$(grep -c '^  number = ' "$work/followed")" = 900 ] || wrong "$(grep -c '^  number = ' "$work/followed") of 900 beats"
verdict 'follow with a slow reader'

# Killed: what had been written is printed, and the program goes on until it is stopped.
begin_jvm 100000
: >"$work/followed" # now, not when the process below begins
"$jfrkit" follow -e 'Beats$Beat' "$repository" >"$work/followed" 2>"$work/err" &
follower=$!
children+=("$follower")
wait_until grep -q '^  number = 300' "$work/followed"
kill -9 "$pid"
wait "$pid" 2>/dev/null
sleep 2
kill -0 "$follower" 2>/dev/null || wrong "it ended with $(cat "$work/err")"
kill -TERM "$follower"
wait "$follower" 2>/dev/null
"$jfrkit" print -q -e 'Beats$Beat' "$repository" | as_lines >"$work/want"
as_lines <"$work/followed" >"$work/got"
[ -z "$(comm -13 "$work/want" "$work/got")" ] && [ "$(sort -u "$work/got" | wc -l)" = "$(wc -l <"$work/got")" ] ||
    wrong "events that are not in the recording, or twice: $(comm -13 "$work/want" "$work/got" | head -2)"
[ "$(wc -l <"$work/got")" -ge 300 ] || wrong "only $(wc -l <"$work/got") events"
verdict 'follow a JVM that is killed'

# --- our recorder ---

# begin_ours ROUNDS OPTIONS: $pid, once its file is there
begin_ours() {
    rm -f "$work"/ours*.jfr
    "$home/bin/java" -agentpath:"$agent=file=$work/ours.jfr,settings=none,+jdk.ThreadSleep#enabled=true,+jdk.ThreadSleep#threshold=0ns$2" \
        "${@:3}" "$work/Beats.java" "$1" >"$work/jvm" 2>&1 &
    pid=$!
    children+=("$pid")
    wait_until has_ours
}

has_lines() {
    [ "$(wc -l <"$work/followed")" -ge "$1" ]
}

has_ours() {
    compgen -G "$work/ours*.jfr" >/dev/null
}

# as_ours FILE OPTION...: $work/got has what these options print of FILE
as_ours() {
    "$jfrkit" print -q "${@:2}" -e ThreadSleep "$1" | sort >"$work/want"
    sort "$work/followed" >"$work/got"
    cmp -s "$work/want" "$work/got" ||
        wrong "$(wc -l <"$work/want") lines, $(wc -l <"$work/got") followed: $(diff "$work/want" "$work/got" | head -4)"
    [ "$(wc -l <"$work/got")" -ge "$least" ] || wrong "only $(wc -l <"$work/got") lines"
}

# follow_ours: follows the file until the JVM has ended
follow_ours() {
    : >"$work/followed" # now, not when the process below begins
    "$jfrkit" follow -e ThreadSleep "$work/ours.jfr" >"$work/followed" 2>"$work/err" &
    follower=$!
    children+=("$follower")
    wait "$pid"
    sleep 2
    kill -TERM "$follower"
    wait "$follower" 2>/dev/null
}

ours() {
    least=900
    begin_ours 900 ''
    follow_ours
    as_ours "$work/ours.jfr"
    verdict 'follow the file of our recorder'

    begin_ours 900 ''
    "$jfrkit" follow --oneline -e ThreadSleep "$pid" >"$work/followed" 2>"$work/err" || wrong "exit code $?: $(cat "$work/err")"
    wait "$pid"
    as_ours "$work/ours.jfr" --oneline
    verdict 'follow a JVM to its end, a line for each event'

    # A parent that does not wait for it: the process has ended, and is still there.
    if command -v python3 >/dev/null; then
        rm -f "$work"/ours*.jfr
        timeout 60 python3 - "$jfrkit" "$home/bin/java" \
            -agentpath:"$agent=file=$work/ours.jfr,settings=none,+jdk.ThreadSleep#enabled=true,+jdk.ThreadSleep#threshold=0ns" \
            "$work/Beats.java" 900 >"$work/followed" 2>"$work/err" <<'END' || wrong "exit code $?: $(tail -1 "$work/err")"
import os, subprocess, sys, time

jvm = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL)
file = sys.argv[3].split("file=")[1].split(",")[0]
while not os.path.exists(file):
    time.sleep(0.1)
time.sleep(0.5)
code = subprocess.run([sys.argv[1], "follow", "--oneline", "-e", "ThreadSleep", str(jvm.pid)]).returncode
with open("/proc/%d/stat" % jvm.pid) as stat:
    assert stat.read().split(")")[1].split()[0] == "Z"
sys.exit(code)
END
        as_ours "$work/ours.jfr" --oneline
        verdict 'follow a JVM whose parent does not wait for it'
    else
        skip 'follow a JVM whose parent does not wait for it' 'no python3'
    fi

    begin_ours 100000 ''
    : >"$work/followed" # now, not when the process below begins
    "$jfrkit" follow --json -e ThreadSleep "$pid" >"$work/followed" 2>"$work/err" &
    follower=$!
    children+=("$follower")
    wait_until grep -q ThreadSleep "$work/followed"
    "$jfrkit" stop -q "$pid" || wrong 'stop'
    wait "$follower" || wrong "exit code $?: $(cat "$work/err")"
    kill -0 "$pid" || wrong 'the JVM has ended, too'
    least=1
    as_ours "$work/ours.jfr" -l ndjson
    # Not being recorded any more.
    ! "$jfrkit" follow "$pid" >"$work/followed" 2>"$work/err" || wrong 'a JVM without a recording is followed'
    grep -q "jfrkit start $pid" "$work/err" || wrong "$(cat "$work/err")"
    kill -9 "$pid"
    verdict 'follow a JVM until its recording is stopped, as JSON'

    # Killed: it ends, and has what the recorder had completed.
    begin_ours 100000 ''
    : >"$work/followed" # now, not when the process below begins
    "$jfrkit" follow --oneline -e ThreadSleep "$pid" >"$work/followed" 2>"$work/err" &
    follower=$!
    children+=("$follower")
    wait_until has_lines 300
    kill -9 "$pid"
    wait "$follower" || wrong "exit code $?: $(cat "$work/err")"
    "$jfrkit" print -q --oneline -e ThreadSleep "$work/ours.jfr" | sort >"$work/want"
    sort "$work/followed" >"$work/got"
    [ -z "$(comm -13 "$work/want" "$work/got")" ] || wrong "not in the recording, or twice: $(comm -13 "$work/want" "$work/got" | head -2)"
    verdict 'follow a JVM that is killed, by its process id'

    # Several files, of which each is new after 100 ms or more.
    least=2000
    begin_ours 2000 ,maxsize=100M,chunktime=100ms
    "$jfrkit" follow --oneline -e ThreadSleep "$pid" >"$work/followed" 2>"$work/err" || wrong "exit code $?: $(cat "$work/err")"
    wait "$pid"
    as_ours "$work/ours.jfr" --oneline
    verdict 'follow a JVM that writes several files'

    # The oldest are deleted before they are read: what is left in the end was followed, and it does not end early.
    begin_ours 2000 ,maxsize=100k,chunktime=100ms
    "$jfrkit" follow --oneline -e ThreadSleep "$pid" >"$work/followed" 2>"$work/err" || wrong "exit code $?: $(cat "$work/err")"
    ! kill -0 "$pid" 2>/dev/null || wrong 'it ends before the JVM'
    wait "$pid"
    "$jfrkit" print -q --oneline -e ThreadSleep "$work/ours.jfr" | sort >"$work/want"
    [ "$(wc -l <"$work/want")" -lt 2000 ] && [ -s "$work/want" ] || wrong "$(wc -l <"$work/want") events are left"
    [ -z "$(sort "$work/followed" | comm -23 "$work/want" -)" ] || wrong "not followed: $(sort "$work/followed" | comm -23 "$work/want" - | head -2)"
    [ -z "$(sort "$work/followed" | uniq -d)" ] || wrong 'events twice'
    verdict 'follow a JVM whose oldest files are deleted'

    # A table of what is recorded, once a second; the last one is of the whole recording.
    begin_ours 900 ''
    "$jfrkit" table --follow -e ThreadSleep --by eventThread.javaName --sum duration "$pid" >"$work/followed" 2>"$work/err" ||
        wrong "exit code $?: $(cat "$work/err")"
    wait "$pid"
    [ "$(grep -c '^eventThread.javaName' "$work/followed")" -ge 2 ] || wrong "drawn once: $(head -5 "$work/followed")"
    "$jfrkit" table -e ThreadSleep --by eventThread.javaName --sum duration "$work/ours.jfr" >"$work/want"
    sed '$d' "$work/followed" | tail -n "$(wc -l <"$work/want")" | cmp -s - "$work/want" || wrong "$(tail -5 "$work/followed")"
    if command -v python3 >/dev/null; then
        begin_ours 900 ,cpu=1ms
        TERM=xterm tools/test/terminal.py "$jfrkit" top --follow "$pid" >"$work/followed" 2>"$work/err" || wrong "exit code $?: $(cat "$work/err")"
        wait "$pid"
        grep -q $'^\033\[2J\033\[H' "$work/followed" || wrong 'the terminal is not cleared'
        [ "$(grep -c $'\033\[H.*Self' "$work/followed")" -ge 2 ] || wrong "drawn once on a terminal: $(cat "$work/followed")"
    fi
    for words in '' "-o $work/x.txt $work/ours.jfr" "--each $work/ours.jfr" "$work/none.jfr"; do
        # shellcheck disable=SC2086
        timeout 20 "$jfrkit" top --follow $words >"$work/out" 2>"$work/err" </dev/null
        [ $? = 2 ] && [ -s "$work/err" ] || wrong "top --follow $words: $(cat "$work/err")"
    done
    verdict 'tables that follow a JVM'

    # A context that is defined while it is recorded: the file is replaced by one with the same events.
    least=600
    mkdir -p "$work/classes"
    "$home/bin/javac" -cp "$B/jfrkit.jar" -d "$work/classes" "$work/Late.java" || wrong javac
    rm -f "$work"/ours*.jfr
    "$home/bin/java" -agentpath:"$agent=file=$work/ours.jfr,settings=none,+jdk.ThreadSleep#enabled=true,+jdk.ThreadSleep#threshold=0ns,+jdk.ThreadSleep#withContext=true" \
        -cp "$work/classes:$B/jfrkit.jar" Late 300 >"$work/jvm" 2>&1 &
    pid=$!
    children+=("$pid")
    wait_until has_ours
    follow_ours
    [ "$(grep -c '^jdk.ThreadSleep' "$work/followed")" = "$("$jfrkit" print -q -e ThreadSleep "$work/ours.jfr" | grep -c '^jdk.ThreadSleep')" ] ||
        wrong "$(grep -c '^jdk.ThreadSleep' "$work/followed") events followed, $("$jfrkit" print -q -e ThreadSleep "$work/ours.jfr" | grep -c '^jdk.ThreadSleep') recorded"
    grep -q '= "alice"' "$work/followed" || wrong 'no context'
    verdict 'follow a file that is replaced'
}

cat >"$work/Late.java" <<'END'
import jfrkit.ContextType;
import jfrkit.Scope;

public class Late {
    static void sleep(int n) throws Exception {
        for (int i = 0; i < n; i++)
            Thread.sleep(5);
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]);

        sleep(n);
        ContextType type = ContextType.of("late", "user");
        try (Scope scope = type.open("alice")) {
            sleep(n);
        }
    }
}
END
if [ -e "$agent" ] && [ -e "$B/jfrkit.jar" ]; then
    ours
else
    skip 'follow our recorder' 'no agent'
fi

for words in '' '-' "$work/none.jfr" "$work/whole.jfr $work/whole.jfr"; do
    # shellcheck disable=SC2086
    timeout 20 "$jfrkit" follow $words >"$work/out" 2>"$work/err" </dev/null
    [ $? = 2 ] && [ -s "$work/err" ] || wrong "follow $words: $(cat "$work/err")"
done
verdict 'follow names what it cannot follow'
exit $failed
