"""Runs the queries of the fleet guide on one engine: fleet.py duckdb|clickhouse|spark GUIDE FOLDER.

FOLDER is what the guide calls lake/. Prints each query's result, a row a line; with TIMES=1 in the environment, the
seconds of each on standard error.
"""
import os
import re
import sys
import time


def duckdb():
    import duckdb as engine

    connection = engine.connect()
    return connection.execute, lambda query: connection.execute(query).fetchall()


def clickhouse():
    import json
    from chdb.session import Session

    session = Session()
    return session.query, lambda query: [
        tuple(json.loads(line)) for line in session.query(query, 'JSONCompactEachRow').data().splitlines()]


def spark():
    from pyspark.sql import SparkSession

    session = (SparkSession.builder.master('local[2]').config('spark.ui.enabled', 'false')
               .config('spark.sql.session.timeZone', 'UTC').config('spark.driver.host', '127.0.0.1').getOrCreate())
    session.sparkContext.setLogLevel('ERROR')
    return session.sql, lambda query: [tuple(row) for row in session.sql(query).collect()]


def text(value):
    try:
        return f'{float(value):g}' if not isinstance(value, str) or re.fullmatch(r'-?\d+(\.\d+)?', value) else value
    except (TypeError, ValueError):
        return str(value)


def main():
    name, guide, folder = sys.argv[1:4]
    execute, ask = {'duckdb': duckdb, 'clickhouse': clickhouse, 'spark': spark}[name]()
    blocks = re.findall(r'^```sql *(\w*)\n(.*?)^```', open(guide).read(), re.M | re.S)
    for engine, block in blocks:
        if engine == name:
            for statement in filter(str.strip, block.replace('lake/', folder + '/').split(';\n')):
                execute(statement)
    for number, block in enumerate(b for engine, b in blocks if engine == ''):
        began = time.monotonic()
        rows = ask(block)
        if os.environ.get('TIMES'):
            print('seconds of query', number + 1, f'{time.monotonic() - began:.1f}', file=sys.stderr)
        print('query', number + 1)
        for row in rows:
            print('\t'.join(text(value) for value in row))


main()
