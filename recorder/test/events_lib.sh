# events_lib.sh - what the scripts share that test recorded events; behind test-data/workload/lib.sh.

need() { # need TOOL...
    local tool

    for tool; do
        command -v "$tool" >/dev/null || { skip 'recorded events' "no $tool"; exit 0; }
    done
}

# program HOME OUT OPTIONS CLASS ARG...: as record() for another class than Workload
program() {
    local home=$1 out=$2 options=$3 java

    shift 3
    rm -f "$out"
    java_of "$home"
    timeout -k 5 300 "${java[@]}" "-agentpath:$agent=file=$out,$options" \
        ${java_options[@]+"${java_options[@]}"} "$@" >"$work/out" 2>"$work/err" </dev/null ||
        wrong "$1: exit code $?: $(tail -1 "$work/err")"
}

query() { # query FILE EVENT FILTER: jq over an array of the event's values
    local depth=0

    [[ $3 != *stackTrace* ]] || depth=all # jq takes long to read them
    "$B/jfr2json" --layout ndjson -e "$2" --stack-depth $depth "$1" 2>/dev/null | jq -n -r "[inputs.values] | $3"
}

# view_list HOME: $list, the file of the JDK that tells what its views are, from 21 on
view_list() {
    local dir=$work/views.${1##*/}

    list=$(find "$dir" -name view.ini 2>/dev/null)
    [ -z "$list" ] || return 0
    "$(compiler)/bin/jimage" "${cheap[@]}" extract --dir "$dir" --include 'regex:.*view\.ini' "$1/lib/modules" >/dev/null 2>&1
    list=$(find "$dir" -name view.ini 2>/dev/null)
    [ -n "$list" ]
}

# What `jfr view` says in place of a table; at the beginning of a line, since the command lines of other
# processes are in a table too.
complaint='^ *(no events found|exception in|could not)'

# view_events HOME: the name of each view and the first event that it is made from
view_events() {
    local list

    view_list "$1" && awk '/^\[/ { view = $0; gsub(/.*\.|\]/, "", view) }
        match($0, /FROM +[A-Za-z]+/) { print view, substr($0, RSTART + 5, RLENGTH - 5) }' "$list" | sort -u -k1,1
}

# views HOME FILE DIR: DIR/NAME is what `jfr view NAME` shows, for each of them, by one JVM for all
views() {
    local list

    view_list "$1" || return
    rm -rf "$3"
    mkdir -p "$3"
    jfr "$1" view all-views "$2" 2>&1 | awk -v dir="$3" '
        FNR == NR && /^\[/ { view = $0; gsub(/.*\.|\]/, "", view) }
        FNR == NR && /^label/ { split($0, part, "\""); name[part[2]] = view }
        FNR == NR { next }
        # for one that wants types which FILE does not declare
        /^Can.t find event type / { out = ""; next }
        /^Missing event found for / { print >(dir "/" $NF); next }
        { title = $0; sub(/^ +/, "", title); sub(/ \(Experimental\)$/, "", title) }
        match($0, /found for .*\.$/) { title = substr($0, RSTART + 11, RLENGTH - 13) }
        before == "" && title in name { out = dir "/" name[title] }
        { before = $0 }
        out != "" { print >out }' "$list" -
    return "${PIPESTATUS[0]}"
}

seconds='(.duration | ltrimstr("PT") | rtrimstr("S") | tonumber)'

between() { # between NAME GOT LEAST MOST
    awk -v g="${2:-x}" -v a="$3" -v b="$4" 'BEGIN { exit !(g != "x" && g + 0 >= a && g + 0 <= b) }' ||
        wrong "$1: $2, not within $3 and $4"
}

# each_jdk FUNCTION [HOME...]: calls FUNCTION HOME VERSION for each of these or else of the JDKs, on which the
# workloads can run
each_jdk() {
    local home v homes

    need jq
    homes=("${@:2}")
    [ $# -gt 1 ] || mapfile -t homes < <(jdks)
    [ ${#homes[@]} != 0 ] || { skip 'recorded events' 'no JDK'; exit 0; }
    [ -e "$agent" ] || { skip 'recorded events' 'the agent is not built'; exit 0; }
    for home in "${homes[@]}"; do
        v=$(release "$home")
        workload || { skip "events on JDK $v" "$why"; continue; }
        "$1" "$home" "$v"
    done
}
