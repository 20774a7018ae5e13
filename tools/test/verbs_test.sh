#!/bin/bash
# Verbs of jfrkit that are more than an older program by another name: convert, top, a recording alone.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/exit_lib.sh
. tools/test/sample_lib.sh
kit=$B/jfrkit
kit_path=$(realpath "$kit")
app=$(own_recordings jdk25-server)
[ -x "$B/convert/context/test/context_test" ] || { echo 'skip verbs: context_test is not built'; exit 0; }
"$B/convert/context/test/context_test" --write "$work/server.jfr" BOTH 3 60 3 || { echo 'not ok verbs: no recording'; exit 1; }
users=$work/server.jfr

# Each format by its endings and by its name is what the older program writes.
n=0
while read -r format program endings; do
    "$B"/${program/+/ } -o "$work/want" "$app" || echo "$program: exit code $?" >>"$work/wrong"
    "$kit" convert -f "$format" -o "$work/got" "$app" 2>>"$work/wrong"
    cmp "$work/got" "$work/want" >>"$work/wrong" 2>&1
    for ending in $endings; do
        n=$((n + 1))
        "$kit" convert -qo "$work/x.$ending" "$app" 2>>"$work/wrong"
        cmp "$work/x.$ending" "$work/want" >>"$work/wrong" 2>&1
        rm -f "$work/x.$ending"
        "$kit" convert --output="$work/x.$ending" "$app" 2>>"$work/wrong"
        cmp "$work/x.$ending" "$work/want" >>"$work/wrong" 2>&1
        rm -f "$work/x.$ending"
    done
done <<'END'
html jfr2flame html htm
json jfr2json json
ndjson jfr2json+-lndjson ndjson jsonl
csv jfr2csv csv
pprof jfr2pprof pb.gz pprof pb
otlp jfr2otlp otlp
collapsed jfr2collapsed collapsed folded
speedscope jfr2speedscope speedscope.json speedscope
trace jfr2trace trace.json perfetto.json
firefox jfr2firefox firefox.json
d3 jfr2json+-ld3 d3.json
END
# A format that no older program has: what --also writes.
"$kit" convert -o "$work/x.nested-set.csv" "$app" 2>>"$work/wrong"
"$B/jfr2collapsed" -o "$work/y" --also nested-set="$work/want" "$app"
cmp "$work/x.nested-set.csv" "$work/want" >>"$work/wrong" 2>&1
verdict "convert: $n endings"

"$kit" convert -f collapsed -k alloc -u bytes "$app" >"$work/got"
"$B/jfr2collapsed" -k alloc -u bytes "$app" | cmp - "$work/got" >>"$work/wrong" 2>&1
"$kit" convert "$app" -k alloc --weight bytes --format=collapsed | cmp - "$work/got" >>"$work/wrong" 2>&1
"$kit" convert -f collapsed -- "$app" | cmp - <("$B/jfr2collapsed" "$app") >>"$work/wrong" 2>&1
"$kit" convert -f csv --help | head -1 | grep -q '^Usage: jfrkit convert ' || echo 'help of a format' >>"$work/wrong"
"$kit" convert -f csv --help | grep -q -- '--spreadsheet' || echo 'options of a format' >>"$work/wrong"
"$kit" convert -f json -o "$work/x.csv" "$app"
"$B/jfr2json" "$app" | cmp - "$work/x.csv" >>"$work/wrong" 2>&1
for wrong in '' '-o x.xyz' '-f nix' '-f collapsd' '-o -' '-f' '-o'; do
    # shellcheck disable=SC2086
    is_code 2 "$kit" convert $wrong "$app"
done
while read -r alias name; do
    "$kit" convert -f $name "$app" >"$work/want" 2>>"$work/wrong"
    "$kit" convert -f $alias "$app" 2>>"$work/wrong" | cmp - "$work/want" >>"$work/wrong" 2>&1
