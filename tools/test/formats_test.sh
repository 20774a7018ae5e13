#!/bin/bash
# The formats of profiles and events, read by other people's programs where there are any (go tool
# pprof, speedscope), else by readers written from their descriptions (test-data/formats/check.mjs);
# and what all of these commands have in common. By default the recordings are three of different
# producers, and a damaged one goes through half of the formats; SOAK=1: more, all, and what comes out is read.
set -u
. "$(dirname "$0")/exit_lib.sh"
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/sample_lib.sh
. tools/test/npm_lib.sh
shared=${SHARED:-../shared}
speedscope=1.25.0
all_formats=(collapsed html pprof otlp speedscope firefox csv d3 nested-set) # of --also

read_by() { # read_by WHAT FILE [MORE]: the summary of an independent reader
    node test-data/formats/check.mjs "$@" 2>"$work/err" || grep -m1 Error "$work/err" >>"$work/wrong"
}

go_pprof() {
    "$pprof" -symbolize=none "$@" 2>/dev/null
}

# flat, cumulative and name of every frame, out of collapsed stacks
top_of_stacks() {
    awk '{ v = $NF; sub(/ [0-9]+$/, ""); n = split($0, f, ";"); flat[f[n]] += v; split("", seen)
           for (i = 1; i <= n; i++) if (!(f[i] in seen)) { seen[f[i]] = 1; cum[f[i]] += v } }
         END { for (k in cum) printf "%.0f %.0f %s\n", flat[k], cum[k], k }' | LC_ALL=C sort
}

# the same as pprof shows it, with a unit in which numbers stay whole
top_of_pprof() { # FILE SAMPLE-TYPE UNIT
    go_pprof -top -nodecount=1000000 -nodefraction=0 -edgefraction=0 -sample_index="$2" -unit="$3" "$1" |
        sed '1,/flat%/d' | sed -E "s/\b([0-9]+)$3\b/\1/g" | awk '{ flat = $1; cum = $4
            sub(/^ *[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +/, ""); print flat, cum, $0 }' | LC_ALL=C sort
}

pprof_reads() { # FILE
    local f=$1 types type unit words n=0

    "$B/jfr2pprof" -o "$work/a.pb.gz" "$f"
    types=$(go_pprof -raw "$work/a.pb.gz" | grep -m1 -E '^[a-z_]+/')
    while read -r type unit words; do
        grep -q "$type/" <<<"$types" || continue
        # What has no kind of its own is for pprof what no other kind took.
        "$B/jfr2collapsed" $words "$f" | top_of_stacks >"$work/want"
        top_of_pprof "$work/a.pb.gz" "$type" "$unit" >"$work/is"
        diff "$work/want" "$work/is" >"$work/diff" || { echo "$type:"; head -5 "$work/diff"; } >>"$work/wrong"
        n=$((n + 1))
    done <<'END'
samples count -k cpu
wall count -k wall
native count -k native
alloc_objects count -k alloc
alloc_space B -k alloc -u bytes
contentions count -k lock
delay ns -k lock -u duration
io count -k io
io_bytes B -k io -u bytes
io_time ns -k io -u duration
exceptions count -k exception
END
    [ $n -ge 2 ] || echo "only $n sample types" >>"$work/wrong"
    # Shown first: CPU time, else CPU samples, else the bytes allocated.
    for type in cpu samples alloc_space; do
        ! grep -q "\<$type/" <<<"$types" || [ "$(go_pprof -sample_index=$type -top "$work/a.pb.gz" | sed -n 's/.*Total samples = \([0-9]*\).*/\1/p')" = 0 ] || break
    done
    grep -qE "(^| )$type/[a-z]+\[dflt\]" <<<"$types" || echo "not $type first: $types" >>"$work/wrong"
    verdict "go tool pprof -top of $n sample types is our table: $(basename "$f")"
}

