#!/bin/bash
# From nothing to an answer: records a file server under the load of ten users, then asks who read
# how much and who used the CPU, in two ways that must agree with what the users know.
#   ROUNDS=150   of what each user does
set -eu
B=${B:-build}
dir=$B/demo
rounds=${ROUNDS:-150}

say() {
    printf '\n$ %s\n' "$*"
}

java=$(ls -d /usr/lib/jvm/*/bin/jfr 2>/dev/null | tail -1)
java=${java%/bin/jfr}
[ -n "$java" ] && [ -e "$B/libjfrkit.so" ] || { echo "skip demo: no JDK with a flight recorder under /usr/lib/jvm"; exit 0; }
mkdir -p "$dir"
rm -f "$dir"/demo.*
"$java/bin/javac" -nowarn -cp "$B/jfrkit.jar" -d "$dir" test-data/workload/UserFiles.java

say "jfrkit record -o $dir/demo.jfr --settings demo.jfc -- java -cp $dir:jfrkit.jar UserFiles $rounds"
"$B/jfrkit" record -q -o "$dir/demo.jfr" --settings test-data/workload/demo.jfc -- \
    "$java/bin/java" -cp "$dir:$B/jfrkit.jar" UserFiles "$rounds" >"$dir/demo.out" 2>"$dir/demo.err" ||
    { cat "$dir/demo.out" "$dir/demo.err" >&2; exit 1; }
grep -v '^loaded' "$dir/demo.out" || true
"$B/jfrkit" info "$dir/demo.jfr" | sed -n '1,8p'

say "jfr print --events jdk.FileRead --json demo.jfr | jq ..."
"$java/bin/jfr" print --events jdk.FileRead --json "$dir/demo.jfr" |
    jq -r '[.recording.events[].values | select(.["tracer-context_user"] != null)] |
        group_by(.["tracer-context_user"])[] |
        [.[0]["tracer-context_user"], (map(.bytesRead) | add)] | @tsv' | tee "$dir/demo.jq"

say "jfrkit table --by user demo.jfr"
"$B/jfrkit" table -q --by user "$dir/demo.jfr"
"$B/jfrkit" table -q --by user -f json "$dir/demo.jfr" >"$dir/demo.json"

# What the users know, what the JDK's tool says, what ours says.
differ() { # differ WHAT
    echo "demo: $1 not what the users know" >&2
    exit 1
}
sed -n 's/^loaded //p' "$dir/demo.out" | tr ' ' '\t' | sort >"$dir/demo.users"
jq -r '.rows[] | select(.user != null) | [.user, .read_bytes, .requests] | @tsv' "$dir/demo.json" | sort >"$dir/demo.table"
sort "$dir/demo.jq" | cmp - <(cut -f 1,2 "$dir/demo.users") || differ "the bytes that the JDK's tool prints are"
cmp "$dir/demo.table" "$dir/demo.users" || differ 'bytes and requests of the table are'
echo
echo "Both tables agree with what the ten users counted: bytes read, and requests."

say "jfrkit slow --slower p90 -n 3 -w 'action = \"load\"' demo.jfr"
"$B/jfrkit" slow --slower p90 -n 3 -w 'action = "load"' "$dir/demo.jfr"
"$B/jfrkit" slow --slower p90 --json -w 'action = "load"' "$dir/demo.jfr" >"$dir/demo.slow"
# Two users want their files packed, and alice has the largest ones. On a crowded machine loads of others are slow, too, for
# want of a processor, and the deepest frame that most slow ones share may be UserFiles.load: what alice's do is asked apart.
jq -e '[.reasons[] | select(.part == "value")][0].what == "user=alice"
    and ([.reasons[] | select(.part == "running")][0].where | test("UserFiles.load"))' "$dir/demo.slow" >/dev/null ||
    differ 'why loads are slow is'
"$B/jfrkit" convert -q -f collapsed -o - -c user=alice -c action=load "$dir/demo.jfr" |
    awk '{ all += $NF } /UserFiles.pack/ { packs += $NF } END { exit !(packs > all / 2) }' || differ "what alice's loads do is"
echo
echo "Loads are slow for alice: her files are large, and the server compresses them."

say "jfrkit slow --slower p90 -o $dir/slow.html -w 'action = \"load\"' demo.jfr"
"$B/jfrkit" slow --slower p90 -o "$dir/slow.html" -w 'action = "load"' "$dir/demo.jfr"
grep -q '<th scope="row">user=alice</th>' "$dir/slow.html" || differ 'why loads are slow in the page is'

say "jfrkit flame -o $dir/demo.html demo.jfr"
"$B/jfrkit" flame -o "$dir/demo.html" "$dir/demo.jfr"

printf '\nWritten:\n'
ls -l "$dir/demo.jfr" "$dir/slow.html" "$dir/demo.html" | awk '{ printf "  %-28s %10d bytes\n", $NF, $5 }'
