#!/bin/bash
# Threads of all kinds begin and end requests that have never been there, while recordings begin and
# end, chunks end and copies are made, on every JDK. Each recording, chunk and copy stands for itself:
# every event has the context that was set for it, and its request is told of exactly once, on the
# event's thread and when the event ended, by which the JDK's tool finds it: a part may begin inside
# of an event. PARTS seconds of each (2).
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh

if [ ! -e "$agent" ] || [ ! -e "$B/jfrkit.jar" ]; then
    skip 'parts of recordings' 'the agent was not built'
    exit 0
fi
jar=$(realpath "$B/jfrkit.jar")
seconds=${PARTS:-2}
values=user,action,file,trace
fields=app_user,app_action,app_file,app_trace

# rows FILE...: its events and intervals, each with the name of the file before it
rows() {
    local file

    for file; do
        "$B/jfr2csv" -e test.Request,jfrkit.App --fields "event,startTime,duration,eventThread.javaThreadId,number,isContinuation,$values,$fields" \
            "$file" | sed "1d;s|^|$(basename "$file"),|;s/\r$//"
    done
}

# faults ONCE: those of rows; with ONCE=0 a request may have begun in another chunk
faults() {
    awk -F , -v once="$1" "$awk_time"'
        function check() {
            for (n in events) {
                if (once && first[n] != 1)
                    print file ": request " n " of " events[n] " events has " first[n] + 0 " first parts of " parts[n] + 0
                for (e = 1; e <= events[n]; e++) {
                    for (p = 1; p <= parts[n] && !(whose[n, p] == thread[n, e] && from[n, p] <= end[n, e] && to[n, p] >= end[n, e]); p++)
                        ;
                    if (p > parts[n]) {
                        printf "%s: no interval around the event %.0f to %.0f of request %d on thread %d", file, begin[n, e], end[n, e], n, thread[n, e]
                        for (p = 1; p <= parts[n]; p++)
                            printf ", %.0f to %.0f on %d", from[n, p], to[n, p], whose[n, p]
                        print ""
                    }
                }
            }
            delete events; delete parts; delete first
        }
        function is_of(n, i) { return $i == "u-" n && ($(i + 1) == "a-" n || $(i + 1) == "b-" n) && $(i + 2) == "f-" n && $(i + 3) == "t-" n }
        $1 != file { check(); file = $1; n_files++ }
        $2 == "test.Request" {
            n = $6; k = ++events[n]; thread[n, k] = $5; begin[n, k] = time($3); end[n, k] = time($3) + $4; all++
            if (!is_of(n, 12)) print "wrong: " $0
        }
        $2 == "jfrkit.App" && $8 != "nobody" {
            n = substr($8, 3); k = ++parts[n]; whose[n, k] = $5; from[n, k] = time($3); to[n, k] = time($3) + $4; first[n] += $7 == "false"
            if (!is_of(n, 8)) print "wrong: " $0
        }
        END { check(); print n_files + 0, all + 0 >"/dev/stderr" }'
}

check() { # check NAME ONCE LEAST FILE...: at least so many events
    local name=$1 once=$2 least=$3 n

    shift 3
    rows "$@" | faults "$once" 2>"$work/n" >"$work/faults"
    head -5 "$work/faults" >>"$work/wrong"
    n=$(cut -d' ' -f2 "$work/n")
    [ "$n" -ge "$least" ] || wrong "$n of $least events"
    verdict "$name: $n events in $(cut -d' ' -f1 "$work/n") of them, JDK $v"
}

ask() { # ask WHAT ARGUMENT...
    "$B/jfrec" "$@" "$pid" >"$work/said" 2>&1 || wrong "jfrec $1: $(cat "$work/said")"
}

program() { # begins with a recording of small chunks
    rm -rf "$work/parts"
    mkdir -p "$work/parts/chunks"
    "$home/bin/java" "-agentpath:$agent=file=$work/parts/whole.jfr,settings=none,+test.Request#withContext=true,chunktime=100ms" \
        -cp "$classes:$jar" Requests 6 >"$work/out" 2>"$work/err" &
    pid=$!
    children+=("$pid")
    wait_for "$work/out" '^begun=' || give_up 'the program did not start'
}

parts() {
    local i until

    program
    until=$((SECONDS + seconds))
    for ((i = 1; SECONDS < until; i++)); do
        ask dump -o "$work/parts/copy-$i.jfr"
        sleep 0.1
    done
    ask stop
    cp "$work/parts/whole.jfr" "$work/parts/chunks"
    until=$((SECONDS + seconds))
    for ((i = 1; SECONDS < until; i++)); do
        ask start -o "$work/parts/short-$i.jfr" --settings none --setting +test.Request#withContext=true
        sleep 0.05
        ask stop
    done
    kill "$pid"
    wait "$pid" 2>/dev/null
    [ ! -s "$work/err" ] || grep -v '^WARNING: ' "$work/err" >>"$work/wrong"
    "$B/jfrcut" --split 1 -o "$work/parts/chunks/chunk.jfr" "$work/parts/whole.jfr" 2>>"$work/wrong"
    rm "$work/parts/chunks/whole.jfr"
    check 'recordings that begin and end' 1 100 "$work"/parts/short-*.jfr
    check 'copies' 1 100 "$work"/parts/copy-*.jfr
    check 'a recording of many chunks' 1 100 "$work/parts/whole.jfr"
    check 'chunks' 0 100 "$work"/parts/chunks/*.jfr
}

mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    v=$(release "$home")
    workload || give_up "$why"
    parts
done
exit $failed
