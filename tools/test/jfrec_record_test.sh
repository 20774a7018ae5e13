#!/bin/bash
# jfrec record: jars, scripts, Maven; exit codes, signals and the terminal; names of files; errors.
set -u
. test-data/workload/lib.sh
jfrec=$(realpath -s "$B/jfrec")
classes=$(realpath -m "$B/workload")

# records CODE WORDS ARGUMENT...: jfrec record's exit code, and words on standard error
records() {
    local code=$1 words=$2 is

    shift 2
    (cd "$work/in" && timeout -k 5 300 "$jfrec" record "$@") >"$work/out" 2>"$work/err" </dev/null
    is=$?
    [ $is = "$code" ] || wrong "jfrec record $*: exit code $is: $(cat "$work/err")"
    grep -qE -- "$words" "$work/err" || wrong "jfrec record $*: no word of '$words' in: $(cat "$work/err")"
}

# alone: the agent's library where nothing of ours lies beside it
alone() {
    mkdir -p "$work/alone"
    cp "$agent" "$work/alone/libjfrkit.so"
}

# fresh: an empty folder to record in; others must not find what the last test left
fresh() {
    rm -rf "$work/in"
    mkdir "$work/in"
}

# has_files N PATTERN: so many, each whole and with samples
has_files() {
    local f n=0

    for f in "$work"/in/$2 "$work"/in/*/$2; do
        [ -f "$f" ] || continue
        n=$((n + 1))
        is_whole "$f"
        [ "$(count "$f" jdk.ExecutionSample)" -gt 0 ] || wrong "$(basename "$f") has no samples"
        [ "$(stat -c %a "$f")" = 600 ] || wrong "$(basename "$f") may be read by others"
    done
    [ $n = "$1" ] || wrong "$n files, not $1: $(ls "$work/in")"
}

programs() { # programs JDK
    local name

    name="JDK $(release "$1")"
    fresh
    jar_of "$work/app.jar"
    records 0 'app.jfr: .* samples' --cpu 1ms -o app.jfr -- "$1/bin/java" -jar "$work/app.jar" cpu 1
    [ -n "$(truth heavy_cpu_ns)" ] || wrong 'the program said nothing'
    ! grep -q 'Picked up' "$work/err" || wrong 'the environment was used'
    has_files 1 '*'
    jfr "$1" summary "$work/in/app.jfr" >"$work/summary" 2>&1 || wrong "$(cat "$work/summary")"
    verdict "a jar on $name"
    fresh
    alone
    printf '<?xml version="1.0"?><configuration version="2.0"><event name="jdk.ExecutionSample">%s</event></configuration>' \
        '<setting name="enabled">true</setting><setting name="period">3 ms</setting>' >"$work/in/own.jfc"
    records 0 'own.jfr: .* samples' --agent "$work/alone/libjfrkit.so" --settings own.jfc -o own.jfr -- \
        "$1/bin/java" -cp "$classes" Workload cpu 1
    has_files 1 'own.jfr'
    "$B/jfr2json" -l ndjson -e jdk.ActiveSetting "$work/in/own.jfr" | jq -r .values.value >"$work/values"
    grep -qx '3 ms' "$work/values" || wrong 'the settings are not in force'
    verdict "a .jfc file for an agent that cannot read one, on $name"
    fresh
    records 3 'recording.jfr' -- "$1/bin/java" -cp "$classes" Workload exit 1
    has_files 1 recording.jfr
    verdict "System.exit(3) in the middle, its code is kept, on $name"
    fresh
    records 9 'two-[0-9]+.jfr' --cpu 1ms -o two.jfr -- sh -c \
        "'$1/bin/java' -cp '$classes' Workload cpu 0.5; '$1/bin/java' -cp '$classes' Workload cpu 0.5; exit 9"
    has_files 2 'two-*.jfr'
    verdict "a script that starts two JVMs has two files, on $name"
    fresh
    records 0 '' -q --cpu 1ms -o one.jfr -- sh -c "'$1/bin/java' -cp '$classes' Workload cpu 0.5"
    ! grep '^jfrec' "$work/err" >>"$work/wrong"
    has_files 1 one.jfr
    verdict "a script that starts one JVM has the file asked for, on $name"
}

environment() { # environment JDK
    local odd='a b, c'\''d\e'

    fresh
    mkdir "$work/in/$odd"
    records 0 'x.jfr' --cpu 1ms -o "$odd/x.jfr" -- env JAVA_HOME="$1" sh -c \
        "'$1/bin/java' -cp '$classes' Workload cpu 0.5"
    [ -e "$work/in/$odd/x.jfr" ] || wrong "not in its folder"
    has_files 1 x.jfr
    verdict 'folders with blanks, commas and quotes'
    fresh
    JAVA_TOOL_OPTIONS='-Dkept.property=17' records 0 'Picked up.*-Dkept.property=17 -agentpath' -- sh -c \
        "'$1/bin/java' -XshowSettings:properties -version"
    grep -q 'kept.property = 17' "$work/err" || wrong 'it is gone'
    verdict 'JAVA_TOOL_OPTIONS is kept'
    fresh
    records 0 '' -o 'p%p.jfr' -- "$1/bin/java" -cp "$classes" Workload cpu 0.5
    [ -e "$work/in/p$(truth pid).jfr" ] || wrong "$(ls "$work/in")"
    verdict '%p is the pid'
}

errors() { # errors JDK
    fresh
    records 0 'not recorded: .*/no/such' -o /no/such/folder/x.jfr -- "$1/bin/java" -cp "$classes" Workload cpu 0.1
    [ -n "$(truth heavy_cpu_ns)" ] || wrong 'the program did not run'
    verdict 'a file that cannot be written is told, and the program runs'
    fresh
    for option in --option=nonsense=1 --option=depth=0 --option=walker=none --setting=jdk.NoSuchEvent#enabled=true --setting=jdk.CPUTimeSample#enabled=true; do
        records 2 'refuses its options: .*(nonsense|depth|walker|NoSuchEvent|CPUTimeSample)' "$option" -- "$1/bin/java" -cp "$classes" Workload cpu 0.1
        [ ! -s "$work/out" ] || wrong "$option: the program ran"
    done
    verdict 'an option that the agent refuses ends the command before the program starts'

    # --jfrsync makes a file's name absolute, and a list of them
    mkdir "$work/gone" "$work/a;b"
    (cd "$work/gone" && rmdir "$work/gone" && "$jfrec" record -o "$work/x.jfr" --jfrsync x.jfc -- true) 2>"$work/said"
    [ $? = 1 ] && grep -q 'x.jfc: the working folder' "$work/said" || wrong "no folder: $(cat "$work/said")"
    (cd "$work/a;b" && "$jfrec" record -o "$work/x.jfr" --jfrsync x.jfc -- true) 2>"$work/said"
    [ $? = 2 ] && grep -q "a;b' has a ';'" "$work/said" || wrong "a list: $(cat "$work/said")"
    verdict 'settings for the JDK by names that cannot be said'
}