total_of() { # total_of FILE SAMPLE-TYPE UNIT FILTER...
    local file=$1 type=$2 unit=$3

    shift 3
    go_pprof -top -nodefraction=0 -sample_index="$type" -unit="$unit" "$@" "$file" |
        sed -nE "s/^Showing nodes accounting for ([0-9]+).*/\1/p"
}

pprof_focuses() {
    local u how

    for how in FIELDS SPANS BOTH; do
        "$B/convert/context/test/context_test" --write "$work/own.jfr" $how 4 120 5
        "$B/jfr2pprof" -o "$work/own.pb.gz" "$work/own.jfr"
        for u in 0 1 2 3; do # 30 requests each, see context_testing.h
            same "$how, io_bytes of user$u" "$(total_of "$work/own.pb.gz" io_bytes B -tagfocus "user=^user$u\$")" \
                $((30 * 100 * (u + 1) + 30 * 7))
            same "$how, cpu of user$u" "$(total_of "$work/own.pb.gz" cpu ns -tagfocus "user=^user$u\$")" $((30 * 20000000))
        done
        same "$how, store" "$(total_of "$work/own.pb.gz" alloc_space B -tagfocus 'action=^store$')" 60000
        same "$how, not store" "$(total_of "$work/own.pb.gz" alloc_space B -tagignore 'action=^store$')" 60000
        same "$how, thread" "$(total_of "$work/own.pb.gz" contentions count -tagfocus 'thread=^http-2$')" 60
        same "$how, tid" "$(total_of "$work/own.pb.gz" contentions count -tagfocus 'tid=^101$')" 60
    done
    same 'root' "$(go_pprof -top -nodefraction=0 -sample_index=samples -tagroot user -unit=count "$work/own.pb.gz" | grep -c 'user[0-3]$')" 4
    verdict 'go tool pprof -tagfocus finds users, actions, threads'
    same 'lines' "$("$B/jfr2pprof" --lines "$work/own.jfr" >"$work/l.pb.gz"; go_pprof -raw "$work/l.pb.gz" | grep -cE '^ +[0-9]+: 0x0 M=1 com.acme.Server\.(run|handle|load) :1[0-3][: ]')" 3
    verdict 'pprof gets line numbers'
}

otlp_decodes() { # FILE
    local f=$1 type words

    "$B/jfr2otlp" -o "$work/a.otlp" "$f"
    read_by otlp "$work/a.otlp" >"$work/is"
    while read -r type words; do
        grep -q "^$type " "$work/is" || continue
        same "$type" "$(sed -nE "s|^$type ([0-9]+) .*|\1|p" "$work/is")" \
            "$("$B/jfr2collapsed" $words "$f" | awk '{ n += $NF } END { printf "%.0f", n }')"
    done <<'END'
samples/count -k cpu
alloc_objects/count -k alloc
alloc_space/bytes -k alloc -u bytes
delay/nanoseconds -k lock -u duration
END
    verdict "OTLP decodes, totals are ours: $(basename "$f")"
}

# Every number of the CSV of samples stands in OTLP, which has the same rows.
csv_agrees() { # FILE
    local f=$1

    "$B/jfr2otlp" -o "$work/a.otlp" --also csv="$work/a.csv" "$f"
    read_by otlp "$work/a.otlp" | awk '{ print $1, $2, $3 }' >"$work/want"
    read_by sums "$work/a.csv" | diff "$work/want" - >>"$work/wrong"
    verdict "the CSV of samples adds up as OTLP does: $(basename "$f")"
}

