#!/bin/bash
# jfrannotate: what every user did is known, and is read back with the tools of the JDKs and jq.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/jdk_lib.sh

[ -x "$B/convert/context/test/context_test" ] || { echo 'skip jfrannotate: context_test is not built'; exit 0; }
command -v jq >/dev/null || { echo 'skip jfrannotate: no jq'; exit 0; }

# 120 requests of 3 users: 40 * 100 * (user + 1) bytes, 40 * (user + 1) samples and 120 of nobody.
bytes='user0 4000 user1 8000 user2 12000'
samples='null 120 user0 40 user1 80 user2 120'
read_bytes() { # KEY < JSON of the JDK's tool
    jq -r --arg k "$1" '.recording.events | group_by(.values[$k])[] | "\(.[0].values[$k]) \([.[].values.bytesRead] | add)"' | paste -sd' '
}
count() { # KEY < JSON
    jq -r --arg k "$1" '.recording.events | group_by(.values[$k])[] | "\(.[0].values[$k]) \(length)"' | paste -sd' '
}
for how in SPANS LATE; do
    "$B/convert/context/test/context_test" --write "$work/in.jfr" $how 3 120 4
    "$B/jfrannotate" -o "$work/$how.jfr" "$work/in.jfr" 2>>"$work/wrong" || echo "$how: exit code $?" >>"$work/wrong"
    k=TracerContext_user
    same "$how, bytes" "$("$B/jfr2json" -e FileRead "$work/$how.jfr" | read_bytes $k)" "$bytes"
    same "$how, samples" "$("$B/jfr2json" -e ExecutionSample "$work/$how.jfr" | count $k)" "$samples"
    same "$how, as a context" "$("$B/jfr2table" --by user -k wall -f csv "$work/$how.jfr" | cut -d, -f1,2 | tail -n +2 | sort | paste -sd' ')" \
        "$("$B/jfr2table" --by user -k wall -f csv "$work/in.jfr" | cut -d, -f1,2 | tail -n +2 | sort | paste -sd' ')"
    same "$how, otherwise the same" "$("$B/jfr2json" -l ndjson --compat own "$work/$how.jfr" | jq -c 'del(.values[.values | keys_unsorted[] | select(startswith("TracerContext_"))])' | cksum)" \
        "$("$B/jfr2json" -l ndjson --compat own "$work/in.jfr" | jq -c . | cksum)"
    "$B/jfrannotate" -o "$work/again.jfr" "$work/$how.jfr" 2>>"$work/wrong"
    cmp -s "$work/again.jfr" "$work/$how.jfr" || echo "$how: twice is not once" >>"$work/wrong"
    "$B/jfrannotate" --context-from "$work/in.jfr" -o "$work/own.jfr" "$work/in.jfr" 2>>"$work/wrong"
    cmp -s "$work/own.jfr" "$work/$how.jfr" || echo "$how: contexts from itself are others" >>"$work/wrong"
    same "$how, a table with contexts from itself" "$("$B/jfr2table" --by user -k wall -f csv --context-from "$work/in.jfr" "$work/in.jfr")" \
        "$("$B/jfr2table" --by user -k wall -f csv "$work/in.jfr")"
done
verdict 'every event has the user that it was for'

