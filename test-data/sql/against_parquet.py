"""Tables of jfrkit sql and those of jfr2parquet, as DuckDB reads them: against_parquet.py JFRKIT RECORDING LAKE.

Names of columns and all values outside of lists must be the same. Prints how many values were compared.
"""
import json
import math
import os
import re
import subprocess
import sys

import duckdb

JFRKIT, RECORDING, LAKE = sys.argv[1:4]


def ask(*query):
    run = subprocess.run([JFRKIT, 'sql', '-q', '-f', 'json', RECORDING, *query], capture_output=True, text=True)
    if run.returncode not in (0, 3):
        sys.exit(f'{RECORDING} {query}: exit code {run.returncode}: {run.stderr}')
    return [list(row.values()) for row in json.loads(run.stdout)['rows']]


def leaves(name, kind, path):
    """The columns inside of a type of DuckDB, by their names in SQL and as they are selected there."""
    if kind.id == 'struct':
        return [leaf for inner, inside in kind.children for leaf in leaves(f'{name}.{inner}', inside, f'{path}."{inner}"')]
    if kind.id == 'list':
        return []
    if kind.id in ('timestamp', 'timestamp with time zone'):
        return [(name, f"strftime({path}, '%Y-%m-%d %H:%M:%S.%f')")]
    if kind.id == 'blob':
        return [(name, f'lower(hex({path}))')]
    return [(name, path)]


def plain(value):
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    if isinstance(value, int) and value >= 2 ** 63:
        return float(value)
    return value


def key(row):
    return [(str(type(value)), value is not None and value) for value in row]


def main():
    connection = duckdb.connect()
    connection.execute("set timezone = 'UTC'")
    names = {re.sub('[^A-Za-z0-9]', '_', table): table for table in os.listdir(LAKE) if table not in ('stacks', 'frames')}
    tables = {row[0]: row[1] for row in ask('.tables')}
    n = 0
    if set(tables) != set(names):
        sys.exit(f'{RECORDING}: tables {set(tables) ^ set(names)}')
    for name, folder in names.items():
        files = f"read_parquet('{LAKE}/{folder}/**/*.parquet', union_by_name = true)"
        relation = connection.sql(f'from {files}')
        wanted = [leaf for column, kind in zip(relation.columns, relation.types) for leaf in leaves(column, kind, f'"{column}"')]
        wanted = [leaf for leaf in wanted if leaf[0] != 'no_field']
        have = {row[1] for row in ask(f'.schema {name}')}
        missing = [column for column, _ in wanted if column not in have]
        if missing:
            sys.exit(f'{RECORDING}: {name} has no {missing}')
        if not wanted:
            continue
        listed = ', '.join('"' + column + '"' for column, _ in wanted)
        got = [[plain(value) for value in row] for row in ask(f'select {listed} from {name}')]
        want = [[plain(value) for value in row]
                for row in connection.sql(f'select {", ".join(path for _, path in wanted)} from {files}').fetchall()]
        got.sort(key=key)
        want.sort(key=key)
        if got != want:
            first = next((pair for pair in zip(got, want) if pair[0] != pair[1]), (len(got), len(want)))
            sys.exit(f'{RECORDING}: {name}: {first}')
        n += len(got) * len(wanted)
    print(n, 'values')


main()
