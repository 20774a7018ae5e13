#!/bin/bash
# File and socket events against the JDK's own recorder, in the same process: the same calls, bytes
# and ends. The JDK's reads and writes of its own files are left out of both.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh

if [ ! -e "$agent" ]; then
    skip "file and socket events" "the agent was not built"
    exit 0
fi
for e in FileRead FileWrite FileForce SocketRead SocketWrite; do
    echo "<event name='jdk.$e'><setting name='enabled'>true</setting><setting name='threshold'>0 ns</setting><setting name='stackTrace'>true</setting></event>"
done | { echo '<?xml version="1.0" encoding="UTF-8"?><configuration version="2.0">'; cat; echo '</configuration>'; } >"$work/io.jfc"

# of FILE: "event calls bytes ends", for what the program did itself
of() {
    "$B/jfr2json" --layout ndjson -e 'jdk.File*,jdk.Socket*' --stack-depth 0 "$1" |
        jq -r --arg d "$work/files" 'select(.values.path == null or (.values.path | startswith($d))) |
            select(.values.path != null or (.type | test("Socket"))) |
            [.type, (.values.bytesRead // .values.bytesWritten // 0),
             (.values.endOfFile // .values.endOfStream // .values.metaData // false)] | @tsv' |
        awk -F'\t' '{ n[$1]++; b[$1] += $2; e[$1] += $3 == "true" }
            END { for (k in n) print k, n[k], b[k], e[k] }' | sort
}

mapfile -t homes < <(runtimes)
for home in "${homes[@]}"; do
    v=$(release "$home")
    has_recorder "$home" || { inapplicable "file and socket events on JDK $v" "no recorder of its own to compare with"; continue; }
    workload || give_up "$why"
    rm -rf "$work/files"
    timeout 300 "$home/bin/java" "-XX:StartFlightRecording:filename=$work/theirs.jfr,settings=$work/io.jfc" \
        "-agentpath:$agent=file=$work/ours.jfr,settings=$work/io.jfc" \
        -cp "$classes" FileIO "$work/files" >"$work/out" 2>&1 || wrong "java failed: $(tail -3 "$work/out")"
    ! grep -q 'warning' "$work/out" || wrong "$(grep -m1 warning "$work/out")"
    is_whole "$work/ours.jfr"
    of "$work/ours.jfr" >"$work/ours"
    of "$work/theirs.jfr" >"$work/theirs"
    [ "$(wc -l <"$work/ours")" = 5 ] || wrong "not five kinds of events: $(cat "$work/ours")"
    diff "$work/theirs" "$work/ours" >>"$work/wrong"
    sed 's/^/# /' "$work/ours"
    verdict "calls and bytes as the JDK's recorder counts them, JDK $v"

    jfr "$home" print --events jdk.SocketWrite "$work/ours.jfr" 2>&1 | grep -c 'address = "127.0.0.1"' >"$work/n"
    [ "$(cat "$work/n")" = 60 ] || wrong "$(cat "$work/n") of 60 writes with the peer's address"
    jfr "$home" print --events jdk.FileRead --stack-depth 3 "$work/ours.jfr" |
        grep -A3 'stream-' >/dev/null || wrong 'no paths of streams'
    jfr "$home" print --events jdk.FileRead --stack-depth 9 "$work/ours.jfr" | grep -q 'FileIO.streams' ||
        wrong 'no stacks'
    ! jfr "$home" print --events jdk.FileRead --stack-depth 1 "$work/ours.jfr" |
        grep -qE 'FileInputStream\.readBytes\(|readBytes0\(' ||
        wrong 'the native method is in the stack'
    verdict "peers, paths and stacks, JDK $v"
done
exit $failed
