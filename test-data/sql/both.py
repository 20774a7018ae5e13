"""The same queries by jfrkit sql and by DuckDB on Parquet files: both.py JFRKIT RECORDING LAKE QUERIES MACROS.

Prints how many queries and rows were compared.
"""
import datetime
import json
import math
import os
import re
import subprocess
import sys

import duckdb

JFRKIT, RECORDING, LAKE, QUERIES, MACROS = sys.argv[1:6]


def plain(value):
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, datetime.datetime):
        return value.strftime('%Y-%m-%d %H:%M:%S.%f')
    return value


def same(a, b):
    if isinstance(a, float) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-9)
    return a == b


def main():
    run = subprocess.run([JFRKIT, 'sql', '-q', '-f', 'json', '--query-file', QUERIES, RECORDING], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(run.stderr)
    answers = [json.loads(text) for text in run.stdout.split('\n\n') if text.strip()]
    connection = duckdb.connect()
    connection.execute(open(MACROS).read())
    for table in os.listdir(LAKE):
        name = re.sub('[^A-Za-z0-9]', '_', table)
        connection.execute(f"create view {name} as from read_parquet('{LAKE}/{table}/**/*.parquet', union_by_name = true)")
    queries = [q for q in re.sub('^--.*$', '', open(QUERIES).read(), flags=re.M).split(';') if q.strip()]
    if len(queries) != len(answers):
        sys.exit(f'{len(answers)} answers to {len(queries)} queries')
    n_rows = 0
    for query, answer in zip(queries, answers):
        got = [list(row.values()) for row in answer['rows']]
        want = [[plain(value) for value in row] for row in connection.sql(query).fetchall()]
        if len(got) != len(want) or not all(len(g) == len(w) and all(map(same, g, w)) for g, w in zip(got, want)):
            sys.exit(f'{query}\n   got {got[:3]}\n  want {want[:3]}')
        n_rows += len(got)
    print(f'{len(queries)} queries, {n_rows} rows')


main()