contexts() {
    local u

    "$B/convert/context/test/context_test" --write "$work/own.jfr" BOTH 4 120 5
    "$B/jfr2otlp" -o "$work/own.otlp" "$work/own.jfr"
    for u in 0 3; do
        same "user$u" "$(read_by otlp "$work/own.otlp" "user=user$u" | sed -nE 's|^io_bytes/bytes ([0-9]+) .*|\1|p')" \
            $((30 * 100 * (u + 1) + 30 * 7))
    done
    "$B/jfr2otlp" -o "$work/hostile.otlp" "$work/hostile.jfr"
    same 'links' "$(read_by otlp "$work/hostile.otlp" | grep -m1 samples)" 'samples/count 12 12 12 links'
    same 'table of links' "$(read_by otlp "$work/hostile.otlp" links | paste -sd' ')" \
        '4bf92f3577b34da6a3ce929d0e0e4736/00f067aa0ba902b7 4bf92f3577b34da6a3ce929d0e0e4736/0000000000000000'
    verdict 'OTLP has contexts as attributes, and links to traces and spans'
    "$B/jfr2firefox" -o "$work/own.ff" "$work/own.jfr"
    # per thread 60 requests, each a span, a read, a write and a wait
    same 'markers' "$(read_by firefox "$work/own.ff" | cut -d' ' -f1,4 | sort | paste -sd' ')" '"http-1" 240 "http-2" 240'
    verdict 'contexts, locks and I/O are markers in Firefox'
    "$B/jfr2trace" -o "$work/own.trace" "$work/own.jfr"
    same 'slices' "$(read_by trace "$work/own.trace" | grep -oE 'X=[0-9]+')" X=480
    # one trace on twelve threads, one after the other
    "$B/jfr2trace" -o "$work/hostile.trace" "$work/hostile.jfr"
    same 'arrows' "$(read_by trace "$work/hostile.trace")" 'M=13 X=12 f=1 s=1 t=10'
    verdict 'contexts, locks and I/O are slices in a trace, arrows join those of a trace on several threads'
}

documents() { # FILE: every format obeys its rules, and they agree
    local f=$1 total

    "$B/jfr2collapsed" -o "$work/a.txt" --also d3="$work/a.d3" --also nested-set="$work/a.ns" \
        --also speedscope="$work/a.speedscope.json" --also firefox="$work/a.ff" "$f"
    total=$(awk '{ n += $NF } END { print n + 0 }' "$work/a.txt")
    same d3 "$(read_by d3 "$work/a.d3" | cut -d' ' -f1)" "$total"
    same nested-set "$(read_by nested "$work/a.ns")" "$(read_by d3 "$work/a.d3")"
    same firefox "$(read_by firefox "$work/a.ff" | awk '{ n += $(NF - 1) } END { print n + 0 }')" "$total"
    "$B/jfr2trace" -o "$work/a.trace" "$f"
    read_by trace "$work/a.trace" >/dev/null
    "$B/jfr2csv" -o "$work/a.csv" "$f"
    same 'lines of CSV' "$(read_by csv "$work/a.csv" | cut -d' ' -f1)" "$("$B/jfr2json" -l ndjson --stack-depth 1 "$f" 2>/dev/null | wc -l)"
    same 'd3 of jfr2json' "$("$B/jfr2json" -l d3 "$f" | cksum)" "$(cksum <"$work/a.d3")"
    verdict "d3, nested set, Firefox, trace, CSV obey their rules: $(basename "$f")"
}

csv_cells() {
    "$B/jfr2csv" --fields path -e FileRead -o "$work/h.csv" "$work/hostile.jfr"
    read_by cell "$work/h.csv" 0 >"$work/is"
    "$B/jfr2json" -l ndjson -e FileRead "$work/hostile.jfr" | jq -c .values.path >"$work/want"
    diff "$work/want" <(jq -c . "$work/is") >>"$work/wrong"
    "$B/jfr2csv" --spreadsheet --fields path,bytesRead -e FileRead -o "$work/h.csv" "$work/hostile.jfr"
    read_by cell "$work/h.csv" 0 | grep -E '^"[-=+@]' >>"$work/wrong"
    same 'numbers' "$(read_by cell "$work/h.csv" 1 | sort -u)" '"10"'
    "$B/jfr2csv" -e ExecutionSample --fields stackTrace "$1" | tr -d '\r' | tail -n +2 | LC_ALL=C sort | uniq -c |
        awk '{ n = $1; sub(/^ *[0-9]+ /, ""); gsub(/^"|"$/, ""); print $0, n }' | LC_ALL=C sort >"$work/is"
    "$B/jfr2collapsed" --lines -e ExecutionSample "$1" | LC_ALL=C sort | diff - "$work/is" >>"$work/wrong"
    verdict 'cells of CSV say what the events say'
}

