#!/bin/bash
# A profiler that knows of the walker only what recorder/api/jfrkit_walk.h says, in each JVM installed:
# samples, names them, writes a recording, of which jfr2flame makes a page.
set -u
. tools/test/jdk_lib.sh
B=${B:-build}
example=$(realpath -m "$B/walk-example.so")
library=$(realpath -m "$B/libjfrkit.so")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

verdict() { # verdict NAME RESULT
    if [ "$2" = 0 ]; then
        echo "ok $1"
    else
        echo "not ok $1"
        sed 's/^/    /' "$work/log" | head -40
        failed=1
    fi
}

value() {
    grep "^EXAMPLE $1" "$work/log" | head -1 | tr ' ' '\n' | sed -n "s/^$2=//p"
}

if [ ! -e "$example" ] || [ ! -e "$library" ]; then
    echo "skip jfrkit_walk: $example is not built (no JDK with headers)"
    exit 0
fi
mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    release=$(release "$home")
    rm -rf "$work"/*
    javac "$home" -d "$work" test-data/workload/WalkWork.java || exit 1
    timeout 300 "$home/bin/java" "-agentpath:$example=$library,$work/out.jfr" -cp "$work" WalkWork 3 \
        >"$work/log" 2>&1
    grep '^EXAMPLE' "$work/log" | sed "s/^EXAMPLE/# JDK $release:/"
    [ "$(value samples java)" -gt 20 ] && [ "$(value top self)" -gt 0 ] &&
        awk -v p="$(value samples failed_percent)" 'BEGIN { exit !(p != "" && p < 5) }'
    verdict "JDK $release: the example samples and names" $?
    grep -q '^EXAMPLE jmethodID of [a-zA-Z<$_]' "$work/log"
    verdict "JDK $release: a method is turned into its jmethodID" $?
    "$B/jfr2flame" -q -o "$work/out.html" "$work/out.jfr" && [ -s "$work/out.html" ] &&
        "$B/jfr2collapsed" -q -o "$work/out.txt" "$work/out.jfr" &&
        grep -q 'Thread.run;.*WalkWork.loop' "$work/out.txt"
    verdict "JDK $release: its recording becomes a flame graph" $?
done
[ ${#homes[@]} != 0 ] || echo "skip jfrkit_walk: no JDK under /usr/lib/jvm"
exit $failed
