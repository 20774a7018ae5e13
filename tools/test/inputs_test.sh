#!/bin/bash
# A folder, and the name of a row of files, stand for the recordings that they have.
set -u
. tools/test/rewrite_lib.sh
bin=$(realpath -s "$B")
command -v jq >/dev/null || { echo 'skip inputs: no jq'; exit 0; }

events() { # events OPERAND...: how many are read; messages go to $work/said
    (cd "$work" && "$bin/jfrsummary" --json "$@" 2>said | jq '[.types[] | select(.name | test("Metadata|Check[Pp]oint") | not) | .count] | add')
}

says() { # says PATTERN TIMES
    [ "$(grep -cE -- "$1" "$work/said")" = "$2" ] || wrong "not $2 times '$1': $(cat "$work/said")"
}

first=$(own_recordings jdk17-server) second=$(own_recordings jdk25-server)
both=$(($(cp "$first" "$work/1.jfr" && events 1.jfr) + $(cp "$second" "$work/2.jfr" && events 2.jfr)))
started() { od -An -t u8 --endian=big -j 32 -N 8 "$1" | tr -d ' '; }
[ "$(started "$first")" -le "$(started "$second")" ] || { other=$first first=$second second=$other; }

mkdir "$work/folder" "$work/folder/below" "$work/none"
cp "$second" "$work/folder/a.jfr" # the later one has the earlier name
cp "$first" "$work/folder/b.jfr"
cp "$first" "$work/folder/below/c.jfr"
: >"$work/folder/empty.jfr"
echo text >"$work/folder/notes.txt"
echo FLR >"$work/folder/d.jfr.123-0.part"
ln -s ../1.jfr "$work/folder/link.jfr"
[ "$(events folder)" = $both ] || wrong "$(events folder) events, not $both"
says 'empty.jfr: passed over: empty$' 1
says 'notes.txt: passed over: no recording$' 1
says 'part: passed over: not complete$' 1
says 'link.jfr: passed over: a symbolic link$' 1
says . 4
[ "$(events folder/)" = $both ] || wrong 'another number with a slash'
verdict 'a folder is the recordings in it'

"$B/jfrcut" -q --split 1 -o "$work/cut.jfr" "$work/folder" 2>/dev/null
(cd "$work" && "$bin/jfr2json" -q -l ndjson --fields startTime folder 2>/dev/null | jq -r .values.startTime >times)
(cd "$work" && for f in folder/b.jfr folder/a.jfr; do "$bin/jfr2json" -q -l ndjson --fields startTime $f | jq -r .values.startTime; done >want)
cmp "$work/times" "$work/want" >>"$work/why" 2>&1
[ -s "$work/want" ] || wrong 'no events'
verdict 'its recordings are read in the order of time'

(cd "$work" && "$bin/jfrsummary" none >out 2>said)
[ $? = 1 ] || wrong 'exit code'
says 'there is no recording in this folder' 1
verdict 'a folder without a recording is an error'

"$B/jfrkit" "$work/folder" >"$work/out" 2>/dev/null || wrong "exit code $?"
grep -q '^ Events: ' "$work/out" || wrong "$(head -3 "$work/out")"
verdict 'jfrkit FOLDER is a summary'

cp "$first" "$work/app-9.jfr"
cp "$second" "$work/app-10.jfr"
cp "$first" "$work/app-x.jfr"
[ "$(events app.jfr)" = $both ] || wrong "$(events app.jfr) events, not $both"
says 'app.jfr does not exist: read as app-9.jfr to app-10.jfr$' 1
says . 1
[ "$(events "$work/app.jfr")" = $both ] || wrong 'another number with a folder'
cp "$first" "$work/app-11.jfr"
[ "$(events app.jfr)" = $both ] || wrong 'a file of an earlier recording is read'
says 'app-11.jfr: passed over: of an earlier recording$' 1
cp "$first" "$work/app.jfr"
one=$(events app-9.jfr)
[ "$(events app.jfr)" = "$one" ] || wrong 'a file that is there is not read'
says . 0
verdict 'the name of a row of files is all of them'

(cd "$work" && "$bin/jfrsummary" nothing.jfr >out 2>said)
[ $? = 1 ] || wrong 'exit code'
says 'nothing.jfr: ' 1
verdict 'a name without files is an error'
exit $failed
