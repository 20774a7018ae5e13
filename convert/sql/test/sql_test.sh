#!/bin/bash
# jfrkit sql: random queries answer as a real SQLite table of the same values does, values are those of jfr2json and
# jfr2parquet, queries only read, and errors say what to do.
#   QUERIES=150   random queries for each of eight tables
#   SOAK=1        all tables of our recordings, beside Parquet, and 1000 queries for each table
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/sample_lib.sh
. tools/test/engines_lib.sh
if "$B/jfrkit" sql 2>&1 | grep -q 'built without SQLite'; then
    echo 'skip questions in SQL: built without SQLite'
    exit 0
fi
ours=$(own_recordings jfrkit-jdk25) server=$(own_recordings jdk25-server) async=$(own_recordings async-profiler-jdk17)

sql() { # sql ARGUMENT...: exit code, $work/out and $work/err
    timeout 100 "$B/jfrkit" sql "$@" >"$work/out" 2>"$work/err"
}
rows() { # rows QUERY FILE...: what it answers, without the names of the columns
    local query=$1

    shift
    "$B/jfrkit" sql -q -f csv "$@" "$query" | tr -d '\r' | tail -n +2
}

# --- answers ---

if command -v python3 >/dev/null && python3 -c 'import sqlite3' 2>/dev/null; then
    queries=${QUERIES:-$([ -n "${SOAK:-}" ] && echo 1000 || echo 150)} n=0
    while read -r file table; do
        n=$((n + 1))
        out=$(timeout 600 python3 test-data/sql/random_queries.py "$B/jfrkit" "$file" "$table" "$queries" $n 2>&1) ||
            wrong "$table: $out"
    done <<END
$ours jdk_FileRead
$ours jdk_ExecutionSample
$server jdk_CPULoad
$server jdk_GCPhasePauseLevel1
$server jdk_ThreadPark
$server jdk_GCHeapSummary
$server jdk_ObjectAllocationSample
$async jdk_ExecutionSample
END
    verdict "$((n * (queries + queries / 5))) random queries, as a table of SQLite answers them"
else
    echo 'skip random queries: no python3 with sqlite3'
fi

"$B/jfr2json" -q --layout ndjson "$server" | jq -r .type | sort | uniq -c | awk '{ gsub(/[^A-Za-z0-9]/, "_", $2); print $2 "," $1 }' |
    LC_ALL=C sort >"$work/want"
[ "$(wc -l <"$work/want")" -gt 20 ] || wrong 'few event types'
"$B/jfrkit" sql -f csv "$server" | tr -d '\r' | tail -n +2 | LC_ALL=C sort | diff - "$work/want" >>"$work/wrong"
"$B/jfr2json" --layout ndjson -e FileRead "$ours" | jq -r '.values | "\(.eventThread.javaName)|\(.path)|\(.bytesRead)|\(.endOfFile | if . then 1 else 0 end)"' |
    LC_ALL=C sort >"$work/want"
[ "$(wc -l <"$work/want")" -gt 1000 ] || wrong 'few events'
rows "select eventThread.javaName || '|' || path || '|' || bytesRead || '|' || endOfFile from jdk_FileRead" "$ours" |
    LC_ALL=C sort | cmp - "$work/want" >>"$work/wrong" 2>&1
"$B/jfr2table" --by user -e FileRead --sum bytesRead -f csv "$ours" | tr -d '\r' | awk -F, 'NR > 1 && $1 != "" { print $1 "," $3 }' |
    LC_ALL=C sort >"$work/want"
[ "$(wc -l <"$work/want")" -gt 2 ] || wrong 'few users'
rows 'select context.user, sum(bytesRead) from jdk_FileRead where context.user is not null group by 1' "$ours" |
    LC_ALL=C sort | diff - "$work/want" >>"$work/wrong"
"$B/jfr2collapsed" -e ExecutionSample "$async" | sed -E 's/ ([0-9]+)$/,\1/' | LC_ALL=C sort >"$work/want"
rows 'select stack, count(*) from jdk_ExecutionSample group by 1' "$async" | sed 's/^"\(.*\)",/\1,/' | LC_ALL=C sort |
    diff - "$work/want" >>"$work/wrong"
for kind in alloc lock; do
    weight=$([ $kind = alloc ] && echo bytes || echo duration)
    same "$weight of samples" "$(rows "select sum(weight) from samples where kind = '$kind'" "$server")" \
        "$("$B/jfr2collapsed" -q -k $kind -u $weight --keep-first "$server" | awk '{ n += $NF } END { printf "%.0f", n }')"
done
verdict 'answers are those of jfr2json, jfr2table and jfr2collapsed'

