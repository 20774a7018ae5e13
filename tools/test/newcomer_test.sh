#!/bin/bash
# What a newcomer wants first, each with one command and nothing set up: a flame graph of a running process,
# top methods by user, a comparison, ten seconds of a recording, a file for JMC, for a server, the event
# types. The recording is of a file server with ten users.
set -u
. test-data/workload/lib.sh
kit=$(realpath "$B/jfrkit")
abs=$(realpath "$B")
mkdir "$work/here"
printf '#!/bin/sh\necho "$1" >%s/opened\n' "$work" >"$work/show"
chmod +x "$work/show"
export BROWSER=$work/show

# task NAME ARGUMENT...: one command, in a folder of its own; what it prints is in $work/said
task() {
    task=$1
    shift
    (cd "$work/here" && "$kit" "$@" >"$work/said" 2>"$work/complaint" </dev/null) || wrong "jfrkit $*: exit code $?: $(cat "$work/complaint")"
    [ ! -s "$work/complaint" ] || wrong "jfrkit $*: $(cat "$work/complaint")"
}

done_with() {
    verdict "$task"
}

shows() { # shows PATTERN...
    local pattern

    for pattern; do
        grep -qE -- "$pattern" "$work/said" || wrong "no line '$pattern' in: $(head -20 "$work/said")"
    done
}

home=$(jdks | tail -1)
[ -n "$home" ] && [ -e "$agent" ] || { skip newcomer 'no JDK or no agent'; exit 0; }
command -v jq >/dev/null || { skip newcomer 'no jq'; exit 0; }
workload || { skip newcomer "$why"; exit 0; }

# The server, its load and what each user got are one program; it runs long enough to be attached to.
(cd "$work/here" && exec "$home/bin/java" -Xmx500m -cp "$abs/workload:$abs/jfrkit.jar" UserFiles 100000 >"$work/out" 2>"$work/err") &
pid=$!
children+=("$pid")
n=600
until { "$kit" list | grep -q "^ *$pid " && grep -q "^warmed up" "$work/err"; } || [ $n = 0 ]; do n=$((n - 1)); sleep 0.1; done

task 'a: a flame graph of a running process' attach -d 4s --cpu 1ms -o a.jfr --open "$pid"
shows '^Recording: .*/a.jfr, ' '^Top methods, CPU' '^Top users' '^Page: .*/a.html$'
n=100
until [ -s "$work/opened" ] || [ $n = 0 ]; do n=$((n - 1)); sleep 0.1; done
[ "$(cat "$work/opened")" = "$work/here/a.html" ] || wrong 'the browser got no page'
"$B/jfr2flame" "$work/here/a.jfr" | cmp - "$work/here/a.html" >>"$work/wrong" 2>&1
done_with

task 'b: top methods by user' top --by user a.jfr
shows '^user +Self +Share +Total +Share +method$' '^alice +[0-9]+ .* [a-zA-Z_.:$]+'
[ "$(cut -d' ' -f1 "$work/said" | tail -n +2 | uniq | sort | uniq -d)" = '' ] || wrong 'a user is not in one place'
done_with

task 'a second recording' attach -d 2s --cpu 1ms -o b.jfr --report none "$pid"
kill -9 "$pid"
task 'c: what changed between two recordings' diff a.jfr b.jfr
shows '[a-zA-Z]'
task 'c: what changed, as a page' diff -o d.html a.jfr b.jfr
grep -q '<html' "$work/here/d.html" || wrong 'no page'
done_with

# Not its first seconds: a context that is defined then begins a chunk, and a piece without events is left out.
task 'd: one second of a recording' cut --from 2s --to 3s -o c.jfr a.jfr
task 'd: one second of a recording' info --json c.jfr
[ "$(jq .durationNanos "$work/said")" = 1000000000 ] || wrong "durationNanos: $(jq .durationNanos "$work/said")"
task 'd: one second of a recording' info c.jfr
shows '^ Duration: 1 s$'
is_whole "$work/here/c.jfr"
"$home/bin/jfr" summary "$work/here/c.jfr" | grep -q '^ Duration: 1 s$' || wrong "jfr summary: $("$home/bin/jfr" summary "$work/here/c.jfr" | grep Duration)"
done_with

said=$(test-data/interop/jmc.sh --count jdk.ExecutionSample "$work/here/a.jfr" 2>&1)
case $said in
skip*) echo "$said" ;;
*)
    grep -qE "^ok .*[ =]$(count "$work/here/a.jfr" jdk.ExecutionSample)( |\$)" <<<"$said" || wrong "JMC: $said"
    verdict 'e: JMC opens the recording as it is'
    ;;
esac

if command -v curl >/dev/null && command -v python3 >/dev/null; then
    cat >"$work/server.py" <<'END'
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        open(sys.argv[1], 'wb').write(body)
        open(sys.argv[1] + '.about', 'w').write(self.path + ' ' + self.headers['Content-Type'])
        self.send_response(200)
        self.end_headers()
    def log_message(self, *args): pass
server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
print(server.server_port, flush=True)
server.handle_request()
END
    python3 "$work/server.py" "$work/got" >"$work/port" &
    children+=($!)
    wait_for "$work/port" '^[0-9]'
    task 'f: to an OpenTelemetry collector' convert -o a.otlp a.jfr
    # As the manual says it, but for the port.
    line=$(sed -n '/^curl /p' tools/man/jfr2otlp.1 | tr -d '\\' | head -1)
    [ -n "$line" ] || wrong 'the manual does not say how'
    line=${line//app.otlp/a.otlp}
    (cd "$work/here" && eval "${line//4318/$(cat "$work/port")}") >"$work/said" 2>&1 || wrong "$line: $(cat "$work/said")"
    cmp "$work/got" "$work/here/a.otlp" >>"$work/wrong" 2>&1
    [ "$(cat "$work/got.about")" = '/v1development/profiles application/x-protobuf' ] || wrong "$(cat "$work/got.about")"
    done_with
else
    skip 'f: to an OpenTelemetry collector' 'no curl, or no python3'
fi

task 'g: the event types of a recording' info a.jfr
shows ' jdk.ExecutionSample +[0-9]+ ' ' jdk.SocketRead +[0-9]+ '
task 'g: the fields of a type' events -e SocketRead a.jfr
shows 'bytesRead'
done_with
exit $failed
