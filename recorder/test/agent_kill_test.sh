#!/bin/bash
# What was recorded survives: SIGKILL at random moments, a full disk, a folder that cannot be written.
#   SOAK=1   200 kills for each JDK instead of 10
. test-data/workload/lib.sh

[ -e "$agent" ] || { skip 'recordings survive' 'it was not built'; exit 0; }
mapfile -t homes < <(runtimes)
# Nothing of this differs between JDKs; the oldest and the newest.
[ ${#homes[@]} != 0 ] || { skip 'recordings survive' 'no JDK'; exit 0; }
[ -n "${SOAK:-}" ] || mapfile -t homes < <(printf '%s\n' "${homes[@]}" | sed -n '1p;$p' | uniq)
command -v jq >/dev/null || { skip 'recordings survive' 'no jq'; exit 0; }
kills=$([ -n "${SOAK:-}" ] && echo 200 || echo 10)
RANDOM=${SEED:-$$}
seed=$RANDOM

# flushed: waits until the header of the chunk has changed, which has the time of the last flush
flushed() {
    local header

    header=$(od -An -tx1 -N68 "$work/k.jfr")
    while [ "$(od -An -tx1 -N68 "$work/k.jfr")" = "$header" ]; do
        kill -0 "$victim" || give_up 'the workload has ended'
        sleep 0.05
    done
}

for home in "${homes[@]}"; do
    jdk=$(release "$home")
    if ! workload; then
        skip "recordings survive on JDK $jdk" "$why"
        continue
    fi
    java_of "$home"

    empty=0
    for ((i = 0; i < kills; i += 5)); do
        for ((k = i; k < i + 5; k++)); do
            "${java[@]}" "-agentpath:$agent=file=$work/k$k.jfr,cpu=1ms,chunktime=700ms" \
                Workload cpu 600 >"$work/out" 2>"$work/err" &
            victims[k]=$!
            children+=($!)
        done
        for ((k = i; k < i + 5; k++)); do
            sleep "$((RANDOM % 2)).$((RANDOM % 900 + 100))"
            kill -9 "${victims[k]}"
            wait "${victims[k]}" 2>/dev/null
            if [ ! -e "$work/k$k.jfr" ]; then # before the recording began
                empty=$((empty + 1))
                continue
            fi
            is_whole "$work/k$k.jfr"
        done
        mapfile -t readers < <(jdks)
        for reader in "${readers[@]}"; do
            [ -e "$work/k$i.jfr" ] || continue
            jfr "$reader" summary "$work/k$i.jfr" >"$work/said" 2>&1 ||
                wrong "k$i.jfr: jfr summary of $(release "$reader"): $(head -2 "$work/said")"
        done
        rm -f "$work"/k*.jfr
    done
    [ "$empty" -lt "$kills" ] || wrong 'none of them had begun'
    verdict "$kills kills at random moments, seed $seed, on JDK $jdk"

    "${java[@]}" "-agentpath:$agent=file=$work/k.jfr,cpu=1ms" Workload cpu 600 >"$work/out" 2>"$work/err" &
    victim=$!
    children+=("$victim")
    wait_for "$work/out" '^pid=' || give_up 'the workload does not start'
    # What the recorder had before its last flush, once a second, survives. The first flush that is
    # seen may have begun before the status was asked for, the second one has not.
    samples=0
    until [ "$samples" -ge 100 ]; do
        samples=$("$B/jfrec" status -v "$victim" 2>"$work/said" | awk '$1 == "samples" { print $2 }')
        samples=${samples:-0}
        kill -0 "$victim" || give_up 'the workload has ended'
    done
    flushed
    flushed
    kill -9 "$victim"
    wait "$victim" 2>/dev/null
    kept=$(count "$work/k.jfr" jdk.ExecutionSample)
    [ "$kept" -ge "$samples" ] || wrong "$kept samples are left of $samples that were recorded two flushes before"
    verdict "a kill loses what came after the last flush at most on JDK $jdk"

    if mkdir -p "$work/small" && mount -t tmpfs -o size=256k none "$work/small" 2>/dev/null; then
        "${java[@]}" "-agentpath:$agent=file=$work/small/full.jfr,cpu=300us" Workload cpu 300 >"$work/out" 2>"$work/err" &
        victim=$!
        children+=("$victim")
        wait_for "$work/err" '^jfrkit: .*No space' "$victim" || wrong "no message about the full disk: $(cat "$work/err")"
        wait_for "$work/out" '^pid=' "$victim" || wrong 'the program does not run'
        # For longer than the recorder waits before it reports that it can write again: at 300 us each,
        # 40 000 samples.
        lost=0
        until [ "$lost" -ge 40000 ]; do
            kill -0 "$victim" || give_up 'the program has ended'
            sleep 0.5
            lost=$("$B/jfrec" status -v "$victim" 2>"$work/said" | awk '$1 == "lost" && NF == 2 { print $2 }')
            lost=${lost:-0}
        done
        # Reported once: a try for which there is room does not mean that the disk is not full.
        [ "$(grep '^jfrkit: ' "$work/err" | grep -vc 'no jdk.ObjectAllocationSample')" = 1 ] || wrong "lines: $(cat "$work/err")"
        is_whole "$work/small/full.jfr"
        before=$(count "$work/small/full.jfr" jdk.ExecutionSample)
        [ "$before" -gt 0 ] || wrong 'no sample was kept'
        mount -o remount,size=64m "$work/small" || wrong 'no more room'
        until [ "$(count "$work/small/full.jfr" jdk.ExecutionSample)" -gt $((before + 1000)) ]; do
            kill -0 "$victim" || give_up 'the program has ended'
            sleep 0.2
        done
        kill -TERM "$victim" || wrong 'the program has ended'
        wait "$victim"
        code=$?
        [ $code = 143 ] || wrong "exit code $code"
        is_whole "$work/small/full.jfr"
        [ "$(count "$work/small/full.jfr" jdk.DataLoss)" -gt 0 ] || wrong 'no jdk.DataLoss'
        said=$("$B/jfr2json" -l ndjson -e jfrkit.EventLoss "$work/small/full.jfr" | jq -s 'map(.values.count // 0) | add')
        [ "${said:-0}" -ge 40000 ] || wrong "the file says that $said events were lost, not 40 000 or more"
        umount "$work/small"
        verdict "a full disk costs events, not the program or the file, on JDK $jdk"
    else
        skip "a full disk on JDK $jdk" 'no tmpfs can be mounted'
    fi

    mkdir -p "$work/shut"
    chmod 555 "$work/shut"
    if [ "$(id -u)" = 0 ]; then
        inapplicable "a folder that cannot be written on JDK $jdk" 'root may write everywhere'
    else
        record "$home" "$work/shut/x.jfr" cpu=1ms cpu 1 || wrong "exit code $?"
        grep -q '^jfrkit: not recording: .*Permission denied' "$work/err" || wrong "$(cat "$work/err")"
        verdict "a folder that cannot be written on JDK $jdk"
    fi
done
exit $failed
