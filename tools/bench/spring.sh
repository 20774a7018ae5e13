#!/bin/bash
# What recording costs a Spring Boot service: pairs of fresh JVMs by turns, one recorded and one not, each with the same
# requests after the same warm-up. Prints the requests per second and the CPU time of the service for each, and the ratio
# with its 95 % interval, from the pairs. Asserts nothing.
#   PAIRS=10  WARM=25  ROUNDS=10 of 450 requests: before, and measured  OPTIONS='--cpu 10ms' of jfrkit record
set -u
. test-data/workload/lib.sh
. test-data/spring/shop_lib.sh

pairs=${PAIRS:-10} warm=${WARM:-25} rounds=${ROUNDS:-10}

# cpu_of PID: CPU time in clock ticks
cpu_of() {
    sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'
}

# load ROUNDS: requests of eight users
load() {
    "$java" -cp "$work/load" Load "http://127.0.0.1:$port" "$1" '' >"$work/log" 2>&1 || give_up "load: $(head -1 "$work/log")"
}

# serve HOW: appends "HOW REQUESTS-PER-SECOND CPU-MICROSECONDS-PER-REQUEST"
serve() {
    local service began cpu requests=$((450 * rounds))

    : >"$work/out"
    if [ "$1" = alone ]; then
        "$java" -Dserver.port=0 -jar "$shop" >"$work/out" 2>&1 </dev/null &
    else
        # shellcheck disable=SC2086
        "$B/jfrkit" record -q ${OPTIONS:-} -o "$work/app.jfr" -- "$java" -Dserver.port=0 -jar "$shop" >"$work/out" 2>&1 </dev/null &
    fi
    pid=$!
    children+=("$pid")
    port=$(port)
    service=$(pgrep -f -- "-jar $shop" | while read -r p; do [ "$(cat "/proc/$p/comm")" = java ] && echo "$p"; done | head -1)
    load "$warm"
    cpu=$(cpu_of "$service")
    began=$(date +%s%N)
    load "$rounds"
    echo "$1 $requests $((($(date +%s%N) - began) / 1000)) $((($(cpu_of "$service") - cpu) * 1000000 / $(getconf CLK_TCK)))" |
        awk '{ printf "%s %.1f %.1f\n", $1, $2 / ($3 / 1e6), $4 / $2 }' | tee -a "$work/runs"
    kill "$service"
    wait "$pid"
}

java=$(compiler)/bin/java
shop || { echo "skip a Spring Boot service: $why"; exit 0; }
javac "$(compiler)" -nowarn -d "$work/load" test-data/spring/Load.java >"$work/log" 2>&1 || give_up "javac: $(head -1 "$work/log")"
echo "how requests/s CPU-us/request"
for ((i = 0; i < pairs; i++)); do
    if ((i % 2 == 0)); then serve alone; serve recorded; else serve recorded; serve alone; fi
done
awk '{ i = n[$1]++ + 0; rate[$1, i] = $2; cpu[$1, i] = $3 }
    function interval(name, x, k,  i, sum, squares, mean, error) {
        for (i = 0; i < k; i++) { sum += x[i]; squares += x[i] * x[i] }
        mean = sum / k
        error = k < 2 ? 0 : sqrt((squares - k * mean * mean) / (k - 1) / k) * (k < 5 ? 4.3 : k < 10 ? 2.6 : 2.26)
        printf "%s, recorded / alone: %.3f (%.3f to %.3f)\n", name, exp(mean), exp(mean - error), exp(mean + error)
    }
    END {
        k = n["alone"]
        for (i = 0; i < k; i++) { a[i] = log(rate["recorded", i] / rate["alone", i]); b[i] = log(cpu["recorded", i] / cpu["alone", i]) }
        interval("requests per second", a, k); interval("CPU time of a request", b, k)
    }' "$work/runs"