if engines pyarrow=26.0.1 duckdb=2.0.1; then
    values=0
    for file in $([ -n "${SOAK:-}" ] && own_recordings || echo "$ours" "$async"); do
        rm -rf "$work/lake"
        "$B/jfr2parquet" -q -o "$work/lake/" "$file"
        out=$(engine_python test-data/sql/against_parquet.py "$B/jfrkit" "$file" "$work/lake" 2>&1) || wrong "$out"
        values=$((values + $(sed -nE '$s/^([0-9]+) values$/\1/p' <<<"$out")))
    done
    [ "$values" -gt 100000 ] || wrong "$values values only"
    verdict "columns and values ($values) are those of jfr2parquet"
    rm -rf "$work/lake"
    "$B/jfr2parquet" -q -o "$work/lake/" "$ours"
    out=$(engine_python test-data/sql/both.py "$B/jfrkit" "$ours" "$work/lake" test-data/sql/both.sql tools/docs/duckdb.sql 2>&1) || wrong "$out"
    [[ $out =~ ^10\ queries,\ ([0-9]+)\ rows$ ]] && [ "${BASH_REMATCH[1]}" -gt 30 ] || wrong "$out"
    verdict "the same queries here and in DuckDB with duckdb.sql: $out"
else
    echo "skip columns and values beside Parquet: $why"
fi

# --- several recordings, filters, functions ---

cp "$ours" "$work/a.jfr"
cp "$ours" "$work/b.jfr"
n=$(rows 'select count(*) from jdk_FileRead' "$ours")
same 'rows of two recordings' "$(rows 'select recording, count(*) from jdk_FileRead group by 1' "$work/a.jfr" "$work/b.jfr" | tr '\n' ' ')" \
    "$work/a.jfr,$n $work/b.jfr,$n "
same 'rows of one' "$(rows "select count(*) from jdk_FileRead where recording like '%b.jfr'" "$work/a.jfr" "$work/b.jfr")" "$n"
user=$(rows 'select context.user from jdk_FileRead where context.user is not null limit 1' "$ours")
same 'a filter' "$(rows 'select count(*) from jdk_FileRead' -c "user=$user" "$ours")" \
    "$(rows "select count(*) from jdk_FileRead where context.user = '$user'" "$ours")"
cat >"$work/functions.sql" <<'END'
select p50(x), p99(x), percentile(x, 25) from (select 1 as x union all select 2 union all select 3 union all select null);
select bucket('2026-11-28 09:15:02.5', '10s'), bucket('1969-12-31 23:59:59', '1m'), bucket(1234567891, '1s'), bucket(null, '1s');
select span_end('2026-11-28 09:15:02', 1500000), during('2026-11-28 09:15:03', '2026-11-28', 86400000000000),
       during('2026-11-29 00:00:00', '2026-11-28', 86400000000), span_end('2024-02-28 23:59:59', 1000000000);
