#!/bin/bash
# jfr2flame on fresh recordings of every JDK found: what the page says of itself, inputs, exit codes.
# (How the page is built and behaves: convert/flame/test/flame_test.c, convert/flame/test/page_test.sh.)
set -u
. "$(dirname "$0")/exit_lib.sh"
shopt -s nullglob
B=${B:-build}
flame=$B/jfr2flame
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

verdict() { # verdict NAME: $work/wrong is empty
    if [ -s "$work/wrong" ]; then
        echo "not ok $1"
        head -20 "$work/wrong" | cut -c1-300 | sed 's/^/    /'
        failed=1
    else
        echo "ok $1"
    fi
    : >"$work/wrong"
}

. tools/test/jdk_lib.sh
. tools/test/sample_lib.sh

record() { # record HOME VERSION
    [ -e "$work/classes/Events.class" ] ||
        javac "$1" -nowarn --release 11 -d "$work/classes" test-data/workload/Events.java
    "$1/bin/java" -XX:StartFlightRecording:filename="$work/fresh$2.jfr",settings=profile \
        -cp "$work/classes" Events >"$work/record.log" 2>&1 || cat "$work/record.log"
}

says() { # says MEMBER WANT OPTIONS...: what the page's header has under this name
    local member=$1 want=$2 is

    shift 2
    is=$("$flame" "$@" 2>"$work/err" | sed -n "s/^{*\"$member\":\(.*\),\$/\1/p" | head -1)
    [ "$is" = "$want" ] || echo "$member of '$*': $is, not $want" >>"$work/wrong"
}

# The page has all the weight that collapsed stacks have.
totals() {
    local f=$1 words want

    for words in '-k all' '-k alloc -u bytes' '-k lock -u duration' '-k all --threads --states' \
        '-k all --leaf-class --package' '-k latency -u duration' '-k all -X main' '-k all --min-share 5'; do
        want=$("$B/jfr2collapsed" ${words% --min-share 5} "$f" | awk '{ n += $NF } END { printf "%.0f", n }')
        says total "$want" $words "$f"
        says total "$want" --aggregate $words "$f"
    done
    [ "$want" -gt 100 ] || echo "a total of $want" >>"$work/wrong"
    for words in alloc,bytes lock,duration latency,duration cpu,samples; do # what it opens with by default
        want=$("$B/jfr2collapsed" -k "${words%,*}" -u "${words#*,}" "$f" | awk '{ n += $NF } END { printf "%.0f", n }')
        says total "$want" -k "${words%,*}" "$f"
        says total "$("$B/jfr2collapsed" -k "${words%,*}" "$f" | awk '{ n += $NF } END { printf "%.0f", n }')" -k "${words%,*}" -u samples "$f"
    done
    verdict "totals of JDK $2 are those of jfr2collapsed"
}

headers() {
    local f=$1 name

    name=$(basename "$f")
    says title "\"$name\"" "$f"
    says title "\"$name and 1 more\"" "$f" "$f"
    says title '"Mine \u003c/script\u003e"' --title 'Mine </script>' "$f"
    says title '"Flame graph"' - <"$f"
    says title '"Flame graph"' <"$f"
    says title '"standard input and 1 more"' - "$f" <"$f"
    says kind '"Allocation"' -k alloc "$f"
    says weight '""' "$f"
    says weight '""' -u samples "$f"
    says weight '"bytes"' -k alloc -u bytes "$f"
    says unit '"samples"' "$f"
    says unit '"ns"' -k lock -u duration "$f"
    says unit '"bytes"' -k alloc -u weight "$f"
    says highlight '"Json"' --highlight Json "$f"
    says theme '"dark"' --theme dark "$f"
    says palette '"safe"' --palette safe "$f"
    says icicle true -i "$f"
    says reverse true -r "$f"
    "$flame" "$f" | grep -qE '^"subtitle":"20[0-9-]{8} [0-9:]{8} UTC, [0-9.]+ s",$' ||
        echo 'no time' >>"$work/wrong"
    verdict 'the page says what it shows'
}

any_input() {
    local f=$1 how

    "$flame" -k all --title t -j1 "$f" >"$work/want"
    "$flame" -k all --title t -j4 -o "$work/page.html" "$f" && cmp "$work/want" "$work/page.html" >>"$work/wrong" 2>&1
    verdict 'same page from one and from four threads'
    for how in 'gzip -c' 'zstd -qc'; do
        command -v ${how%% *} >/dev/null || { echo "skip input of ${how%% *}: not installed"; continue; }
        $how "$f" >"$work/packed"
        "$flame" -k all --title t <"$work/packed" | cmp - "$work/want" >>"$work/wrong" 2>&1
        "$flame" -k all --title t "$work/packed" | cmp - "$work/want" >>"$work/wrong" 2>&1
        verdict "same page through ${how%% *}"
    done
    "$flame" -k all --title t --min-share 10% "$f" >"$work/less"
    [ "$(stat -c %s "$work/less")" -lt "$(stat -c %s "$work/want")" ] || echo 'not less' >>"$work/wrong"
    verdict '--min-share makes the page smaller'
}

