#!/bin/bash
# Events as text and XML: byte for byte what `jfr print` of JDK 25, and with --compat 17 that of 17, writes, over our recordings
# and those of others, with filters and depths; and what the JDK's tool refuses.
set -u
. test-data/workload/lib.sh
. tools/test/sample_lib.sh
jfrkit=$B/jfrkit

use_jdk() { # use_jdk VERSION: its tool is the peer of same(); false if there is none
    version=$1
    home=$(jdk_home "$1") || { skip "events as text of JDK $1" 'it is not installed'; return 1; }
}

# In these the JDK's tool is wrong, see test-data/oracle-known.tsv.
is_known() {
    grep -qE "^(text|xml) $version	$(basename "$1")	" test-data/oracle-known.tsv
}

# same FILE OPTION...: counts in `equal` and `refused`
same() {
    local file=$1

    shift
    if ! LC_ALL=C.UTF-8 timeout 100 "$home/bin/jfr" print "$@" "$file" >"$work/peer" 2>"$work/peer.err"; then
        refused=$((refused + 1))
        return
    fi
    equal=$((equal + 1))
    "$jfrkit" print -q --compat $version "$@" "$file" >"$work/ours" 2>"$work/err"
    cmp -s "$work/peer" "$work/ours" || wrong "$* $file: $(diff "$work/peer" "$work/ours" | head -4)"
}

whole() {
    local file

    equal=0 refused=0
    for file in $(own_recordings) $(sample); do
        [[ $file == *.jfr ]] && [ "$(stat -c %s "$file")" -lt 2000000 ] && ! is_known "$file" || continue
        same "$file"
        same "$file" --exact --stack-depth 64
        same "$file" --xml
    done
    [ "$equal" -ge 20 ] || wrong "only $equal comparisons; the tool refused $refused"
    verdict "text and XML as the JDK's tool writes it: $equal comparisons"
}

points() { # points FILE: numbers with a point in place of a comma
    sed -E 's/([0-9]),([0-9])/\1.\2/g' "$1"
}

options() {
    local file

    equal=0 refused=0
    file=$(own_recordings jdk25-server)
    for depth in 0 1 2 6; do
        same "$file" --stack-depth $depth
    done
    same "$file" --events 'jdk.SocketRead,ThreadPark'
    same "$file" --events 'jdk.Exec*' --stack-depth 3
    same "$file" --categories 'Java Application'
    same "$file" --events NoSuchEvent
    same "$file" --xml --events NoSuchEvent
    same "$file" --xml --events 'jdk.Exec*' --stack-depth 0
    TZ=Asia/Kolkata same "$file"
    # In a German locale the tool writes 7,47 ms; ours has one form everywhere.
    "$home/bin/jfr" -J-Duser.language=de -J-Duser.country=DE print "$file" >"$work/peer"
    LC_ALL=de_DE.UTF-8 "$jfrkit" print -q "$file" >"$work/ours"
    grep -q '[0-9],[0-9]* ms$' "$work/peer" || wrong 'the tool is not German'
    cmp -s "$work/ours" <("$jfrkit" print -q "$file") || wrong 'the locale changes the output'
    cmp -s <(points "$work/peer") <(points "$work/ours") || wrong "de_DE: $(diff <(points "$work/peer") <(points "$work/ours") | head -4)"
    [ "$equal" = 11 ] || wrong "$equal comparisons, the tool refused $refused"
    file=$(own_recordings jfrkit-jdk25)
    "$jfrkit" print -q --head 3 "$file" >"$work/ours"
    [ "$(grep -c '^}$' "$work/ours")" = 3 ] || wrong '--head 3'
    cmp -s <("$jfrkit" print -q "$file" | awk 'BEGIN { RS = "}\n\n"; ORS = RS } NR % 10 == 1 && /[^\n]/') <("$jfrkit" print -q --sample 10 "$file") ||
        wrong '--sample 10 is not each tenth event'
    verdict 'filters and depths of text'
}