# Events in one recording, the contexts in another; and nobody else's.
"$B/jfrcut" -E jfrkit.TracerContext -o "$work/bare.jfr" "$work/in.jfr"
"$B/jfrannotate" -o "$work/nothing.jfr" "$work/bare.jfr"
same 'without them' "$("$B/jfr2json" -e FileRead "$work/nothing.jfr" | jq -r '[.recording.events[].values | keys_unsorted[]] | map(select(contains("user"))) | length')" 0
"$B/jfrannotate" --context-from "$work/in.jfr" -o "$work/from.jfr" "$work/bare.jfr" 2>>"$work/wrong"
same 'from another, bytes' "$("$B/jfr2json" -e FileRead "$work/from.jfr" | read_bytes TracerContext_user)" "$bytes"
same 'from another, samples' "$("$B/jfr2json" -e ExecutionSample "$work/from.jfr" | count TracerContext_user)" "$samples"
same 'from another, nothing of it' "$("$B/jfrsummary" --json "$work/from.jfr" | jq '[.types[] | select(.name == "jfrkit.TracerContext") | .count] | add // 0')" 0
same 'from a pipe' "$(cat "$work/bare.jfr" | "$B/jfrannotate" --context-from "$work/in.jfr" 2>/dev/null; echo $?)" 2
"$B/jfrannotate" --context-from "$work/missing.jfr" -o "$work/none.jfr" "$work/bare.jfr" 2>"$work/said"
same 'from nothing' "$? $(grep -c missing.jfr "$work/said")" '1 1'
verdict 'contexts from another recording'

# What shows contexts takes them from there by itself: the same as if they had been put onto the events.
twice() { # NAME COMMAND...: of events with contexts, and of those whose contexts are elsewhere
    local name=$1 got
    shift
    got=$("$@" "$work/from.jfr" 2>&1)
    grep -q user1 <<<"$got" || echo "$name: nothing of user1" >>"$work/wrong"
    same "$name" "$("$@" --context-from "$work/in.jfr" "$work/bare.jfr" 2>&1)" "$got"
}
for kind in wall io cpu; do
    twice "table of $kind" "$B/jfr2table" --by user,action -k $kind -f csv
done
twice 'table by method' "$B/jfr2table" --by user,method -f csv
twice 'stacks' "$B/jfr2collapsed" --group-by user
twice 'two jobs' "$B/jfr2collapsed" -j 2 --group-by user
same 'filter' "$("$B/jfrcut" -c user=user1 --context-from "$work/in.jfr" "$work/bare.jfr" | "$B/jfrsummary" --json | jq -c '[.types[] | [.name, .count]] | sort')" \
    "$("$B/jfrcut" -c user=user1 "$work/from.jfr" | "$B/jfrsummary" --json | jq -c '[.types[] | [.name, .count]] | sort')"
same 'a pipe, table' "$("$B/jfr2table" --by user --context-from "$work/in.jfr" <"$work/bare.jfr" 2>/dev/null; echo $?)" 2
same 'nobody asks' "$("$B/jfr2table" --context-from "$work/in.jfr" "$work/bare.jfr" 2>&1; echo $?)" \
    'jfr2table: --context-from: no other option needs contexts (try --help)
2'
"$B/jfr2table" --by user --context-from "$work/missing.jfr" "$work/bare.jfr" 2>"$work/said"
same 'table from nothing' "$? $(grep -c missing.jfr "$work/said")" '1 1'
verdict 'contexts from another recording for every tool'