facets() { # what stands in the header about the dimensions
    local f=$1

    "$flame" -k all "$f" "$f" | grep -q '^{"name":"input","values":2,' || echo 'no input' >>"$work/wrong"
    "$flame" -k all "$f" | grep -q '^{"name":"input"' && echo 'an input of one' >>"$work/wrong"
    "$flame" -k all --facets thread "$f" "$f" | grep -q '^{"name":"input"' && echo 'input unasked' >>"$work/wrong"
    "$flame" -k all --facets input --facet-max 1 "$f" "$f" | grep -q '^{"name":"input","values":1,"more":1,' ||
        echo 'more than --facet-max' >>"$work/wrong"
    "$flame" --aggregate "$f" | grep -q '^"facets"' && echo 'facets of sums' >>"$work/wrong"
    verdict 'dimensions are chosen'
}

# Samples without a user are the JVM's, idle threads' or the program's, as in a table for people.
rest() {
    local f=$1 key=$2

    command -v node >/dev/null || { echo 'skip whose samples without a user are: no node'; return; }
    "$flame" -k all -o "$work/page.html" "$f"
    node test-data/page/values.mjs "$work/page.html" "$key" | sed "s/^\t/(no $key)\t/" | sort >"$work/got"
    "$B/jfr2table" --by "$key" -k all -f tsv "$f" | awk -F '\t' 'NR > 1 && $2 > 0 { print $1 "\t" $2 }' | sort >"$work/want"
    grep -q '^(JVM: ' "$work/want" && grep -q "^(no $key)" "$work/want" || echo "the table: $(cat "$work/want")" >>"$work/wrong"
    diff "$work/got" "$work/want" >>"$work/wrong"
    verdict 'samples without a user are split as in tables'
}

stacks_of() { # stacks_of PAGE: what it opens with, read by its own decoder
    node test-data/page/stacks.mjs "$1"
}

opens_with() {
    local f=$1 words

    command -v node >/dev/null || { echo 'skip what a page opens with: no node'; return; }
    for words in '' '-k all' '-k alloc -u bytes' '-k lock -u duration' '-k all --threads --states'; do
        "$flame" $words -o "$work/page.html" "$f"
        "$B/jfr2collapsed" $words "$f" >"$work/want"
        [ -s "$work/want" ] || echo "$words: no stacks to compare" >>"$work/wrong"
        stacks_of "$work/page.html" | cmp - "$work/want" >>"$work/wrong" 2>&1
        "$flame" --aggregate $words -o "$work/page.html" "$f"
        stacks_of "$work/page.html" | cmp - "$work/want" >>"$work/wrong" 2>&1
    done
    verdict 'a page opens with the stacks of jfr2collapsed'
}

# The same bytes, however many threads read and whatever the page keeps.
same_bytes() {
    local f=$1 jobs words

    for words in '-k all' '-k all --aggregate' '--diff thread=main thread!=main' '-k all --split thread'; do
        "$flame" -j1 -o "$work/one.html" $words "$f" "$f"
        for jobs in 2 4 7; do
            "$flame" -j$jobs -o "$work/page.html" $words "$f" "$f"
            cmp "$work/one.html" "$work/page.html" >>"$work/wrong" 2>&1
        done
    done
    verdict 'a page is the same for any number of threads'
}

options() {
    local f=$1 word

    for word in thread state; do
        cmp <("$flame" -k all --split $word "$f") <("$flame" -k all --${word}s "$f") >>"$work/wrong" 2>&1
    done
    is_code 2 "$flame" -k all --split user "$f" # which has no contexts
    says norm '"time"' --diff --diff-norm time 'thread=main' 'thread!=main' "$f"
    says norm '"samples"' --diff 'thread=main' 'thread!=main' "$f"
    says source '"https://git/{path}#L{line}"' --source-url 'https://git/{path}#L{line}' "$f"
    is_code 2 "$flame" --diff-norm time "$f"
    is_code 2 "$flame" --diff --diff-norm weeks "$f" "$f"
    is_code 2 "$flame" --source-url 'javascript:alert(1)' "$f"
    is_code 2 "$flame" --size-limit 3x "$f"
    is_code 0 "$flame" --size-limit 5MB -o "$work/page.html" "$f"
    rm -f "$work/page.html"
    is_code 1 "$flame" --size-limit 20kB -o "$work/page.html" "$f"
    [ ! -e "$work/page.html" ] || echo 'a page beyond the limit' >>"$work/wrong"
    "$flame" --size-limit 20kB "$f" 2>&1 >/dev/null | grep -q 'larger than 20kB: --aggregate' || echo 'no advice' >>"$work/wrong"
    verdict 'split, norm, limit and links'
}

