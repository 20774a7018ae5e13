#!/bin/bash
# The options under --help=output, of every command that has them: --each, --per, --max-memory,
# --progress, --log-json; and --tail.
set -u
. "$(dirname "$0")/exit_lib.sh"
B=${B:-build}
. tools/test/verdict_lib.sh
# With all options; then those with an --each, with --max-memory, and with --log-json and --progress.
commands=(jfr2json jfr2csv jfr2collapsed jfr2pprof jfr2otlp jfr2speedscope jfr2firefox jfr2trace jfr2table jfr2flame jfrmeta
    'jfrview events-by-count')
each=("${commands[@]}" jfrcut jfrannotate)
memory=("${commands[@]}" jfrsummary)
per=(jfr2json jfr2csv 'jfr2collapsed -k cpu' jfr2pprof jfr2trace 'jfr2table -k cpu' jfr2flame 'jfrview events-by-count' jfrcut)
messages=("${commands[@]}" jfrsummary jfrcut jfrcat jfrannotate)

"$B/bench/gen" --samples 3000 --stacks 300 --min-depth 5 --max-depth 20 --chunks 6 "$work/a.jfr" || exit 1
"$B/bench/gen" --samples 2000 --stacks 200 --min-depth 5 --max-depth 20 --chunks 2 --seed 5 "$work/b.jfr"
head -c "$(($(stat -c %s "$work/b.jfr") - 100))" "$work/b.jfr" >"$work/cut.jfr"
gzip -c "$work/b.jfr" >"$work/c.jfr.gz"

each() {
    local c out

    for c in "${each[@]}"; do
        rm -rf "$work/out" && mkdir "$work/out"
        "$B"/$c --each -o "$work/out" "$work/a.jfr" "$work/c.jfr.gz" 2>"$work/err" || echo "$c: exit code $?: $(cat "$work/err")" >>"$work/wrong"
        # shellcheck disable=SC2012
        same "$c: outputs" "$(ls "$work/out" | sed 's/\..*//' | paste -sd' ')" 'a c'
        for out in a.jfr c.jfr.gz; do
            "$B"/$c -o "$work/alone" "$work/$out"
            cmp "$work/alone" "$(compgen -G "$work/out/${out%%.*}.*")" >>"$work/wrong" 2>&1
        done
    done
    verdict '--each makes of each input what it would be alone'
    csv=$(realpath -s "$B/jfr2csv")
    rm -rf "$work/out" && mkdir "$work/out" && (cd "$work/out" && "$csv" --each ../a.jfr ../b.jfr)
    same 'here' "$(ls "$work/out" | paste -sd' ')" 'a.csv b.csv'
    is_code 3 "$B/jfr2csv" --each -o "$work/out" "$work/a.jfr" "$work/cut.jfr"
    is_code 1 "$B/jfr2csv" --each -o "$work/out" "$work/none.jfr" "$work/cut.jfr"
    [ -s "$work/out/cut.csv" ] || echo 'what comes behind a failure is left out' >>"$work/wrong"
    is_code 4 "$B/jfr2json" --each -o "$work/out" --fail-empty -e None "$work/a.jfr" "$work/b.jfr"
    : >"$work/file"
    is_code 2 "$B/jfr2csv" --each -o "$work/file" "$work/a.jfr"
    is_code 2 "$B/jfr2csv" --each -o "$work/no/such" "$work/a.jfr"
    is_code 2 "$B/jfr2csv" --each -o - "$work/a.jfr"
    [ ! -e - ] || echo 'a folder for standard output' >>"$work/wrong"
    is_code 0 "$B/jfr2csv" --each -o "$work/new folder" "$work/a.jfr"
    same 'mode of a folder that is made' "$(stat -c %a "$work/new folder")" 700
    is_code 2 "$B/jfr2csv" --each "$work/a.jfr" "$work/out/../a.jfr"
    is_code 2 "$B/jfr2csv" --each -
    is_code 2 "$B/jfr2csv" --each
    is_code 2 "$B/jfrview" --each gc
    is_code 2 "$B/jfrcat" --each "$work/a.jfr"
    is_code 2 "$B/jfr2flame" --each --also "collapsed=$work/x" -o "$work/out" "$work/a.jfr"
    is_code 2 "$B/jfrannotate" --each --pyroscope "$work/x" -o "$work/out" "$work/a.jfr"
    [ ! -e "$work/x" ] || echo 'one file is written for all' >>"$work/wrong"
    verdict '--each: names and exit codes'
    for c in 'jfr2table -f csv:csv' 'jfrview -f md gc-pauses:md' 'jfrmeta --json:json' 'jfrmeta -f html:html' 'jfr2table -f text:txt'; do
        rm -rf "$work/out" && mkdir "$work/out"
        "$B"/${c%:*} --each -o "$work/out" "$work/a.jfr"
        same "${c%:*}" "$(ls "$work/out")" "a.${c#*:}"
    done
    cksum "$work/a.jfr" >"$work/before"
    jfrcut=$(realpath -s "$B/jfrcut")
    is_code 2 "$jfrcut" --each -o "$work" "$work/a.jfr"
    (cd "$work" && "$jfrcut" --each -e ExecutionSample a.jfr b.jfr 2>err)
    same 'in its own folder' "$? $(grep -c "the output for 'a.jfr' would replace an input" "$work/err")" '2 1'
    cksum "$work/a.jfr" | cmp - "$work/before" >>"$work/wrong" 2>&1
    verdict '--each: endings follow the format, and no recording is replaced'
}

