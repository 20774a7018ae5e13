#!/bin/bash
# A rewritten recording whose name ends in .gz, .zst or .lz4 is packed, and is the same recording. The
# recorder writes no packed files and says how to make one.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/sample_lib.sh
f=$(own_recordings jfrkit-jdk25)

unpack() { # unpack ENDING FILE
    case $1 in
    gz) gzip -dc "$2" ;;
    zst) zstd -qdc "$2" ;;
    lz4) lz4 -qdc "$2" ;;
    esac
}

for ending in gz zst lz4; do
    tool=$(case $ending in gz) echo gzip ;; zst) echo zstd ;; *) echo lz4 ;; esac)
    command -v $tool >/dev/null || { echo "skip .$ending: no $tool"; continue; }
    for name in 'jfrcat' 'jfrcut -e ExecutionSample' 'jfrcut --scrub' 'jfrannotate --keys user'; do
        # shellcheck disable=SC2086 # options
        "$B"/$name -o "$work/plain.jfr" "$f" && "$B"/$name -o "$work/x.jfr.$ending" "$f" || echo "$name: exit code $?" >>"$work/wrong"
        unpack $ending "$work/x.jfr.$ending" | cmp - "$work/plain.jfr" >>"$work/wrong" 2>&1
        [ "$(stat -c %s "$work/x.jfr.$ending")" -lt "$(stat -c %s "$work/plain.jfr")" ] || echo "$name: not smaller" >>"$work/wrong"
        same "$name: mode" "$(stat -c %a "$work/x.jfr.$ending")" 600
    done
    "$B/jfrcut" --split 1 -o "$work/part.jfr.$ending" "$f" && "$B/jfrcut" --split 1 -o "$work/part.jfr" "$f" || echo "--split: exit code $?" >>"$work/wrong"
    for n in 0 1 2 3; do
        unpack $ending "$work/part_$n.jfr.$ending" | cmp - "$work/part_$n.jfr" >>"$work/wrong" 2>&1
    done
    same 'parts' "$(find "$work" -name "part_*.jfr.$ending" | wc -l)" 4
    verdict "recordings are packed as .$ending, parts as well"
done
for name in jfrcat jfrcut jfrannotate; do
    "$B/$name" -o "$work/x.jfr.zip" "$f" 2>"$work/err"
    same "$name .zip: exit code" $? 2
    grep -q "^$name: no zip is written: end the name with .gz, .zst or .lz4" "$work/err" || cat "$work/err" >>"$work/wrong"
done
[ ! -e "$work/x.jfr.zip" ] || echo 'x.jfr.zip is there' >>"$work/wrong"
verdict 'a name with .zip is refused'
"$B/jfrcut" --fail-empty -t nobody -o "$work/none.jfr.gz" "$f" 2>/dev/null
same 'nothing: exit code' $? 4
[ ! -e "$work/none.jfr.gz" ] || echo 'a file without events' >>"$work/wrong"
: >"$work/empty.jfr"
"$B/jfrcat" -o "$work/none.jfr.zst" "$work/empty.jfr" 2>/dev/null
same 'no recording: exit code' $? 1
same 'what is left' "$(find "$work" -name 'none*' | wc -l)" 0
verdict 'no packed file is left of a run that fails'

if [ -e "$B/libjfrkit.so" ]; then
    for ending in gz zst lz4; do
        "$B/jfrec" record --agent "$B/libjfrkit.so" -o "$work/r.jfr.$ending" -- true 2>"$work/err"
        same "record .$ending: exit code" $? 2
        grep -q "not packed while it is written: name it .jfr, not .$ending" "$work/err" || cat "$work/err" >>"$work/wrong"
    done
    verdict 'the recorder refuses names of packed files'
else
    echo 'skip the recorder refuses names of packed files: the agent was not built'
fi
exit $failed
