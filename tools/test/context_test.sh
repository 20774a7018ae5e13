#!/bin/bash
# The context of events as JDK 25's tool shows it: a program with contextual events is recorded, and
# the "Context:" lines of `jfr print` are compared with what jfr2json --with-context says.
set -u
B=${B:-build}
. tools/test/jdk_lib.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

verdict() { # CODE NAME
    if [ "$1" = 0 ]; then echo "ok $2"; else echo "not ok $2"; failed=1; fi
}

jdk=$(compgen -G '/usr/lib/jvm/*25*/bin/jfr' | head -1)
jdk=${jdk%/bin/jfr}
if [ -z "$jdk" ] || ! command -v jq >/dev/null; then
    echo 'skip context as JDK 25 shows it: no JDK 25, or no jq'
else
    cat >"$work/Work.java" <<'END'
import java.nio.file.*;
import jdk.jfr.*;
public class Work {
    @Name("demo.Request") @StackTrace(false)
    static class Request extends Event {
        @Contextual String user; @Contextual @Name("action") String action; @Contextual long trace; String other;
    }
    @Name("demo.Inner") @StackTrace(false)
    static class Inner extends Event { @Contextual String file; @Contextual boolean dry; }
    @Name("demo.Done") static class Done extends Event { int n; }
    static int n;
    static void done() { Done d = new Done(); d.n = n++; d.commit(); }
    static void request(String user, Path file) throws Exception {
        Request r = new Request();
        r.begin();
        r.user = user; r.action = "load"; r.trace = -77;
        Done across = new Done();
        across.n = -1;
        for (int i = 0; i < 3; i++) {
            Inner in = new Inner();
            in.begin();
            in.file = "f" + i; in.dry = i == 1;
            Files.writeString(file, "hello " + user);
            Files.readString(file);
            done();
            Thread.sleep(2);
            if (i == 2) across.begin();
            in.commit();
            done();
        }
        r.commit();
        across.commit();
    }
    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("work", "x");
        Thread[] threads = new Thread[4];
        for (int k = 0; k < 4; k++) {
            String[] users = {"alice", "b\"ob", null, "\u00e9ve"};
            String user = users[k];
            threads[k] = new Thread(() -> {
                try {
                    for (int i = 0; i < 50; i++) request(user, file);
                } catch (Exception e) { throw new RuntimeException(e); }
            });
            threads[k].start();
        }
        for (Thread t : threads) t.join();
        Files.delete(file);
        done();
    }
}
END
    cat >"$work/work.jfc" <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0"><event name="jdk.ThreadSleep"><setting name="enabled">true</setting>
<setting name="threshold">0 ms</setting><setting name="stackTrace">true</setting></event>
<event name="jdk.ExecutionSample"><setting name="enabled">true</setting><setting name="period">1 ms</setting></event></configuration>
END
    "$jdk/bin/java" -XX:StartFlightRecording:filename="$work/app.jfr",settings="$work/work.jfc" \
        "$work/Work.java" >"$work/log" 2>&1
    verdict $? 'recorded'
    # "TYPE START KEY=VALUE ..." for every event, keys sorted. Nulls are left out, as they are by us.
    jfr "$jdk" print --exact --events 'ThreadSleep,Done' "$work/app.jfr" |
        awk '/^[a-z]/ { type = $1; context = "" }
             /^  Context: / && !/= N\/A$/ {
                 line = substr($0, 12); sub(/^[A-Za-z]*\./, "", line); sub(/ = /, "=", line)
                 sub(/="/, "=", line); sub(/"$/, "", line); context = context " " line
             }
             /^  startTime = / { print type, $3 context }' | sort >"$work/want"
    "$B/jfr2json" -l ndjson --with-context -e 'ThreadSleep,Done' "$work/app.jfr" |
        jq -r '.type + " " + (.values.startTime | sub(".*T"; "") | sub("Z$"; "")) +
               ([.context | to_entries[] | " " + .key + "=" + .value] | add // "")' | sort >"$work/got"
    # the order of keys is that of the contexts in the one and of the metadata in the other
    for f in want got; do
        awk '{ n = split($0, w, " "); line = w[1] " " w[2]; delete s
               for (i = 3; i <= n; i++) s[i - 2] = w[i]
               for (i = 1; i <= n - 2; i++) for (j = i + 1; j <= n - 2; j++) if (s[j] < s[i]) { t = s[i]; s[i] = s[j]; s[j] = t }
               for (i = 1; i <= n - 2; i++) line = line " " s[i]; print line }' "$work/$f" |
            sed -E 's/^([^ ]+ [0-9:]+\.?[0-9]*[1-9]|[^ ]+ [0-9:]+)\.?0*( |$)/\1\2/' | sort >"$work/$f.sorted"
    done
    if [ "$(wc -l <"$work/want")" -gt 1800 ] && cmp -s "$work/want.sorted" "$work/got.sorted"; then
        verdict 0 "the context of $(wc -l <"$work/want") events is that of JDK 25"
    else
        verdict 1 'the context of every event is that of JDK 25'
        diff "$work/want.sorted" "$work/got.sorted" | head -10
    fi
    users=$("$B/jfr2collapsed" -e ThreadSleep --group-by user --depth 1 "$work/app.jfr" | cut -d' ' -f1-3 | cut -d';' -f1 | sort)
    verdict "$([ "$(wc -l <<<"$users")" = 4 ]; echo $?)" 'values of a key are root frames'
    n=$("$B/jfr2collapsed" -e ThreadSleep -c user=alice -c user= -C action=store "$work/app.jfr" | awk '{ n += $NF } END { print n }')
    verdict "$([ "$n" = 300 ]; echo $?)" "a filter by key chooses events ($n)"
    for c in '=x' 'user=/(/'; do
        "$B/jfr2json" -c "$c" "$work/app.jfr" >/dev/null 2>"$work/err"
        verdict "$([ $? = 2 ] && [ "$(wc -l <"$work/err")" -ge 1 ]; echo $?)" "-c $c is a usage error"
    done
