#!/bin/bash
# How long reads lasted that waited, and that did not, and what failed, against the JDK's own recorder
# in the same process; with virtual threads, where there are such.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh

if [ ! -e "$agent" ]; then
    skip "reads that wait" "the agent was not built"
    exit 0
fi
for e in FileRead FileWrite SocketRead; do
    echo "<event name='jdk.$e'><setting name='enabled'>true</setting><setting name='threshold'>0 ns</setting></event>"
done | { echo '<?xml version="1.0" encoding="UTF-8"?><configuration version="2.0">'; cat; echo '</configuration>'; } >"$work/io.jfc"

# of FILE: "event bytes waited", and of a thread's socket reads that did their limit, to half a second:
# ours is derived from clocks that other processes may come between; wait_test.c has the exact cases
of() {
    "$B/jfr2json" --layout ndjson -e 'jdk.FileRead,jdk.FileWrite,jdk.SocketRead' --stack-depth 0 "$1" |
        jq -r --arg d "$work/files" --argjson jdk "$v" 'select(($jdk == 21 and (.values.eventThread.javaName // "") == "") | not) |
            .values.path as $path | (.values.bytesRead // .values.bytesWritten) as $bytes |
            (.values.duration | sub("PT"; "") | sub("S"; "") | tonumber > 0.15) as $waited |
            select(.type == "jdk.SocketRead" or $path == "/dev/full" or ($path // "" | startswith($d))) |
            [.type, $bytes, $waited, (select($waited and .values.eventThread.javaName == "main") | .values.timeout // null |
                if . then "limit " + (sub("PT"; "") | sub("S"; "") | tonumber * 2 | round / 2 | tostring) else . end) // null] |
            @tsv' | sort
}

mapfile -t homes < <(runtimes)
for home in "${homes[@]}"; do
    v=$(release "$home")
    has_recorder "$home" || { inapplicable "reads that wait, JDK $v" "no recorder of its own to compare with"; continue; }
    workload || give_up "$why"
    rm -rf "$work/files"
    timeout 300 "$home/bin/java" "-XX:StartFlightRecording:filename=$work/theirs.jfr,settings=$work/io.jfc" \
        "-agentpath:$agent=file=$work/ours.jfr,settings=$work/io.jfc" \
        -cp "$classes" IoWaits "$work/files" >"$work/out" 2>&1 || wrong "java failed: $(tail -3 "$work/out")"
    is_whole "$work/ours.jfr"
    of "$work/ours.jfr" >"$work/ours"
    of "$work/theirs.jfr" >"$work/theirs"
    [ "$(grep -c true "$work/ours")" -ge 3 ] || wrong 'nothing has waited'
    grep -q 'true.*limit 30$' "$work/ours" || wrong 'nothing has waited with a limit'
    diff "$work/theirs" "$work/ours" >>"$work/wrong"
    verdict "reads last as long, and failures are there, as in the JDK's recording, JDK $v"
    # another thread than the reader asks to be woken there
    [ "$v" != 21 ] || skip "how long virtual threads wait, JDK 21" 'it is not told'
done
exit $failed
