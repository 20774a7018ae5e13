#!/bin/bash
# Each option of every program once, end to end, and what it changes: tools/test/options_table. One that
# has no row there fails. Programs take their options from shared tables, so one of them is enough.
set -u
B=$(realpath "${B:-build}") # rows run elsewhere
. test-data/workload/lib.sh
. tools/test/sample_lib.sh
bin=$work/bin in=$work/in
mkdir "$bin" "$in"

tools() {
    local tool

    for tool in "$B"/jfrkit "$B"/jfr2* "$B"/jfr[a-jl-z]*; do
        [ ! -x "$tool" ] || [ -d "$tool" ] || ln -s "$tool" "$bin/"
    done
    printf '#!/bin/sh\n' >"$bin/xdg-open" # for --open
    chmod +x "$bin/xdg-open"
}

recordings() {
    cp "$(own_recordings jdk25-server)" "$in/server.jfr"
    cp "$(own_recordings jfrkit-jdk25)" "$in/ctx.jfr"
    cp "$(own_recordings async-profiler-jdk25)" "$in/async.jfr"
    "$B/jfrcat" -o "$in/app.jfr" "$in/server.jfr" "$in/ctx.jfr"
    head -c $(($(stat -c %s "$in/server.jfr") - 1000)) "$in/server.jfr" >"$in/cut.jfr"
    gzip -c "$in/server.jfr" >"$in/server.jfr.gz"
    "$B/jfrcut" --no-contexts -E jfrkit.TracerContext -o "$in/bare.jfr" "$in/ctx.jfr"
    "$B/jfrfmt/test/crafted_test" --write frames 100 "$in/frames.jfr" # stacks that are not whole
    "$B/jfrfmt/test/crafted_test" --write past 500 "$in/late.jfr"     # an allocation of before the recording
    "$B/convert/json/test/nesting_test" --write "$in/chain.jfr" 100
}

# --- one row ------------------------------------------------------------------------------------

declare -A code_of # of a command that was run: its output is in $work/ran/N.*
n_ran=0
run_row() { # run_row COMMAND ARGUMENTS: runs it once; $ran is where its output is
    local line=$1

    [[ $line == *@* ]] && line=${line/@/$2} || line="$line $2"
    if [ -z "${code_of[$line]:-}" ]; then
        n_ran=$((n_ran + 1))
        ran=$work/ran/$n_ran
        mkdir -p "$ran"
        cp -r "$in" "$ran/in"
        (cd "$ran/in" && PATH=$bin:$PATH timeout 100 bash -c "$line") >"$ran/out" 2>"$ran/err" </dev/null
        code_of[$line]="$? $ran"
    fi
    read -r code ran <<<"${code_of[$line]}"
}

# matches EFFECT: does what was run have it?
matches() {
    case $1 in
    2[+-]*) grep -qE -- "${1:2}" "$ran/err" ;;
    [+-]*) grep -qE -- "${1:1}" "$ran/out" ;;
    =*) [ "$code" = "${1:1}" ] ;;
    f:*) [ -s "$ran/in/${1:2}" ] ;;
    *) false ;;
    esac
}

check_row() { # check_row OPTION COMMAND ARGUMENTS EFFECT
    local before after has=0 had=0

    run_row "$2" ''
    before=$ran
    ! matches "$4" || had=1
    run_row "$2" "$3"
    after=$ran
    ! matches "$4" || has=1
    # What the effect is not about must not go wrong.
    [[ $4 == =* || $4 == 2* ]] || [ "$code" = 0 ] || wrong "$1: exit code $code: $(tail -1 "$after/err")"
    case $4 in
    '~') ! cmp -s "$before/out" "$after/out" || wrong "$1: nothing changed: $2 $3" ;;
    -* | 2-*) [ $had$has = 10 ] || wrong "$1: matches $had before, $has with it: $2 $3" ;;
    *) [ $had$has = 01 ] || wrong "$1: matches $had before, $has with it: $2 $3: $(tail -1 "$after/err")" ;;
    esac
}

trimmed() {
    sed -E 's/^ +| +$//g' <<<"$1"
}

rows() { # rows WHICH: those of the table that need a JVM (jvm), or that do not (files)
    local option command arguments effect which

    while IFS='|' read -r option command arguments effect; do
        [[ $option == --* ]] || continue
        [[ $command == *' -- $'* ]] && which=jvm || which=files # what stands behind -- is a program
        [ $which = "$1" ] || continue
        check_row "$(trimmed "$option")" "$(trimmed "$command")" "$(trimmed "$arguments")" "$(trimmed "$effect")"
    done < <(grep -v '^#' tools/test/options_table)
}

# The programs to record: a second of contention, a second of allocation, a program that starts another one, and one
# that ends as soon as the JDK records it, if the JDK is to. The first one is no use for allocations: on JDK 17 it
# allocates 750 kB, which the sampler, at one sample in 512 kB on average, misses in one run of four.
programs() {
    local java

    ln -s "$B/workload" "$work/workload" # rows split these commands at spaces
    B=$work java_of "$home"
    export program="${java[*]} Workload lock 1 2" allocating="${java[*]} Workload alloc 1 1"
    export parent="$home/bin/java Parent.java" synced="$home/bin/java Synced.java"
    cat >"$in/Parent.java" <<'END'
public class Parent {
    public static void main(String[] args) throws Exception {
        new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-version").inheritIO().start().waitFor();
    }
}
END
    cat >"$in/Synced.java" <<'END'
public class Synced {
    public static void main(String[] args) throws Exception {
        String options = java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments().toString();

        for (int i = 0; options.contains("jfrsync") && i < 600; i++) {
            if (jdk.jfr.FlightRecorder.getFlightRecorder().getRecordings().stream()
                    .anyMatch(r -> r.getState() == jdk.jfr.RecordingState.RUNNING))
                return;
            Thread.sleep(100);
        }
    }
}
END
}

