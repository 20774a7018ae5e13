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

# A reader that stops for three seconds loses nothing.
begin_jvm 900
"$jfrkit" follow --stack-depth all "$repository" 2>"$work/err" | { sleep 3; cat; } >"$work/all"
wait "$pid"
awk 'BEGIN { RS = "}\n\n"; ORS = RS } /Beats\$Beat \{/' "$work/all" >"$work/followed"
[ "$(grep -c '^  number = ' "$work/followed")" = 900 ] || wrong "$(grep -c '^  number = ' "$work/followed") of 900 beats"
verdict 'follow with a slow reader'

# Killed: what had been written is printed, and the program goes on until it is stopped.
begin_jvm 100000
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

# Our recorder's file, from now on.
if [ -e "$agent" ]; then
    "$home/bin/java" -agentpath:"$agent=file=$work/ours.jfr,settings=none,+jdk.ThreadSleep#enabled=true,+jdk.ThreadSleep#threshold=0ns" \
        "$work/Beats.java" 900 >"$work/jvm" 2>&1 &
    pid=$!
    children+=("$pid")
    wait_until test -s "$work/ours.jfr"
    "$jfrkit" follow -e ThreadSleep "$work/ours.jfr" >"$work/followed" 2>"$work/err" &
    follower=$!
    children+=("$follower")
    wait "$pid"
    sleep 2
    kill -TERM "$follower"
    wait "$follower" 2>/dev/null
    "$jfrkit" print -q -e ThreadSleep "$work/ours.jfr" | as_lines >"$work/want"
    as_lines <"$work/followed" >"$work/got"
    cmp -s "$work/want" "$work/got" || wrong "$(wc -l <"$work/want") events, $(wc -l <"$work/got") followed"
    [ "$(wc -l <"$work/got")" -ge 900 ] || wrong "only $(wc -l <"$work/got") events"
    verdict 'follow the file of our recorder'
else
    skip 'follow the file of our recorder' 'no agent'
fi

for words in '' '-' "$work/none.jfr" "$work/whole.jfr $work/whole.jfr"; do
    # shellcheck disable=SC2086
    timeout 20 "$jfrkit" follow $words >"$work/out" 2>"$work/err" </dev/null
    [ $? = 2 ] && [ -s "$work/err" ] || wrong "follow $words: $(cat "$work/err")"
done
verdict 'follow names what it cannot follow'
exit $failed
