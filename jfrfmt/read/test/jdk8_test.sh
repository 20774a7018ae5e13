#!/bin/bash
# A recording that the recorder of JDK 8 makes: every event and value as the newest JDK's tool prints them.
set -u
. test-data/workload/lib.sh

name='a recording of JDK 8 reads as the newest jfr prints it'
home=$(runtimes | head -1)
newest=$(jdks | tail -1)
[ -n "$home" ] && [ "$(release "$home")" = 8 ] && has_recorder "$home" || { skip "$name" 'no JDK 8 with a recorder; tools/setup.sh jdks fetches one from PyPI'; exit 0; }
[ -n "$newest" ] && [ -x "$newest/bin/jfr" ] || { skip "$name" 'no jfr'; exit 0; }
workload || { skip "$name" "$why"; exit 0; }
java_of "$home"
# Exceptions give stacks of the program however busy the machine is; the sampler may find no thread running.
sed '/<event name="jdk.JavaExceptionThrow">/,/<\/event>/s/>false</>true</' "$home/lib/jfr/profile.jfc" >"$work/throws.jfc"
"${java[@]}" -XX:StartFlightRecording:filename="$work/8.jfr",settings="$work/throws.jfc" Workload throw 1 300 >"$work/out" 2>&1 ||
    wrong "java: $(tail -3 "$work/out")"
is_whole "$work/8.jfr"
[ "$(count "$work/8.jfr" jdk.ActiveSetting)" -gt 100 ] || wrong 'few settings'
compat=$([ "$(release "$newest")" -ge 21 ] && echo 25 || echo 17)
"$B/jfr2json" --compat "$compat" --stack-depth 64 "$work/8.jfr" >"$work/ours" 2>>"$work/wrong"
jfr "$newest" print --json --stack-depth 64 "$work/8.jfr" >"$work/theirs" 2>>"$work/wrong"
[ "$(grep -c '"type": "jdk\.' "$work/ours")" -gt 1000 ] || wrong "$(grep -c '"type": "jdk\.' "$work/ours") events"
cmp "$work/theirs" "$work/ours" >>"$work/wrong" 2>&1
"$B/jfr2collapsed" -k exception "$work/8.jfr" >"$work/stacks" 2>>"$work/wrong"
[ "$(awk '/Workload.toss;/ { n += $NF } END { print n }' "$work/stacks")" = 300 ] ||
    wrong "stacks of 300 exceptions: $(cat "$work/stacks")"
verdict "$name"
exit $failed
