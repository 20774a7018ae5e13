#!/bin/bash
# Every converter on recordings that were cut or had bytes flipped: it ends by itself with exit code 1 or 3
# (0 where nothing that it reads was hit), says file, chunk, offset and what is wrong, and delivers
# what lies before the damage. SOAK=1: more places, and all commands on recordings of others.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/sample_lib.sh
. tools/test/jdk_lib.sh
shared=${SHARED:-../shared}
commands=(jfr2json 'jfr2json -l columns' jfr2csv jfr2collapsed jfr2pprof jfr2otlp jfr2speedscope jfr2firefox jfr2trace jfr2table
    jfr2flame 'jfrview events-by-count' 'jfrmeta --used' jfrsummary jfrcut 'jfrcut -e ExecutionSample' 'jfrcut --repair' jfrcat)
places=6
[ -z "${SOAK:-}" ] || places=40

"$B/bench/gen" --samples 900 --stacks 100 --chunks 3 "$work/whole.jfr" || exit 1
size=$(stat -c %s "$work/whole.jfr")
starts=(0)
"$B/jfrcut" --split 1 -o "$work/piece.jfr" "$work/whole.jfr"
for p in "$work"/piece_{0,1,2}.jfr; do
    starts+=($((starts[-1] + $(stat -c %s "$p"))))
done
"$B/jfr2json" -l ndjson --fields startTime "$work/whole.jfr" >"$work/whole.events"
for i in 0 1 2; do
    "$B/jfr2json" -l ndjson "$work/piece_$i.jfr" >"$work/piece_$i.events"
done

# hole FILE OFFSET: 40 zero bytes in a recording of the JDK cost what lies up to the next checkpoint, no more, and no
# event is made up. What was read survives a repair, and the JDK's tool reads all of it.
hole() {
    local f=$1 at=$2 home lost

    cp "$f" "$work/hole.jfr"
    dd if=/dev/zero of="$work/hole.jfr" bs=1 seek="$at" count=40 conv=notrunc 2>/dev/null
    "$B/jfr2json" -l ndjson "$f" | sort >"$work/want"
    "$B/jfr2json" -v -l ndjson "$work/hole.jfr" 2>"$work/err" | sort >"$work/out"
    [[ $(head -1 "$work/err") =~ 'chunk '[0-9]+', offset 0x'[0-9a-f]+': event of '.*'; '([0-9]+)' bytes are skipped, up to the next known event at 0x' ]] ||
        echo "$at: $(head -1 "$work/err")" >>"$work/wrong"
    [ "${BASH_REMATCH[1]:-0}" -lt 50000 ] || echo "$at: ${BASH_REMATCH[1]} bytes are skipped" >>"$work/wrong"
    lost=$(comm -23 "$work/want" "$work/out" | wc -l)
    [ "$lost" -gt 0 ] && [ $((5 * lost)) -lt "$(wc -l <"$work/want")" ] || echo "$at: $lost of $(wc -l <"$work/want") events are lost" >>"$work/wrong"
    [ "$(comm -13 "$work/want" "$work/out" | wc -l)" -le 2 ] || echo "$at: events that were not recorded" >>"$work/wrong"
    "$B/jfrcut" --repair -q -o "$work/good.jfr" "$work/hole.jfr"
    "$B/jfr2json" -l ndjson "$work/good.jfr" 2>>"$work/wrong" | sort | cmp - "$work/out" >>"$work/wrong" 2>&1
    home=$(jdks | tail -1)
    if [ -n "$home" ]; then
        [ "$(jfr "$home" print --json "$work/good.jfr" | grep -c '^      "type": ')" = "$(wc -l <"$work/out")" ] ||
            echo "$at: jfr reads another number of events of the repaired recording" >>"$work/wrong"
    fi
}

whole_chunks() { # whole_chunks OFFSET: how many chunks end before it
    local n=0

    while [ $n -lt 3 ] && [ "${starts[n + 1]}" -le "$1" ]; do n=$((n + 1)); done
    echo $n
}