speedscope_opens() {
    local chromium dir

    chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
    dir=$(npm_package speedscope $speedscope) ||
        { echo "skip speedscope: npm package speedscope@$speedscope cannot be had"; return; }
    read_by schema "$work/a.speedscope.json" "$dir/dist/release/file-format-schema.json" >"$work/is"
    same 'all threads' "$(awk '/^"all threads"/ { print $(NF - 1) }' "$work/is")" "$(awk '{ n += $NF } END { print n + 0 }' "$work/a.txt")"
    same 'the threads together' "$(awk '!/^"all threads"/ { n += $(NF - 1) } END { print n + 0 }' "$work/is")" \
        "$(awk '/^"all threads"/ { print $(NF - 1) }' "$work/is")"
    "$B/jfr2speedscope" --split user -o "$work/users.json" "$work/own.jfr"
    same 'a profile for each user' "$(read_by schema "$work/users.json" "$dir/dist/release/file-format-schema.json" | awk '{ print $1, $(NF - 1) }' | sort | paste -sd' ')" \
        '"all 120 "user0" 30 "user1" 30 "user2" 30 "user3" 30'
    "$B/jfr2speedscope" -o "$work/hostile.speedscope.json" "$work/hostile.jfr"
    read_by schema "$work/hostile.speedscope.json" "$dir/dist/release/file-format-schema.json" >/dev/null
    verdict "speedscope's JSON fits the package's own schema"
    [ -n "$chromium" ] || { echo 'skip speedscope opens: no chromium'; return; }
    cp "$work/a.trace" "$work/a.trace.json"
    timeout 300 node test-data/formats/speedscope.mjs "$chromium" "$dir/dist/release" \
        "$work/a.speedscope.json" "$work/hostile.speedscope.json" "$work/a.pb.gz" "$work/a.trace.json" "$work/a.txt" \
        >"$work/opened" 2>&1
    grep -v '^opened' "$work/opened" >>"$work/wrong"
    same 'files opened' "$(grep -c '^opened' "$work/opened")" 5
    verdict 'speedscope itself opens its JSON, pprof, trace and collapsed stacks'
}

common() { # FILE
    local f=$1 t name

    printf 'x' >"$work/empty.txt"
    head -c "$(($(stat -c %s "$f") - 100))" "$f" >"$work/cut.jfr"
    for t in pprof otlp speedscope firefox csv trace; do
        name=$B/jfr2$t
        "$name" -j1 "$f" >"$work/one"
        "$name" -j4 "$f" | cmp - "$work/one" >>"$work/wrong" 2>&1
        [ $t = csv ] || "$name" <"$f" | sed "s/standard input/$(basename "$f")/" | cmp - "$work/one" >>"$work/wrong" 2>&1
        verdict "jfr2$t: same bytes from any number of threads"
        is_code 0 "$name" -t nobody "$f"
        is_code 1 "$name" "$work/none"
        is_code 1 "$name" "$work/empty.txt"
        is_code 1 "$name" --strict -o "$work/left" "$work/cut.jfr"
        is_code 1 "$name" -o "$work/no/such/folder" "$f"
        is_code 2 "$name" --nix "$f"
        is_code 2 "$name" --from never "$f"
        is_code 3 "$name" -o "$work/damaged" "$work/cut.jfr"
        is_code 4 "$name" --fail-empty -t nobody -o "$work/left" "$f"
        [ ! -e "$work/left" ] || echo 'an output where there should be none' >>"$work/wrong"
        [ "$(stat -c %a "$work/damaged")" = 600 ] || echo 'mode is not 600' >>"$work/wrong"
        [ "$("$name" --help | wc -l)" -le 40 ] || echo 'help is longer than a screen' >>"$work/wrong"
        verdict "jfr2$t: exit codes"
    done
    "$B/jfr2pprof" -e "*" -t nobody -o "$work/e.pb.gz" "$f"
    [ -z "$pprof" ] || go_pprof -raw "$work/e.pb.gz" | grep -q 'events/count' || echo pprof >>"$work/wrong"
    for t in otlp firefox trace csv; do
        "$B/jfr2$t" -t nobody -o "$work/e" "$f"
        read_by $t "$work/e" >"$work/is"
    done
    "$B/jfr2json" -l d3 -t nobody -o "$work/e" "$f"
    same 'empty tree' "$(read_by d3 "$work/e")" '0 1 0'
    verdict 'nothing makes whole documents, too'
}

