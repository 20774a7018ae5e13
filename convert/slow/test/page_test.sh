#!/bin/bash
# The page of jfrkit slow in a real browser: it says what the command says, its buttons lead to the samples that they name,
# and nothing in it runs or loads what a recording holds. The cases stand in test-data/page/slow_page.mjs.
set -u
. test-data/workload/lib.sh
. tools/test/sample_lib.sh
jfrkit=$B/jfrkit

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$chromium" ] || { skip 'the page of slow scopes' 'no chromium'; exit 0; }
command -v node >/dev/null || { skip 'the page of slow scopes' 'no node'; exit 0; }
[ -x "$B/bench/gen" ] || { skip 'the page of slow scopes' 'bench/gen is not built'; exit 0; }

# page NAME RECORDING OPTION...
page() {
    local name=$1 file=$2

    shift 2
    "$jfrkit" slow -q -o "$work/slow.html" "$@" "$file" 2>>"$work/wrong" || wrong "$name: no page"
    "$jfrkit" slow -q --json "$@" "$file" >"$work/slow.json" 2>>"$work/wrong"
    node test-data/page/slow_page.mjs "$chromium" "$work/slow.html" "$work/slow.json" ${SHOTS:+"$SHOTS/$name.png"} >>"$work/wrong" 2>&1
    [ "$(stat -c %a "$work/slow.html")" = 600 ] || wrong "$name: others may read it"
    verdict "page of slow scopes: $name"
}

gen() { # gen FILE OPTION...
    "$B/bench/gen" "$@" --requests --hold 12 --mix --samples 20000 --stacks 300 --min-depth 8 --max-depth 30 --chunks 3 \
        --threads 8 --users 20 --seed 3 >/dev/null || give_up 'no recording'
}

gen "$work/shop.jfr" --actions 4
gen "$work/evil.jfr" --actions 30 --hostile
page requests "$work/shop.jfr"
page 'names that look like markup' "$work/evil.jfr" -n 30
page 'contexts that our recorder wrote' "$(own_recordings jfrkit-jdk25)"

# Two threads or one: the same bytes.
for jobs in 1 4; do
    "$jfrkit" slow -q -j $jobs -o "$work/jobs-$jobs.html" "$work/shop.jfr" 2>>"$work/wrong"
done
cmp "$work/jobs-1.html" "$work/jobs-4.html" >>"$work/wrong" 2>&1
verdict 'page of slow scopes: any number of threads'
exit $failed
