#!/bin/bash
# The questions of tools/docs/sql.md, asked of a recording like that of the demo and of a server's: each is answered, with
# the columns that the guide shows.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/sample_lib.sh
. tools/test/jdk_lib.sh
if "$B/jfrkit" sql 2>&1 | grep -q 'built without SQLite'; then
    echo 'skip the guide to SQL: built without SQLite'
    exit 0
fi
home=$(jdks | tail -1)
if [ -z "$home" ] || [ ! -e "$B/libjfrkit.so" ]; then
    echo 'skip the guide to SQL: no JDK, or no agent'
    exit 0
fi
"$home/bin/javac" -nowarn -cp "$B/jfrkit.jar" -d "$work" test-data/workload/UserFiles.java &&
    "$B/jfrkit" record -q -o "$work/demo.jfr" --settings test-data/workload/demo.jfc -- \
        "$home/bin/java" -cp "$work:$B/jfrkit.jar" UserFiles 60 >"$work/out" 2>&1 || wrong "$(tail -1 "$work/out")"
cp "$(own_recordings jdk25-server)" "$work/server.jfr"

# Blocks: "FILE", the query, a line of dots, the first line of the answer.
awk '/^```sql / { file = $2; query = ""; next }
     file != "" && /^```$/ { if (query != "" && !done) { done = 1; next } }
     file != "" && /^```$/ { next }
     file != "" && !done { query = query " " $0; next }
     file != "" && done { print file "\t" query "\t" $0; file = ""; done = 0 }' tools/docs/sql.md >"$work/questions"
same 'questions' "$(wc -l <"$work/questions")" 12
while IFS=$'\t' read -r file query head; do
    "$B/jfrkit" sql --width 116 "$work/$file" "$query" >"$work/out" 2>"$work/err"
    same "exit code of $query" $? 0
    [ "$(wc -l <"$work/out")" -gt 1 ] || wrong "no answer to $query: $(head -1 "$work/err")"
    same "columns of $query" "$(head -1 "$work/out" | xargs)" "$(xargs <<<"$head")"
done <"$work/questions"
verdict 'each question of the guide is answered'
exit $failed
