"""Random queries to a recording and to a real SQLite table of the same values: random_queries.py JFRKIT RECORDING TABLE N SEED.

The table is filled with what `select *` gives. Queries choose, group and sort by random columns, with conditions,
percentiles and joins; their answers must be equal, and in the same order where they are sorted. Prints how many
queries were compared, and what differs. Queries about a time are asked in a run each, which loads the events of that time alone.
"""
import json
import random
import sqlite3
import subprocess
import sys
import tempfile

JFRKIT, RECORDING, TABLE, N, SEED = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])
HIDDEN = ['thread', 'top_frame', 'stack', 'recording']


def ask(text):
    """The answers to queries with semicolons between them."""
    with tempfile.NamedTemporaryFile('w', suffix='.sql') as file:
        file.write(text)
        file.flush()
        run = subprocess.run([JFRKIT, 'sql', '-q', '-f', 'json', '--query-file', file.name, RECORDING],
                             capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f'exit code {run.returncode}: {run.stderr}')
    decoder, answers, at = json.JSONDecoder(), [], 0
    out = run.stdout
    while at < len(out):
        if out[at].isspace():
            at += 1
            continue
        answer, at = decoder.raw_decode(out, at)
        answers.append(answer['rows'] if isinstance(answer, dict) else answer)
    return answers


def columns():
    """Names and types, the hidden ones that there are among them."""
    schema = subprocess.run([JFRKIT, 'sql', '-q', '-f', 'json', RECORDING, '.schema'], capture_output=True, text=True)
    rows = json.loads(schema.stdout)
    rows = rows['rows'] if isinstance(rows, dict) else rows
    return [(row['column'], row['type']) for row in rows if row['table'] == TABLE and row['type'] != 'BLOB' and
            (row['hidden'] is None or row['column'] in HIDDEN)]


class Percentile:
    def __init__(self):
        self.values = []

    def step(self, value, percent=None):
        if value is not None:
            self.values.append(float(value))
        self.percent = percent

    def finalize(self):
        if not self.values:
            return None
        self.values.sort()
        at = self.percent / 100 * (len(self.values) - 1)
        low = self.values[int(at)]
        high = self.values[min(int(at) + 1, len(self.values) - 1)]
        return low + (high - low) * (at - int(at))


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Queries:
    def __init__(self, table_columns, values):
        self.columns, self.values = table_columns, values

    def column(self, types=('TEXT', 'INTEGER', 'REAL')):
        return random.choice([name for name, kind in self.columns if kind in types])

    def literal(self, name):
        value = random.choice(self.values[name])
        if random.random() < 0.1:
            value = random.choice([0, 1, -1, 'x', None, 2 ** 40, '2026'])
        if value is None:
            return 'null'
        if isinstance(value, str):
            if random.random() < 0.2:
                value = value[:random.randint(0, len(value))]
            return "'" + value.replace("'", "''") + "'"
        return repr(value + random.choice([0, 0, 1, -1]))

    def condition(self, alias=''):
        name = self.column()
        kind = random.random()
        left = alias + quoted(name)
        if kind < 0.1:
            return f'{left} is {random.choice(["", "not "])}null'
        if kind < 0.2:
            return f'{left} between {self.literal(name)} and {self.literal(name)}'
        if kind < 0.3:
            return f'{left} in ({self.literal(name)}, {self.literal(name)}, {self.literal(name)})'
        if kind < 0.4 and name in dict(self.columns):
            return f'{left} like {self.literal(name)}'
        if kind < 0.45:
            return f'{left} collate nocase = {self.literal(name)}'
        return f'{left} {random.choice(["=", "<", ">", "<=", ">=", "<>"])} {self.literal(name)}'

    def where(self, alias=''):
        n = random.choice([0, 0, 1, 1, 2, 3])
        if n == 0:
            return ''
        joint = random.choice([' and ', ' and ', ' or '])
        return ' where ' + joint.join(self.condition(alias) for _ in range(n))

    def total(self):
        number = quoted(self.column(('INTEGER', 'REAL')))
        return random.choice(['count(*)', f'count(distinct {quoted(self.column())})', f'total({number})', f'min({quoted(self.column())})',
                              f'max({quoted(self.column())})', f'p50({number})', f'p99({number})', f'percentile({number}, 90)'])

    def grouped(self):
        keys = random.sample([name for name, _ in self.columns], random.choice([1, 1, 2, 3]))
        listed = ', '.join(map(quoted, keys))
        order = random.choice(['', '', f' order by {", ".join(quoted(k) + random.choice(["", " desc"]) for k in keys)}',
                               f' order by {len(keys) + 1} desc, {listed}'])
        having = random.choice(['', '', '', ' having count(*) > 1'])
        return f'select {listed}, {self.total()} as first, {self.total()} as second from {TABLE}{self.where()} group by {listed}{having}{order}', order != ''

    def plain(self):
        names = random.sample([name for name, _ in self.columns], min(3, len(self.columns)))
        keys = ', '.join(quoted(n) + random.choice(['', ' desc', ' asc nulls last', ' collate nocase']) for n in names)
        first = random.choice(['', 'distinct '])
        return (f'select {first}{", ".join(map(quoted, names))} from {TABLE}{self.where()} order by {keys}',
                'nocase' not in keys)

    def joined(self):
        key, other = quoted(self.column()), quoted(self.column())
        some = ', '.join(quoted(name) for name, _ in self.columns)
        return (f'select a.{key} as k, count(*) as n from {TABLE} a join (select {some} from {TABLE} limit 50) b on a.{key} = b.{key} '
                f'and a.{other} >= b.{other}{self.where("a.")} group by 1 order by 1', True)

    def windowed(self):
        key, name = quoted(self.column()), quoted(self.column())
        return (f'select * from (select {key} as k, {name} as n, row_number() over (partition by {key} order by {name} desc) as r '
                f'from {TABLE}{self.where()}) where r = 1 order by 1', True)

    def moment(self, alias=''):
        name = random.choice(['startTime', 'startTime', 'startTime_ns'])
        return f'{alias}{quoted(name)} {random.choice(["=", "<", ">", "<=", ">=", ">", "<"])} {self.literal(name)}'

    def timed(self):
        """About some time: one condition, two, either of two, or one for each of two looks at the table."""
        name, key = quoted(self.column()), quoted(self.column())
        a, b = self.moment(), self.moment()
        some = ', '.join(quoted(name) for name, _ in self.columns)
        return random.choice([
            (f'select {name}, count(*) as n from {TABLE} where {a} group by 1 order by 1', True),
            (f'select {name}, {key} from {TABLE} where {a} and {b}', False),
            (f'select {name}, {key} from {TABLE} where {a} and ({b} or {self.condition()})', False),
            (f'select {name}, {key} from {TABLE} where {a} or {b}', False),
            (f'select count(*) as n from {TABLE} where not ({a} and {b})', True),
            (f'select {name} as x from {TABLE} where {a} union all select {name} from {TABLE} where {b}', False),
            (f'select {name} as x, (select count(*) from {TABLE} where {b}) as n from {TABLE} where {a}', False),
            (f'select a.{name} as x, count(b.{key}) as n from (select {some} from {TABLE} where {a} limit 20) a '
             f'left join {TABLE} b on a.{key} = b.{key} and {self.moment("b.")} group by 1 order by 1', False),
            (f'select count(*) as n from {TABLE} where startTime in ({self.literal("startTime")}, {self.literal("startTime")}) and {a}', True),
        ])

    def any(self):
        return random.choices([self.grouped, self.plain, self.joined, self.windowed], [6, 3, 1, 1])[0]()


