#!/bin/bash
# The page of jfr2flame beside the flame graph and the heat map of async-profiler's converter: its size, and in a
# headless browser how soon it can be used and answers an input. Prints goals beside figures; asserts nothing.
#   ROUNDS=3   how often a page is loaded
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
    [ -n "$jar" ] || jar=$(compgen -G "$B/jars/jfrconv/jfr-converter-*.jar" | head -1)
    java=$(compgen -G '/usr/lib/jvm/*/bin/java' | head -1)
    [ -n "$jar" ] && [ -n "$java" ] && "$java" -jar "$jar" -o "$1" "$2" "$3" >/dev/null 2>&1
}

echo
echo 'the page (goals: 4 B a frame, 4.5 B a sample with thread, user, action; 5 MB for 93 000 frames and 1 M samples)'
for what in 'page-100k 6000 20 60' 'page-1M 33000 20 120'; do
    set -- $what
    pages "$1" --stacks "$2" --min-depth "$3" --max-depth "$4" || { echo "skip $1: it could not be made"; continue; }
    "$dir/gen" "$dir/small.jfr" --samples 100 --stacks 3 --users 1 --actions 1 && "$B/jfr2flame" -o "$dir/empty.html" "$dir/small.jfr"
    frames=$(sed -n 's/^"nodes":\([0-9]*\),$/\1/p' "$dir/$1.html" | head -1)
    echo "$1 $frames $(size "$dir/empty.html") $(size "$dir/$1-sums.html") $(size "$dir/$1.html")" |
        awk '{ printf "%-10s %8d frames  page of 100 samples %d B (goal 80000)  %.2f B a frame  %.2f B a sample  %.2f MB in all\n",
               $1, $2, $3, ($4 - $3) / $2, ($5 - $4) / 1e6, $5 / 1e6 }'
done
printf "%s" "$(sed -n "/^<script type=\"text\/plain\" id=\"code\">\$/{n;p}" "$dir/empty.html")" | wc -c |
    awk '{ printf "style and script in it, packed: %d B\n", $1 }'
# The converter refuses fields of contexts, so it gets the same recording without them.
[ -e "$dir/page-plain.jfr" ] || "$dir/gen" "$dir/page-plain.jfr" --samples 1000000 --chunks 10 --threads 32 --seed 1 --stacks 6000 \
    --min-depth 20 --max-depth 60
"$B/jfr2flame" -k cpu -o "$dir/page-plain.html" "$dir/page-plain.jfr" || exit
peer=()
for format in html heatmap; do
    convert "$format" "$dir/page-plain.jfr" "$dir/peer-$format.html" ||
        { echo "skip $format of the converter: no jar, or it failed"; continue; }
    peer+=("$dir/peer-$format.html")
    echo "$format $(size "$dir/page-plain.html") $(size "$dir/peer-$format.html")" |
        awk '{ printf "%s of the converter %.2f MB, our page %.2f MB: %.2f of it\n", $1, $3 / 1e6, $2 / 1e6, $2 / $3 }'
done
if [ -z "$chromium" ] || ! command -v node >/dev/null; then
    echo 'skip the browser: no chromium, or no node'
    exit 0
fi
echo 'in the browser, ms (goals for 1 M samples: 5 MB, ready 350, an input answered in 50 at p95; fresh tab each time)'
for name in page-100k page-1M; do
    [ ! -e "$dir/$name.html" ] || node tools/bench/page.mjs "$chromium" "${ROUNDS:-3}" "$dir/$name.html"
done
echo 'and beside the converter, which has neither filters nor times in its flame graph'
node tools/bench/page.mjs "$chromium" "${ROUNDS:-3}" "$dir/page-plain.html" "${peer[@]}"
