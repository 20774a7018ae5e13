#!/bin/bash
# No command writes its output over one of its inputs: it ends with 2, names both files, and both
# are what they were.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
writers=(jfr2json jfr2csv jfr2collapsed jfr2pprof jfr2otlp jfr2speedscope jfr2firefox jfr2trace jfr2table
    jfr2flame jfrmeta jfrsummary jfrcut jfrcat jfrannotate 'jfrview events-by-count' 'jfr2parquet -e ExecutionSample')

"$B/bench/gen" --samples 500 --stacks 50 --min-depth 5 --max-depth 10 --chunks 3 "$work/first.jfr" || exit 1
(cd "$work" && ln first.jfr hard.jfr && ln -s first.jfr soft.jfr && cp first.jfr other.jfr && mkdir out)
cksum "$work"/*.jfr >"$work/before"

# refused OUTPUT INPUT COMMAND...
refused() {
    local output=$1 input=$2 rc

    shift 2
    "$@" >"$work/stdout" 2>"$work/err"
    rc=$?
    [ $rc = 2 ] || echo "$*: exit code $rc, not 2: $(head -c 200 "$work/err")" >>"$work/wrong"
    grep -qF -- "$output" "$work/err" && grep -qF -- "$input" "$work/err" ||
        echo "$*: does not name $output and $input: $(head -c 200 "$work/err")" >>"$work/wrong"
    cksum "$work"/*.jfr | cmp -s - "$work/before" || {
        echo "$*: a recording was changed" >>"$work/wrong"
        rm -f "$work"/*.jfr
        exit 1
    }
}

for c in "${writers[@]}"; do
    for name in first hard soft; do
        # shellcheck disable=SC2086
        refused "$work/$name.jfr" "$work/first.jfr" "$B"/$c -o "$work/$name.jfr" "$work/first.jfr"
    done
    # shellcheck disable=SC2086
    refused "$work/first.jfr" "$work/soft.jfr" "$B"/$c -o "$work/first.jfr" "$work/other.jfr" "$work/soft.jfr"
done
refused "$work/first.jfr" "$work/first.jfr" "$B/jfrdiff" -o "$work/first.jfr" "$work/other.jfr" "$work/first.jfr"
refused "$work/other.jfr" "$work/other.jfr" "$B/jfrmeta" -o "$work/other.jfr" --diff "$work/other.jfr" "$work/first.jfr"
verdict 'every command: --output'

for c in jfr2collapsed jfr2json jfrcut; do
    refused - "$work/first.jfr" bash -c '"$1" "$2" >>"$2"' - "$B/$c" "$work/first.jfr"
    refused "$work/first.jfr" 'standard input' bash -c '"$1" -o "$2" <"$2"' - "$B/$c" "$work/first.jfr"
    refused "$work/first.jfr" 'standard input' bash -c '"$1" -o "$2" - <"$2"' - "$B/$c" "$work/first.jfr"
done
verdict 'standard input and output'

refused "$work/hard.jfr" "$work/first.jfr" "$B/jfr2flame" -o "$work/x.html" --also "collapsed=$work/hard.jfr" "$work/first.jfr"
refused "$work/hard.jfr" "$work/first.jfr" "$B/jfrannotate" -o "$work/x.jfr" --pyroscope "$work/hard.jfr" "$work/first.jfr"
refused "$work/other.jfr" "$work/other.jfr" "$B/jfr2flame" -o "$work/other.jfr" --context-from "$work/other.jfr" "$work/first.jfr"
echo "$work/first.jfr" >"$work/list"
cp "$work/list" "$work/list.before"
refused "$work/list" "$work/list" "$B/jfr2flame" -o "$work/list" "@$work/list"
cmp "$work/list" "$work/list.before" >>"$work/wrong" 2>&1
[ ! -e "$work/x.html" ] && [ ! -e "$work/x.jfr" ] || echo 'the other output was written' >>"$work/wrong"
verdict '--also, --pyroscope, --context-from and lists of inputs'

cp "$work/first.jfr" "$work/out/a.jfr"
(cd "$work/out" && ln -s a.jfr b.jfr && ln -s ../other.jfr user-x.csv)
refused "$work/out/b.jfr" "'$work/out/b.jfr'" "$B/jfrcut" --each -o "$work/out" "$work/out/b.jfr"
ln -s ../first.jfr "$work/out/other.jfr"
refused "$work/other.jfr" "replace an input" "$B/jfrcut" --each -o "$work/out" "$work/first.jfr" "$work/other.jfr"
verdict '--each'

"$B/bench/gen" --samples 500 --stacks 50 --users 2 "$work/out/users.jfr"
ln "$work/out/users.jfr" "$work/out/user-user-1.jfr"
cksum "$work/out/users.jfr" >"$work/users"
refused "$work/out/user-user-1.jfr" "$work/out/users.jfr" "$B/jfrcut" --per user -o "$work/out" "$work/out/users.jfr"
cksum "$work/out/users.jfr" | cmp - "$work/users" >>"$work/wrong" 2>&1
verdict '--per'

cp config/default.jfc "$work/my.jfc"
refused "$work/my.jfc" "$work/my.jfc" "$B/jfrec" settings -o "$work/my.jfc" "$work/my.jfc"
refused "$work/my.jfc" "$work/my.jfc" "$B/jfrec" record --settings "$work/my.jfc" -o "$work/my.jfc" -- true
cmp config/default.jfc "$work/my.jfc" >>"$work/wrong" 2>&1
verdict 'settings files'

cp "$work/first.jfr" "$work/out/part_1.jfr"
cksum "$work/out/part_1.jfr" >"$work/part"
refused "$work/out/part_1.jfr" "$work/out/part_1.jfr" "$B/jfrcut" --split 1 -o "$work/out/part.jfr" "$work/out/part_1.jfr"
cksum "$work/out/part_1.jfr" | cmp - "$work/part" >>"$work/wrong" 2>&1
[ ! -e "$work/out/part_0.jfr" ] || echo 'a part was left behind' >>"$work/wrong"
verdict '--split'
exit $failed
