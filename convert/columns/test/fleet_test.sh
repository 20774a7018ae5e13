#!/bin/bash
# The queries of tools/docs/fleet.md on a folder with the samples of four hosts: what DuckDB answers is what jfr2table and
# jfr2collapsed say, and a flame graph of a result has its stacks.
#   ENGINES=1 or SOAK=1   ClickHouse and Spark give the same answers
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/engines_lib.sh
[ -x "$B/bench/gen" ] || { echo 'skip questions to a fleet: bench/gen is not built'; exit 0; }

n=0
for host in web1:shop:1.4 web2:shop:1.5 web3:pay:1.4 web4:pay:1.5; do
    IFS=: read -r host service version <<<"$host"
    n=$((n + 1))
    "$B/bench/gen" --samples 3000 --stacks 300 --chunks 2 --seed $n --users 20 --actions 5 "$work/$host.jfr" || exit 1
    "$B/jfrkit" convert -f parquet -o "$work/lake/" --partition "host=$host,service=$service,version=$version" "$work/$host.jfr" \
        2>>"$work/wrong" || wrong "exit code $?"
done
# These recordings have no traces, so actions stand for them.
sed 's/context\.trace_id/context.action/' tools/docs/fleet.md >"$work/guide.md"

if ! engines pyarrow=26.0.1 duckdb=2.0.1; then
    echo "skip questions to a fleet: $why"
    exit $failed
fi
engine_python test-data/parquet/fleet.py duckdb "$work/guide.md" "$work/lake" >"$work/duckdb" 2>"$work/err" || wrong "$(tail -1 "$work/err")"
answer() { # answer N: that of the Nth query
    awk -v n="$1" '/^query / { is = $2 == n; next } is' "$work/duckdb"
}

"$B/jfr2table" --by user -k cpu -f csv "$work"/web?.jfr | tr -d '\r' | awk -F, 'NR > 1 && $1 ~ /^user-/ { print $1 "\t" $2 "\t4" }' |
    sort -t$'\t' -k2,2nr -k1,1 | head -10 >"$work/want"
[ "$(wc -l <"$work/want")" = 10 ] || wrong 'no ten users'
answer 1 | diff - "$work/want" >>"$work/wrong"
verdict 'who pays over all hosts'

for version in 1.4:web1:web3 1.5:web2:web4; do
    IFS=: read -r version first second <<<"$version"
    "$B/jfr2collapsed" -k cpu "$work/$first.jfr" "$work/$second.jfr" | sed -E 's/^.*;//' |
        awk -v v="$version" '{ n[$1] += $2 } END { for (m in n) print v "\t" m "\t" n[m] }' | LC_ALL=C sort -t$'\t' -k3,3nr -k2,2 | head -5
done >"$work/want"
answer 2 | diff - "$work/want" >>"$work/wrong"
[ "$(answer 3 | wc -l)" = 10 ] && answer 3 | awk -F '\t' '$5 < 3 || $2 > $3 { exit 1 }' || wrong "slower: $(answer 3 | head -3)"
[ "$(answer 4 | wc -l)" = 5 ] || wrong "traces: $(answer 4)"
sed "s/version = '1.5'/version = '1.6'/" "$work/guide.md" >"$work/unreleased.md" # no host has it
engine_python test-data/parquet/fleet.py duckdb "$work/unreleased.md" "$work/lake" >"$work/unreleased" 2>"$work/err" || wrong "$(tail -1 "$work/err")"
sed -n '/^query 3/,/^query 4/p' "$work/unreleased" | diff - <(printf 'query 3\nquery 4\n') >>"$work/wrong"
verdict 'methods of versions, what got slower, requests across services'

"$B/jfr2collapsed" -k cpu -c user=user-1 "$work"/web?.jfr | sed -E 's/ ([0-9]+)$/\t\1/' | LC_ALL=C sort >"$work/want"
[ "$(wc -l <"$work/want")" -gt 100 ] || wrong 'few stacks'
answer 5 | LC_ALL=C sort | cmp - "$work/want" >>"$work/wrong" 2>&1
answer 5 | "$B/jfrkit" flame --from-stacks - -o "$work/page.html" 2>>"$work/wrong" || wrong "exit code $?"
if command -v node >/dev/null; then
    node test-data/page/stacks.mjs "$work/page.html" | sed -E 's/ ([0-9]+)$/\t\1/' | LC_ALL=C sort | cmp - "$work/want" >>"$work/wrong" 2>&1
fi
for option in --context=user=user-1 --event=FileRead --kind=cpu --facets=thread --diff --group-by=user --jobs=2; do
    answer 5 | "$B/jfrkit" flame --from-stacks - "$option" -o "$work/none.html" 2>"$work/err"
    [ $? = 2 ] && grep -q -- "${option%%=*} needs recordings" "$work/err" || wrong "$option: $(head -1 "$work/err")"
done
[ ! -e "$work/none.html" ] || wrong 'a page after a wrong option'
verdict 'a flame graph of a result, with options that apply to it'

same_answers() { # same_answers ENGINE PROJECT
    if ! big_engines pyarrow=26.0.1 "$2"; then
        echo "skip the same answers by $1: $why"
        return
    fi
    "$big_python" -W ignore test-data/parquet/fleet.py "$1" "$work/guide.md" "$work/lake" >"$work/other" 2>"$work/err" ||
        wrong "$1: $(tail -1 "$work/err")"
    diff "$work/duckdb" "$work/other" >>"$work/wrong"
    verdict "the same answers by $1"
}
if [ -n "${SOAK:-}${ENGINES:-}" ]; then
    same_answers clickhouse chdb=4.4.0
    if command -v java >/dev/null; then
        same_answers spark pyspark=4.3.0
    else
        echo 'skip the same answers by spark: no java'
    fi
fi
exit $failed
