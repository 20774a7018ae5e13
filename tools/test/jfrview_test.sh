#!/bin/bash
# jfrview against `jfr view` of JDK 25, cell by cell, and its own forms of output. By
# default some views are compared, and a view goes through text, JSON and one more form; SOAK=1: all.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/jdk_lib.sh
. tools/test/sample_lib.sh
shared=${SHARED:-../shared}
view=$B/jfrview

some=(hot-methods allocation-by-class gc gc-pauses contention-by-class file-reads-by-path thread-cpu-load
    events-by-count active-settings jvm-information)
[ -z "${SOAK:-}" ] || some=()

# Views of a recording: at most so many of a thousand cells may differ.
compare() { # FILE PER-MILLE
    local good cells

    B=$B tools/test/jfrview_compare.sh -v "$fast" "$1" "${some[@]}" >"$work/compared" 2>&1
    read -r _ good cells < <(tail -1 "$work/compared")
    if [ "${cells:-0}" -lt 100 ] || [ $(((cells - good) * 1000)) -gt $((cells * $2)) ]; then
        echo "$good of $cells cells" >>"$work/wrong"
        grep '^ ' "$work/compared" >>"$work/wrong"
    fi
    verdict "$(basename "$1"): $good of $cells cells of $(($(grep -c '^[a-z]' "$work/compared") - 1)) views as JDK 25 has them"
}

home=$(jdk_home 25)
if [ -z "$home" ]; then
    echo 'skip views as JDK 25 has them: no JDK 25'
else
    fast=$(fast_jfr "$home" "$work/jfr25")
    for f in $(own_recordings 'jdk*-server') ${SOAK:+"$shared"/recordings/jdk/jdk2*.jfr}; do
        compare "$f" 0
    done
    # Containers, whose events need one to run in: made by ourselves.
    if [ -x "$B/convert/view/test/container_test" ]; then
        "$B/convert/view/test/container_test" --write "$work/container.jfr"
        B=$B tools/test/jfrview_compare.sh -v "$fast" "$work/container.jfr" \
            container-{configuration,cpu-usage,cpu-throttling,memory-usage,io-usage} >"$work/compared" 2>&1
        same 'cells' "$(tail -1 "$work/compared")" 'all 20 20'
        grep '^ ' "$work/compared" >>"$work/wrong"
        verdict 'five views of containers, every cell as JDK 25 has it'
    else
        echo 'skip views of containers: view_container_test is not built'
    fi
fi

f=$(own_recordings jdk25-server)
more=(csv tsv html md) n=0
for v in $("$view" --list | awk '{ print $1 }'); do
    forms=(text json "${more[n++ % 4]}")
    rows=$(($("$view" -q -f tsv "$v" "$f" | wc -l) - 1))
    [ -z "${SOAK:-}" ] || forms=(text json "${more[@]}")
    for form in "${forms[@]}"; do
        "$view" -f $form "$v" "$f" >"$work/out" 2>"$work/err" || echo "$v, $form: exit code $?" >>"$work/wrong"
        if [ "$rows" -gt 0 ]; then
            [ ! -s "$work/err" ] || echo "$v, $form: $(head -1 "$work/err")" >>"$work/wrong"
        elif [ "$(grep -c 'view: no events of .*; this recording has ' "$work/err")" != "$(wc -l <"$work/err")" ] || [ ! -s "$work/err" ]; then
            echo "$v, $form: no rows, and $(head -1 "$work/err")" >>"$work/wrong"
        fi
        [ $form != json ] || ! command -v jq >/dev/null || jq -e '.rows | type == "array"' "$work/out" >/dev/null ||
            echo "$v: no JSON" >>"$work/wrong"
    done
    [ -n "${SOAK:-}" ] || [ $((n % 3)) = 0 ] || continue
    same "$v from a pipe" "$(cat "$f" | "$view" -q "$v" | cksum)" "$("$view" -q -j 4 "$v" "$f" | cksum)"
done
verdict 'every view in its forms, and from a pipe'

# Of a method that does not fit the parameters go first, as in the JDK's tool.
"$view" --width 64 hot-methods "$f" >"$work/narrow"
"$view" --width 64 --truncate beginning hot-methods "$f" >"$work/narrow.end"
"$view" --width 64 --cell-height 3 hot-methods "$f" >"$work/narrow.high"
grep -q '^java.util.TreeMap.merge(\.\.\.) ' "$work/narrow" || echo "no short method: $(grep TreeMap "$work/narrow")" >>"$work/wrong"
grep -q '^\.\.\.[A-Za-z.$]*BmpCharPropertyGreedy.match(\.\.\.) ' "$work/narrow.end" || echo "no short end: $(grep BmpChar "$work/narrow.end")" >>"$work/wrong"
! grep -qF '(...)' "$work/narrow.high" || echo 'a cell of three lines is cut' >>"$work/wrong"
awk 'length > 64 { print "too wide: " $0 }' "$work/narrow" "$work/narrow.end" "$work/narrow.high" >>"$work/wrong"
verdict 'methods that are too long'

