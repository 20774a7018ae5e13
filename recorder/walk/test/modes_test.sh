#!/bin/bash
# The ways to walk stacks, in whole recordings: which one it is, by the settings and by the option,
# from recording to recording in one process; and what each gets of the same program with all
# processors busy. Figures are printed.
#   SOAK=1   twelve times as long, and figures of smaller snapshots and of AsyncGetCallTrace
. test-data/workload/lib.sh

[ -e "$agent" ] || { skip 'ways to walk' 'the agent was not built'; exit 0; }
mapfile -t homes < <(jdks)
[ ${#homes[@]} != 0 ] || { skip 'ways to walk' 'no JDK'; exit 0; }
command -v jq >/dev/null || { skip 'ways to walk' 'no jq'; exit 0; }
rounds=$([ -n "${SOAK:-}" ] && echo 6 || echo 1)
seconds=$([ -n "${SOAK:-}" ] && echo 4 || echo 2)
modes=(signal parked 'snapshot 64k')
[ -z "${SOAK:-}" ] || modes+=('snapshot 4k' 'snapshot 16k' agct)
busy=$(($(nproc) + 2)) # threads

status() { # status KEY: from the last answer of the agent
    sed -n "s/^$1: //p" "$work/reply" | tail -1
}

new_reply() {
    rm -f "$work/reply"
    (umask 077; : >"$work/reply")
}

# work HOME FILE OPTIONS SECONDS: records a bit of everything
work() {
    new_reply
    timeout 300 "$1/bin/java" -Xmx128m "-agentpath:$agent=file=$2,quiet=true,reply=$work/reply,$3" -cp "$work/classes" \
        WalkWork "$4" $busy >"$work/out" 2>"$work/err" </dev/null
}

in_force() { # in_force FILE: the walker that the recording tells
    "$B/jfr2json" --layout ndjson -e jdk.ActiveSetting "$1" |
        jq -rs '[.[] | select(.values.name == "walker") | .values.value] | unique | join(" ")'
}

# is_walker NAME WANTED OPTIONS...: which walker the recording says it has
is_walker() {
    work "$home" "$work/s.jfr" "$3" 0.1 || wrong "$1: exit code $?: $(head -2 "$work/err")"
    [ "$(status walker)" = "$2" ] || wrong "$1: $(status walker), not $2 ($(status walker-why))"
    [ "$(in_force "$work/s.jfr")" = "$2" ] || wrong "$1: the recording tells $(in_force "$work/s.jfr"), not $2"
}

# sums MODE: adds a recording's figures to those of its mode
sums() {
    local end none failed

    end=$(status 'walks (end)') none=$(status 'walks (no_Java_frame)')
    failed=$(sed -n 's/^walks (\(.*\)): /\1 /p' "$work/last" | awk '$1 != "end" && $1 != "no_Java_frame" { n += $2 } END { print n + 0 }')
    echo "${end:-0} ${none:-0} $failed $(status lost) $(status process-cpu-ms) $(status recorder-cpu-ms)" \
        "$(status handler-p50-ns) $(status handler-p99-ns) $(status nameless-methods) $(status samples)" >>"$work/sums.$1"
}

# figures MODE: how many samples there were for each second of CPU time, how many have a whole stack
figures() {
    awk -v name="JDK $jdk, $1" -v out="$work/rate.$1" '
        { end += $1; none += $2; failed += $3; lost += $4; cpu += $5 - $6; own += $6; p50 += $7; p99 += $8; nameless += $9; n += $10 }
        END { rate = cpu ? n / cpu * 1000 : 0; whole = 100 * (end + none) / (end + none + failed + !n)
              printf "# %s: %d samples, %.1f for each second of CPU, %.2f %% whole (%d not), %d lost, %d names gone, handler %.1f us (p99 %.0f us), drain %.1f us a sample\n",
                  name, n, rate, whole, failed, lost, nameless, p50 / NR / 1000, p99 / NR / 1000, n ? own / n * 1000 : 0
              print rate, whole, lost, n >out }' "$work/sums.$1"
}

mkdir -p "$work/classes"
for home in "${homes[@]}"; do
    jdk=$(release "$home")
    [ -e "$work/classes/Attach.class" ] ||
        javac "$home" -nowarn -d "$work/classes" test-data/workload/WalkWork.java test-data/workload/Attach.java 2>"$work/javac" || { skip "ways to walk on JDK $jdk" "$(head -1 "$work/javac")"; continue; }

    printf '<?xml version="1.0" encoding="UTF-8"?>\n<configuration version="2.0"><event name="jdk.ExecutionSample">%s%s</event>%s</configuration>\n' \
        '<setting name="enabled">true</setting><setting name="period">2 ms</setting>' '<setting name="walker">parked</setting>' \
        '<event name="jdk.ActiveSetting"><setting name="enabled">true</setting></event>' >"$work/parked.jfc"
    sed 's/parked/by magic/' "$work/parked.jfc" >"$work/magic.jfc"
    is_walker 'nothing said' signal settings=default
    is_walker 'a setting of profile' signal settings=profile
    is_walker 'a setting of a file' parked "settings=$work/parked.jfc"
    is_walker 'an option' snapshot walker=snapshot
    is_walker 'an option and a file' agct "walker=agct,settings=$work/parked.jfc"
    is_walker 'a single setting' snapshot 'settings=profile,jdk.ExecutionSample#walker=snapshot'
    work "$home" "$work/s.jfr" "settings=$work/magic.jfc" 0.1
    grep -q "^jfrkit: .*'by magic' is none of" "$work/err" || wrong "a wrong name: $(head -2 "$work/err")"
    verdict "the walker by option, file and both on JDK $jdk"

    if [ "$jdk" -lt 11 ]; then
        inapplicable "another walker in each recording on JDK $jdk" 'cannot attach with this JDK'
    else
        java=("$home/bin/java" -cp "$work/classes")
        [ "$jdk" -lt 21 ] || java+=(-XX:+EnableDynamicAgentLoading)
        "${java[@]}" WalkWork 60 $busy >"$work/out" 2>"$work/err" &
        pid=$!
        children+=($pid)
        orders=()
        for walker in signal parked snapshot agct snapshot parked signal; do
            orders+=("command=start,file=$work/r.%n.jfr,cpu=1ms,walker=$walker" command=status command=stop)
        done
        sleep 0.5
        timeout 300 "$home/bin/java" -cp "$work/classes" Attach "$pid" "$agent" 2 "${orders[@]}" >"$work/reply" 2>&1 ||
            wrong "attach: $(tail -2 "$work/reply")"
        [ "$(sed -n 's/^walker: //p' "$work/reply" | uniq | xargs)" = 'signal parked snapshot agct snapshot parked signal' ] ||
            wrong "walkers: $(sed -n 's/^walker: //p;/^error/p' "$work/reply" | uniq | xargs)"
        kill -0 "$pid" 2>/dev/null || wrong "the program is gone: $(head -3 "$work/err")"
        kill "$pid"
        wait "$pid" 2>/dev/null
        verdict "another walker in each recording of a process on JDK $jdk"
    fi

    rm -f "$work"/sums.*
    for _ in $(seq $rounds); do
        for mode in "${modes[@]}"; do
            # shellcheck disable=SC2086
            set -- $mode
            work "$home" "$work/m.jfr" "settings=none,cpu=1ms,walker=$1${2:+,snapshot=$2}" "$seconds" ||
                wrong "$mode: exit code $?: $(head -2 "$work/err")"
            sed '0,/^state: stopped/d' "$work/reply" >"$work/last"
            sums "$1${2:+-$2}"
            is_whole "$work/m.jfr"
        done
    done
    for mode in "${modes[@]}"; do
        figures "${mode/ /-}"
    done
    for mode in signal parked snapshot-64k; do
        read -r rate whole lost n <"$work/rate.$mode"
        # Mostly all of them. A thread that stands where it cannot be walked is asked again each ms: 40 samples
        # may be one such place.
        awk -v w="$whole" -v n="$n" -v m=$mode 'BEGIN {
            exit !(n > 200 && n * (1 - w / 100) <= n * (m ~ /snap/ ? 0.02 : 0.005) + 40) }' ||
            wrong "$mode: $whole % of $n stacks reach their bottom"
        [ "$lost" = 0 ] || wrong "$mode: $lost samples lost"
        # the few samples of the short run swing by some percent
        awk -v r="$rate" -v s="$(cut -d' ' -f1 "$work/rate.signal")" -v k=$([ -n "${SOAK:-}" ] && echo 0.99 || echo 0.9) \
            'BEGIN { exit !(r >= k * s) }' ||
            wrong "$mode gets $rate samples for a second of CPU, signal $(cut -d' ' -f1 "$work/rate.signal")"
    done
    verdict "whole stacks, as many in each mode, with all processors busy on JDK $jdk"
done
exit $failed
