#!/bin/bash
# A recording whose file is removed, moved or replaced while it is written: this is reported once, in the
# log and by status, and nothing of it is lost. What a file held that was emptied is lost, and no more.
. test-data/workload/lib.sh

[ -e "$agent" ] || { skip 'recordings that lose their names' 'it was not built'; exit 0; }
mapfile -t homes < <(jdks)
# Nothing of this differs between JDKs.
[ ${#homes[@]} != 0 ] || { skip 'recordings that lose their names' 'no JDK'; exit 0; }
[ -n "${SOAK:-}" ] || homes=("${homes[-1]}")
command -v jq >/dev/null || { skip 'recordings that lose their names' 'no jq'; exit 0; }

start() { # start HOME FILE [OPTION...]
    local home=$1 file=$2

    shift 2
    java_options=()
    [ "$(release "$home")" -lt 21 ] || java_options=(-XX:+EnableDynamicAgentLoading)
    run "$home" cpu 600
    "$B/jfrec" start -o "$file" --cpu 1ms "$@" --agent "$agent" "$pid" >"$work/said" 2>&1 || wrong "start: $(tail -1 "$work/said")"
    sleep 1.5
}

stop() {
    "$B/jfrec" stop -v "$pid" >"$work/reply" 2>&1 || wrong "stop: $(tail -1 "$work/reply")"
    kill "$pid"
    wait "$pid" 2>/dev/null
}

told() { # told PATTERN: by status, and once in the log
    wait_for "$work/err" "$1"
    "$B/jfrec" status -v "$pid" >"$work/status" 2>&1 || wrong "status: $(tail -1 "$work/status")"
    grep -qE "file-note.*$1" "$work/status" || wrong "status says nothing of '$1': $(grep -i note "$work/status")"
    [ "$(grep -c '^jfrkit: ' "$work/err")" = 1 ] || wrong "the log: $(cat "$work/err")"
    grep -qE "^jfrkit: .*$1" "$work/err" || wrong "the log: $(cat "$work/err")"
}

no_copy() { # no_copy FILE: which is one of the recording's own, whatever it is called
    ! "$B/jfrec" dump -o "$1" "$pid" >"$work/said" 2>&1 || wrong "a copy took the place of $1"
    grep -q 'being written' "$work/said" || wrong "a copy as $1: $(cat "$work/said")"
}

holds_all() { # holds_all FILE: what the agent counted
    is_whole "$1"
    [ "$(count "$1" jdk.ExecutionSample)" = "$(awk '$1 == "samples" { print $2 }' "$work/reply")" ] ||
        wrong "$(count "$1" jdk.ExecutionSample) samples in $(basename "$1"), not all: $(grep samples "$work/reply")"
}

for home in "${homes[@]}"; do
    jdk=$(release "$home")
    workload || { skip "recordings that lose their names on JDK $jdk" "$why"; continue; }
    [ "$jdk" -ge 11 ] || { inapplicable "recordings that lose their names on JDK $jdk" 'cannot attach with this JDK'; continue; }

    start "$home" "$work/gone.jfr"
    no_copy "$work/./gone.jfr"
    rm "$work/gone.jfr"
    told 'was removed'
    "$B/jfrec" dump -o "$work/copy.jfr" "$pid" >"$work/said" 2>&1 || wrong "dump: $(tail -1 "$work/said")"
    is_whole "$work/copy.jfr"
    [ "$(count "$work/copy.jfr" jdk.ExecutionSample)" -gt 0 ] || wrong 'a copy without samples'
    stop
    holds_all "$work/gone.jfr"
    verdict "a file that is removed is written again on JDK $jdk"

    start "$home" "$work/taken.jfr"
    rm "$work/taken.jfr"
    echo mine >"$work/taken.jfr"
    told 'was removed'
    stop
    holds_all "$work/taken-again.jfr"
    [ "$(cat "$work/taken.jfr")" = mine ] || wrong "somebody else's file was overwritten"
    verdict "a file that is replaced keeps its place on JDK $jdk"

    start "$home" "$work/old.jfr"
    mv "$work/old.jfr" "$work/moved.jfr"
    told 'was moved'
    stop
    holds_all "$work/moved.jfr"
    [ ! -e "$work/old.jfr" ] || wrong 'it was written twice'
    verdict "a file that is moved is written on where it is on JDK $jdk"

    start "$home" "$work/emptied.jfr"
    : >"$work/emptied.jfr"
    wait_for "$work/err" 'was cut by another program' || wrong 'it is not reported'
    n=0
    until [ "$n" -ge 100 ]; do # the new file
        kill -0 "$pid" || give_up 'the program has ended'
        n=$(count "$work/emptied.jfr" jdk.ExecutionSample)
    done
    stop
    is_whole "$work/emptied.jfr"
    [ "$(count "$work/emptied.jfr" jdk.DataLoss)" = 1 ] || wrong 'the file does not say that data were lost'
    [ "$(grep -c '^jfrkit: ' "$work/err")" = 1 ] || wrong "the log: $(cat "$work/err")"
    verdict "a file that is emptied is followed by a new one on JDK $jdk"

    start "$home" "$work/row.jfr" --max-age 1h --option chunktime=2s
    for ((i = 0; i < 100; i++)); do # until the second file is there
        [ ! -e "$work/row-2.jfr" ] || break
        sleep 0.1
    done
    no_copy "$work/./row-1.jfr"
    rm "$work/row-2.jfr"
    told 'was removed|lost their names'
    stop
    holds_all "$work/row.jfr"
    [ -z "$(find "$work" -name 'row-*')" ] || wrong "left behind: $(ls "$work")"
    verdict "one file of a row that is removed is not missing on JDK $jdk"

    start "$home" "$work/short.jfr" --max-age 1h --option chunktime=100ms
    "$B/jfrec" dump -o "$work/copy.jfr" "$pid" >"$work/said" 2>&1 || wrong "dump: $(tail -1 "$work/said")"
    is_whole "$work/copy.jfr"
    sleep 0.3
    stop
    holds_all "$work/short.jfr"
    [ -z "$(find "$work" -name 'short-*')" ] || wrong "left behind: $(ls "$work")"
    verdict "a row is joined and copied when a file of it has just ended, on JDK $jdk"

    mkdir "$work/folder"
    start "$home" "$work/folder/x.jfr"
    rm -r "$work/folder"
    told 'was removed'
    stop
    grep -q '^jfrkit: .*is lost: .*No such file' "$work/err" || wrong "nobody was told that it is lost: $(cat "$work/err")"
    verdict "a folder that is removed takes the recording along, and it is told, on JDK $jdk"
done
exit $failed