def same(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return a is not None and b is not None and not isinstance(a, str) and not isinstance(b, str) and \
            abs(a - b) <= 1e-9 * max(1, abs(a), abs(b))
    return a == b


def key_of(row):
    return [(value is not None, isinstance(value, str), value if value is not None else 0) for value in row]


def main():
    random.seed(SEED)
    table = columns()
    names = [name for name, _ in table]
    rows = [list(row.values()) for row in ask(f'select {", ".join(map(quoted, names))} from {TABLE}')[0]]
    database = sqlite3.connect(':memory:')
    database.create_aggregate('percentile', 2, Percentile)
    for name, percent in ('p50', 50), ('p99', 99):
        database.create_aggregate(name, 1, type(name, (Percentile,), {
            'step': lambda self, value, percent=percent: Percentile.step(self, value, percent)}))
    database.execute(f'create table {TABLE} ({", ".join(f"{quoted(name)} {kind}" for name, kind in table)})')
    database.executemany(f'insert into {TABLE} values ({", ".join("?" * len(table))})', rows)
    queries = Queries(table, {name: [row[i] for row in rows] for i, name in enumerate(names)})
    asked = [queries.any() for _ in range(N)]
    answers = ask(';\n'.join(query for query, _ in asked))
    if len(answers) != N:
        sys.exit(f'{len(answers)} answers to {N} queries')
    alone = [queries.timed() for _ in range(N // 5)] if {'startTime', 'startTime_ns'} <= set(names) else []
    asked += alone
    answers += [ask(query)[0] for query, _ in alone]
    different = n_rows = 0
    for (query, is_sorted), answer in zip(asked, answers):
        got = [list(row.values()) for row in answer]
        want = [list(row) for row in database.execute(query).fetchall()]
        n_rows += len(want)
        if not is_sorted:
            got.sort(key=key_of)
            want.sort(key=key_of)
        if len(got) != len(want) or not all(same(x, y) for g, w in zip(got, want) for x, y in zip(g, w)):
            different += 1
            if different < 4:
                print('differs:', query)
                print('   got', got[:3])
                print('  want', want[:3])
    print(f'{len(asked)} queries, {n_rows} rows, {different} differ')
    return 1 if different else 0


sys.exit(main())
