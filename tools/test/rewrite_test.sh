#!/bin/bash
# jfrcut and jfrcat: nothing is lost or changed on the way, and what is damaged is saved. By default
# recordings are those of sample_lib.sh and cuts are 40; SOAK=1: all, and 100.
set -u
. "$(dirname "$0")/rewrite_lib.sh"

# recordings: all that hold events, real ones and odd ones
recordings() {
    ls "$work"/own*.jfr
    own_recordings
    sample
    ls "$shared"/edge-cases/*.jfr 2>/dev/null
}

generate() {
    "$B/bench/gen" --samples 4000 --stacks 300 --chunks 5 "$work/own1.jfr" &&
        "$B/bench/gen" --samples 3000 --stacks 300 --chunks 2 --seed 7 "$work/own2.jfr" ||
        wrong 'cannot generate recordings'
    verdict 'recordings are made'
}

nothing_changes() {
    local f n=0 rc

    for f in $(recordings); do
        "$B/jfrcut" -q -o "$work/cut.jfr" "$f" 2>/dev/null
        rc=$?
        # "dim2" cannot be decoded by anyone; in the last case the chunk has no end at all.
        case $rc,$f in *dim2.jfr | 1,*only_header_open.jfr) continue ;; esac
        [ $rc = 0 ] || [ $rc = 3 ] || wrong "$f: exit code $rc"
        same "$f" "$work/cut.jfr" --no-settings
        "$B/jfrcut" -q -o "$work/again.jfr" "$work/cut.jfr"
        cmp -s "$work/cut.jfr" "$work/again.jfr" || wrong "$f: rewriting twice is not rewriting once"
        n=$((n + 1))
    done
    [ $n -ge 2 ] || wrong 'no recording'
    verdict "$n recordings, value by value, and the same when rewritten twice"
}

streams() {
    local f=$work/own1.jfr

    "$B/jfrcut" -o "$work/cut.jfr" "$f"
    "$B/jfrcut" <"$f" | cmp -s - "$work/cut.jfr" || wrong 'from and to a pipe'
    gzip -c "$f" | "$B/jfrcut" - | cmp -s - "$work/cut.jfr" || wrong 'compressed'
    [ "$(stat -c %a "$work/cut.jfr")" = 600 ] || wrong 'mode'
    "$B/jfrcut" "$f" >/dev/full 2>/dev/null
    [ $? = 1 ] || wrong 'a full disk is not told'
    verdict 'files and pipes get the same bytes'
}

merges() {
    local a=$work/own1.jfr b=$work/own2.jfr starts

    cat "$a" "$b" >"$work/both.jfr"
    cat "$b" "$a" >"$work/reversed.jfr"
    "$B/jfrcat" -o "$work/cat.jfr" "$a" "$b" || wrong "exit code $?"
    same "$work/both.jfr" "$work/cat.jfr"
    "$B/jfrcat" -o "$work/cat2.jfr" "$b" "$a"
    same "$work/cat.jfr" "$work/cat2.jfr"
    "$B/jfrcat" -o "$work/cat3.jfr" "$work/reversed.jfr"
    same "$work/cat.jfr" "$work/cat3.jfr"
    starts=$("$B/jfrsummary" --json "$work/cat3.jfr" | jq -r '.chunks[].start_ns // .chunks[].start')
    starts=${starts//Z/}
    [ "$(LC_ALL=C sort -u <<<"$starts")" = "$starts" ] || wrong "starts: $starts"
    verdict 'chunks of two JVMs that overlap, in the order of time'
}

# A merge of producers that number alike: equal metadata ids and type ids, other clocks.
merges_alike() {
    local a b

    a=$(own_recordings async-profiler-jdk17) b=$(own_recordings async-profiler-jdk25)
    cat "$a" "$b" >"$work/both.jfr"
    "$B/jfrcat" -o "$work/cat.jfr" "$a" "$b"
    same "$work/both.jfr" "$work/cat.jfr"
    [ -z "$jfr25" ] || {
        for f in "$a" "$b" "$work/cat.jfr"; do
            "$jfr25" print --json --events jdk.ExecutionSample "$f" | jq -c '.recording.events[]' |
                sort >"$work/json.$(basename "$f" .jfr)"
        done
        sort "$work"/json.async-profiler-* | cmp - "$work/json.cat" >>"$work/why" 2>&1
        [ -s "$work/json.cat" ] || wrong 'JDK 25 finds no sample'
    }
    verdict 'equal metadata ids and type ids, two clocks'
}

splits() {
    local f=$work/own1.jfr

    mkdir -p "$work/parts"
    "$B/jfrcut" --split 2 -o "$work/parts" "$f" || wrong "exit code $?"
    [ "$(ls "$work/parts")" = $'own1_0.jfr\nown1_1.jfr\nown1_2.jfr' ] || wrong "parts: $(ls "$work/parts")"
    cat "$work"/parts/own1_*.jfr | cmp -s - "$f" || wrong 'parts are not the bytes of the whole'
    "$B/jfrcut" --split-size 1 -e ExecutionSample -o "$work/parts/one.jfr" "$f"
    [ "$(ls "$work"/parts/one_*.jfr | wc -l)" = 5 ] || wrong 'a part for each chunk'
    "$B/jfrcut" -e ExecutionSample -o "$work/cut.jfr" "$f"
    cat "$work"/parts/one_*.jfr >"$work/joined.jfr"
    same "$work/cut.jfr" "$work/joined.jfr"
    mkdir -p "$work/named" && cp "$f" "$work/packed.jfr.zst"
    "$B/jfrcut" --split 4 -o "$work/named" "$work/packed.jfr.zst"
    [ "$(ls "$work/named")" = $'packed_0.jfr\npacked_1.jfr' ] || wrong "parts of a packed one: $(ls "$work/named")"
    verdict 'parts'
}

edits() {
    local f=$work/own1.jfr text

    "$B/jfrcut" --drop-fields stackTrace,state -e ExecutionSample -o "$work/cut.jfr" "$f" || wrong "$?"
    "$B/jfr2json" "$work/cut.jfr" 2>/dev/null | jq -e '[.recording.events[].values | has("stackTrace")] | any | not' \
        >/dev/null || wrong 'stackTrace is still there'
    "$B/jfrcut" --redact state=hash:pepper -o "$work/cut.jfr" "$f" || wrong "$?"
    "$B/jfrcut" --redact state=hash:pepper -o "$work/cut2.jfr" "$work/own2.jfr"
    "$B/jfrcut" --redact state=hash:salt -o "$work/cut3.jfr" "$f"
    for text in cut cut2 cut3; do
        "$B/jfr2json" "$work/$text.jfr" | jq -r '.recording.events[] | select(.type == "jdk.ExecutionSample") | .values.state' |
            sort -u >"$work/$text.states"
    done
    grep -qxE '[0-9a-f]{32}' "$work/cut.states" || wrong "no hash: $(head -3 "$work/cut.states")"
    ! grep -qvxE '[0-9a-f]{32}' "$work/cut.states" || wrong 'not only hashes'
    cmp -s "$work/cut.states" "$work/cut2.states" || wrong 'same text and secret, other hash'
    ! cmp -s "$work/cut.states" "$work/cut3.states" || wrong 'other secret, same hash'
    "$B/jfrcut" --drop-fields startTime "$f" >"$work/none" 2>/dev/null
    [ $? = 2 ] || wrong 'startTime can be dropped'
    verdict 'fields are dropped and hashed'
}

exit_codes() {
    local f=$work/own1.jfr

    check() {
        local want=$1
        shift
        "$@" >/dev/null 2>&1 </dev/null
        [ $? = "$want" ] || wrong "$*: not $want"
    }
    head -c 3000000 "$f" | head -c -100 >"$work/short.jfr"
    check 0 "$B/jfrcut" "$f"
    check 1 "$B/jfrcut" /etc/passwd
    check 1 "$B/jfrcut" "$work/absent.jfr"
    check 3 "$B/jfrcat" "$f" /etc/passwd
    check 2 "$B/jfrcut" --redact user "$f"
    check 2 "$B/jfrcut" --split-size 3q "$f"
    check 4 "$B/jfrcut" --fail-empty -e NoSuchEvent "$f"
    check 0 "$B/jfrcut" -t nobody "$f"
    head -c $(($(stat -c %s "$f") - 100)) "$f" >"$work/short.jfr"
    check 3 "$B/jfrcut" --repair "$work/short.jfr"
    check 1 "$B/jfrcut" --strict -o "$work/strict.jfr" "$work/short.jfr"
    [ ! -e "$work/strict.jfr" ] || wrong '--strict leaves a file'
    verdict 'exit codes'
}

# repaired FILE: repairs it, and what is repaired stays as it is
repaired() {
    "$B/jfrcut" -q --repair -o "$work/good.jfr" "$1" 2>/dev/null
    case $? in 0 | 3) ;; *) return 1 ;; esac
    "$B/jfrcut" --repair -o "$work/again.jfr" "$work/good.jfr" || wrong "$1: what is repaired is damaged"
    cmp -s "$work/good.jfr" "$work/again.jfr" || wrong "$1: repairing twice is not repairing once"
}

repairs_cuts() {
    local f=$work/own1.jfr size n=0 first cuts=40

    size=$(stat -c %s "$f")
    first=$("$B/jfrsummary" --json "$f" | jq '.chunks[0].bytes')
    RANDOM=4711
    [ -z "${SOAK:-}" ] || cuts=100
    for i in $(seq $cuts); do
        head -c $(((RANDOM * 32768 + RANDOM) % size)) "$f" >"$work/short.jfr"
        if repaired "$work/short.jfr"; then
            n=$((n + 1))
        elif [ "$(stat -c %s "$work/short.jfr")" -ge "$first" ]; then
            wrong "a cut after the first chunk cannot be repaired"
        fi
    done
    [ $n -gt $((cuts / 2)) ] || wrong "only $n could be repaired"
    verdict "repair of $cuts cuts"
}

repairs_damaged() {
    local f home good=()

    mkdir -p "$work/repaired"
    for f in $(own_recordings 'cut-*') $(own_recordings 'killed-*') "$shared"/recordings/damaged/*.jfr "$shared"/edge-cases/{state1,state254,state255,trunc2,emptypool,async_unfinished_second,frame_method0,method_type0,class_name0,cp0_second,garbage_tail,no_region,same_startnanos}.jfr; do
        [ -e "$f" ] || continue
        repaired "$f" || { wrong "$f: not repaired"; continue; }
        good+=("$work/repaired/$(basename "$f")")
        mv "$work/good.jfr" "${good[-1]}"
    done
    mapfile -t homes < <(jdks)
    for home in "${homes[@]}"; do
        jdk_reads "$home" "${good[@]}" >>"$work/why"
    done
    verdict "repair of ${#good[@]} damaged recordings, read by every JDK"
}

# A chunk that is not finished, but has all its events, has lost nothing.
repairs_state() {
    cp "$work/own1.jfr" "$work/open.jfr"
    printf '\001' | dd of="$work/open.jfr" bs=1 seek=64 conv=notrunc 2>/dev/null
    "$B/jfrcut" -q --repair -o "$work/good.jfr" "$work/open.jfr"
    [ $? = 0 ] || wrong 'exit code'
    same "$work/own1.jfr" "$work/good.jfr"
    verdict 'a recording that was never finished is repaired without loss'
}

# What is cut by time lasts as long as what is left, whole chunks keep their times.
cuts_times() {
    local f=$(own_recordings jdk25) all part

    all=$("$B/jfrsummary" --json "$f")
    for range in '1s 2s 1000000000' '0.5s 1.25s 750000000'; do
        set -- $range
        "$B/jfrcut" --from "$1" --to "$2" -o "$work/part.jfr" "$f"
        part=$("$B/jfrsummary" --json "$work/part.jfr")
        [ "$(jq .durationNanos <<<"$part")" = "$3" ] || wrong "$1 to $2: $(jq .durationNanos <<<"$part") ns"
        diff <("$B/jfr2json" --fields stackTrace --from "$1" --to "$2" -e ExecutionSample "$f") <("$B/jfr2json" --fields stackTrace -e ExecutionSample "$work/part.jfr") >>"$work/why" || wrong "$1 to $2: other events"
    done
    "$B/jfrcut" --from 1s -o "$work/part.jfr" "$f"
    part=$("$B/jfrsummary" --json "$work/part.jfr")
    [ "$(jq .durationNanos <<<"$part")" = "$(($(jq .durationNanos <<<"$all") - 1000000000))" ] || wrong "from 1s: $(jq .durationNanos <<<"$part") ns"
    "$B/jfrcut" -e ExecutionSample -o "$work/part.jfr" "$f"
    [ "$("$B/jfrsummary" --json "$work/part.jfr" | jq -c '[.start, .durationNanos]')" = "$(jq -c '[.start, .durationNanos]' <<<"$all")" ] || wrong 'a cut by type has other times'
    verdict 'what is cut by time lasts as long as what is left'
}

own() {
    generate
    nothing_changes
    streams
    merges
    merges_alike
    splits
    edits
    exit_codes
    repairs_cuts
    repairs_damaged
    repairs_state
    cuts_times
}

find_jdks
own
exit $failed