max_memory() {
    local c

    for c in "${memory[@]}"; do
        "$B"/$c -j1 --max-memory 1k -o "$work/few" "$work/a.jfr" 2>"$work/err"
        same "$c: exit code" $? 3
        same "$c: message" "$(sed -E 's/[0-9.]+ [kM]?B/N MB/' "$work/err")" \
            "${c%% *}: stopped at --max-memory 1k after 1 chunks, N MB; the rest is left out"
        [ -s "$work/few" ] || echo "$c: nothing is written" >>"$work/wrong"
        "$B"/$c --max-memory 4GB "$work/a.jfr" >"$work/all" 2>"$work/err"
        same "$c, enough: $(cat "$work/err")" "$?$(wc -c <"$work/err")" 00
        "$B"/$c "$work/a.jfr" | cmp - "$work/all" >>"$work/wrong" 2>&1
    done
    # What was read is whole: the events of the first chunk.
    "$B/jfrcut" --split 1 -o "$work/piece.jfr" "$work/a.jfr"
    "$B/jfr2json" -l ndjson -j1 --max-memory 1k "$work/a.jfr" 2>/dev/null | cmp - <("$B/jfr2json" -l ndjson "$work/piece_0.jfr") >>"$work/wrong" 2>&1
    is_code 1 "$B/jfr2json" --strict --max-memory 1k "$work/a.jfr"
    is_code 0 "$B/jfr2json" -j1 --max-memory 1k "$work/piece_0.jfr"
    is_code 2 "$B/jfr2json" --max-memory much "$work/a.jfr"
    verdict '--max-memory stops between chunks, and tells'
}

