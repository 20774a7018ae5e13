#!/bin/bash
# Native walks of all threads of real JVMs: the VM's own ones (GC, JIT, others) must be walked to
# where they started, and their kind told by the functions there. Figures are printed. SOAK=1: all
# collectors, longer.
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh
. test-data/workload/native/lib.sh
seconds=4 collectors=(G1)
[ "${SOAK:-0}" != 1 ] || { seconds=30 collectors=(G1 Parallel Serial Shenandoah Z); }

mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    version=$(release "$home")
    native_agent "$home" threads || continue
    for gc in "${collectors[@]}"; do
        if ! "$home/bin/java" "-XX:+Use${gc}GC" -version >/dev/null 2>&1; then
            echo "skip JDK $version with $gc: not in this VM"
            continue
        fi
        timeout 300 "$home/bin/java" "-agentpath:$work/threads.so=$seconds" "-XX:+Use${gc}GC" -Xmx96m \
            -cp "$work" Busy "$seconds" >"$work/out" 2>&1 || echo "MISS 1 exit code $?" >>"$work/out"
        # of the threads of the VM 99 of 100 walks, of the others what the agent prints
        awk -v name="JDK $version with $gc" '
            function of(key,   i) { for (i = 1; i <= NF; i++) if (index($i, key "=") == 1) return substr($i, length(key) + 2) + 0 }
            /^THREADS (GC|JIT|VM) / { walks += of("walks"); ended += of("ended") + of("code"); named += of("named"); code += of("code")
                                      said = said sprintf(", %s %d of %d", $2, of("ended") + of("code"), of("walks")) }
            /^THREADS (Java|other) / { said = said sprintf(", %s %d of %d", $2, of("ended") + of("code"), of("walks")) }
            /exit code/ { walks = 0 }
            END { good = walks > 100 && ended >= 0.99 * walks && named + code >= 0.99 * walks
                  printf "%s %s: %d of %d walks of VM threads reach their start%s; kind told of %d\n",
                      (good ? "ok" : "not ok"), name, ended, walks, said, named
                  exit !good }' "$work/out" || failed=1
        grep -E '^(MISS|COST|STEPS)' "$work/out" | sed 's/^/# /' | cut -c1-300
    done
done
[ ${#homes[@]} != 0 ] || skip 'native walks of JVM threads' 'no JDK'
exit $failed
