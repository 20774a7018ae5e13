#!/usr/bin/env python3
"""terminal.py COMMAND...: runs it with a pseudo-terminal as its standard output and error, prints what it
wrote there, and exits with its code."""
import os
import pty
import signal
import sys

pid, master = pty.fork()
if pid == 0:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # which Python ignores
    os.execvp(sys.argv[1], sys.argv[1:])
seen = bytearray()
while True:
    try:
        data = os.read(master, 65536)
    except OSError:  # all who had the terminal have ended
        break
    if not data:
        break
    seen += data
sys.stdout.buffer.write(seen.replace(b"\r\n", b"\n"))
sys.stdout.flush()
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(code if code >= 0 else 128 - code)