tools
recordings
{
    "$bin/jfrkit" completion bash
    for old in "$bin"/jfr2* "$bin"/jfr[a-jl-z]*; do # what their verbs do not have
        "$old" --help=all 2>/dev/null | grep -E '^ +(-[a-zA-Z0-9], )?--'
    done
} | grep -oE -- '--[a-z][a-z0-9-]+' | sort -u >"$work/options"
sed -nE 's/^(--[a-z0-9-]+) .*/\1/p' tools/test/options_table | sort -u >"$work/rows"
[ "$(wc -l <"$work/options")" -gt 100 ] || wrong "$(wc -l <"$work/options") options only"
comm -3 "$work/options" "$work/rows" | sed 's/^\t/a row, but no such option: /; s/^--/no row: --/' >>"$work/wrong"
verdict "each of $(wc -l <"$work/options") options has a row"

rows files
verdict 'options that read recordings do something'

home=$(compiler) # it runs programs from their sources
if [ -z "$home" ] || [ ! -e "$agent" ] || ! workload; then
    skip 'options of the recorder' "no JDK, or no agent"
    exit $failed
fi
programs
rows jvm
verdict 'options of the recorder do something'

# The examples of the options of recordings, with real programs and a real process in place of those they name.
jvm_examples() {
    local line pid n=0

    cat >"$in/Wait.java" <<'END'
public class Wait {
    public static void main(String[] args) throws Exception {
        Thread.sleep(600_000);
    }
}
END
    cp config/profile.jfc "$in/mine.jfc"
    "$home/bin/java" "$in/Wait.java" >/dev/null 2>&1 </dev/null &
    pid=$!
    for ((i = 0; i < 300; i++)); do
        "$B/jfrkit" status -q "$pid" 2>&1 | grep -q 'is not being recorded' && break
        sleep 0.1
    done
    while IFS= read -r line; do
        n=$((n + 1))
        line=${line/4711/$pid}
        case $line in
        *--jfrsync*' -- '*) line="${line%% -- *} -- $synced" ;;
        *' -- '*) line="${line%% -- *} -- $program" ;;
        esac
        (cd "$in" && PATH=$bin:$PATH timeout 100 bash -c "$line") >"$work/out" 2>"$work/err" </dev/null ||
            wrong "$line: exit code $?: $(tail -1 "$work/err")"
        [[ $line != 'jfrkit start '* ]] || "$B/jfrkit" stop -q "$pid" >"$work/out" 2>&1 ||
            wrong "stop after $line: $(tail -1 "$work/out")"
    done < <(tools/options.sh rows | cut -f8 | grep -E '^jfrkit (record|attach|start|status|dump|stop) ' | sort -u)
    kill "$pid" && wait "$pid" 2>/dev/null
    [ $n -ge 12 ] || wrong "$n examples only"
}

jvm_examples
verdict 'the examples of options of recordings'

# Several options of the agent in one JVM: none undoes another. What others test is not among them.
agent_options() {
    local settings all frames

    record "$home" "$work/many.jfr" "settings=profile,cpu=3ms,wall=30ms,lock=7ms,alloc=64k,exceptions=off,depth=3,chunktime=200ms,walker=parked,buffer=1m,context=tenant:id" alloc 1 1 ||
        wrong "exit code $?: $(tail -1 "$work/err")"
    settings=$("$B/jfrsummary" "$work/many.jfr" | sed -n '/^ Settings/,$p')
    grep -q '^ jdk.ExecutionSample .*period=3 ms, walker=parked' <<<"$settings" || wrong 'cpu=3ms, walker=parked'
    grep -q '^ profiler.WallClockSample .*period=30 ms' <<<"$settings" || wrong 'wall=30ms'
    all=$("$B/jfrview" active-settings "$work/many.jfr") # the summary has those of recorded types only
    grep -qE '^Java Monitor Blocked +true +7 ms' <<<"$all" || wrong 'lock=7ms'
    grep -qE '^Java Exception +false' <<<"$all" || wrong 'exceptions=off'
    [ "$("$B/jfrsummary" --json "$work/many.jfr" | jq '.chunks | length')" -ge 4 ] || wrong 'chunktime=200ms'
    frames=$("$B/jfr2json" -q -l ndjson --stack-depth all "$work/many.jfr" |
        jq -r 'select(.values.stackTrace.frames != null) | "\(.values.stackTrace.frames | length) \(.type)"' | sort -rn | head -1)
    [[ $frames == 3\ * ]] || wrong "depth=3: a stack of $frames"
    "$B/jfr2json" -q -l ndjson -e jdk.ObjectAllocationSample "$work/many.jfr" | grep -q . || wrong 'alloc=64k'
}

command -v jq >/dev/null || { skip 'several options of the agent' 'no jq'; exit $failed; }
agent_options
verdict 'several options of the agent hold in one JVM'
exit $failed
