#!/bin/bash
# A recorder that comes to a JVM without a context library, and leaves it, has the VM do nothing at a safepoint that
# visits classes, objects or the stacks of all threads: what takes longer, the larger the program is.
. test-data/workload/lib.sh

name='a start and a stop without long operations of the VM'
[ -e "$agent" ] || { skip "$name" 'the agent was not built'; exit 0; }
mapfile -t homes < <(jdks)
[ ${#homes[@]} != 0 ] || { skip "$name" 'no JDK'; exit 0; }
# The table of JNI functions is changed, or an event of JVMTI turned on; JDK 11 reads the stacks of single threads to
# sample allocations. The rest is the collectors' and the compilers' own.
short='JNIFunctionTableCopier|SetNotifyJvmtiEventsMode|GetStackTrace|Deoptimize|RevokeBias|BulkRevokeBias'
own='G1[A-Za-z]*|[A-Za-z]*Collect[A-Za-z]*|Cleanup|ICBufferFull|Handshake[A-Za-z]*|RendezvousGCThreads'

for home in "${homes[@]}"; do
    on="on JDK $(release "$home")"
    [ "$(release "$home")" != 8 ] || { inapplicable "$name $on" 'it has no log of the operations'; continue; }
    workload || { skip "$name $on" "$why"; continue; }
    java_options=("-Xlog:vmoperation=debug:file=$work/vm.log")
    run "$home" cpu 600
    : >"$work/vm.log"
    rm -f "$work/s.jfr"
    "$B/jfrec" start -q -o "$work/s.jfr" "$pid" >"$work/log" 2>&1 || wrong "start: $(cat "$work/log")"
    until_told samples 20
    "$B/jfrec" stop -q "$pid" >"$work/log" 2>&1 || wrong "stop: $(cat "$work/log")"
    kill -9 "$pid"
    wait "$pid" 2>/dev/null
    [ "$(count "$work/s.jfr" jdk.ExecutionSample)" -ge 20 ] || wrong 'no samples'
    grep -aoE 'begin VM_Operation[^:]*: [A-Za-z0-9_]+' "$work/vm.log" | sed 's/.*: //' | sort | uniq -c >"$work/operations"
    grep -q ' JNIFunctionTableCopier$' "$work/operations" || wrong "the log lacks what the recorder does: $(cat "$work/operations")"
    grep -vE " ($short|$own)\$" "$work/operations" >"$work/long" && wrong "long operations: $(cat "$work/long")"
    verdict "$name $on"
done
exit $failed