done <<'END'
flame html
flamegraph html
perfetto trace
chrome trace
folded collapsed
pb pprof
END
"$kit" convert -f columns "$app" 2>>"$work/wrong" | cmp - <("$B/jfr2json" -l columns "$app") >>"$work/wrong" 2>&1
"$B/jfr2collapsed" -o "$work/y" --also flamegraph="$work/also.html" --also pb="$work/also.pb" "$app" 2>>"$work/wrong"
[ -s "$work/also.pb" ] && [ -s "$work/also.html" ] || echo '--also by other names' >>"$work/wrong"
same 'nearest' "$("$kit" convert -f collapsd "$app" 2>&1)" "jfrkit convert: no format 'collapsd', did you mean 'collapsed'? (try --help)"
[ ! -e x.xyz ] || echo 'x.xyz was written' >>"$work/wrong"
verdict 'convert: its own options, and those of the format'

# The methods with the most samples of their own are those of the table with all columns.
"$B/jfr2table" -f csv "$app" >"$work/all" 2>>"$work/wrong"
for limit in 20 3; do
    option="-n $limit"
    [ $limit != 20 ] || option=
    # shellcheck disable=SC2086
    "$kit" top $option -f csv "$app" >"$work/top" 2>>"$work/wrong"
    tail -n +2 "$work/all" | awk -F, '$5 > 0 { print $5 "," $2 "," $1 }' | sort -t, -k1,1nr -k2,2nr -k3 | head -$limit | sort >"$work/want"
    tail -n +2 "$work/top" | awk -F, '{ print $1 "," $3 "," $5 }' | sort | cmp - "$work/want" >>"$work/wrong" 2>&1
    same 'columns' "$(head -1 "$work/top")" 'top,top_share,samples,share,method'
done
tail -n +2 "$work/top" | cut -d, -f1 | sort -c -nr || echo 'not sorted' >>"$work/wrong"
verdict 'top: the methods with the most samples of their own'

# Of each user the first methods, users with the most samples first.
for n in 1 2 5; do
    option="-n $n"
    [ $n != 5 ] || option=
    # shellcheck disable=SC2086
    "$kit" top -k cpu --by user $option -f csv "$users" >"$work/top" 2>>"$work/wrong"
    "$B/jfr2table" -k cpu --by user,method -f csv "$users" >"$work/all" 2>>"$work/wrong"
    tail -n +2 "$work/all" | awk -F, '$6 > 0 { print $1 "," $6 }' | sort -t, -k1,1 -k2,2nr |
        awk -F, -v most=$n '{ sum[$1] += $2; if (n[$1]++ < most) print }' | sort >"$work/want"
    tail -n +2 "$work/top" | cut -d, -f1,2 | sort | cmp - "$work/want" >>"$work/wrong" 2>&1
    tail -n +2 "$work/all" | awk -F, '{ sum[$1] += $6 } END { for (u in sum) print sum[u] "," u }' | sort -t, -k1,1nr | cut -d, -f1 >"$work/want"
    tail -n +2 "$work/top" | cut -d, -f1 | uniq >"$work/order"
    same 'each user once' "$(sort "$work/order" | uniq -d)" ''
    while read -r user; do
        awk -F, -v u="$user" '$1 == u { n += $6 } END { print n }' "$work/all"
    done <"$work/order" | cmp - "$work/want" >>"$work/wrong" 2>&1
done
[ "$(wc -l <"$work/order")" -ge 3 ] || echo "only $(wc -l <"$work/order") users" >>"$work/wrong"
verdict 'top --by user: the first methods of each user'

"$kit" top -k alloc --json "$app" >"$work/top.json"
"$kit" top -k alloc -u bytes -f json "$app" | cmp - "$work/top.json" >>"$work/wrong" 2>&1
grep -q '"top_weight"' "$work/top.json" || echo 'allocation is not counted in bytes' >>"$work/wrong"
"$kit" table --json --by thread "$app" | cmp - <("$B/jfr2table" -f json --by thread "$app") >>"$work/wrong" 2>&1
"$kit" view --json gc-pauses "$app" | cmp - <("$B/jfrview" -f json gc-pauses "$app") >>"$work/wrong" 2>&1
for wrong in '--by stack' '--by event' '-n x' '-f nix' '--json -f csv' '--by user,user'; do
    # shellcheck disable=SC2086
    is_code 2 "$kit" top $wrong "$app"
done
is_code 4 "$kit" top --fail-empty -c user=nobody "$users"
verdict 'top: weights, formats, wrong options'

