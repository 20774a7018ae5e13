#!/bin/bash
# Stacks copied in the handler and walked afterwards, against walks in the handler at the same
# moment, in real JVMs. Copies that are long enough must give the same frames, short ones the
# youngest of them. Figures are printed: what the handler pays for a walk and for a copy.
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh
. test-data/workload/native/lib.sh
seconds=2
[ "${SOAK:-0}" != 1 ] || seconds=30

mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    version=$(release "$home")
    native_agent "$home" snapshot || continue
    for kb in 4 16 64; do
        timeout 300 "$home/bin/java" "-agentpath:$work/snapshot.so=$seconds,$kb" -Xmx96m \
            -cp "$work" Busy "$seconds" >"$work/out" 2>&1 || echo "exit code $?" >>"$work/out"
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
[ ${#homes[@]} != 0 ] || skip 'snapshots of stacks' 'no JDK'
exit $failed
