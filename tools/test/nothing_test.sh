#!/bin/bash
# A request that no event fits: a name that the recording does not have, or a range that cannot be, is
# an error and leaves no output; any other says on standard error why nothing matches and what the
# recording has.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/sample_lib.sh
ours=$(own_recordings jfrkit-jdk25) # FileRead, ExecutionSample, contexts user and action
jdk=$(own_recordings jdk17)
apart=$work/apart
mkdir "$apart"

# says CODE TEXT COMMAND...: exit code, and part of what is on standard error; an error leaves no
# output. OUT in the arguments is a file to write.
says() {
    local code=$1 text=$2 got program

    shift 2
    program=$1
    shift
    rm -rf "$apart"/*
    "$(realpath -s "$B/$program")" "${@/OUT/$apart/out}" >"$apart/stdout" 2>"$work/err" </dev/null
    got=$?
    same "$program $*: exit code" $got "$code"
    grep -qF -- "$text" "$work/err" || echo "$program $*: $(head -1 "$work/err")" >>"$work/wrong"
    [ "$(wc -l <"$work/err")" = 1 ] || echo "$program $*: $(wc -l <"$work/err") lines" >>"$work/wrong"
    [ "$code" = 0 ] || [ ! -e "$apart/out" ] || echo "$program $*: an output" >>"$work/wrong"
    [ "$code" = 4 ] || [ "$code" = 2 ] || [[ " $* " != *' OUT '* ]] || [ -e "$apart/out" ] ||
        echo "$program $*: no output" >>"$work/wrong"
}

has='this recording has jdk.FileRead 2565, jfrkit.TracerContext 1297, jdk.ExecutionSample 152, '
for program in jfr2flame jfr2collapsed jfr2pprof jfr2otlp jfr2speedscope jfr2json jfr2csv jfr2trace \
    jfr2firefox jfr2table jfrcut; do
    says 2 "$program: no event type is called 'Foo'; $has" $program -e Foo -o OUT "$ours"
done
says 2 "jfrview: no event type is called 'Foo'; $has" jfrview -e Foo hot-methods "$ours"
says 2 "jfrmeta: no event type is called 'Foo'" jfrmeta -e Foo -o OUT "$ours"
verdict 'an event type that the recording does not have'

# The JDK declares types of which there are no events; a recording of jfrkit has only those it wrote.
says 0 "no events of type 'jdk.FileForce'; this recording has jdk.PromoteObjectInNewPLAB 856" \
    jfr2json -e jdk.FileForce -o OUT "$jdk"
says 2 'no events of kind lock; this recording has cpu 152, io 2565' jfr2collapsed -k lock -o OUT "$ours"
says 2 'no events of kind lock; this recording has cpu 152, io 2565' jfr2flame -k lock -o OUT "$ours"
says 2 'no events of kind lock; ' jfrkit top -k lock -o OUT "$ours"
verdict 'a kind or a type without events'

for program in jfr2collapsed jfr2json jfr2flame jfrcut; do
    says 2 "no event has 'usr'; keys here: user, action" $program -c usr=bob -o OUT "$ours"
    says 0 'no event has user=zed; values here: ' $program -c user=zed -o OUT "$ours"
done
says 2 "no event has 'usr'; keys here: user, action" jfr2table --by usr -o OUT "$ours"
says 2 "no event has 'usr'; keys here: user, action" jfr2table --by usr,method -o OUT "$ours"
says 2 "no event has 'usr'; keys here: user, action" jfr2collapsed --group-by usr -o OUT "$ours"
says 2 "no event has 'usr'; keys here: user, action" jfrannotate --keys usr -o OUT "$ours"
says 2 "no event has 'user'; this recording has no contexts" jfr2table --by user -o OUT "$jdk"
verdict 'a context key or value that no event has'

says 2 '--from 5s is not before --to 2s' jfr2json --from 5s --to 2s -o OUT "$ours"
says 2 '--from 2s is not before --to 2s' jfrcut --from 2s --to 2s -o OUT "$ours"
says 0 'no event is in the range of --from and --to; the events here are from 20' jfr2flame --from 100s -o OUT "$ours"
verdict 'a range of time without events'

says 0 "no event is of thread 'zzz'; threads here: " jfr2json -t zzz -o OUT "$ours"
says 0 'no event lasts 1h; the longest lasts ' jfr2csv --min-duration 1h -o OUT "$ours"
says 0 "no event fits --where 'duration > 1h'" jfr2json -w 'duration > 1h' -o OUT "$ours"
says 0 "no event fits --state 'blocked'" jfr2collapsed -s blocked -o OUT "$jdk"
says 0 "no events of category 'Foo'; this recording has" jfr2json --category Foo -o OUT "$ours"
says 0 'no event of a type with stacks fits all options; events that fit one alone: --event 1297' \
    jfr2collapsed -e jfrkit.TracerContext -k cpu "$ours"
says 2 "option '--split' needs a number from 1" jfrcut --split 0 -o OUT "$ours"
says 2 "no event type has a field 'nope'" jfr2csv --fields nope "$ours"
same 'bytes before the error' "$(stat -c %s "$apart/stdout")" 0
verdict 'other filters, and options that ask for nothing'

says 0 'no event has user=nobody; values here: ' jfrdiff -o OUT user=holder user=nobody "$ours"
says 2 "no event has 'usr'; keys here: user, action" jfrdiff -o OUT user=holder usr=bob "$ours"
verdict 'a side of a comparison that has nothing'

says 4 "no event type is called 'Foo'" jfr2json --fail-empty -e Foo -o OUT "$ours"
"$B/jfr2json" -q -t zzz "$ours" >"$work/out" 2>"$work/err"
same '-q: bytes on standard error' "$(stat -c %s "$work/err")" 0
"$B/jfr2json" -e Foo - <"$ours" >"$work/out" 2>"$work/err"
same 'standard input: exit code' $? 0
grep -q 'no event matches; give a file' "$work/err" || cat "$work/err" >>"$work/wrong"
verdict '--fail-empty, --quiet, and an input that is read once'
exit $failed
