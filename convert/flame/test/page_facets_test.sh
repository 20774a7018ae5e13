#!/bin/bash
# The page in a real browser, used as a person would, and its numbers beside those of jfr2table and
# jfr2collapsed; the cases stand in test-data/page/facets_test.mjs.
set -u
B=${B:-build}
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$chromium" ] || { echo 'skip page with facets: no chromium'; exit 0; }
command -v node >/dev/null || { echo 'skip page with facets: no node'; exit 0; }
[ -x "$B/bench/gen" ] || { echo 'skip page with facets: bench/gen is not built'; exit 0; }

. tools/test/npm_lib.sh
playwright=$(npm_package playwright-core 1.49.1) ||
    { echo 'skip page with facets: npm package playwright-core cannot be had'; exit 0; }

failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$B/bench/gen" "$work/shop.jfr" --samples 16000 --stacks 300 --min-depth 8 --max-depth 50 --chunks 3 \
    --threads 24 --users 90 --actions 12 --mix --seed 3 &&
    "$B/bench/gen" "$work/after.jfr" --samples 9000 --stacks 300 --min-depth 8 --max-depth 50 --chunks 2 \
        --threads 24 --users 90 --actions 12 --mix --seed 4 &&
    "$B/bench/gen" "$work/evil.jfr" --samples 4000 --stacks 50 --min-depth 8 --max-depth 20 --chunks 1 \
        --threads 8 --users 40 --actions 3 --hostile &&
    "$B/jfr2flame" -o "$work/shop.html" "$work/shop.jfr" &&
    "$B/jfr2flame" --diff -o "$work/files.html" "$work/shop.jfr" "$work/after.jfr" &&
    "$B/jfr2flame" --diff -o "$work/users.html" 'user=user-1' 'user!=user-1' "$work/shop.jfr" &&
    "$B/jfr2flame" -k all --min-group 300 --source-url 'https://src.example/{path}?m={method}&c={class}#L{line}' -o "$work/least.html" "$work/shop.jfr" &&
    "$B/jfr2flame" -k all --min-group 700 -o "$work/few.html" "$work/shop.jfr" &&
    "$B/jfr2flame" -o "$work/evil.html" "$work/evil.jfr" || { echo 'not ok page with facets: not written'; exit 1; }
node test-data/page/facets_test.mjs "$chromium" "$playwright" "$work" "$(realpath "$B")" || failed=1
# Each view in both themes and three widths; SHOTS=FOLDER keeps the pictures.
mkdir -p "${SHOTS:=$work/shots}"
node test-data/page/shots.mjs "$chromium" "$work/shop.html" "$SHOTS" || failed=1
exit $failed