# Without a view: those that have rows, which all-views prints, and the number of rows that each has alone.
"$view" "$f" --json >"$work/list" 2>>"$work/wrong"
if command -v jq >/dev/null; then
    jq -r '.rows[].view' "$work/list" >"$work/listed"
    "$view" all-views "$f" | sed -nE 's/^[A-Z].* \(([a-z-]+)\)$/\1/p' | cmp - "$work/listed" >>"$work/wrong" 2>&1
    for v in hot-methods active-settings; do
        same "rows of $v" "$("$view" -f json -n 100000 $v "$f" | jq '.rows | length')" \
            "$(jq --arg v $v '.rows[] | select(.view == $v).rows' "$work/list")"
    done
fi
same 'the list as text' "$("$view" "$f" | awk 'NR > 1 { print $1 }' | cksum)" \
    "$("$view" -f csv "$f" | tail -n +2 | cut -d, -f1 | cksum)"
same 'the list of two recordings' "$("$view" -f csv "$f" "$f" | grep -c ^active-recordings,)" 1
cp "$f" "$work/own.jfr"
"$view" -o "$work/own.jfr" "$work/own.jfr" 2>/dev/null
same 'the list over its input' "$?, $(cmp "$f" "$work/own.jfr" && echo whole)" '1, whole'
"$view" >"$work/out" 2>&1
same 'neither view nor recording' "$?, $(cat "$work/out")" '2, jfrview: which view? see --list (try --help)'
verdict 'the views that have rows'

same 'several views' "$("$view" -f json gc-pauses,ThreadStart "$f" | grep -c '"title"')" 2
"$view" -f html gc-pauses,gc "$f" >"$work/out" 2>&1
same 'several views, html' $? 2
same 'events of a type' "$("$view" -f csv jdk.ThreadStart "$f" | wc -l)" \
    "$(("$("$B/jfr2json" --layout ndjson -e jdk.ThreadStart "$f" | wc -l)" + 1))"
same 'a width' "$("$view" --width 70 ThreadStart "$f" | awk 'length > 70' | wc -l)" 0
same 'frames below one another' "$([ "$("$view" --cell-height 3 ExecutionSample "$f" | wc -l)" -gt \
    "$("$view" ExecutionSample "$f" | wc -l)" ]; echo $?)" 0
verdict 'tables of event types'

# A table without rows is not silent.
"$view" gc-pauses "$f" >/dev/null 2>"$work/err"
same 'a view with rows' "$?, $(cat "$work/err")" '0, '
"$B/jfrcut" -q -E GCPhasePause,ThreadStart -o "$work/none.jfr" "$f"
types="this recording has $("$B/jfr2table" --by event -f csv "$work/none.jfr" | awk -F, 'NR == 2 { print $1, $2 }')"
for v in gc-pauses ThreadStart gc-pauses,ThreadStart; do
    "$view" $v "$work/none.jfr" 2>&1 >/dev/null | sed 's/,.*//'
done >"$work/said"
same 'views without rows' "$(cat "$work/said")" "jfrview: no events of GCPhasePause; $types
jfrview: no events of ThreadStart; $types
jfrview: no events of the types that these views show; $types"
same 'quiet' "$("$view" -q gc-pauses "$work/none.jfr" 2>&1 >/dev/null)" ''
verdict 'a view without rows says what the recording has'

same 'events by count' "$("$view" -f csv events-by-count "$f" | awk -F, 'NR > 1 { n += $NF } END { print n }')" \
    "$("$B/jfr2table" --by event -f csv "$f" | awk -F, 'NR > 1 { n += $2 } END { print n }')"
"$view" >/dev/null 2>&1
same 'no view' $? 2
"$view" nope "$f" >/dev/null 2>"$work/err"
same 'a view that is none' "$? $(cat "$work/err")" "2 jfrview: there is no view or event type 'nope', see --list"
"$view" --fail-empty -e None hot-methods "$f" >/dev/null 2>&1
same 'nothing' $? 4
head -c 60000 "$f" >"$work/cut.jfr"
"$view" events-by-count "$work/cut.jfr" >/dev/null 2>&1
same 'cut' $? 3
same 'help' "$([ "$("$view" --help | wc -l)" -le 40 ]; echo $?)" 0
verdict 'filters and exit codes'
exit $failed
