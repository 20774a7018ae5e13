#!/bin/bash
# From nothing to a flame page: records a file server under load with the JDK's own recorder, then
# shows what our commands make of the recording.   SECONDS_OF_LOAD=20
set -eu
B=${B:-build}
dir=$B/demo
seconds=${SECONDS_OF_LOAD:-20}

say() {
    printf '\n$ %s\n' "$*"
}

java=$(ls -d /usr/lib/jvm/*/bin/jfr 2>/dev/null | tail -1)
java=${java%/bin/jfr}
[ -n "$java" ] || { echo "skip demo: no JDK with a flight recorder under /usr/lib/jvm"; exit 0; }
mkdir -p "$dir"
rm -f "$dir/app.jfr"

say "java -XX:StartFlightRecording:filename=$dir/app.jfr,settings=profile FileServer $seconds"
"$java/bin/javac" -nowarn -d "$dir" test-data/workload/FileServer.java
"$java/bin/java" -XX:StartFlightRecording:filename="$dir/app.jfr",settings=profile -cp "$dir" \
    FileServer "$seconds" 2>&1 | grep -v '\[jfr,startup\]'

say "jfrsummary $dir/app.jfr | head -20"
"$B/jfrsummary" "$dir/app.jfr" >"$dir/summary.txt"
head -20 "$dir/summary.txt"

say "jfr2collapsed $dir/app.jfr | sort -t' ' -k2nr | head -5"
"$B/jfr2collapsed" -o "$dir/app.collapsed" "$dir/app.jfr"
# The value is what follows the last blank; long stacks are shown by their leaves.
awk '{ v = $NF; sub(/ [^ ]*$/, ""); print v "\t" $0 }' "$dir/app.collapsed" | sort -nr | head -5 |
    awk -F'\t' '{ n = length($2); print (n > 90 ? "..." substr($2, n - 86) : $2), $1 }'

say "jfr2json --layout ndjson -e ExecutionSample --stack-depth 1 $dir/app.jfr | head -1"
"$B/jfr2json" --layout ndjson -e jdk.ExecutionSample --stack-depth 1 -o "$dir/app.ndjson" \
    "$dir/app.jfr"
head -1 "$dir/app.ndjson"

say "jfr2flame -o $dir/app.html $dir/app.jfr"
"$B/jfr2flame" -o "$dir/app.html" "$dir/app.jfr"

printf '\nWritten:\n'
ls -l "$dir"/app.* "$dir/summary.txt" | awk '{ printf "  %-28s %10d bytes\n", $NF, $5 }'
