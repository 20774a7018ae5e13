#!/bin/bash
# What the agent records is what happened: shares, sums, names, losses; and everyone can read it.
. test-data/workload/lib.sh

[ -e "$agent" ] || { skip 'the agent records' 'it was not built'; exit 0; }
mapfile -t homes < <(jdks)
[ ${#homes[@]} != 0 ] || { skip 'the agent records' 'no JDK'; exit 0; }
command -v jq >/dev/null || { skip 'the agent records' 'no jq'; exit 0; }

newest=${homes[-1]}

# status KEY: from the last answer of the agent
status() {
    sed -n "s/^$1: //p" "$work/reply" | tail -1
}

new_reply() {
    rm -f "$work/reply"
    (umask 077; : >"$work/reply")
}

# Everyone reads it, without a word on standard error.
readable() {
    local home said

    is_whole "$1"
    for home in "${homes[@]}"; do
        [ -x "$home/bin/jfr" ] || continue
        for command in summary 'print --stack-depth 64'; do
            # shellcheck disable=SC2086
            said=$(jfr "$home" $command "$1" 2>&1 >/dev/null) && [ -z "$said" ] ||
                wrong "jfr $command of JDK $(release "$home"): ${said:-failed}"
        done
    done
}

for home in "${homes[@]}"; do
    jdk=$(release "$home")
    if ! workload; then
        skip "the agent records on JDK $jdk" "$why"
        continue
    fi

    for walker in signal agct; do
        new_reply
        record "$home" "$work/cpu.jfr" "cpu=2ms,walker=$walker,reply=$work/reply" cpu 3 ||
            wrong "exit code $?: $(tail -1 "$work/err")"
        heavy=$(samples "$work/cpu.jfr" 'Workload\.heavy' --kind cpu)
        light=$(samples "$work/cpu.jfr" 'Workload\.light' --kind cpu)
        is_share 'share of heavy' "$heavy" $((heavy + light)) "$(truth heavy_cpu_ns)" \
            $(($(truth heavy_cpu_ns) + $(truth light_cpu_ns))) "$(draws "$work/cpu.jfr")"
        [ "$(status walker)" = $walker ] || wrong "walker: $(status walker) ($(status walker-why))"
        # A sample that hits the recorder at work on that thread has nothing to say: some of a hundred, and a
        # few on a machine where a handler is put aside in the middle.
        [ "$(($(status lost) * 50))" -le "$(($(status samples) + 500))" ] ||
            wrong "lost: $(grep '^lost' "$work/reply" | tr '\n' ' ')of $(status samples)"
        verdict "two methods have their shares of CPU time, by $walker on JDK $jdk"

        all=$(count "$work/cpu.jfr" jdk.ExecutionSample)
        cpu=$(($(status process-cpu-ms) - $(status recorder-cpu-ms)))
        # 5 %, and a tick for each of some thirty threads
        awk -v g="$all" -v w=$((cpu / 2)) 'BEGIN { d = g > w ? g - w : w - g; exit !(d <= w / 20 + 30) }' ||
            wrong "$all samples of 2 ms, not $((cpu / 2))"
        [ "$all" = "$(status samples)" ] || wrong "$all in the file, $(status samples) counted"
        verdict "samples add up to the process's CPU time, by $walker on JDK $jdk"
    done
    readable "$work/cpu.jfr"
    if jfr "$newest" view hot-methods "$work/cpu.jfr" >"$work/view" 2>&1; then
        grep -q 'Workload.heavy()' "$work/view" || wrong "jfr view: $(head -5 "$work/view")"
    elif ! grep -q 'unknown command' "$work/view"; then
        wrong "jfr view: $(head -3 "$work/view")"
    fi
    verdict "a recording of JDK $jdk is read by jfr of all JDKs and by us"

    new_reply
    record "$home" "$work/full.jfr" "cpu=100us,buffer=256k,reply=$work/reply" cpu 2 || wrong "exit code $?"
    written=$(count "$work/full.jfr" jdk.ExecutionSample)
    [ "$written" = "$(status samples)" ] || wrong "$written in the file, $(status samples) counted"
    told=$("$B/jfr2json" --layout ndjson "$work/full.jfr" |
        jq -s '[.[] | select(.type == "jfrkit.EventLoss") | .values.count] | add // 0')
    [ "$told" = "$(status lost)" ] || wrong "events tell of $told losses, the agent of $(status lost)"
    is_whole "$work/full.jfr"
    verdict "what is lost is counted and told on JDK $jdk"
done
exit $failed
