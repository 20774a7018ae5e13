"""Whether an engine reads the same rows from tables as pyarrow: engines.py clickhouse|spark FOLDER.

Every file below FOLDER is read by both, and all values are compared. Prints the number of files and exits with 0 if all
are equal, else the first differences, and 1.
"""
import glob
import sys

import pyarrow
import pyarrow.parquet as parquet


def clickhouse():
    import chdb

    def read(path):
        reply = chdb.query(
            f"select * from file('{path}', Parquet) settings input_format_parquet_preserve_order = 1, "
            "use_hive_partitioning = 0, session_timezone = 'UTC'", 'Arrow')
        return pyarrow.ipc.open_file(pyarrow.BufferReader(reply.bytes())).read_all().to_pylist()
    return read


def spark():
    from pyspark.sql import SparkSession

    session = (SparkSession.builder.master('local[2]').config('spark.ui.enabled', 'false')
               .config('spark.sql.session.timeZone', 'UTC').config('spark.driver.host', '127.0.0.1').getOrCreate())
    session.sparkContext.setLogLevel('ERROR')
    return lambda path: [row.asDict(recursive=True) for row in session.read.parquet(path).collect()]


def plain(value, joins_nulls):
    """The value in a form that is the same for all. joins_nulls: a structure that is null is one of nulls, since
    ClickHouse's tuples cannot be null."""
    if isinstance(value, dict):
        value = {k: plain(v, joins_nulls) for k, v in value.items()}
        return None if joins_nulls and all(v is None for v in value.values()) else value
    if isinstance(value, list):
        return [plain(v, joins_nulls) for v in value]
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    if hasattr(value, 'timestamp'):
        return round(value.timestamp() * 1e6)
    if isinstance(value, float):
        return float(f'{value:.6g}') if value == value else 'not a number'
    return value


def main():
    engine, folder = sys.argv[1:3]
    read = {'clickhouse': clickhouse, 'spark': spark}[engine]()
    joins_nulls = engine == 'clickhouse'
    failed = files = rows = 0
    for path in sorted(glob.glob(folder + '/**/*.parquet', recursive=True)):
        want = plain(parquet.ParquetFile(path).read().to_pylist(), joins_nulls)
        have = plain(read(path), joins_nulls)
        files += 1
        rows += len(want)
        if want != have:
            failed += 1
            at = next((i for i, (a, b) in enumerate(zip(want, have)) if a != b), min(len(want), len(have)))
            print(f'{path}: {len(have)} rows of {len(want)}; row {at}: {str(have[at:at + 1])[:300]}, not {str(want[at:at + 1])[:300]}')
    print(f'{files} files, {rows} rows')
    return 1 if failed or rows == 0 else 0


sys.exit(main())
