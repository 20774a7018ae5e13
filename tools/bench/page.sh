#!/bin/bash
# The page of jfr2flame: its size beside what it holds and beside async-profiler's converter, and its
# own counters in a headless browser, medians. Prints goals beside figures; asserts nothing.
#   ROUNDS=5   how often a page is loaded
set -u
B=${B:-build}
dir=$B/bench
peers=$B/peers
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
mkdir -p "$dir"

size() { stat -c %s "$1" 2>/dev/null || echo 0; }

pages() { # pages NAME GEN-OPTIONS...: a recording, its page with facets and with sums only
    local name=$1

    shift
    [ -e "$dir/$name.jfr" ] || "$dir/gen" "$dir/$name.jfr" --samples 1000000 --chunks 10 --threads 32 --seed 1 \
        --users 500 --actions 40 --hold 1 "$@" || return
    "$B/jfr2flame" -k cpu -o "$dir/$name.html" "$dir/$name.jfr" &&
        "$B/jfr2flame" -k cpu --aggregate -o "$dir/$name-sums.html" "$dir/$name.jfr"
}

convert() { # convert FORMAT RECORDING OUTPUT: by the peer, if it is there
    local jar java

    jar=$(compgen -G "$peers/jfr-converter-*.jar" | head -1)
    java=$(compgen -G '/usr/lib/jvm/*/bin/java' | head -1)
    [ -n "$jar" ] && [ -n "$java" ] && "$java" -jar "$jar" -o "$1" "$2" "$3" >/dev/null 2>&1
}

echo
echo 'the page (goals: 4 B a frame, 7 B a sample with thread, user, action; 7 MB for 100 000 frames and 1 M samples)'
for what in 'page-100k 6000 20 60' 'page-1M 33000 20 120'; do
    set -- $what
    pages "$1" --stacks "$2" --min-depth "$3" --max-depth "$4" || { echo "skip $1: it could not be made"; continue; }
    "$B/jfr2flame" -e no.such.event -o "$dir/empty.html" "$dir/$1.jfr"
    frames=$(sed -n 's/^"nodes":\([0-9]*\),$/\1/p' "$dir/$1.html" | head -1)
    echo "$1 $frames $(size "$dir/empty.html") $(size "$dir/$1-sums.html") $(size "$dir/$1.html")" |
        awk '{ printf "%-10s %8d frames  page alone %d B (goal 60000)  %.2f B a frame  %.2f B a sample  %.2f MB in all\n",
               $1, $2, $3, ($4 - $3) / $2, ($5 - $4) / 1e6, $5 / 1e6 }'
done
printf "%s" "$(sed -n "/^<script type=\"text\/plain\" id=\"code\">\$/{n;p}" "$dir/empty.html")" | wc -c |
    awk '{ printf "style and script in it, packed: %d B\n", $1 }'
# The converter refuses fields of contexts, so it gets the recording of the other races.
for format in html heatmap; do
    "$B/jfr2flame" -k cpu -o "$dir/big-page.html" "$dir/big.jfr" 2>/dev/null &&
        convert "$format" "$dir/big.jfr" "$dir/peer-$format.html" ||
        { echo "skip $format of the converter: no big.jfr, no jar, or it failed"; continue; }
    echo "$format $(size "$dir/big-page.html") $(size "$dir/peer-$format.html")" |
        awk '{ printf "%s of the converter %.2f MB, our page %.2f MB: %.2f of it (goal 0.5)\n", $1, $3 / 1e6, $2 / 1e6, $2 / $3 }'
done
if [ -z "$chromium" ] || ! command -v node >/dev/null; then
    echo 'skip the browser: no chromium, or no node'
    exit 0
fi
echo 'in the browser, ms (goals: first paint of 1 M frames 500, another facet 100, hover 4; fresh tab each time)'
for name in page-100k page-1M; do
    [ ! -e "$dir/$name.html" ] || node tools/bench/page.mjs "$chromium" "$dir/$name.html" "${ROUNDS:-5}"
done
