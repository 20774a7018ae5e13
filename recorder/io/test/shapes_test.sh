#!/bin/bash
# Each way of input and output against the JDK's own recorder in the same process, event by event: whose,
# of what by which name, how much, by which method; and how many there are with a throttle.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh

if [ ! -e "$agent" ]; then
    skip "ways of input and output" "the agent was not built"
    exit 0
fi
for e in FileRead FileWrite FileForce SocketRead SocketWrite ThreadSleep; do
    echo "<event name='jdk.$e'><setting name='enabled'>true</setting><setting name='threshold'>0 ns</setting><setting name='stackTrace'>true</setting></event>"
done | { echo '<?xml version="1.0" encoding="UTF-8"?><configuration version="2.0">'; cat; echo '</configuration>'; } >"$work/io.jfc"

# of FILE: an event a line, but for what the JVM does for itself. The JDK names hidden classes with '/', and
# up to 21 asks the network how the peers of streams are called; 21 begins the stacks of sleeps one frame further down.
of() {
    "$B/jfr2json" --layout ndjson -e 'jdk.File*,jdk.Socket*,jdk.ThreadSleep' --stack-depth 1 "$1" |
        jq -r --argjson jdk "$v" '.values as $v | $v.stackTrace.frames[0].method as $m |
            select($v.eventThread.javaName | test("^main$|^JFR|^Attach") | not) |
            [($v.eventThread.javaName | sub(" \\(pid.*"; "")), .type, $v.path,
             (if $jdk > 21 or $m.type.name == "sun/nio/ch/SocketChannelImpl" then $v.host else null end), $v.address, $v.port,
             $v.bytesRead, $v.bytesWritten, $v.endOfFile, $v.endOfStream, $v.metaData, $v.time,
             (if $jdk == 21 and .type == "jdk.ThreadSleep" then null else ($m.type.name | sub("\\+0x"; "/0x")) + "." + $m.name end)] | @tsv' | sort
}

library=$(realpath "$agent")
mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    v=$(release "$home")
    [ -x "$home/bin/jfr" ] && [ "$v" -ge 17 ] || { inapplicable "ways of input and output on JDK $v" "not all are there"; continue; }
    : "${first:=$home}"
    workload || give_up "$why"
    rm -rf "$work/files"
    (cd "$work" && yes | timeout 300 "$home/bin/java" "-XX:StartFlightRecording:filename=theirs.jfr,settings=io.jfc" \
        "-agentpath:$library=file=ours.jfr,settings=io.jfc" -cp "$classes" IoShapes files) >"$work/out" 2>&1 ||
        wrong "java failed: $(tail -3 "$work/out")"
    ! grep -E 'Exception|warning' "$work/out" >>"$work/wrong"
    is_whole "$work/ours.jfr"
    of "$work/ours.jfr" >"$work/ours"
    of "$work/theirs.jfr" >"$work/theirs"
    [ "$(wc -l <"$work/theirs")" -gt 80 ] || wrong "only $(wc -l <"$work/theirs") events"
    diff "$work/theirs" "$work/ours" >>"$work/wrong"
    verdict "every way of input and output as in the JDK's recording, JDK $v"
done

[ -n "${first:-}" ] || exit $failed
sed -e '/FileRead/ s,</event>,<setting name="throttle">2/h</setting>&,' -e '/FileWrite/ s/true/false/' "$work/io.jfc" >"$work/few.jfc"
rm -rf "$work/files"
timeout 300 "$first/bin/java" "-agentpath:$agent=file=$work/ours.jfr,settings=$work/few.jfc" \
    -cp "$classes" IoShapes "$work/files" >"$work/out" 2>&1 </dev/null || wrong "java failed: $(tail -3 "$work/out")"
n=$(count "$work/ours.jfr" jdk.FileRead)
[ "$n" -ge 1 ] && [ "$n" -le 2 ] || wrong "$n reads, not the 1 or 2 that may be"
verdict 'a throttle of reads is kept'
[ "$(count "$work/ours.jfr" jdk.FileWrite)" = 0 ] || wrong 'files were written'
[ "$(count "$work/ours.jfr" jdk.SocketWrite)" -ge 7 ] || wrong "sockets were $(count "$work/ours.jfr" jdk.SocketWrite) times"
verdict 'sockets have events of their own without those of files'
exit $failed
