#!/bin/bash
# Stacks copied in the handler and walked afterwards, against walks in the handler at the same
# moment, in real JVMs. Copies that are long enough must give the same frames, short ones the
# youngest of them. Figures are printed: what the handler pays for a walk and for a copy.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/jdk_lib.sh
B=${B:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
from=test-data/workload/native
seconds=2
[ "${SOAK:-0}" != 1 ] || seconds=30
found=0 failed=0

for home in $(jdks); do
    [ -e "$home/include/jvmti.h" ] || continue
    version=$(release "$home")
    found=1
    mkdir -p "$work/$version"
    make -s B="$B" "$B/libjfrkit.a" >"$work/log" 2>&1 &&
        ${CC:-cc} -std=c11 -O2 -g -fPIC -shared -D_GNU_SOURCE -w -I. -I"$home/include" \
            -I"$home/include/linux" -o "$work/snapshot.so" $from/snapshot_agent.c "$B/libjfrkit.a" \
            -lpthread -lm >>"$work/log" 2>&1 &&
        "$home/bin/javac" -d "$work/$version" $from/Busy.java >>"$work/log" 2>&1 || {
        echo "not ok JDK $version: the test agent compiles"
        tail "$work/log"
        failed=1
        continue
    }
    for kb in 4 16 64; do
        timeout 120 "$home/bin/java" "-agentpath:$work/snapshot.so=$seconds,$kb" -Xmx96m \
            -cp "$work/$version" Busy "$seconds" >"$work/out" 2>&1 || echo "exit code $?" >>"$work/out"
        awk -v name="JDK $version, copies of $kb KB" -v kb=$kb '
            function of(key,   i) { for (i = 1; i <= NF; i++) if (index($i, key "=") == 1) return substr($i, length(key) + 2) + 0 }
            /^SNAPSHOT kb/ { walks = of("walks"); equal = of("equal"); cut = of("cut"); differ = of("differ")
                             cost = sprintf("%d bytes; handler: walk %d ns (p99 %d), copy %d ns (p99 %d)", of("bytes"),
                                            of("walk_p50"), of("walk_p99"), of("copy_p50"), of("copy_p99")) }
            /exit code/ { walks = 0 }
            # a class that is unloaded before the copy is walked has no name any more
            END { good = walks > 20 && differ <= walks * 0.01 && (kb < 64 || equal >= 0.99 * walks)
                  printf "%s %s: %d of %d stacks equal, %d cut, %d differ; %s\n", (good ? "ok" : "not ok"),
                      name, equal, walks, cut, differ, cost
                  exit !good }' "$work/out" || { failed=1; tail -8 "$work/out" | cut -c1-300; }
    done
done
[ $found = 1 ] || echo "skip snapshots of stacks: no JDK with headers"
exit $failed
