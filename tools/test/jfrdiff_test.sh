#!/bin/bash
# jfrdiff on recordings whose difference is known: tables, stacks, gates, reports, exit codes.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/sample_lib.sh
diff=$B/jfrdiff

[ -x "$B/convert/context/test/context_test" ] || { echo 'skip jfrdiff: context_test is not built'; exit 0; }
# Of wall samples: 1 + 2 + 3 of three users and 1 of nobody for each request; half of a user's are
# on top of store, which only is in stacks of odd requests.
"$B/convert/context/test/context_test" --write "$work/a.jfr" BOTH 3 600 3
"$B/convert/context/test/context_test" --write "$work/b.jfr" BOTH 4 600 3

"$diff" -k wall -f csv "$work/a.jfr" "$work/b.jfr" >"$work/csv"
same 'run' "$(grep Server.run "$work/csv")" 'com.acme.Server.run,1800,1.0,2100,1.0,0.0,0.0,0.0,1.0'
# a: 200 requests of each user, 100 of them odd: store is in 100 * (1 + 2 + 3) of 1800 samples
# b: 150 of each of four; users 1 and 3 are always odd: 150 * (2 + 4) of 2100
same 'store' "$(grep Server.store "$work/csv" | cut -d, -f2,4)" '600,900'
same 'store, shares' "$(grep Server.store "$work/csv" | awk -F, '{ printf "%.6f %.6f %.6f", $3, $5, $6 }')" '0.333333 0.428571 0.095238'
want=$(awk 'BEGIN { p = 600 / 1800; q = 900 / 2100; printf "%.9f", sqrt(p * (1 - p) / 1800 + q * (1 - q) / 2100) }')
same 'store, error' "$(grep Server.store "$work/csv" | awk -F, '{ printf "%.9f", $7 }')" "$want"
same 'store, change' "$(grep Server.store "$work/csv" | awk -F, '{ printf "%.6f %d", $8, $9 < 1e-8 }')" '0.285714 1'
"$diff" -k wall --self -f csv "$work/a.jfr" "$work/b.jfr" >"$work/self"
same 'on top of run' "$(grep Server.run, "$work/self" | cut -d, -f2,4)" '600,600'
"$diff" -k wall -f collapsed "$work/a.jfr" "$work/b.jfr" >"$work/collapsed"
for side in 1:a 2:b; do
    same "stacks of ${side#*:}" \
        "$(awk -v c=${side%:*} '{ n = c == 1 ? $(NF - 1) : $NF; if (n > 0) { sub(/ [0-9]+ [0-9]+$/, ""); print $0, n } }' "$work/collapsed" | cksum)" \
        "$("$B/jfr2collapsed" -k wall "$work/${side#*:}.jfr" | cksum)"
done
same 'four threads' "$("$diff" -k wall -j 4 -f json "$work/a.jfr" "$work/b.jfr" | cksum)" \
    "$("$diff" -k wall -j 1 -f json "$work/a.jfr" "$work/b.jfr" | cksum)"
verdict 'two recordings'

"$diff" -k wall -f csv user=user1 user=user2 "$work/a.jfr" >"$work/csv"
same 'two users' "$(grep Server.run "$work/csv" | cut -d, -f2,4)" '400,600'
"$diff" -k wall -f csv user=user1 'user!=user1' -C user= "$work/a.jfr" >"$work/csv"
same 'a user and the others' "$(grep Server.run "$work/csv" | cut -d, -f2,4)" '400,800'
verdict 'two choices of one recording'

# Threads and times are choices too.
"$diff" -k wall -f csv -n 1 'thread=*' 'thread!=*' "$work/a.jfr" >"$work/csv"
same 'all threads and none' "$(tail -1 "$work/csv" | cut -d, -f4)" 0
"$diff" -k wall -f csv time=..50% time=50%.. "$work/a.jfr" >"$work/csv"
same 'both halves' "$(grep Server.run "$work/csv" | awk -F, '{ print $2 + $4 }')" 1800
"$diff" -k wall -f csv time=5 time=6 "$work/a.jfr" >/dev/null 2>"$work/err"
same 'no times' "$? $(cat "$work/err")" '2 jfrdiff: time=5: not like time=10s..20s (try --help)'
verdict 'choices of threads and times'

# What each measure says, and its error, worked out from the single samples.
weighed() { # KIND FIELD FACTOR FILE METHOD: total, of the method, sums of squares of both
    "$B/jfr2json" --layout ndjson -e "$1" "$4" | jq -r --arg f "$2" --arg m "$5" '
        .values | select(has("stackTrace")) | [(.[$f] // 0), ([.stackTrace.frames[]?.method | .type.name + "." + .name] | index($m) != null)] | @tsv' |
        awk -v k="$3" '{ w = $1 * k; t += w; q += w * w } $2 == "true" { x += w; s += w * w }
            END { printf "%.0f %.0f %.0f %.0f\n", t, x, q, s }'
}
f=$(own_recordings jdk25-server)
if command -v jq >/dev/null; then
    "$B/jfrcut" --to 50% -o "$work/one.jfr" "$f" 2>/dev/null
    m=$("$diff" -k alloc -u bytes -f csv -n 1 -S difference "$work/one.jfr" "$f" | tail -1 | cut -d, -f1)
    read -r t x q s < <(weighed ObjectAllocationSample weight 1 "$work/one.jfr" "$(sed 's/\./\//g; s/\/\([^/]*\)$/.\1/' <<<"$m")")
    read -r T X Q S < <(weighed ObjectAllocationSample weight 1 "$f" "$(sed 's/\./\//g; s/\/\([^/]*\)$/.\1/' <<<"$m")")
    got=$("$diff" -k alloc -u bytes -f csv "$work/one.jfr" "$f" | grep -F "$m," | head -1)
    same "$m in bytes" "$(cut -d, -f2,4 <<<"$got")" "$x,$X"
    same "$m, its error" "$(awk -F, '{ printf "%.6e", $7 }' <<<"$got")" \
        "$(awk -v t=$t -v x=$x -v q=$q -v s=$s -v T=$T -v X=$X -v Q=$Q -v S=$S 'BEGIN { p = x / t; P = X / T
            printf "%.6e", sqrt(((1 - 2 * p) * s + p * p * q) / t ^ 2 + ((1 - 2 * P) * S + P * P * Q) / T ^ 2) }')"
    verdict 'bytes and their error as the single samples say'
else
    echo 'skip bytes and their error as the single samples say: no jq'
fi
"$diff" -k wall --norm duration -f csv "$work/a.jfr" "$work/b.jfr" >"$work/csv"
same 'per second' "$(awk -F, '/Server.run/ { printf "%.0f %.0f", $2 / $3, $4 / $5 }' "$work/csv")" \
    "$(for side in a b; do "$B/jfrsummary" "$work/$side.jfr" | awk '$1 == "Duration:" { print $2 }'; done | paste -sd ' ')"
"$diff" -k wall --norm none -f csv "$work/a.jfr" "$work/b.jfr" >"$work/csv"
same 'amounts' "$(awk -F, '/Server.store/ { printf "%d %.6f", $4, $5 - sqrt(1500) }' "$work/csv")" '300 0.000000'
"$diff" --norm x "$work/a.jfr" "$work/b.jfr" 2>/dev/null
same 'no such norm' $? 2
# A chunk that was never finished lasts no time: nothing per second is known of it, and no gate trips.
cp "$work/a.jfr" "$work/still.jfr"
head -c 8 /dev/zero | dd of="$work/still.jfr" bs=1 seek=40 conv=notrunc status=none
"$B/jfrcut" --split 1 -o "$work/still" "$work/still.jfr"
"$diff" -k wall --norm duration --fail-if 'total:* > +5% p<0.01' -f csv -o "$work/csv" "$work/still_0.jfr" "$work/b.jfr" 2>>"$work/wrong"
same 'without a duration' "$? $(tail -n +2 "$work/csv" | cut -d, -f9 | sort -u)" '0 1.0'
verdict 'shares, rates and amounts'

gate() { # EXIT GATE...: the gates, on a.jfr and b.jfr
    local want=$1 args=() g
    shift
    for g; do args+=(--fail-if "$g"); done
    "$diff" -k wall "${args[@]}" -o "$work/out" "$work/a.jfr" "$work/b.jfr" 2>"$work/err"
    same "$*" $? "$want"
    [ -s "$work/out" ] || echo "$*: no output" >>"$work/wrong"
}
gate 5 'total:/store/ > +20% p<0.01'
same 'what it says' "$(cat "$work/err" | sed 's/p=.*/p=/')" 'jfrdiff: gate tripped: com.acme.Server.store total 33.33% -> 42.86% (+28.6%, p='
gate 0 'total:/store/ > +30% p<0.01'
gate 0 'total:/nothing/ > +1%'
gate 5 'total:com.acme.* > +20%'
gate 0 'total:*store < -1%'
gate 5 'total:/nothing/ > +1%' 'total:/store/ > 40%'
gate 0 'total:/store/ > 43%'
gate 5 'self:/run$/ < -5% p<0.05'
"$diff" -k wall -f junit --fail-if 'total:/store/ > +20%' --fail-if 'total:/"<&/ > 1%' "$work/a.jfr" "$work/b.jfr" >"$work/junit.xml" 2>/dev/null
same 'junit' "$? $(grep -c '<testcase' "$work/junit.xml") $(grep -c '<failure' "$work/junit.xml") $(grep -o 'tests="2" failures="1"' "$work/junit.xml")" '5 2 1 tests="2" failures="1"'
if command -v xmllint >/dev/null; then
    xmllint --noout "$work/junit.xml" 2>>"$work/wrong"
elif command -v python3 >/dev/null; then
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$work/junit.xml" 2>>"$work/wrong"
fi
"$diff" -k wall -f md "$work/a.jfr" "$work/b.jfr" | grep -q '^| com.acme.Server.store | 600 | 33.33% | 900 | 42.86% | +9.52 |' || echo 'no Markdown' >>"$work/wrong"
"$diff" -k wall -f md --fail-if 'total:/store/ > +20%' "$work/a.jfr" "$work/b.jfr" 2>/dev/null | grep -qx -- '- `total:/store/ > +20%`: \*\*tripped\*\* by 1 method' || echo 'no gate in Markdown' >>"$work/wrong"
verdict 'gates and reports'

for words in "$work/a.jfr $work/b.jfr" "-k wall -c user=user1 $work/a.jfr $work/b.jfr" "user=user1 user!=user1 $work/a.jfr"; do
    "$diff" -o "$work/page.html" $words
    cmp "$work/page.html" <("$B/jfr2flame" --diff $words) >>"$work/wrong" 2>&1
    cmp "$work/page.html" <("$diff" -f flame $words) >>"$work/wrong" 2>&1
done
"$diff" -f html -o "$work/page.html" "$work/a.jfr" "$work/b.jfr"
grep -q 'id="data"' "$work/page.html" && echo 'a page instead of a table' >>"$work/wrong"
"$diff" -f flame --fail-if 'total:/x/ > 1%' "$work/a.jfr" "$work/b.jfr" >/dev/null 2>&1
same 'gates of a page' $? 2
verdict 'a page'

for bad in "$work/a.jfr" '--fail-if nope x y' '-f nope x y' 'user=a user=b' 'user=a user=b -'; do
    "$diff" $bad >/dev/null 2>&1
    same "$bad" $? 2
done
"$diff" "$work/a.jfr" "$work/none.jfr" >/dev/null 2>&1
same 'no file' $? 1
"$diff" --fail-empty -t nobody "$work/a.jfr" "$work/b.jfr" >/dev/null 2>&1
same 'nothing' $? 4
head -c 30000 "$work/b.jfr" >"$work/cut.jfr"
"$diff" -k wall "$work/a.jfr" "$work/cut.jfr" >/dev/null 2>&1
same 'cut' $? 3
"$diff" -k wall --strict "$work/cut.jfr" "$work/b.jfr" >/dev/null 2>&1
same 'cut, strict' $? 1
same 'help' "$([ "$("$diff" --help | wc -l)" -le 40 ]; echo $?)" 0
verdict 'exit codes'
exit $failed