# Contexts of three users, one of whom has a name that means something to the shell, to conditions and to file systems.
per() {
    local c u

    [ -x "$B/convert/context/test/context_test" ] || { echo 'skip --per: context_test is not built'; return; }
    "$B/convert/context/test/context_test" --write "$work/plain.jfr" FIELDS 3 60 3
    LC_ALL=C sed "s|user1|a'/\\\\b|g" "$work/plain.jfr" >"$work/users.jfr" # of one length
    for c in "${per[@]}"; do
        rm -rf "$work/out" && mkdir "$work/out"
        "$B"/$c --per user -o "$work/out" "$work/users.jfr" 2>>"$work/wrong" || echo "$c: exit code $?" >>"$work/wrong"
        same "$c: outputs" "$(ls "$work/out" | sed 's/\..*//' | paste -sd' ')" 'user-a___b user-user0 user-user2'
        for u in "a'/\\b" user0 user2; do
            "$B"/$c -w "ctx.user = \"${u/\\/\\\\}\"" -o "$work/alone" "$work/users.jfr"
            cmp "$work/alone" "$(compgen -G "$work/out/user-$(tr "'/\\\\" _ <<<"$u").*")" >>"$work/wrong" 2>&1
        done
    done
    LC_ALL=C sed 's|user0|a/b:c|g; s|user1|a:b/c|g; s|user2|a b c|g' "$work/plain.jfr" >"$work/alike.jfr"
    rm -rf "$work/out" && mkdir "$work/out"
    "$B/jfr2collapsed" -k wall --per user -o "$work/out" "$work/alike.jfr"
    same 'names that look alike' "$(ls "$work/out" | paste -sd' ')" 'user-a_b_c.txt user-a_b_c_2.txt user-a_b_c_3.txt'
    same 'samples of these' "$(for c in '' _2 _3; do awk '{ n += $NF } END { print n }' "$work/out/user-a_b_c$c.txt"; done | paste -sd' ')" '60 20 40'
    same 'their samples' "$("$B/jfr2collapsed" -k wall --per user -o "$work/out" "$work/plain.jfr" && for u in 0 1 2; do
        awk '{ n += $NF } END { print n }' "$work/out/user-user$u.txt"; done | paste -sd' ')" '20 40 60'
    rm -rf "$work/out" && mkdir "$work/out"
    "$B/jfr2csv" --per user -c user=user2 -w 'ctx.action = "load" or ctx.action = "store"' -o "$work/out" "$work/plain.jfr"
    same 'those that are chosen' "$(ls "$work/out")" user-user2.csv
    verdict '--per makes of each value what a condition makes alone'
    head -c "$(($(stat -c %s "$work/plain.jfr") - 50))" "$work/plain.jfr" >"$work/short.jfr"
    is_code 3 env --ignore-signal=CHLD "$B/jfr2csv" --each -o "$work/out" "$work/short.jfr"
    rm "$work/out/short.csv"
    is_code 4 "$B/jfr2csv" --per nobody -o "$work/out" "$work/plain.jfr"
    is_code 1 "$B/jfr2csv" --per user -o "$work/out" "$work/none.jfr"
    is_code 2 "$B/jfr2csv" --per user -
    is_code 2 "$B/jfr2csv" --per 'a b' -o "$work/out" "$work/plain.jfr"
    is_code 2 "$B/jfr2csv" --per user --each -o "$work/out" "$work/plain.jfr"
    is_code 2 "$B/jfr2csv" --per user -o "$work/file" "$work/plain.jfr"
    is_code 2 "$B/jfr2flame" --per user --also "collapsed=$work/x" -o "$work/out" "$work/plain.jfr"
    is_code 2 "$B/jfrmeta" --per user "$work/plain.jfr"
    same 'nothing more' "$(ls "$work/out")" user-user2.csv
    verdict '--per: exit codes'
}

log_json() {
    local c

    command -v jq >/dev/null || { echo 'skip --log-json: no jq'; return; }
    for c in "${messages[@]}" "jfrdiff $work/a.jfr"; do
        "$B"/$c --log-json -o "$work/out.x" "$work/cut.jfr" 2>"$work/err"
        jq -e --arg c "${c%% *}" --arg f "$work/cut.jfr" \
            'select(.program == $c and .file == $f and .chunk == 2 and .offset > 0 and (.text | length > 0))' \
            "$work/err" >/dev/null 2>&1 || echo "$c: $(head -1 "$work/err")" >>"$work/wrong"
    done
    same 'a usage error' "$("$B/jfr2json" --log-json --nix 2>&1)" \
        "{\"program\":\"jfr2json\",\"text\":$(jq -Rn --arg t "$("$B/jfr2json" --nix 2>&1 | sed 's/^jfr2json: //; s/ (try --help)$//')" '$t')}"
    "$B/jfr2json" --log-json "$work/no\"such" 2>&1 >/dev/null | jq -e 'select(.text | test("No such file"))' >/dev/null 2>&1 ||
        echo 'no JSON about a file that is missing' >>"$work/wrong"
    verdict '--log-json: messages are JSON, with file, chunk and offset'
}

