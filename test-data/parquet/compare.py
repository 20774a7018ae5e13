"""The tables that jfrkit made of recordings against what jfr2json prints of them: every value of every event.

    compare.py JFR2JSON {FOLDER RECORDING}...

FOLDER has the tables of the recording. Reads them with pyarrow, and with DuckDB where it is installed: both must give
the same rows. Prints "N events, N values" of all recordings and exits with 0 if all are equal, else the first
differences, and 1.
"""
import json
import math
import os
import re
import struct
import subprocess
import sys

import pyarrow.parquet as parquet

try:
    import duckdb
except ImportError:
    duckdb = None

TIME = re.compile(r'([+-]?\d+)-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d(?::\d\d)?)$')
SPAN = re.compile(r'PT(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?)(\d+)(?:\.(\d+))?S)?$')
LIMITS = (-2**63, 2**63 - 1)
EXTRAS = re.compile('.*(_ns|_top|_methods|_lines)$')
problems = []
n_values = 0
HALVES = re.compile('[\ud800-\udfff]')  # of surrogate pairs, which are no text elsewhere
HALF_ESCAPES = re.compile(r'(?<!\\)\\ud[89a-f][0-9a-f]{2}(?!\\ud[c-f])')


def differs(where, want, have):
    problems.append(f'{where}: {have!r}, not {want!r}')


def days_of(year, month, day):
    """Days since 1970 in the Gregorian calendar, of any year."""
    year -= month <= 2
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


def time_ns(text):
    m = TIME.match(text)
    if m is None:
        return None
    year, month, day, hour, minute, second, part, zone = m.groups()
    offset = 0
    if zone != 'Z':
        parts = [int(x) for x in zone[1:].split(':')] + [0]
        offset = (parts[0] * 3600 + parts[1] * 60 + parts[2]) * (-1 if zone[0] == '-' else 1)
    seconds = days_of(int(year), int(month), int(day)) * 86400 + int(hour) * 3600 + int(minute) * 60 + int(second or 0) - offset
    return seconds * 10**9 + int((part or '0').ljust(9, '0'))


def span_ns(text):
    m = SPAN.match(text)
    if m is None or text == 'PT':
        return None
    hours, minutes, minus, seconds, part = m.groups()
    ns = int(seconds or 0) * 10**9 + int((part or '0').ljust(9, '0'))
    return int(hours or 0) * 3600 * 10**9 + int(minutes or 0) * 60 * 10**9 + (-ns if minus else ns)


def within(x):
    return min(max(x, LIMITS[0]), LIMITS[1])


def same_float(want, have):
    return want == have or struct.pack('f', want) == struct.pack('f', have)


def compare(where, want, have, stacks):
    """A value of the JSON, and one of a column."""
    global n_values
    n_values += 1
    if isinstance(have, float) and not math.isfinite(have):
        have = None
    if isinstance(want, str):
        want = HALVES.sub('\ufffd', want)
    if want is None or have is None:
        if want != have:
            differs(where, want, have)
    elif isinstance(want, dict) and isinstance(have, bytes):
        if have not in stacks:
            differs(where, 'a stack of the table', have.hex())
        elif stacks[have] is not None:
            compare(where, want, stacks[have], stacks)
            stacks[have] = None  # once is enough: an id means one stack
    elif isinstance(want, dict) and isinstance(have, dict):
        compare_rows(where, want, have, stacks)
    elif isinstance(want, list) and isinstance(have, list):
        if len(want) != len(have):
            differs(where, len(want), len(have))
        for i, (x, y) in enumerate(zip(want, have)):
            compare(f'{where}[{i}]', x, y, stacks)
    elif isinstance(want, (dict, list)) and isinstance(have, str):
        if json.dumps(json.loads(have)) != HALF_ESCAPES.sub(r'\\ufffd', json.dumps(want)):
            differs(where, want, have)
    elif isinstance(want, str) and isinstance(have, int):
        ns = span_ns(want)
        if ns is None:
            ns = time_ns(want)
        if ns is None or within(ns) != have:
            differs(where, want, have)
    elif isinstance(have, float) and not isinstance(want, bool):
        if not same_float(want, have):
            differs(where, want, have)
    elif want != have or isinstance(want, bool) != isinstance(have, bool):
        differs(where, want, have)