select 'during(a.b, c, d) eventThread.javaName' -- during(1, 2
END
"$B/jfrkit" sql -f csv --query-file "$work/functions.sql" "$ours" | tr -d '\r' | awk 'NF == 0 { getline; next } NR > 1' >"$work/out"
cat >"$work/want" <<'END'
2.0,2.98,1.5
2026-11-28 09:15:00.000000,1969-12-31 23:59:00.000000,1000000000,
2026-11-28 09:15:02.001500,1,0,2024-02-29 00:00:00.000000
"during(a.b, c, d) eventThread.javaName"
END
diff "$work/out" "$work/want" >>"$work/wrong"
same 'times are in order' "$(rows "select count(*) from jdk_FileRead where startTime <= (select startTime from jdk_FileRead order by startTime_ns limit 1 offset 99)
    and startTime >= '2020-01-01'" "$ours")" 100
same 'real numbers for people' "$("$B/jfrkit" sql "$ours" 'select 16631413.736, 3.0, 1.0 / 3, 0.000012 as x, 0.0' | tail -1 | xargs)" '16631413.7 3.0 0.333333 1.2e-05 0.0'
# The inner side of these joins is found by an index; + keeps SQLite from asking for that.
for join in 'f.thread = s.thread and during(f.startTime, s.startTime, 20000000)' 'f.context.user = s.context.user and f.startTime >= s.startTime' \
    'during(f.startTime, s.startTime, 100000)' 'f.bytesRead = length(s.top_frame)'; do
    same "a join with $join" "$(rows "select count(*), sum(f.bytesRead) from jdk_ExecutionSample s cross join jdk_FileRead f where $join" "$ours")" \
        "$(rows "select count(*), sum(f.bytesRead) from jdk_ExecutionSample s cross join jdk_FileRead f where ${join//f./+f.}" "$ours")"
done
same 'an alias in front of a name with a dot' "$(rows 'select count(f.context.user) from jdk_FileRead f' "$ours")" \
    "$(rows 'select count(context.user) from jdk_FileRead' "$ours")"
verdict 'several recordings, filters, functions, names with dots'

# --- what is refused ---

refused() { # refused WORDS CODE ARGUMENT...
    local words=$1 code=$2

    shift 2
    sql "$@"
    same "exit code of $*" $? "$code"
    grep -q -- "$words" "$work/err" || wrong "$*: $(head -1 "$work/err")"
    [ ! -s "$work/out" ] || wrong "$*: output $(head -1 "$work/out")"
}
refused "did you mean 'bytesRead'" 2 "$ours" 'select bytesReed from jdk_FileRead'
refused "did you mean 'context.user'" 2 "$ours" 'select f."context.usr" from jdk_FileRead f'
refused "did you mean 'jdk_FileRead'" 2 "$ours" 'select * from jdk_FileReed'
refused 'syntax error' 2 "$ours" 'select * fro jdk_FileRead'
refused 'the query is empty' 2 "$ours" ' ; '
refused 'more than one query' 2 "$ours" 'select 1' 'select 2'
for query in 'create table x(a)' 'insert into jdk_FileRead(path) values (1)' 'drop table jdk_FileRead' "attach '$work/x.db' as x" \
    'pragma table_info(jdk_FileRead)' "vacuum into '$work/x.db'" "select load_extension('x')" 'create temp view v as select 1'; do
    refused '[a-z]' 2 "$ours" "$query"
done
[ ! -e "$work/x.db" ] || wrong 'a file was made'
refused 'took longer than 0.5 s' 1 --timeout 500ms "$ours" 'with recursive r(i) as (select 1 union all select i + 1 from r) select count(*) from r'
refused 'more memory than 0 MB' 1 --max-memory 100k "$ours" 'select * from jdk_FileRead'
first=$(rows 'select startTime from jdk_FileRead order by 1 limit 1 offset 20' "$ours")
same 'events of a time, loaded alone' "$(rows "select count(*), count(stack) from jdk_FileRead where startTime < '$first'" --max-memory 100k "$ours")" 20,20
refused 'no size such as' 2 --max-memory lots "$ours" 'select 1'
refused 'no time such as' 2 --timeout soon "$ours" 'select 1'
refused 'is no time such as' 1 "$ours" "select bucket('noon', '1s') from jdk_FileRead"
refused 'read more than once' 2 - 'select 1'
refused 'not a JFR recording' 1 tools/docs/house.md 'select 1 + 1'
refused 'give one of them' 2 --query-file "$work/functions.sql" "$ours" 'select 1'
refused 'No such file' 1 --query-file "$work/none.sql" "$ours"
mkdir "$work/broken"
echo 'no library' >"$work/broken/libsqlite3.so.0"
LD_LIBRARY_PATH=$work/broken sql "$ours" 'select 1'
same 'exit code without SQLite' $? 1
grep -q 'libsqlite3-0' "$work/err" || wrong "without SQLite: $(head -1 "$work/err")"
verdict 'queries only read, and errors say what is wrong'

# --- one query after the other ---

printf 'select 1 as one;\n\nselect count(*) as n\nfrom jdk_FileRead;\nselect x from jdk_FileRead;\n.schema jdk_DataLoss\nselect 3 as three' |
    sql -i -f csv "$ours"
same 'exit code of -i' $? 0
tr -d '\r' <"$work/out" | grep -vE '^jdk_DataLoss' | xargs >"$work/have"
same 'answers from a pipe' "$(cat "$work/have")" "one 1 n $n table,column,type,hidden three 3"
grep -q 'no such column: x' "$work/err" || wrong "$(head -1 "$work/err")"
# Rows of a run that did not come to its end are no answer to what follows.
printf 'select * from jdk_FileRead;\n.tables\nselect count(*) as n from jdk_FileRead;\n' | sql -i -f csv --max-memory 100k "$ours"
grep -q 'more memory than' "$work/err" || wrong "no limit: $(head -1 "$work/err")"
same 'rows after a query that failed' "$(tail -1 "$work/out" | tr -d '\r')" "$n"
if ldconfig -p | grep -q 'libedit\.so\.2'; then
    out=$(timeout 200 python3 test-data/sql/terminal.py "$B/jfrkit" "$ours" "$work" 2>&1) || wrong "$out"
    verdict 'one query after the other, at a terminal and from a pipe'
else
    verdict 'one query after the other, from a pipe'
    echo 'skip queries at a terminal: no libedit.so.2'
fi

head -c 200000 "$ours" >"$work/cut.jfr"
sql "$work/cut.jfr" 'select count(*) from jdk_FileRead'
same 'exit code of a damaged recording' $? 3
same 'messages about damage' "$(grep -c 'cut.jfr' "$work/err")" 1
[ "$(tail -1 "$work/out")" -gt 10 ] || wrong "rows of a damaged recording: $(tail -1 "$work/out")"
sql --fail-empty "$ours" 'select 1 where 0'
same 'exit code of an empty answer' $? 4
sql "$ours"
same 'exit code of the list' $? 0
tail -3 "$work/out" >"$work/examples"
while read -r query; do
    sql "$ours" "$query"
    same "exit code of the example '$query'" $? 0
    [ "$(wc -l <"$work/out")" -gt 1 ] || wrong "no rows: $query"
done <"$work/examples"
same 'examples' "$(grep -c '^select ' "$work/examples")" 3
verdict 'damage, nothing found, and the list of tables with examples'
exit $failed
