#!/bin/bash
# When the JVM reports a fatal error sampling stops at once, its report is whole, and what was recorded
# before is in the file, also of the last second.
. test-data/workload/lib.sh

[ -e "$agent" ] || { skip 'a crash of the JVM' 'it was not built'; exit 0; }
command -v jq >/dev/null || { skip 'a crash of the JVM' 'no jq'; exit 0; }
ulimit -c 0

workload || { skip 'a crash of the JVM' "$why"; exit 0; }

# times FILE: when its samples were taken, in milliseconds, in order
times() {
    "$B/jfr2json" -l ndjson -e jdk.ExecutionSample --stack-depth 0 "$1" 2>/dev/null |
        jq -r '.values.startTime' | while read -r t; do date -d "$t" +%s%3N; done | sort -n
}

mapfile -t homes < <(runtimes)
for home in "${homes[@]}"; do
    version=$(release "$home")
    rm -f "$work/crash.jfr" "$work/report"
    # the report goes on for four seconds, in which four threads work
    timeout -k 5 300 "$home/bin/java" -XX:ErrorFile="$work/report" '-XX:OnError=sleep 4' \
        "-agentpath:$agent=file=$work/crash.jfr,settings=none,cpu=20ms" -cp "$B/workload" Crash \
        >"$work/out" 2>"$work/err" </dev/null
    [ $? = 134 ] || wrong 'it did not crash'
    end=$(date +%s%3N)
    crash=$(truth crashing)
    times "$work/crash.jfr" >"$work/times"
    n=$(awk -v t="$end" '$1 > t - 2000' "$work/times" | wc -l)
    [ "$n" = 0 ] || wrong "$n samples in the last two seconds of the report"
    n=$(awk -v t="$crash" '$1 > t - 500 && $1 <= t' "$work/times" | wc -l)
    [ "$n" -ge 2 ] || wrong "$n samples in the last half second before the crash"
    tail -3 "$work/report" | grep -qE "^$([ "$version" = 8 ] && echo 'elapsed time' || echo END)" || wrong "the VM's report is cut"
    grep -q 'the JVM reports a fatal error: sampling has stopped' "$work/err" || wrong 'no line says so'
    verdict "a crash of JDK $version"
done
exit $failed
