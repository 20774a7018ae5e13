#!/bin/bash
# An application that is deployed 50 times, with libraries of its own each time, leaves nothing behind: no class loader is
# kept by what was changed in it, or by its tasks.
set -u
. test-data/workload/lib.sh

task_jars || { skip 'redeployments' "$why"; exit 0; }
[ -n "$(compiler)" ] || { skip 'redeployments' 'no JDK with a compiler'; exit 0; }
nm "$agent" 2>/dev/null | grep -q woven_classes_1 || { skip 'redeployments' 'the agent was built without ASM'; exit 0; }
javac "$(compiler)" -nowarn --release 8 -Xlint:-options -cp "$jars/*" -d "$work/app" \
    test-data/workload/Redeploys.java >"$work/log" 2>&1 || give_up "javac: $(grep -m1 error "$work/log")"
deployed=$work/app:$(printf '%s:' "$jars"/{slf4j,logback,opentelemetry}*.jar)

mapfile -t homes < <(runtimes | sed -n '1p;$p' | uniq)
for home in "${homes[@]}"; do
    java=("$home/bin/java" -Xmx256m "-Djfrkit.deployed=$deployed" -cp "$work/app")
    least=$(timeout 120 "${java[@]}" Redeploys 10 2>/dev/null | sed -n 's/^alive //p') # JDK 8 keeps one by itself
    timeout 120 "${java[@]}" "-agentpath:$agent=file=$work/app.jfr,settings=none,cpu=5ms" Redeploys 50 \
        >"$work/out" 2>"$work/err" </dev/null || wrong "exit code $?: $(tail -2 "$work/err")"
    alive=$(sed -n 's/^alive //p' "$work/out")
    [ "${alive:-50}" -le "${least:-0}" ] || wrong "$alive of 50 class loaders are left, without the recorder ${least:-none}"
    grep -q 'contexts come from slf4j' "$work/err" && grep -q 'the OpenTelemetry API' "$work/err" ||
        wrong "no library was found: $(grep jfrkit: "$work/err")"
    grep -q 'keys of MDC that are recorded: user' "$work/err" || wrong 'no key was chosen'
    ! grep -E 'jfrkit: (warning|error)' "$work/err" >"$work/log" || wrong "$(cat "$work/log")"
    verdict "an application that is deployed 50 times leaves no class loader, JDK $(release "$home")"
done
exit $failed
