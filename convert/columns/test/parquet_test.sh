#!/bin/bash
# Tables of jfr2parquet: every value is what jfr2json prints, as pyarrow and DuckDB read it; the same input gives the same
# files; errors have a message and leave no file.
#   ENGINES=1   ClickHouse and Spark read them too; SOAK=1: all recordings, and those engines
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/sample_lib.sh
. tools/test/engines_lib.sh
parquet=$B/jfr2parquet

# --- without any engine ---

users=$work/users.jfr # with contexts
cp "$(own_recordings jfrkit-jdk25)" "$users"
recording=$(own_recordings jdk25-server)
cut=$(own_recordings cut-jdk25)

"$parquet" -o "$work/a/" "$recording" 2>>"$work/wrong" || wrong "exit code $?"
"$parquet" -o "$work/b/" "$recording" 2>>"$work/wrong"
"$parquet" -o "$work/b" "$recording" 2>>"$work/wrong"
diff -r "$work/a" "$work/b" >>"$work/wrong"
(cd "$work/a" && find . -type f ! -perm 600 -o -type d ! -path . ! -perm 700) >>"$work/wrong"
for table in stacks frames jdk.ExecutionSample jdk.SocketRead; do
    [ "$(ls "$work/a/$table"/jdk25-server-*.parquet 2>/dev/null | wc -l)" = 1 ] || wrong "no table $table"
done
[ -z "$(find "$work/a" -name '*.parquet' -size -12c)$(find "$work/a" -type f ! -name '*.parquet')" ] || wrong 'files that are none'
verdict 'a folder of tables, the same each time'

"$parquet" --partition host=web1,service=shop,day -o "$work/p/" "$users" 2>>"$work/wrong"
[ -n "$(find "$work/p/jdk.ExecutionSample/host=web1/service=shop" -path '*/day=[0-9-]*/users-*.parquet')" ] || wrong 'no folder of a day'
[ -n "$(find "$work/p/stacks/host=web1/service=shop" -maxdepth 1 -name 'users-*.parquet')" ] || wrong 'no stacks of the service'
mkdir "$work/one" "$work/two"
cp "$users" "$work/one/app.jfr"
cp "$recording" "$work/two/app.jfr"
"$parquet" -o "$work/q/" "$work/one/app.jfr" "$work/two/app.jfr" 2>>"$work/wrong"
same 'files of two recordings of one name' "$(ls "$work/q/jdk.ExecutionSample" | wc -l)" 2
"$parquet" -o "$work/q/" - <"$users" 2>>"$work/wrong"
same 'files with that of standard input' "$(ls "$work/q/jdk.ExecutionSample" | wc -l)" 3
verdict 'folders of partitions, and files of several recordings'

says() { # says CODE TEXT ARGUMENTS...: the exit code, and in what it prints; nothing is written
    local code=$1 text=$2
    shift 2
    rm -rf "$work/x"
    "$parquet" "$@" >"$work/out" 2>"$work/err" </dev/null
    same "exit code of $*" $? "$code"
    grep -qF -- "$text" "$work/err" || wrong "$*: $(head -1 "$work/err")"
    [ ! -e "$work/x" ] && [ -z "$(find "$work" -name '*.parquet.*')" ] || wrong "$*: something is left"
}
says 2 'where to?' "$users"
says 1 'a file holds one event type' -o "$work/x" "$users"
says 2 'is for a folder' --partition day -o "$work/x" "$users"
says 2 'needs a value' --partition host -o "$work/x/" "$users"
says 2 'is not KEY=VALUE' --partition host=../.. -o "$work/x/" "$users"
says 2 'NoSuchEvent' -e NoSuchEvent -o "$work/x" "$users"
says 1 'No such file' -o "$work/x/" "$work/none.jfr"
says 1 'damaged' --strict -o "$work/x/" "$cut"
says 1 'cannot make the folder' -o "$users/x/" "$users"
says 1 'No space left on device' -e ExecutionSample -o /dev/full "$users"
verdict 'errors have a message and leave no file'

"$parquet" -q -o "$work/c/" "$cut"
same 'exit code of a damaged recording' $? 3
[ -n "$(find "$work/c" -name '*.parquet')" ] || wrong 'nothing of a damaged recording'
"$parquet" -e ExecutionSample -o - "$users" >"$work/to.parquet" 2>>"$work/wrong"
"$parquet" -e ExecutionSample -o "$work/at.parquet" "$users" 2>>"$work/wrong"
"$B/jfrkit" convert -e ExecutionSample -o "$work/verb.parquet" "$users" 2>>"$work/wrong"
cmp "$work/to.parquet" "$work/at.parquet" >>"$work/wrong"
cmp "$work/verb.parquet" "$work/at.parquet" >>"$work/wrong"
verdict 'a damaged recording, and a pipe'

# --- with engines ---

if ! engines pyarrow=26.0.1 duckdb=2.0.1; then
    echo "skip tables as engines read them: $why"
    exit $failed
fi

pairs=() # a folder of tables, its recording, ...