delayed() { # delayed JDK
    local began first

    fresh
    began=$(date +%s%N)
    records 0 'd.jfr: .* samples' --delay 1500ms --cpu 1ms -o d.jfr -- "$1/bin/java" -cp "$classes" Workload cpu 3
    has_files 1 d.jfr
    first=$("$B/jfr2json" -l ndjson -e jdk.ExecutionSample "$work/in/d.jfr" | jq -r .values.startTime | sort | head -1)
    first=$(date -d "$first" +%s%N)
    [ $((first - began)) -ge 1500000000 ] || wrong "the first sample is $(((first - began) / 1000000)) ms after the start"
    verdict '--delay: nothing is recorded before it is over'
    fresh
    records 0 'the program ended before the delay of 60s was over' --delay 60s -o d.jfr -- "$1/bin/java" -cp "$classes" Workload cpu 0.1
    has_files 0 '*'
    verdict '--delay longer than the program'
    fresh
    run "$1" cpu 600
    "$jfrec" start --delay 1h -o "$work/in/d.jfr" "$pid" >"$work/said" 2>&1 || wrong "start: $(cat "$work/said")"
    "$jfrec" status -v "$pid" >"$work/said" 2>&1
    grep -qE '^state +delayed$' "$work/said" || wrong "status: $(cat "$work/said")"
    ! "$jfrec" dump -o "$work/in/x.jfr" "$pid" >"$work/said" 2>&1 || wrong 'a dump of nothing'
    grep -q 'has not begun yet' "$work/said" || wrong "dump: $(cat "$work/said")"
    "$jfrec" stop -v "$pid" >"$work/said" 2>&1 || wrong "stop: $(cat "$work/said")"
    has_files 0 '*'
    # The settings of a file are read before the delay: what jfrec passes them in is gone afterwards.
    printf '<?xml version="1.0"?><configuration version="2.0"><event name="jdk.ExecutionSample">%s</event></configuration>' \
        '<setting name="enabled">true</setting><setting name="period">3 ms</setting>' >"$work/own.jfc"
    "$jfrec" start --delay 2s --settings "$work/own.jfc" -o "$work/in/d.jfr" "$pid" >"$work/said" 2>&1 || wrong "start: $(cat "$work/said")"
    wait_for_size "$work/in/d.jfr"
    "$B/jfr2json" -l ndjson -e jdk.ActiveSetting "$work/in/d.jfr" | jq -r .values.value | grep -qx '3 ms' ||
        wrong 'the settings of the file are not in force'
    "$jfrec" stop -v "$pid" >"$work/said" 2>&1 || wrong "stop: $(cat "$work/said")"
    has_files 1 d.jfr
    ! grep -v "^WARNING: " "$work/err" >>"$work/wrong"
    kill -9 "$pid"
    wait "$pid" 2>/dev/null
    verdict '--delay of start: status, dump, stop, and a recording'
}

