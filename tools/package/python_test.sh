#!/bin/bash
# The Python binding of libjfr: it builds against the installed library, and its events are those of jfr2json.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/sample_lib.sh
. tools/test/engines_lib.sh
command -v python3 >/dev/null && command -v pkg-config >/dev/null || { echo 'skip the Python binding: no python3 or no pkg-config'; exit 0; }
[ -e "$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])')/Python.h" ] || { echo 'skip the Python binding: no Python.h'; exit 0; }
big_engines cffi=2.1.1 setuptools=65.5.0 || { echo "skip the Python binding: $why"; exit 0; }
env -u MAKEFLAGS -u MAKELEVEL make -s B="$B" install-lib PREFIX="$work/usr" >"$work/log" 2>&1 || wrong "make install-lib: $(tail -3 "$work/log")"
cp tools/package/python/*.py "$work/"
export LD_LIBRARY_PATH=$work/usr/lib
(cd "$work" && PKG_CONFIG_PATH=$work/usr/lib/pkgconfig "$OLDPWD/$big_python" jfr_build.py) >"$work/log" 2>&1 ||
    (cd "$work" && PKG_CONFIG_PATH=$work/usr/lib/pkgconfig "$big_python" jfr_build.py) >"$work/log" 2>&1 || { echo 'not ok the binding builds'; tail -5 "$work/log"; exit 1; }

cat >"$work/compare.py" <<'END'
import collections
import json
import re
import subprocess
import sys

import jfr

program, file = sys.argv[1:]
json_lines = subprocess.run([program, "--layout", "ndjson", file], capture_output=True, text=True).stdout.splitlines()
want, have = collections.Counter(), collections.Counter()
for line in json_lines:
    event = json.loads(line)
    v = event["values"]
    for name, x in v.items():
        if isinstance(x, (bool, int, str)) and not re.match(r"\d{4}-\d\d-\d\dT|-?PT|P\d", str(x)):
            want[event["type"], name, x] += 1
    thread = v.get("eventThread") or v.get("sampledThread")
    if thread:
        want[event["type"], "@thread", thread["javaName"] or thread["osName"]] += 1
    stack = v.get("stackTrace")
    if stack and stack["frames"]:
        top = stack["frames"][0]
        name = top["method"]["type"]["name"].replace("/", ".") + "." + top["method"]["name"]
        want[event["type"], "@top", f"{name}:{top['lineNumber']}"] += 1
    want[event["type"], "@start", v["startTime"][:19]] += 1
known = {(e, name) for e, name, *_ in want}
for event in jfr.events(file):
    kind = event["event"]
    for name, x in event.items():
        if (kind, name) in known and isinstance(x, (bool, int, str)):
            have[kind, name, x] += 1
    thread = event.get("eventThread") or event.get("sampledThread")
    if thread:
        have[kind, "@thread", thread] += 1
    stack = event.get("stackTrace")
    if stack:
        have[kind, "@top", stack[0]] += 1
    have[kind, "@start", event["startTime"].strftime("%Y-%m-%dT%H:%M:%S")] += 1
differ = [k for k in set(want) | set(have) if want[k] != have[k]]
for k in sorted(differ, key=str)[:5]:
    print(k, "have", have[k], "want", want[k])
print(sum(want.values()), "values")
sys.exit(bool(differ) or not want)
END
[[ $big_python == /* ]] || big_python=$PWD/$big_python
for file in jdk17-server jfrkit-jdk25; do
    file=$(own_recordings $file)
    out=$(PYTHONPATH=$work "$big_python" "$work/compare.py" "$B/jfr2json" "$file" 2>&1) || wrong "$(basename "$file"): $out"
    echo "# $(basename "$file"): $(tail -1 <<<"$out")"
done
PYTHONPATH=$work "$big_python" -c 'import jfr; list(jfr.events("none.jfr"))' 2>&1 | grep -q 'none.jfr: No such file' || wrong 'a missing file'
head -c 150000 "$(own_recordings jfrkit-jdk25)" >"$work/cut.jfr"
PYTHONPATH=$work "$big_python" -c 'import jfr, sys; said = []; n = len(list(jfr.events(sys.argv[1], said.append))); print(n, said); sys.exit(n < 100 or not said)' "$work/cut.jfr" >"$work/log" 2>&1 ||
    wrong "a cut file: $(tail -1 "$work/log")"
verdict "the Python binding has jfr2json's events"
exit $failed
