#!/bin/bash
# Threads of the VM have the names that jcmd Thread.print shows, not the 15 bytes that the system keeps.
. test-data/workload/lib.sh

[ -e "$agent" ] || { skip 'names of VM threads' 'it was not built'; exit 0; }
command -v jq >/dev/null || { skip 'names of VM threads' 'no jq'; exit 0; }

# printed PID: system id and name of each thread that the VM knows, as jcmd shows them
printed() {
    "$home/bin/jcmd" "$1" Thread.print 2>/dev/null | grep '^"' |
        sed -nE 's/^"(.*)".* nid=(0x[0-9a-f]+|[0-9]+) .*/\2 \1/p' |
        while read -r id name; do echo "$((id)) $name"; done | sort
}

# recorded FILE: the same of the threads in its wall-clock samples
recorded() {
    "$B/jfr2json" -l ndjson -e profiler.WallClockSample --stack-depth 0 "$1" 2>/dev/null |
        jq -r '.values.sampledThread | "\(.osThreadId) \(.osName)"' | sort -u
}

mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    version=$(release "$home")
    workload || { skip "names of VM threads on JDK $version" "$why"; continue; }
    [ "$version" -ge 9 ] || { inapplicable "names of VM threads on JDK $version" 'the system has none of them'; continue; }
    [ -x "$home/bin/jcmd" ] || { skip "names of VM threads on JDK $version" 'no jcmd'; continue; }
    for collector in G1 Shenandoah; do
        "$home/bin/java" -XX:+Use${collector}GC -version >/dev/null 2>&1 ||
            { skip "names of VM threads, $collector on JDK $version" 'this VM has no such collector'; continue; }
        java_of "$home"
        rm -f "$work/names.jfr"
        "${java[@]}" -XX:+Use${collector}GC -XX:CICompilerCount=4 -XX:-UseDynamicNumberOfCompilerThreads \
            "-agentpath:$agent=file=$work/names.jfr,wall=20ms" Workload cpu 600 >"$work/out" 2>"$work/err" &
        pid=$!
        children+=("$pid")
        wait_for "$work/out" '^pid=' "$pid" || give_up "the workload does not start: $(head -3 "$work/err")"
        sleep 2
        printed "$pid" >"$work/printed"
        kill "$pid"
        wait "$pid" 2>/dev/null
        recorded "$work/names.jfr" >"$work/recorded"
        comm -12 "$work/printed" "$work/recorded" >"$work/same"
        # What the two call differently; threads that came or went in between are in one list only.
        awk 'NR == FNR { id = $1; sub(/^[0-9]+ /, ""); a[id] = $0; next }
            { id = $1; sub(/^[0-9]+ /, ""); if (id in a && a[id] != $0) print a[id] " is called " $0 }' \
            "$work/printed" "$work/recorded" >"$work/differ"
        [ ! -s "$work/differ" ] || wrong "$(head -3 "$work/differ" | paste -sd ';')"
        for name in 'C1 CompilerThread0' 'C2 CompilerThread0' 'VM Periodic Task Thread'; do
            grep -q " $name\$" "$work/same" || wrong "no $name"
        done
        verdict "names of $(wc -l <"$work/same") threads, $collector on JDK $version"
    done
done
exit $failed