def compare_rows(where, want, have, stacks):
    for name, value in want.items():
        name = HALVES.sub('\ufffd', name)
        if name + '_ns' in have and name + '_ns' not in want:
            compare(f'{where}.{name}', value, have[name + '_ns'], stacks)
            check_time(f'{where}.{name}', have[name], have[name + '_ns'])
        elif name in have:
            compare(f'{where}.{name}', value, have[name], stacks)
        else:
            differs(f'{where}.{name}', value, 'no column')
    for name, value in have.items():
        if name not in want and value is not None and not EXTRAS.match(name):
            differs(f'{where}.{name}', 'no field', value)


def check_time(where, us, ns):
    if (us is None) != (ns is None) or (us is not None and us != ns // 1000 and ns not in LIMITS):
        differs(where, ns, us)


def plain(table):
    """The table with time stamps as numbers, which may be beyond what Python's have."""
    import pyarrow as pa
    for i, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            table = table.set_column(i, field.name, table.column(i).cast(pa.int64()))
    return table


def read(path):
    rows = plain(parquet.read_table(path)).to_pylist()
    if duckdb is not None:
        other = duckdb.connect()
        other.execute("set timezone = 'UTC'")
        found = other.sql('select * from read_parquet($path, hive_partitioning = false)', params={'path': path})
        found = found.to_arrow_table() if hasattr(found, 'to_arrow_table') else found.arrow()
        other_rows = plain(found).to_pylist()
        if len(rows) != len(other_rows):
            differs(path, len(rows), f'{len(other_rows)} rows in DuckDB')
        for i, (a, b) in enumerate(zip(rows, other_rows)):
            if not same(a, b):
                differs(f'{path}[{i}]', a, f'in DuckDB {b}')
                break
    return rows


def same(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    return a == b or (a != a and b != b)


def tables(folder):
    """Rows by table name."""
    found = {}
    for where, _, files in os.walk(folder):
        for name in sorted(files):
            path = os.path.join(where, name)
            notes = parquet.read_schema(path).metadata
            found.setdefault(notes[b'jfrkit.table'].decode(), []).extend(read(path))
    return found


def stacks_of(found):
    frames = {}
    for row in found.pop('frames', []):
        frames[row.pop('frame_id')] = row
    return {
        row['stack_id']: {'truncated': row['truncated'], 'frames': [frames[i] for i in row['frames']]}
        for row in found.pop('stacks', [])
    }


def compare_recording(jfr2json, folder, recording):
    """Returns the number of its events."""
    found = tables(folder)
    stacks = stacks_of(found)
    at = dict.fromkeys(found, 0)
    run = subprocess.Popen([jfr2json, '-q', '-l', 'ndjson', '--with-context', '--compat', 'own', recording],
                           stdout=subprocess.PIPE)
    for line in run.stdout:
        event = json.loads(line)
        name = event['type']
        if name not in found or at[name] >= len(found[name]):
            differs(name, 'a row', 'none')
        else:
            row = found[name][at[name]]
            have = row.pop('context', None) or {}
            compare_rows(f'{name}[{at[name]}]', event['values'], row, stacks)
            compare_rows(f'{name}[{at[name]}].context', event['context'], have, stacks)
            at[name] += 1
        if len(problems) > 20:
            break
    run.stdout.close()
    run.wait()
    if len(problems) <= 20:
        for name, rows in found.items():
            if at[name] != len(rows):
                differs(name, at[name], f'{len(rows)} rows')
    return sum(at.values())


def main():
    jfr2json, *pairs = sys.argv[1:]
    n_events = 0
    has_problems = False
    for folder, recording in zip(pairs[::2], pairs[1::2]):
        problems.clear()
        n_events += compare_recording(jfr2json, folder, recording)
        has_problems |= bool(problems)
        for problem in problems[:20]:
            print(f'{recording}: {problem}'[:600])
    print(f'{n_events} events, {n_values} values')
    return 1 if has_problems else 0


sys.exit(main())