terminated() { # terminated JDK: SIGTERM to jfrec ends the program, and the recording is whole
    local code

    fresh
    : >"$work/out"
    (cd "$work/in" && exec "$jfrec" record --cpu 1ms -o t.jfr -- "$1/bin/java" -cp "$classes" Workload cpu 600) \
        >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    children+=("$pid")
    wait_for "$work/out" '^pid='
    children+=("$(truth pid)")
    wait_for_size "$work/in/t.jfr"
    kill "$pid"
    wait "$pid"
    code=$?
    [ $code = 143 ] || wrong "exit code $code"
    ! kill -0 "$(truth pid)" 2>/dev/null || wrong 'the program lives'
    has_files 1 t.jfr
    verdict 'SIGTERM is passed on'
}

orphaned() { # orphaned JDK: kill -9 to jfrec leaves the program, its recording, and nothing in /tmp
    local files n=100

    fresh
    : >"$work/out" # it has the number of the program before
    find /tmp -maxdepth 1 -name '.jfrec-*' | sort >"$work/before"
    (cd "$work/in" && exec "$jfrec" record --cpu 1ms -o k.jfr -- "$1/bin/java" -cp "$classes" Workload cpu 3) \
        >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    children+=("$pid")
    wait_for "$work/out" '^pid='
    children+=("$(truth pid)")
    files=$(find /tmp -maxdepth 1 -name '.jfrec-*.reply' | sort | comm -13 "$work/before" -)
    [ -n "$files" ] || wrong 'jfrec waits for no reply'
    kill -9 "$pid"
    wait "$pid" 2>/dev/null
    while kill -0 "$(truth pid)" 2>/dev/null && [ $((n -= 1)) -gt 0 ]; do sleep 0.2; done
    is_whole "$work/in/k.jfr"
    [ "$(find $files 2>/dev/null | wc -l)" = 0 ] || wrong "left: $files"
    verdict 'kill -9 of jfrec leaves the program and nothing in /tmp'
}