# Small groups together. Samples: user0 30, user1 60, user2 90, user3 120, nobody 120, of 420.
groups() {
    local own=$work/own.jfr bad

    [ -x "$B/convert/context/test/context_test" ] || { echo 'skip --min-group: context_test is not built'; return; }
    command -v node >/dev/null || { echo 'skip --min-group: no node'; return; }
    "$B/convert/context/test/context_test" --write "$own" FIELDS 4 120 5 || echo 'not written' >>"$work/wrong"
    roots() { # roots WANT OPTION...: samples by what is below the first frame
        local want=$1 is

        shift
        "$flame" --aggregate -e ExecutionSample "$@" -o "$work/page.html" "$own"
        is=$(stacks_of "$work/page.html" | awk '{ split($0, s, ";"); n[s[1]] += $NF } END { for (r in n) print r "=" n[r] }' | sort | paste -sd' ')
        [ "$is" = "$want" ] || echo "$*: $is, not $want" >>"$work/wrong"
    }
    roots '(others)=90 [no user]=120 [user=user2]=90 [user=user3]=120' --split user --min-group 61
    roots '(others)=90 [no user]=120 [user=user2]=90 [user=user3]=120' --split user --min-group 20%
    roots '[no user]=120 [user=user0]=30 [user=user1]=60 [user=user2]=90 [user=user3]=120' --split user --min-group 30
    roots '(others)=420' --group-by user,action --threads --min-group 1000
    "$flame" --aggregate -e ExecutionSample --split user --min-group 61 --also "csv=$work/labels.csv" -o "$work/page.html" "$own" 2>/dev/null
    [ $? = 2 ] || echo 'a format with labels' >>"$work/wrong"
    "$flame" --split user --min-group 100% "$own" | grep -q '^{"name":"user","values":0,"more":4,' || echo 'values that are too small' >>"$work/wrong"
    "$flame" --split user --min-group 1 "$own" | grep -q '^{"name":"user","values":4,"more":0,' || echo 'values that are not' >>"$work/wrong"
    cmp <("$flame" --split user "$own") <("$flame" --group-by user "$own") >>"$work/wrong" 2>&1
    for bad in '--min-group x' '--min-group 101%' '--aggregate --min-group 5'; do
        is_code 2 "$flame" $bad "$own"
    done
    verdict 'small groups together'
}

exit_codes() {
    local f=$1

    head -c "$(($(stat -c %s "$f") - 100))" "$f" >"$work/cut.jfr"
    is_code 0 "$flame" "$f"
    is_code 0 "$flame" -t nobody "$f"
    is_code 1 "$flame" "$work/none"
    is_code 1 "$flame" --strict -o "$work/none.html" "$work/cut.jfr"
    is_code 2 "$flame" --theme pink "$f"
    is_code 2 "$flame" --palette pink "$f"
    for share in '' x 101 -1 nan 1%% '1 %'; do
        is_code 2 "$flame" --min-share "$share" "$f"
    done
    is_code 2 "$flame" --diff "$f"
    is_code 2 "$flame" --diff user=alice "$f"
    is_code 2 "$flame" --diff --aggregate "$f" "$f"
    is_code 0 "$flame" --diff "$f" "$f"
    is_code 0 "$flame" --diff 'thread=main' 'thread!=main' "$f"
    is_code 3 "$flame" "$work/cut.jfr"
    is_code 4 "$flame" --fail-empty -e Nothing -o "$work/none.html" "$f"
    [ ! -e "$work/none.html" ] || echo 'a page where there should be none' >>"$work/wrong"
    verdict 'exit codes'
}

messages() {
    local f=$1

    "$flame" -v -k all -o "$work/page.html" "$f" 2>&1 | tail -1 |
        grep -qE "^jfr2flame: $work/page.html: [0-9 ]+ samples, [0-9 ]+ frames; [0-9.]+ [kM]B$" ||
        echo 'no word of the page' >>"$work/wrong"
    [ -z "$("$flame" -o "$work/page.html" "$f" 2>&1)" ] || echo 'speaks unasked' >>"$work/wrong"
    [ "$("$flame" --help | wc -l)" -le 40 ] || echo 'help is longer than a screen' >>"$work/wrong"
    verdict 'messages and help'
    if ! command -v script >/dev/null; then
        echo 'skip terminal: no script'
        return
    fi
    script -qec "$flame $f" /dev/null </dev/null >"$work/screen"
    [ $? = 2 ] || echo 'exit code is not 2' >>"$work/wrong"
    grep -q "try -o $(basename "$f" .jfr).html" "$work/screen" || cat "$work/screen" >>"$work/wrong"
    grep -qi '<html' "$work/screen" && echo 'the page went to the terminal' >>"$work/wrong"
    verdict 'a terminal gets no page'
}

: >"$work/wrong"
fresh=''
mkdir "$work/classes"
for home in /usr/lib/jvm/*; do
    version=$(release "$home")
    [ -x "$home/bin/jfr" ] && [ -n "$version" ] && [ ! -e "$work/fresh$version.jfr" ] || continue
    record "$home" "$version"
    fresh=$work/fresh$version.jfr
    totals "$fresh" "$version"
done
if [ -z "$fresh" ]; then
    echo 'skip jfr2flame: no JDK to record with'
    exit $failed
fi
headers "$fresh"
any_input "$fresh"
facets "$fresh"
opens_with "$fresh"
rest "$(own_recordings jfrkit-jdk25)" user
same_bytes "$fresh"
options "$fresh"
groups
exit_codes "$fresh"
messages "$fresh"
exit $failed