# make_tables RECORDING OPTION...: for compare
make_tables() {
    local f=$1 tables=$work/tables/${#pairs[@]}
    shift
    "$parquet" -q "$@" -o "$tables/" "$f" 2>"$work/err"
    if [ $? = 1 ]; then # nothing in it can be read
        ! "$B/jfr2json" -q "$f" >"$work/out" 2>&1 || wrong "$f: $(head -1 "$work/err")"
        return
    fi
    mkdir -p "$tables"
    pairs+=("$tables" "$f")
}

# compare: all values of the tables that were made; sets `values`
compare() {
    local out

    values=0
    [ ${#pairs[@]} -gt 0 ] || return
    out=$(engine_python test-data/parquet/compare.py "$B/jfr2json" "${pairs[@]}" 2>&1) || wrong "$out"
    values=$(sed -nE '$s/.* ([0-9]+) values$/\1/p' <<<"$out")
    rm -rf "$work/tables"
    pairs=()
}

for f in $([ -n "${SOAK:-}" ] && own_recordings || { own_recordings jdk17; own_recordings 'cut*'; own_recordings async-profiler-jdk25; }); do
    make_tables "$f"
done
make_tables "$users" --group-rows 7 # columns that come later than a row group, dictionaries begun again
compare
[ "$values" -gt 100000 ] || wrong "$values values only"
verdict "all values of our recordings ($values), by pyarrow and DuckDB"

for f in $(find -L "${SHARED:-../shared}/edge-cases" -name '*.jfr' 2>/dev/null | sort | awk -v each="$([ -n "${SOAK:-}" ] && echo 1 || echo 4)" 'NR % each == 0'); do
    make_tables "$f"
done
for f in $(find -L "${SHARED:-../shared}/recordings" -size "-${SOAK:+10}100k" \( -name '*.jfr' -o -name '*.jfr.gz' \) 2>/dev/null | sort); do
    make_tables "$f"
done
compare
if [ "$values" = 0 ]; then
    echo "skip all values of others' recordings: there are none"
else
    verdict "all values of others' recordings ($values), by pyarrow and DuckDB"
fi

# read_by ENGINE PROJECT: all tables of our recordings as another engine reads them
read_by() {
    local out

    if ! big_engines pyarrow=26.0.1 "$2"; then
        echo "skip tables as $1 reads them: $why"
        return
    fi
    out=$("$big_python" -W ignore test-data/parquet/engines.py "$1" "$work/all" 2>>"$work/err") || wrong "$1: $out $(tail -1 "$work/err")"
    verdict "tables as $1 reads them: $(tail -1 <<<"$out")"
}

if [ -n "${SOAK:-}${ENGINES:-}" ]; then
    # shellcheck disable=SC2046
    "$parquet" -q --group-rows 500 -o "$work/all/" $(own_recordings)
    read_by clickhouse chdb=4.4.0
    if command -v java >/dev/null; then
        read_by spark pyspark=4.3.0
    else
        echo 'skip tables as spark reads them: no java'
    fi
fi

# The events of one type with their stacks, and queries as users write them.
cat >"$work/queries.py" <<'END'
import sys, duckdb
samples, lake = sys.argv[1:]
one = duckdb.sql(f"""select context.user, count(*) n from '{samples}' where context.user is not null group by all order by n desc, 1 limit 3""").fetchall()
two = duckdb.sql(f"""select context.user, count(*) n from '{lake}/jdk.ExecutionSample/**/*.parquet'
                     where context.user is not null group by all
                     order by n desc, 1 limit 3""").fetchall()
assert one == two and len(one) == 3, (one, two)
inline = duckdb.sql(f"""select stackTrace_methods, stackTrace_lines, count(*) from '{samples}' group by all order by all""").fetchall()
joined = duckdb.sql(f"""select s.methods, s.lines, count(*) from '{lake}/jdk.ExecutionSample/**/*.parquet' e
                        join '{lake}/stacks/**/*.parquet' s on s.stack_id = e.stackTrace group by all order by all""").fetchall()
assert inline == joined and len(inline) > 50, (len(inline), len(joined))
tops = duckdb.sql(f"select count(*) from '{samples}' where stackTrace_top is distinct from stackTrace_methods[1]").fetchall()
assert tops == [(0,)], tops
groups = duckdb.sql(f"""select count(*) from parquet_metadata('{samples}')
                        where path_in_schema = 'context, user' and stats_min_value is null""").fetchall()
assert groups == [(0,)], groups
for user, n in one:
    print(user, n)
END
engine_python "$work/queries.py" "$work/at.parquet" "$work/p" >"$work/top" 2>"$work/err" || wrong "$(tail -1 "$work/err")"
"$B/jfr2table" --by user -e ExecutionSample -f csv "$users" | tr -d '\r' | awk -F, 'NR > 1 { print $1, $2 }' | sort -k2,2nr -k1,1 | head -3 >"$work/want"
cmp "$work/top" "$work/want" >>"$work/wrong" || wrong "$(paste -d'|' "$work/top" "$work/want" | head -3)"
verdict 'one file has what the folder has, and users are those of jfr2table'
exit $failed