# What is damaged there is told as damage of an input is, and ends in the same code.
told() { # COMMAND...: of a recording that has only contexts
    "$@" --context-from "$work/hurt.jfr" "$work/bare.jfr" >"$work/out" 2>"$work/said"
    echo "$? $(sed 's/ was used ([0-9.]* .B)/ was used/' "$work/said")" # how much is known of inputs alone
}
as_input() { # NAME: what NAME says of it as its input
    "$B/$1" -k cpu "$work/hurt.jfr" >/dev/null 2>"$work/said"
    echo "$? $(sed 's/ was used ([0-9.]* .B)/ was used/' "$work/said")"
}
size=$(stat -c %s "$work/in.jfr")
for hurt in cut flipped; do
    if [ $hurt = cut ]; then
        head -c $((size * 5 / 8)) "$work/in.jfr" >"$work/hurt.jfr"
    else # the magic of the second chunk
        second=$((16#$(dd if="$work/in.jfr" bs=1 skip=8 count=8 2>/dev/null | od -An -tx1 | tr -d ' \n')))
        cp "$work/in.jfr" "$work/hurt.jfr"
        printf X | dd of="$work/hurt.jfr" bs=1 seek=$second conv=notrunc 2>/dev/null
    fi
    want=$(as_input jfr2collapsed)
    grep -qE '^3 jfr2collapsed: .*hurt.jfr: (cut off|damaged in 1 place).*; to repair it: jfrkit cut --repair -o good.jfr .*hurt.jfr$' <<<"$want" || echo "$hurt, as an input: $want" >>"$work/wrong"
    same "$hurt, stacks" "$(told "$B/jfr2collapsed" -k cpu --group-by user)" "$want"
    same "$hurt, two jobs" "$(told "$B/jfr2collapsed" -k cpu -j 2 --group-by user)" "$want"
    grep -q user0 "$work/out" || echo "$hurt: nothing of what is whole" >>"$work/wrong"
    for name in 'jfr2table -k cpu --by user' 'jfr2json -c user' 'jfrview -c user FileRead' 'jfrcut -c user' 'jfrannotate' 'jfrannotate --keys user'; do
        # shellcheck disable=SC2086
        same "$hurt, $name" "$(told "$B/"$name)" "${want//jfr2collapsed/${name%% *}}"
    done
    same "$hurt, both sides" "$(told "$B/jfrdiff" user=user0 user=user1)" "$(printf '%s\n' "${want//jfr2collapsed/jfrdiff}" "$(sed 's/^3 //; s/^jfr2collapsed/jfrdiff/' <<<"$want")")"
    same "$hurt, quiet" "$(told "$B/jfrcut" -q -c user)" '3 '
    same "$hurt, strict" "$(told "$B/jfr2table" --by user --strict | sed 1q | cut -c1)" 1
    same "$hurt, an input too" "$("$B/jfr2collapsed" -k cpu --group-by user --context-from "$work/hurt.jfr" "$work/hurt.jfr" 2>&1 >/dev/null | sed 's/ was used ([0-9.]* .B)/ was used/'; echo "${PIPESTATUS[0]}")" "${want#3 }
3"
done
verdict 'damage in a recording that has only contexts'

"$B/jfrannotate" --keys user -o "$work/keys.jfr" "$work/in.jfr"
same 'one key' "$("$B/jfr2json" -e FileRead "$work/keys.jfr" | jq -r '.recording.events[0].values | keys_unsorted | map(select(contains("user") or contains("action"))) | join(" ")')" user
"$B/convert/context/test/context_test" --write "$work/both.jfr" BOTH 3 120 4
"$B/jfrannotate" -o "$work/left.jfr" "$work/both.jfr"
same 'what has it is left alone' "$("$B/jfr2json" -l ndjson "$work/left.jfr" | cksum)" "$("$B/jfr2json" -l ndjson "$work/both.jfr" | cksum)"
same 'a pipe needs keys' "$(cat "$work/in.jfr" | "$B/jfrannotate" 2>&1 >/dev/null; echo $?)" "jfrannotate: what cannot be read twice needs --keys (try --help)
2"
same 'a pipe' "$(cat "$work/in.jfr" | "$B/jfrannotate" --keys user | "$B/jfrsummary" | grep -c FileRead)" 1
head -c 30000 "$work/in.jfr" >"$work/cut.jfr"
"$B/jfrannotate" -o "$work/out.jfr" "$work/cut.jfr" >/dev/null 2>&1
same 'cut' $? 3
"$B/jfrannotate" -o "$work/none.jfr" "$work/missing.jfr" >/dev/null 2>&1
same 'no file' "$? $(ls "$work" | grep -c none.jfr)" '1 0'
same 'mode' "$(stat -c %a "$work/SPANS.jfr")" 600
same 'help' "$([ "$("$B/jfrannotate" --help | wc -l)" -le 40 ]; echo $?)" 0
verdict 'keys, input, exit codes'

# Numbers instead, and beside them what they mean: Pyroscope's labels, read by a decoder of our own.
by_label() { # LABELS < JSON of events: "VALUE BYTES" of the label user
    jq -r '.recording.events[] | "\(.values.contextId) \(.values.bytesRead)"' |
        awk -v file="$1" 'BEGIN { while ((getline line < file) > 0) { split(line, w, " "); id = w[1]
                for (i = 2; i in w; i++) if (w[i] ~ /^user=/) user[id] = substr(w[i], 6) } }
            { sum[user[$1]] += $2 } END { for (u in sum) print u, sum[u] }' | sort | paste -sd' '
}
if command -v node >/dev/null; then
    for how in FIELDS SPANS LATE; do
        "$B/convert/context/test/context_test" --write "$work/in.jfr" $how 3 120 4
        "$B/jfrannotate" --pyroscope "$work/labels.pb" -o "$work/n-$how.jfr" "$work/in.jfr" 2>>"$work/wrong" ||
            echo "$how: exit code $?" >>"$work/wrong"
        node test-data/formats/check.mjs labels "$work/labels.pb" >"$work/labels-$how" 2>>"$work/wrong"
        same "$how, contexts" "$(sed 's/^[0-9]* //' "$work/labels-$how" | sort | paste -sd, )" \
            "$(for u in 0 1 2; do echo "action=load user=user$u"; echo "action=store user=user$u"; done | sort | paste -sd,)"
        same "$how, numbers" "$("$B/jfr2json" -e FileRead "$work/n-$how.jfr" | by_label "$work/labels-$how")" "$bytes"
    done
    "$B/jfrannotate" --pyroscope "$work/user.pb" --keys user -o "$work/user.jfr" "$work/in.jfr"
    same 'one label' "$(node test-data/formats/check.mjs labels "$work/user.pb")" "$(printf '%s\n' '1 user=user0' '2 user=user1' '3 user=user2')"
    "$B/jfrannotate" --pyroscope "$work/piped.pb" <"$work/in.jfr" >"$work/piped.jfr" 2>>"$work/wrong" || echo "pipe: exit code $?" >>"$work/wrong"
    same 'mode of labels' "$(stat -c %a "$work/labels.pb")" 600
    "$B/jfrannotate" --pyroscope "$work/no/such" -o "$work/x.jfr" "$work/in.jfr" 2>/dev/null
    same 'labels cannot be written' $? 1
    verdict 'contexts as numbers, with the labels that Pyroscope takes beside them'
else
    echo 'skip labels: no node'
fi

last=
for jfr in /usr/lib/jvm/*/bin/jfr; do
    [ -x "$jfr" ] || continue
    [ "$(realpath "$jfr")" != "${last:-}" ] || continue
    last=$(realpath "$jfr")
    jfr=$(fast_jfr "${jfr%/bin/jfr}" "$work/jfr")
    for how in SPANS LATE; do
        for form in print 'print --xml' summary metadata; do
            "$jfr" $form "$work/$how.jfr" >"$work/out" 2>"$work/err" || echo "$jfr $form: exit code $?" >>"$work/wrong"
            [ ! -s "$work/err" ] || head -2 "$work/err" >>"$work/wrong"
        done
        [ ! -s "$work/labels-$how" ] || same "$how, numbers" "$("$jfr" print --json --events jdk.FileRead "$work/n-$how.jfr" | by_label "$work/labels-$how")" "$bytes"
        same "$how, bytes" "$("$jfr" print --json --events jdk.FileRead "$work/$how.jfr" | read_bytes TracerContext_user)" "$bytes"
        same "$how, samples" "$("$jfr" print --json --events jdk.ExecutionSample "$work/$how.jfr" | count TracerContext_user)" "$samples"
    done
    verdict "what was annotated, as $(sed -n 's/^JAVA_VERSION="\(.*\)"/JDK \1/p' "$(dirname "$last")/../release") reads it"
done
exit $failed
