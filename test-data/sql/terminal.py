"""jfrkit sql -i at a terminal: terminal.py JFRKIT RECORDING HOME. Prints what is wrong, or "ok"."""
import os
import pty
import re
import select
import sys
import time

JFRKIT, RECORDING, HOME = sys.argv[1:4]
seen = ''


def wait_for(pattern):
    """What was printed up to a match of the pattern, which is then gone."""
    global seen
    end = time.monotonic() + 60
    while not re.search(pattern, seen):
        ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
        try:
            got = os.read(terminal, 65536).decode(errors='replace') if ready else ''
        except OSError:
            got = ''
        if got == '':
            sys.exit(f'no {pattern!r} in {seen[-400:]!r}')
        seen += got
    match = re.search(pattern, seen)
    before, seen = seen[:match.end()], seen[match.end():]
    return before


def send(text):
    os.write(terminal, text.encode())


child, terminal = pty.fork()
if child == 0:
    os.environ.update(HOME=HOME, TERM='dumb')
    os.execv(JFRKIT, [JFRKIT, 'sql', '-i', RECORDING])
wait_for('sql> ')
send('select 40\n')
wait_for(r'\.\.\.> ')
send('+ 2 as sum;\n')
wait_for(r'sum\r\n *42\r\n')
wait_for('sql> ')
send('select count(*) as n from jdk_FileRe\t;\n')
wait_for(r'n\r\n *\d+\r\n')
wait_for('sql> ')
send('with recursive r(i) as (select 1 union all select i + 1 from r) select count(*) from r;\n')
wait_for(r'\r\n')
time.sleep(1)
send('\x03')
wait_for('interrupted')
wait_for('sql> ')
send('select 6 * 7 as product;\n')
wait_for(r'product\r\n *42\r\n')
wait_for('sql> ')
send('.quit\n')
_, status = os.waitpid(child, 0)
if status != 0:
    sys.exit(f'status {status}')
history = os.path.join(HOME, '.jfrkit_sql_history')
if os.stat(history).st_mode & 0o777 != 0o600:
    sys.exit(f'mode {os.stat(history).st_mode:o}')
if 'product' not in open(history).read():
    sys.exit('the query is not in the history')
print('ok')