wait_for_size() { # until there are samples in a file
    local n=100

    until [ "$(count "$1" jdk.ExecutionSample)" -gt 0 ] 2>/dev/null; do
        n=$((n - 1))
        [ $n -gt 0 ] || return
        sleep 0.1
    done
}

# on_terminal SCRIPT COMMAND...: runs it on a terminal of its own. SCRIPT: lines "WORDS => KEYS"; the
# keys are typed once the words have appeared. Prints everything and, at last, "exit code N".
on_terminal() {
    timeout -k 5 300 python3 - "$@" <<'END'
import os, pty, re, sys, select
steps = [line.split(' => ') for line in sys.argv[1].splitlines()]
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
seen = everything = ''
while True:
    try:
        part = os.read(fd, 4096).decode(errors='replace')
    except OSError:
        break
    if not part:
        break
    everything += part
    seen += part
    while steps and (m := re.search(steps[0][0], seen)):
        seen = seen[m.end():]
        os.write(fd, steps[0][1].encode().decode('unicode_escape').encode())
        steps.pop(0)
print(everything)
print('exit code', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
}

terminal() { # terminal JDK
    command -v python3 >/dev/null || { skip 'Ctrl-C' 'no python3'; return; }
    fresh
    on_terminal '[1-9][0-9]* samples, [0-9]+ lost => \x03
the recording has ended => ' "$jfrec" record --cpu 1ms -o "$work/in/c.jfr" -- \
        "$1/bin/java" -cp "$classes" Workload cpu 8 >"$work/out" 2>&1
    grep -q '^exit code 0' "$work/out" && grep -q 'heavy_cpu_ns=' "$work/out" ||
        wrong "the program was stopped: $(cat "$work/out")"
    grep -qE 'c.jfr: .* samples' "$work/out" || wrong "$(tail -3 "$work/out")"
    has_files 1 c.jfr
    [ "$(count "$work/in/c.jfr" jdk.ExecutionSample)" -lt 7000 ] || wrong 'it recorded to the end'
    verdict 'Ctrl-C ends the recording, not the program'
    fresh
    on_terminal '[1-9][0-9]* samples, [0-9]+ lost => \x03
the recording has ended => \x03' "$jfrec" record --cpu 1ms -o "$work/in/c.jfr" -- \
        "$1/bin/java" -cp "$classes" Workload cpu 600 >"$work/out" 2>&1
    grep -q '^exit code 130' "$work/out" || wrong "$(tail -3 "$work/out")"
    has_files 1 c.jfr
    verdict 'Ctrl-C again ends the program'
    on_terminal 'name\? => Duke\n' "$jfrec" record -o "$work/in/r.jfr" -- \
        sh -c 'echo name?; read name; echo hello $name; exit 4' >"$work/out" 2>&1
    grep -q 'hello Duke' "$work/out" && grep -q '^exit code 4' "$work/out" || wrong "$(cat "$work/out")"
    verdict 'a program may read the terminal'
}

maven() {
    command -v mvn >/dev/null || { skip 'Maven' 'no mvn'; return; }
    fresh
    records 0 'mvn.*jfr: ' --cpu 1ms -o mvn.jfr -- mvn -q -version
    [ "$(ls "$work/in" | wc -l)" -ge 1 ] || wrong 'no file'
    for f in "$work"/in/mvn*.jfr; do is_whole "$f"; done
    verdict 'Maven'
}

command -v jq >/dev/null || { skip 'record' 'no jq'; exit 0; }
mapfile -t homes < <(runtimes)
[ ${#homes[@]} != 0 ] || { skip 'record' 'no JDK'; exit 0; }
[ -e "$agent" ] || { skip 'record' "no $agent"; exit 0; }
for home in "${homes[@]}"; do
    workload || { skip "record on JDK $(release "$home")" "$why"; continue; }
    programs "$home"
done
environment "$home"
errors "$home"
delayed "$home"
terminated "$home"
orphaned "$home"
terminal "$home"
maven
left_overs >>"$work/wrong"
verdict 'nothing is left in /tmp'
exit $failed
