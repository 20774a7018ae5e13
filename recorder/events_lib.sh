# events_lib.sh - what the scripts share that test recorded events; behind test-data/workload/lib.sh.

need() { # need TOOL...
    local tool

    for tool; do
        command -v "$tool" >/dev/null || { skip 'recorded events' "no $tool"; exit 0; }
    done
}

# compile HOME CLASS: where javac can; virtual threads need 21
compile() {
    [ "$B/workload/$2.class" -nt "test-data/workload/$2.java" ] && return
    if [ "$2" = VirtualLocks ] || [ "$2" = Pinned ]; then
        javac "$1" -nowarn -d "$B/workload" "test-data/workload/$2.java" >"$work/javac" 2>&1
    else
        javac "$1" -source 8 -target 8 -nowarn -Xlint:-options -d "$B/workload" \
            "test-data/workload/$2.java" >"$work/javac" 2>&1
    fi
}

# program HOME OUT OPTIONS CLASS ARG...: as record() for another class than Workload
program() {
    local home=$1 out=$2 options=$3 java

    shift 3
    rm -f "$out"
    java_of "$home"
    timeout -k 5 60 "${java[@]}" "-agentpath:$agent=file=$out,$options" \
        ${java_options[@]+"${java_options[@]}"} "$@" >"$work/out" 2>"$work/err" </dev/null ||
        wrong "$1: exit code $?: $(tail -1 "$work/err")"
}

query() { # query FILE EVENT FILTER: jq over an array of the event's values
    "$B/jfr2json" --layout ndjson -e "$2" "$1" 2>/dev/null | jq -s -r "map(.values) | $3"
}

seconds='(.duration | ltrimstr("PT") | rtrimstr("S") | tonumber)'

between() { # between NAME GOT LEAST MOST
    awk -v g="${2:-x}" -v a="$3" -v b="$4" 'BEGIN { exit !(g != "x" && g + 0 >= a && g + 0 <= b) }' ||
        wrong "$1: $2, not within $3 and $4"
}

# each_jdk FUNCTION: calls FUNCTION HOME VERSION for every JDK on which the workloads can run
each_jdk() {
    local home v homes

    need jq
    homes=$(jdks)
    [ -n "$homes" ] || { skip 'recorded events' 'no JDK'; exit 0; }
    [ -e "$agent" ] || { skip 'recorded events' 'the agent is not built'; exit 0; }
    for home in $homes; do
        v=$(release "$home")
        workload "$home" || { skip "events on JDK $v" "$why"; continue; }
        compile "$home" Waits || { skip "events on JDK $v" "javac: $(head -1 "$work/javac")"; continue; }
        "$1" "$home" "$v"
    done
}