# ends_well FILE COMMAND...: exit code, and the place of each damage as --log-json names it; a code 0 is left
# to the caller
ends_well() {
    local f=$1 name code line offset

    shift
    name=$1
    # shellcheck disable=SC2086
    timeout -k 5 300 "$B"/$* --log-json "$f" >"$work/out" 2>"$work/err" </dev/null
    code=$?
    echo $code >"$work/code"
    case $code in
    2) grep -q '"no event type is called' "$work/err" || echo "$* $(basename "$f"): $(head -1 "$work/err")" >>"$work/wrong" ;;
    0) ! grep -qvE '"(no events?|this recording has no events|[0-9]+ events left out:?)[ "]' "$work/err" || echo "$* $(basename "$f"): code 0, but $(head -1 "$work/err")" >>"$work/wrong" ;;
    1 | 3)
        line=$(head -1 "$work/err")
        if [[ $line != "{\"program\":\"${name%% *}\",\"file\":\"$f\","* ]]; then
            echo "$* $(basename "$f"): code $code: $line" >>"$work/wrong"
        elif [ $code = 3 ]; then
            [[ $line =~ \"chunk\":([0-9]+),\"offset\":([0-9]+),\"text\":\"[^\"] ]] || echo "$* $(basename "$f"): no place: $line" >>"$work/wrong"
            offset=${BASH_REMATCH[2]:-0}
            # An offset that the header names may be anywhere.
            [ "$offset" -le "$(stat -c %s "$f")" ] || [[ $line == *'where the header says'* ]] || echo "$* $(basename "$f"): offset beyond the file: $line" >>"$work/wrong"
        fi
        ;;
    *) echo "$* $(basename "$f"): exit code $code: $(head -1 "$work/err")" >>"$work/wrong" ;;
    esac
}

# keeps_what_is_good FILE OFFSET: what lies before the damage is what it was
keeps_what_is_good() {
    local f=$1 n i whole=0

    n=$(whole_chunks "$2")
    "$B/jfr2json" -q -l ndjson "$f" >"$work/events" 2>"$work/err"
    : >"$work/before"
    for ((i = 0; i < n; i++)); do cat "$work/piece_$i.events"; done >"$work/before"
    whole=$(wc -l <"$work/before")
    head -n "$whole" "$work/events" | cmp -s - "$work/before" || echo "$(basename "$f"): $n chunks before the damage are not as they were" >>"$work/wrong"
    "$B/jfr2collapsed" -q "$f" >"$work/stacks" 2>/dev/null
    i=$(awk '{ n += $NF } END { print n + 0 }' "$work/stacks")
    [ "$i" -ge $((n * 300)) ] || echo "$(basename "$f"): $i samples of $n whole chunks" >>"$work/wrong"
}