# flame --open: a page beside nothing else, and the browser gets it.
mkdir "$work/in" && cp "$app" "$work/in/app.jfr"
printf '#!/bin/sh\nprintf "%%s\\n" "$@" >%s/opened.new && mv %s/opened.new %s/opened\n' "$work" "$work" "$work" >"$work/browser"
chmod +x "$work/browser"
flame=$(realpath -s "$B/jfr2flame")
(cd "$work/in" && BROWSER=$work/browser "$flame" --open app.jfr) 2>>"$work/wrong" || echo "--open: exit code $?" >>"$work/wrong"
for _ in $(seq 100); do [ ! -e "$work/opened" ] || break; sleep 0.1; done
same 'opened' "$(cat "$work/opened")" "$work/in/app.html"
same 'mode' "$(stat -c %a "$work/in/app.html")" 600
"$flame" -o "$work/want.html" "$work/in/app.jfr"
same 'files' "$(ls "$work/in" | paste -sd' ')" 'app.html app.jfr'
(cd "$work/in" && "$flame" -o "$work/want.html" app.jfr && cmp app.html "$work/want.html") >>"$work/wrong" 2>&1
same 'no browser' "$(cd "$work/in" && env -u DISPLAY -u WAYLAND_DISPLAY -u BROWSER "$flame" --open app.jfr 2>&1)" \
    'jfr2flame: app.html: written; no browser was found to open it (BROWSER names one)'
same 'no such browser' "$(cd "$work/in" && BROWSER=/no/where "$flame" --open app.jfr 2>&1)" \
    'jfr2flame: app.html: written; cannot run /no/where: No such file or directory'
is_code 2 "$flame" --open -o - "$app"
is_code 2 "$flame" --open --diff "$app" "$app"
is_code 2 "$flame" --open
verdict 'flame --open'

# Damage in plain words: how much was used, and the command that repairs.
head -c $(($(stat -c %s "$app") - 1000)) "$app" >"$work/in/killed.jfr"
(cd "$work/in" && "$flame" -o killed.html killed.jfr) 2>"$work/err"
same 'killed' "$? $(sed -E 's/[0-9.]+ (of [0-9.]+ )?.B/N kB/' "$work/err")" \
    '3 jfr2flame: killed.jfr: cut off: the JVM was killed, or is still recording; what is there was used (N kB); to repair it: jfrkit cut --repair -o good.jfr killed.jfr'
(cd "$work/in" && "$flame" -v -o killed.html killed.jfr 2>&1) | grep -qE '^jfr2flame: killed.jfr: chunk [0-9]+, offset 0x[0-9a-f]+: ' || echo 'no place with -v' >>"$work/wrong"
same 'with -q' "$(cd "$work/in" && "$flame" -q -o killed.html killed.jfr 2>&1)" ''
(cd "$work/in" && eval "$(printf %q "$kit_path") $(sed 's/.*: jfrkit //' "$work/err")") >"$work/repaired" 2>&1
is_code 0 "$kit" info "$work/in/good.jfr"
"$kit" info "$work/in/good.jfr" 2>>"$work/wrong" | grep -q ExecutionSample || echo 'the repaired recording has no samples' >>"$work/wrong"
verdict 'damage in plain words, and what it says repairs'

"$kit" "$app" >"$work/got" || echo "a recording alone: exit code $?" >>"$work/wrong"
"$B/jfrsummary" "$app" | cmp -n "$("$B/jfrsummary" "$app" | wc -c)" - "$work/got" >>"$work/wrong" 2>&1
grep -qF "jfrkit flame --open $app" "$work/got" || echo 'a recording alone: no next step' >>"$work/wrong"
is_code 1 "$kit" "$work/none.jfr"
is_code 2 "$kit" none
same 'a missing recording' "$("$kit" "$work/none.jfr" 2>&1)" "jfrkit info: $work/none.jfr: No such file or directory"
for pair in metadata:events ps:list; do
    "$kit" "${pair%:*}" --help | cmp - <("$kit" "${pair#*:}" --help) >>"$work/wrong" 2>&1
done
verdict 'a recording without a verb, and words of other tools'
exit $failed