progress() {
    local c

    "$B/jfr2csv" --progress -o "$work/x" "$work/a.jfr" 2>"$work/err"
    [ ! -s "$work/err" ] || echo 'progress goes into a file' >>"$work/wrong"
    command -v script >/dev/null || { echo 'skip --progress on a terminal: no script'; return; }
    script -qec "$B/jfr2csv --progress -o $work/x $work/a.jfr" /dev/null </dev/null >"$work/seen" 2>&1
    grep -qE 'jfr2csv: [0-9.]+ [kM]B of [0-9.]+ [kM]B, [0-9]+ %, [0-9]+ s left' "$work/seen" || echo "not seen: $(cat -v "$work/seen")" >>"$work/wrong"
    [ "$(tail -c 4 "$work/seen")" = $'\r\e[K' ] || echo 'the line stays' >>"$work/wrong"
    for c in jfrcut jfrcat jfrannotate 'jfrview gc-pauses' "jfrdiff $work/b.jfr"; do
        script -qec "$B/$c --progress -o $work/x $work/a.jfr" /dev/null </dev/null >"$work/seen" 2>&1
        grep -qE "${c%% *}: [0-9.]+ [kM]B of [0-9.]+ [kM]B, [0-9]+ %" "$work/seen" || echo "$c: $(cat -v "$work/seen")" >>"$work/wrong"
    done
    # What takes more than a second has it without being asked, but not with -q; of a pipe no total is known.
    script -qec "(sleep 1.2; cat $work/a.jfr) | $B/jfr2csv --fields startTime -o $work/x" /dev/null </dev/null >"$work/seen" 2>&1
    grep -qE 'jfr2csv: 1 chunks, [0-9.]+ [kM]B' "$work/seen" || echo "no progress after a second: $(cat -v "$work/seen")" >>"$work/wrong"
    script -qec "(sleep 1.2; cat $work/a.jfr) | $B/jfr2csv -q --fields startTime -o $work/x" /dev/null </dev/null >"$work/seen" 2>&1
    [ ! -s "$work/seen" ] || echo "progress with -q: $(cat -v "$work/seen")" >>"$work/wrong"
    verdict '--progress is on a terminal only'
}

tail_of() {
    local c

    for c in jfr2json jfr2csv jfr2collapsed 'jfrview events-by-count' jfrcut; do
        same "$c" "$("$B"/$c --tail 1s "$work/a.jfr" | cksum)" "$("$B"/$c --from -1s "$work/a.jfr" | cksum)"
        [ "$("$B"/$c --tail 1s "$work/a.jfr" | wc -c)" -lt "$("$B"/$c "$work/a.jfr" | wc -c)" ] ||
            [ "$c" = 'jfrview events-by-count' ] || echo "$c: nothing is left out" >>"$work/wrong"
    done
    is_code 2 "$B/jfr2json" --tail 1s --from 2s "$work/a.jfr"
    is_code 2 "$B/jfr2json" --tail 5 "$work/a.jfr"
    is_code 2 bash -c "'$B/jfr2json' --tail 1s <'$work/a.jfr'"
    verdict '--tail is the end of the recordings'
}

help_names_them() {
    local c option names

    for option in each per max-memory log-json progress; do
        case $option in
        each) names=("${each[@]}") ;;
        per) names=("${per[@]}" jfr2otlp jfr2speedscope jfr2firefox) ;;
        max-memory) names=("${memory[@]}") ;;
        *) names=("${messages[@]}" jfrdiff) ;;
        esac
        for c in "${names[@]}"; do
            "$B/${c%% *}" --help=output | grep -q -- "--$option" || echo "$c --help=output: no --$option" >>"$work/wrong"
        done
    done
    verdict '--help=output names them'
}

each
max_memory
per
log_json
progress
tail_of
help_names_them
exit $failed