cuts() {
    local at f n=0 c before=0 here

    # In each chunk: in the header, in the first events, in the middle, before the end.
    for at in $(for i in 0 1 2; do
        echo $((starts[i] + 7)) $((starts[i] + 60)) $((starts[i + 1] - 1))
        for ((k = 1; k <= places; k++)); do echo $((starts[i] + (starts[i + 1] - starts[i]) * k / (places + 1))); done
    done | sort -nu); do
        f=$work/cut$at.jfr
        head -c "$at" "$work/whole.jfr" >"$f"
        # All commands at some places, one after the other at all.
        for c in $([ $((n % 8)) = 3 ] && seq 0 $((${#commands[@]} - 1)) || echo $((n % ${#commands[@]})) $(((n + 7) % ${#commands[@]}))); do
            # shellcheck disable=SC2086
            ends_well "$f" ${commands[c]}
            [ "$(cat "$work/code")" != 0 ] || echo "${commands[c]} cut at $at: no word of it" >>"$work/wrong"
        done
        keeps_what_is_good "$f" "$at"
        # The later the cut, the more there is; and it is the beginning of what there was.
        "$B/jfr2json" -q -l ndjson --fields startTime "$f" >"$work/is" 2>"$work/err"
        here=$(wc -l <"$work/is")
        head -n "$here" "$work/whole.events" | cmp -s - "$work/is" || echo "cut at $at: other events" >>"$work/wrong"
        [ "$here" -ge $before ] || echo "cut at $at: $here events, $before of less" >>"$work/wrong"
        before=$here n=$((n + 1))
        rm -f "$f"
    done
    [ $before -gt 900 ] || echo "only $before events before the last cut" >>"$work/wrong"
    verdict "$n cuts: told with their place, and nothing before them is lost"
}

flips() {
    local at f n=0 c told=0

    RANDOM=1234
    for ((k = 0; k < places * 6; k++)); do
        at=$(((RANDOM * 32768 + RANDOM) % size))
        f=$work/flip$at.jfr
        cp "$work/whole.jfr" "$f"
        printf "\\x$(printf %x $((RANDOM % 256)))" | dd of="$f" bs=1 seek="$at" conv=notrunc 2>"$work/err"
        for c in $([ $((n % 12)) = 5 ] && seq 0 $((${#commands[@]} - 1)) || echo $((n % ${#commands[@]})) $(((n + 9) % ${#commands[@]}))); do
            # shellcheck disable=SC2086
            ends_well "$f" ${commands[c]}
            [ "$(cat "$work/code")" = 0 ] || told=$((told + 1))
        done
        keeps_what_is_good "$f" "$at"
        n=$((n + 1))
        rm -f "$f"
    done
    [ $told -gt 0 ] || echo 'no byte of them did any harm' >>"$work/wrong"
    verdict "$n flipped bytes: chunks before them stay, $told times damage is told"
}

# Size fields, the header and what a chunk is found by: every command.
aimed() {
    local what at bytes f c

    while IFS=" " read -r what at bytes; do
        f=$work/$what.jfr
        cp "$work/whole.jfr" "$f"
        printf '%b' "$bytes" | dd of="$f" bs=1 seek=$((starts[1] + at)) conv=notrunc 2>"$work/err"
        for c in "${commands[@]}"; do
            # shellcheck disable=SC2086
            ends_well "$f" $c
            [ "$(cat "$work/code")" = 3 ] || echo "$c $what: exit code $(cat "$work/code")" >>"$work/wrong"
        done
        keeps_what_is_good "$f" $((starts[1] + at))
    done <<'END'
magic 0 XXXX
size_0 8 \x00\x00\x00\x00\x00\x00\x00\x00
size_huge 8 \x7f\xff\xff\xff\xff\xff\xff\xff
metadata_beyond 24 \x00\x00\x00\x7f\xff\xff\xff\xff
END
    verdict 'headers that lie are told, and the chunk before is whole'
}

of_jvms() {
    local f c n=0

    for f in $(own_recordings 'cut-*') $(own_recordings 'killed-*') "$shared"/edge-cases/*.jfr "$shared"/recordings/damaged/*.jfr; do
        [ -e "$f" ] || continue
        n=$((n + 1))
        for c in $([ -n "${SOAK:-}" ] && seq 0 $((${#commands[@]} - 1)) || echo $((n % ${#commands[@]})) $(((n + 5) % ${#commands[@]}))); do
            # shellcheck disable=SC2086
            ends_well "$f" ${commands[c]}
        done
    done
    verdict "$n odd and damaged recordings of JVMs"
}

[ "${#starts[@]}" = 4 ] && [ "${starts[3]}" = "$size" ] || echo "no three chunks: ${starts[*]}" >>"$work/wrong"
verdict 'a recording of three chunks'
cuts
flips
aimed
of_jvms
for at in 470000 600000 900000; do # among events
    hole "$(own_recordings jdk25-server)" $at
done
verdict 'events after a damaged place are read from the next checkpoint on'
exit $failed
