#!/bin/bash
# The setting emit of interval events and of a program's own events with contextual fields, on every
# JDK: never, used (something was recorded meanwhile), always; and what `jfr print` of JDK 25 shows.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh
. recorder/test/events_lib.sh

need jq
if [ ! -e "$agent" ] || [ ! -e "$B/jfrkit.jar" ]; then
    skip 'emit' 'the agent was not built'
    exit 0
fi
jar=$(realpath "$B/jfrkit.jar")
n=20

# told EVENT FIELD: how many of "busy" and of "quiet"
told() {
    query "$work/emit.jfr" "$1" "map(.$2) | [(map(select(. == \"busy\")) | length), (map(select(. == \"quiet\")) | length)] | join(\"/\")"
}

# shown FIELD: events for which the newest JDK's tool prints FIELD = "busy"
shown() {
    jfr "$newest" print --events test.Work "$work/emit.jfr" | grep -c "Context: $1 = \"busy\""
}

# emit APP SPAN WANTED-APP WANTED-SPAN SHOWN-APP SHOWN-SPAN: settings ('': none) and what comes of them
emit() {
    local options=settings=none,cpu=off note

    [ -z "$1" ] || options+=",+jfrkit.App#emit=$1"
    [ -z "$2" ] || options+=",+test.Span#emit=$2"
    rm -f "$work/emit.jfr"
    timeout -k 5 300 "$home/bin/java" "-agentpath:$agent=file=$work/emit.jfr,$options" \
        -cp "$classes:$jar" Emit $n >"$work/out" 2>"$work/err" </dev/null || wrong "java: $(tail -3 "$work/err")"
    is_whole "$work/emit.jfr"
    [ "$(told test.Work who)" = "$((2 * n))/0" ] || wrong "events of the program: $(told test.Work who)"
    [ "$(told jfrkit.App user)" = "$3" ] || wrong "intervals: $(told jfrkit.App user), not $3"
    [ "$(told test.Span who)" = "$4" ] || wrong "spans: $(told test.Span who), not $4"
    if [ "$(release "$newest")" -ge 25 ]; then
        [ "$(shown App.user)" = "$5" ] || wrong "jfr print shows $(shown App.user) intervals, not $5"
        [ "$(shown Span.who)" = "$6" ] || wrong "jfr print shows $(shown Span.who) spans, not $6"
    fi
    # the table says when requests are not all of them
    note=$("$B/jfr2table" --by user -f json "$work/emit.jfr" | jq '[.notes[]? | select(test("emit=used"))] | length')
    case ${1:-used}/${2:-always} in
    *used*) [ "$note" = 1 ] ;;
    *) [ "$note" = 0 ] ;;
    esac || wrong "$note notes on requests"
    verdict "emit of intervals ${1:-not set}, of spans ${2:-not set}, JDK $v"
}

newest=$(jdks | tail -1)
[ "$(release "${newest:-/}")" -ge 25 ] 2>/dev/null || skip 'Context lines' 'jfr print shows contexts from JDK 25 on'
mapfile -t homes < <(runtimes)
for home in "${homes[@]}"; do
    v=$(release "$home")
    workload || give_up "$why"
    emit '' '' $n/0 $n/$n $n $n
    emit never never 0/0 0/0 0 0
    emit used used $n/0 $n/0 $n $n
    emit always always $n/$n $n/$n $n $n
done
exit $failed
