#!/usr/bin/env python3
"""Converts an archive of recordings to Parquet tables, on a Spark cluster: one task for each recording.

    spark-submit tools/spark/convert.py --lake LAKE [options] RECORDING...

    RECORDING            a file, or a pattern: '/archive/*/*/*.jfr.gz'; @FILE is a list, a name a line
    --lake LAKE          the folder of the tables, which all workers see
    --jfrkit PROGRAM     the program on the workers. Default: jfrkit
    --partition PATTERN  named groups of this expression in a recording's path are its partitions:
                         '/archive/(?P<service>[^/]+)/(?P<host>[^/]+)/'
    --arguments WORDS    more arguments of jfrkit convert: '-e ExecutionSample'
    --timeout SECONDS    for each recording. Default: 3600
    --batch N            recordings after which the results are written down. Default: 1000

The job may be repeated: what it does is written down in LAKE/_conversions, a table with a row for each recording that was
tried, and recordings that were converted and have not changed since are passed over. A recording that was damaged is
converted as far as it can be read (code 3). One that cannot be read is an error (code 1), which the next run tries again.
The tables are right however often a task is run, or killed, since the same recording gives the same files, each of which
appears whole or not at all. Exit code: 0 if all recordings are converted, 3 if some are damaged, 1 if some are errors.
"""
import argparse
import glob
import os
import re
import shlex
import subprocess
import sys
import time

from pyspark.sql import SparkSession
from pyspark.sql.types import DoubleType, IntegerType, LongType, StringType, StructField, StructType

RESULT = StructType([
    StructField('recording', StringType()), StructField('bytes', LongType()), StructField('changed_ns', LongType()),
    StructField('code', IntegerType()), StructField('message', StringType()), StructField('seconds', DoubleType()),
    StructField('tried', LongType()),  # seconds since 1970
])
GOOD = (0, 3)


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--lake', required=True)
    parser.add_argument('--jfrkit', default='jfrkit')
    parser.add_argument('--partition', type=re.compile)
    parser.add_argument('--arguments', type=shlex.split, default=[])
    parser.add_argument('--timeout', type=float, default=3600)
    parser.add_argument('--batch', type=int, default=1000)
    parser.add_argument('recordings', nargs='+')
    return parser.parse_args()


def find(words):
    """The recordings that the words name, each once."""
    found = {}
    for word in words:
        if word.startswith('@'):
            with open(word[1:]) as file:
                names = file.read().split('\n')
        else:
            names = sorted(glob.glob(word, recursive=True)) or [word]
        found.update((os.path.abspath(name), None) for name in names if name)
    return list(found)


def state_of(path):
    """Its size, and when it was changed; None if it is not there."""
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return stat.st_size, stat.st_mtime_ns


def partition_of(path, pattern):
    """The words of --partition. None: the path does not match."""
    if pattern is None:
        return []
    match = pattern.search(path)
    if match is None:
        return None
    return ['--partition', ','.join(f'{key}={value}' for key, value in match.groupdict().items())]


def convert(path, jfrkit, lake, pattern, arguments, timeout):
    """Runs on a worker. The row of the recording."""
    began = time.time()
    state = state_of(path) or (0, 0)
    words = partition_of(path, pattern)
    if words is None:
        code, message = 1, f'the path does not match {pattern.pattern}'
    else:
        try:
            done = subprocess.run([jfrkit, 'convert', '-f', 'parquet', '-o', lake, *words, *arguments, path],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=timeout)
            code, message = done.returncode, done.stderr.decode(errors='replace')[:2000]
        except subprocess.TimeoutExpired:
            code, message = 1, f'not done after {timeout:g} s'
        except OSError as why:
            code, message = 1, f'{jfrkit}: {why}'
    return (path, *state, code, message, time.time() - began, int(began))


def written_down(spark, table):
    """The last row of each recording that was tried before."""
    if not glob.glob(table + '/*.parquet'):
        return {}
    rows = spark.read.schema(RESULT).parquet(table).collect()
    return {row.recording: row for row in sorted(rows, key=lambda row: row.tried)}


def main():
    options = read_arguments()
    lake = os.path.join(os.path.abspath(options.lake), '')
    table = lake + '_conversions'
    spark = SparkSession.builder.appName('jfrkit convert').getOrCreate()
    recordings = find(options.recordings)
    before = written_down(spark, table)
    codes = []
    todo = []
    for path in recordings:
        row = before.get(path)
        if row is not None and row.code in GOOD and (row.bytes, row.changed_ns) == state_of(path):
            codes.append(row.code)
        else:
            todo.append(path)
    print(f'{len(recordings)} recordings, {len(todo)} to convert', flush=True)
    work = (options.jfrkit, lake, options.partition, options.arguments, options.timeout)
    for at in range(0, len(todo), options.batch):
        batch = todo[at:at + options.batch]
        rows = spark.sparkContext.parallelize(batch, len(batch)).map(lambda path: convert(path, *work)).collect()
        # As the other tables. Spark's default, snappy, fails on a machine of glibc that has musl's loader, too.
        spark.createDataFrame(rows, RESULT).coalesce(1).write.mode('append').parquet(table, compression='zstd')
        codes += [row[3] for row in rows]
        for row in rows:
            if row[3] not in GOOD:
                print(f'error: {row[0]}: {row[4].strip()}', flush=True)
    errors = sum(code not in GOOD for code in codes)
    print(f'{len(codes) - errors} converted, {codes.count(3)} of them damaged; {errors} errors', flush=True)
    spark.stop()
    return 1 if errors else 3 if 3 in codes else 0


if __name__ == '__main__':
    sys.exit(main())