damaged() {
    local f t code n=0 half=('pprof speedscope csv' 'otlp firefox trace')

    [ -z "${SOAK:-}" ] || half=('pprof otlp speedscope firefox csv trace' 'pprof otlp speedscope firefox csv trace')
    for f in $(own_recordings 'cut-*') $(own_recordings killed-jdk25) "$shared"/recordings/damaged/*.jfr "$shared"/edge-cases/*.jfr; do
        [ -e "$f" ] || continue
        for t in ${half[n++ % 2]}; do
            timeout 300 "$B/jfr2$t" -q -o "$work/d" "$f" 2>/dev/null
            code=$?
            [[ $code = [013] ]] || echo "jfr2$t $(basename "$f"): exit code $code" >>"$work/wrong"
        done
        [ -n "${SOAK:-}" ] || continue
        for t in otlp firefox trace csv; do
            rm -f "$work/d"
            "$B/jfr2$t" -q -o "$work/d" "$f" 2>/dev/null
            [ ! -e "$work/d" ] || read_by $t "$work/d" >/dev/null
        done
    done
    verdict "damaged and odd recordings end well${SOAK:+, and give good documents}"
}

also() { # FILE
    local f=$1 t every

    for t in collapsed pprof otlp speedscope firefox; do
        "$B/jfr2$t" -o "$work/alone.$t" "$f"
    done
    "$B/jfr2flame" -o "$work/p.html" --also collapsed="$work/p.collapsed" --also pprof="$work/p.pprof" \
        --also otlp="$work/p.otlp" --also speedscope="$work/p.speedscope" --also firefox="$work/p.firefox" - <"$f" \
        2>>"$work/wrong"
    for t in collapsed pprof otlp speedscope firefox; do
        cmp "$work/alone.$t" "$work/p.$t" >>"$work/wrong" 2>&1
    done
    "$B/jfr2pprof" -k alloc -u bytes -o "$work/q" --also collapsed="$work/q.txt" "$f"
    "$B/jfr2collapsed" -k alloc -u bytes "$f" | cmp - "$work/q.txt" >>"$work/wrong" 2>&1
    verdict 'one reading of a pipe gives what each command gives'
    # All at once, on one thread and on four; and how often the input is opened for it.
    every=()
    for t in "${all_formats[@]}"; do
        every+=(--also "$t=$work/every.$t")
    done
    "$B/jfr2flame" -j1 -o "$work/page1.html" "${every[@]}" "$f"
    for t in "${all_formats[@]}"; do
        mv "$work/every.$t" "$work/one.$t"
    done
    same 'openings' "$("$B/convert/formats/test/formats_test" --opens "$f" "$B/jfr2flame" -j4 -o "$work/page4.html" "${every[@]}" "$f")" \
        "$("$B/convert/formats/test/formats_test" --opens "$f" "$B/jfr2pprof" -o "$work/q" "$f")"
    for t in "${all_formats[@]}"; do
        cmp "$work/one.$t" "$work/every.$t" >>"$work/wrong" 2>&1
    done
    cmp "$work/page1.html" "$work/page4.html" >>"$work/wrong" 2>&1
    verdict "${#all_formats[@]} outputs beside a page open the input as often as one, and any number of threads gives the same bytes"
    is_code 2 "$B/jfr2collapsed" --also nix="$work/x" "$f"
    same 'names of formats' "$("$B/jfr2collapsed" --also nix="$work/x" "$f" 2>&1 | sed -n 's/ (try --help)$//; s/.*none of //p' | tr -d ',' | xargs -n1 | sort | xargs)" \
        "$(printf '%s\n' "${all_formats[@]}" | sort | xargs)"
    is_code 2 "$B/jfr2collapsed" --also pprof "$f"
    is_code 2 "$B/jfr2collapsed" --also pprof= "$f"
    is_code 2 "$B/jfr2collapsed" --also d3=- "$f"
    is_code 2 "$B/jfr2collapsed" -o "$work/x" --also d3="$work/x" "$f"
    is_code 2 "$B/jfr2collapsed" --also d3="$work/x" --also pprof="$work/x" "$f"
    is_code 1 "$B/jfr2collapsed" -o "$work/x" --also d3="$work/no/such" "$f"
    is_code 1 "$B/jfr2collapsed" -o "$work/no/such" --also d3="$work/x" "$f"
    is_code 1 "$B/jfr2collapsed" --strict --also d3="$work/x" "$work/cut.jfr"
    is_code 1 "$B/jfr2speedscope" --size-limit 100 -o "$work/x" "$f"
    is_code 1 "$B/jfr2firefox" --size-limit 1k -o "$work/x" "$f"
    same 'said once' "$("$B/jfr2speedscope" --size-limit 100 "$f" 2>&1 >/dev/null | wc -l)" 1
    is_code 2 "$B/jfr2firefox" --size-limit much "$f"
    is_code 0 "$B/jfr2firefox" --size-limit 1GB -o "$work/fits" "$f"
    is_code 4 "$B/jfr2collapsed" --fail-empty -e Nothing --also d3="$work/x" "$f"
    [ ! -e "$work/x" ] || echo 'an output where there should be none' >>"$work/wrong"
    ls "$work" | grep -E '^x\.' >>"$work/wrong"
    verdict '--also: all outputs or none'
}

completions() {
    local t name option n=0

    for t in "$B"/jfrkit "$B"/jfr2* "$B"/jfr[a-jl-z]*; do
        [ -f "$t" ] && [ -x "$t" ] && [[ $t != *.* ]] || continue
        name=$(basename "$t")
        "$t" --completion=bash >"$work/bash" || echo "$name: no completion" >>"$work/wrong"
        "$t" --completion=zsh >"$work/zsh"
        "$t" --completion=fish >"$work/fish"
        bash -n "$work/bash" 2>>"$work/wrong"
        # As bash does it: what does a word "--" become?
        bash -c '. "$1"; COMP_WORDS=("$2" --); COMP_CWORD=1; "_$2"; printf "%s\n" "${COMPREPLY[@]}"' \
            x "$work/bash" "$name" | LC_ALL=C sort -u >"$work/words"
        "$t" --help=all | grep -oE '^  (-[a-zA-Z], |    )--[a-z][a-z0-9-]*' | grep -oE -- '--[a-z0-9-]+' | sort -u >"$work/options"
        [ -s "$work/options" ] || echo "$name: --help=all names nothing" >>"$work/wrong"
        while read -r option; do
            grep -qx -- "$option" "$work/words" || echo "$name, bash: no $option" >>"$work/wrong"
            grep -qE -- "'[*]?$option[=[]" "$work/zsh" || echo "$name, zsh: no $option" >>"$work/wrong"
            grep -qE -- "-l ${option#--}( |\$)" "$work/fish" || echo "$name, fish: no $option" >>"$work/wrong"
            n=$((n + 1))
        done <"$work/options"
        is_code 2 "$t" --completion=csh
    done
    [ $n -gt 100 ] || echo "only $n options" >>"$work/wrong"
    verdict "completions know all $n options"
    for t in zsh fish; do
        command -v $t >/dev/null || { echo "skip completions as $t reads them: no $t"; continue; }
        for name in "$B"/jfr2*; do
            [ -x "$name" ] && "$name" --completion=$t >"$work/c" && $t -n "$work/c" 2>>"$work/wrong"
        done
        verdict "$t takes the completions"
    done
}

kit() { # FILE
    local f=$1 t name

    mkdir "$work/links"
    "$B/jfrkit" --links "$work/links" || echo 'no links' >>"$work/wrong"
    for t in "$B"/jfrkit "$B"/jfr2* "$B"/jfr[a-jl-z]*; do
        name=$(basename "$t")
        [ -f "$t" ] && [ -x "$t" ] && [[ $t != *.* ]] && [ "$name" != jfrkit ] || continue
        [ -L "$work/links/$name" ] || echo "no link $name" >>"$work/wrong"
        "$t" --help=all >"$work/want" 2>&1
        "$B/jfrkit" "$name" --help=all 2>&1 | cmp - "$work/want" >>"$work/wrong" 2>&1
        "$work/links/$name" --help=all 2>&1 | cmp - "$work/want" >>"$work/wrong" 2>&1
    done
    "$B/jfrkit" collapsed "$f" | cmp - <("$B/jfr2collapsed" "$f") >>"$work/wrong" 2>&1
    "$B/jfrkit" 2collapsed "$f" | cmp - <("$B/jfr2collapsed" "$f") >>"$work/wrong" 2>&1
    "$B/jfrkit" summary "$f" | cmp - <("$B/jfrsummary" "$f") >>"$work/wrong" 2>&1
    is_code 2 "$B/jfrkit" nix
    is_code 1 "$B/jfrkit" --links "$work/links"
    is_code 1 "$B/jfrkit" collapsed "$work/none"
    "$B/jfrkit" ec list >"$work/got" 2>&1 || echo 'jfrkit ec list' >>"$work/wrong"
    "$B/jfrkit" rec list >"$work/got" 2>&1 || echo 'jfrkit rec list' >>"$work/wrong"
    verdict 'jfrkit is every older program, by name and by link'
}

command -v node >/dev/null && command -v jq >/dev/null || { echo 'skip formats: no node, or no jq'; exit 0; }
[ -x "$B/convert/formats/test/formats_test" ] || { echo 'skip formats: formats_test is not built'; exit 0; }
"$B/convert/formats/test/formats_test" --write "$work/hostile.jfr" || { echo 'not ok formats: no recording'; exit 1; }
"$B/convert/context/test/context_test" --write "$work/server.jfr" BOTH 3 60 3 || { echo 'not ok formats: no recording'; exit 1; }
go=$(command -v go || compgen -G '/usr/local/go/bin/go' || compgen -G '/usr/lib/go*/bin/go' | head -1)
# The program itself: `go tool` looks for it anew each time, which takes longer than it does.
pprof=
[ -z "$go" ] || ! "$go" tool pprof -h 2>&1 | grep -q pprof || pprof=$("$go" tool -n pprof)
if [ -x "$pprof" ]; then
    pprof_focuses
else
    echo 'skip pprof: no go tool pprof'
    pprof=
fi
recordings=("$work/server.jfr" $(own_recordings jdk25-server) $(own_recordings async-profiler-jdk25))
[ -z "${SOAK:-}" ] || recordings+=("$shared"/recordings/jdk/jdk2*.jfr "$shared"/recordings/async-profiler/ap45*.jfr)
for f in "${recordings[@]}"; do
    [ -e "$f" ] || { echo "skip formats of $(basename "$f"): it is not there"; continue; }
    [ -z "$pprof" ] || pprof_reads "$f"
    otlp_decodes "$f"
    csv_agrees "$f"
    documents "$f"
    last=$f
done
contexts
csv_cells "$last"
[ -e "$work/a.pb.gz" ] || "$B/jfr2pprof" -o "$work/a.pb.gz" "$last"
speedscope_opens
documents "$work/hostile.jfr"
common "$work/server.jfr"
also "$last"
damaged
completions
kit "$last"
exit $failed