fi

[ -x "$B/convert/context/test/context_test" ] || { echo 'skip context of our own recordings: context_test is not built'; exit $failed; }
for how in FIELDS SPANS BOTH LATE; do
    "$B/convert/context/test/context_test" --write "$work/own.jfr" $how 3 60 4
    for c in user0:20 user1:40 user2:60; do
        n=$("$B/jfr2collapsed" -k wall -c "user=${c%:*}" "$work/own.jfr" | awk '{ n += $NF } END { print n + 0 }')
        [ "$n" = "${c#*:}" ] || { echo "    ${c%:*}: $n samples, not ${c#*:}"; false; }
        verdict $? "$how: samples of ${c%:*}"
    done
    a=$("$B/jfr2json" -l ndjson --with-context -j 1 "$work/own.jfr" | cksum)
    b=$("$B/jfr2json" -l ndjson --with-context -j 4 "$work/own.jfr" | cksum)
    verdict "$([ "$a" = "$b" ]; echo $?)" "$how: the same with four threads"
    n=$(cat "$work/own.jfr" | "$B/jfr2json" -l ndjson --with-context -c user=user2 | wc -l)
    verdict "$([ "$n" -gt 0 ]; echo $?)" "$how: from a pipe"
done

# Every source of contexts is one to every command: user1 has 2 of 9 wall samples of each round of
# three requests (1 + 2 + 3, and one of nobody each time), 60 requests.
wall() { "$B/jfr2collapsed" -k wall "$@" "$work/own.jfr"; }
sum() { awk '{ n += $NF } END { print n + 0 }'; }
check() { # WHAT GOT WANT
    [ "$2" = "$3" ] || { echo "    $1: $2, not $3"; bad=1; }
}
for source in FIELDS:user:user1 SPANS:user:user1 TAGS:tag:user1 IDS:spanName:user1 IDS:spanId:2 IDS:contextId:2; do
    IFS=: read -r how key value <<<"$source"
    bad=0
    "$B/convert/context/test/context_test" --write "$work/own.jfr" $how 3 60 3
    check -c "$(wall -c "$key=$value" | sum)" 40
    check -C "$(wall -C "$key=$value" -C "$key=" | sum)" 80
    check none "$(wall -c "$key=" | sum)" 60
    check --group-by "$(wall --group-by "$key" | grep -F "[$key=$value];" | sum)" 40
    check jfr2table "$("$B/jfr2table" --by "$key" -k wall -f csv "$work/own.jfr" | grep "^$value," | cut -d, -f2)" 40
    check jfrdiff "$("$B/jfrdiff" -k wall -f csv "$key=$value" "$key!=$value" "$work/own.jfr" | grep Server.run, | cut -d, -f2)" 40
    "$B/jfrcut" -c "$key=$value" -e ExecutionSample -o "$work/cut.jfr" "$work/own.jfr" 2>/dev/null
    check jfrcut "$("$B/jfr2json" -l ndjson -e ExecutionSample "$work/cut.jfr" | wc -l)" 40
    if command -v jq >/dev/null; then
        check --with-context "$("$B/jfr2json" -l ndjson --with-context -e ExecutionSample "$work/own.jfr" |
            jq -r --arg k "$key" '.context[$k] // "-"' | grep -cx "$value")" 40
    fi
    if command -v go >/dev/null; then
        "$B/jfr2pprof" -k wall -o "$work/own.pb.gz" "$work/own.jfr"
        check 'go tool pprof' "$(go tool pprof -raw -tagfocus "$key=^$value\$" "$work/own.pb.gz" 2>/dev/null |
            awk '/^Samples:/ { on = 1; next } /^Locations/ { on = 0 } on && /^ +[0-9]+.*: / { n += $1 } END { print n + 0 }')" 40
    fi
    verdict $bad "$how: $key for every command"
done
exit $failed