# Contexts stand in front of the other events of their thread, outer ones first.
contexts() {
    cat >"$work/Contexts.java" <<'END'
import jdk.jfr.Contextual;
import jdk.jfr.Event;
import jdk.jfr.Timespan;

public class Contexts {
    static class Request extends Event {
        @Contextual String user;
        @Contextual long number;
        String other = "not shown";
    }

    static class Action extends Event {
        @Contextual @Timespan("MILLISECONDS") long budget;
        @Contextual boolean isLast;
    }

    static class Work extends Event {
        int n;
    }

    static void work(int n) throws InterruptedException {
        Work work = new Work();
        work.begin();
        work.n = n;
        Thread.sleep(1);
        work.commit();
    }

    static void request(String user, int rounds) throws InterruptedException {
        Request request = new Request();
        request.begin();
        for (int i = 0; i < rounds; i++) {
            Action action = new Action();
            action.begin();
            action.budget = 1500 * i;
            action.isLast = i + 1 == rounds;
            work(i);
            action.commit();
            work(-i);
        }
        request.user = user;
        request.number = rounds;
        request.commit();
        work(1000);
    }

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(() -> {
            try {
                request(null, 12);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });

        other.start();
        request("alice", 7);
        request("bob \"quoted\"", 3);
        other.join();
    }
}
END
    "$home/bin/java" -XX:StartFlightRecording:filename="$work/contexts.jfr" "$work/Contexts.java" >"$work/out" 2>&1 ||
        wrong "$(tail -3 "$work/out")"
    equal=0 refused=0
    same "$work/contexts.jfr"
    same "$work/contexts.jfr" --events 'Contexts$Work,Contexts$Action'
    same "$work/contexts.jfr" --exact --events 'Contexts$Work'
    [ "$(grep -c '^  Context: Contexts$Action.budget = ' "$work/ours")" = 22 ] &&
        [ "$(grep -c '^  Context: Contexts$Request.user = "alice"' "$work/ours")" = 14 ] ||
        wrong "contexts: $(grep -h '^  Context' "$work/ours" | sort | uniq -c)"
    [ "$equal" = 3 ] || wrong "the tool refused $refused"
    verdict 'contexts of text'
}

# The same events in the same order, a line each.
one_line() {
    local file n=0

    for file in $(own_recordings); do
        [[ $file == *.jfr ]] || continue
        "$jfrkit" print -q --oneline "$file" >"$work/lines" 2>>"$work/err"
        "$jfrkit" print -q "$file" 2>>"$work/err" | sed -n 's/^\([^ ].*\) {$/\1/p' >"$work/types"
        sed -E 's/^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.]{12} //; s/,.*//' "$work/lines" | cmp -s - "$work/types" ||
            wrong "$file: $(sed -E 's/^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.]{12} //; s/,.*//' "$work/lines" | diff - "$work/types" | head -3)"
        n=$((n + $(wc -l <"$work/lines")))
    done
    [ $n -gt 1000 ] || wrong "$n lines"
    "$jfrkit" print --oneline -e 'Contexts$Work' "$work/contexts.jfr" >"$work/lines"
    [ "$(grep -cE '^[0-9-]+ [0-9:.]+ Contexts\$Work, Contexts\$Request\.user = "alice", .*, stackTrace = Contexts.work\(int\) line: [0-9]+ < \.\.\.$' "$work/lines")" = 14 ] ||
        wrong "contexts on one line: $(head -2 "$work/lines")"
    "$jfrkit" print --oneline --stack-depth 3 -e 'Contexts$Work' "$work/contexts.jfr" | grep -q ' line: [0-9]* < Contexts.request(String, int) line: ' ||
        wrong '--stack-depth on one line'
    verdict 'events on one line'
}

# The tool of JDK 17 fails with spans of 2^63 ns, which the recordings with all fields have.
as_17() {
    local file

    equal=0 refused=0
    for file in $(own_recordings) $(sample); do
        [[ $file == *.jfr ]] && [ "$(stat -c %s "$file")" -lt 2000000 ] && ! is_known "$file" || continue
        same "$file"
        same "$file" --stack-depth 64
    done
    file=$(own_recordings jdk17-server)
    same "$file" --events 'jdk.Exec*,ThreadPark' --stack-depth 3
    same "$file" --xml
    [ "$equal" -ge 6 ] || wrong "only $equal comparisons; the tool refused $refused"
    verdict "text and XML as the tool of JDK 17 writes it: $equal comparisons"
}

# What the JDK's tool refuses is printed as far as it is good.
damaged() {
    local file rc

    for file in $(own_recordings 'cut*') $(own_recordings 'killed*'); do
        "$jfrkit" print "$file" >"$work/ours" 2>"$work/err"
        rc=$?
        { [ $rc = 3 ] && [ -s "$work/err" ]; } || [ $rc = 0 ] || wrong "$file: exit code $rc"
        [ "$(grep -c '^}$' "$work/ours")" -gt 10 ] || wrong "$file: no events"
    done
    verdict "text of damaged recordings"
}

if use_jdk 25; then
    whole
    options
    contexts
    one_line
fi
damaged
if use_jdk 17; then
    as_17
fi
exit $failed
