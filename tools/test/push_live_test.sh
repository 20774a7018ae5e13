#!/bin/bash
# jfrkit push --every: all that arrives together is the recording, each event once, whatever is killed or away meanwhile.
set -u
. test-data/workload/lib.sh
. tools/test/container_lib.sh
kit=$(realpath "$B/jfrkit")
command -v python3 >/dev/null || { skip 'push --every' 'no python3'; exit 0; }
"$kit" push --retry 0s --to http://127.0.0.1:1/ "$kit" 2>&1 | grep -q 'needs libcurl' && { skip 'push --every' 'no libcurl.so.4'; exit 0; }
[ -e "$agent" ] || { skip 'push --every' 'no agent'; exit 0; }
workload || { skip 'push --every' "$why"; exit 0; }
home=$(jdk_home 25 || jdk_home 17)
[ -n "$home" ] || { skip 'push --every' 'no JDK 17 or 25'; exit 0; }
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY

got=$work/got
mkdir -p "$got"
python3 test-data/push/server.py "$got" >"$work/server" 2>&1 &
children+=($!)
wait_for "$work/server" '^port' $! || give_up "no server: $(cat "$work/server")"
url=http://127.0.0.1:$(sed -n 's/^port //p' "$work/server")

# recorded NAME SECONDS [OPTION...]: a JVM whose recording is $work/NAME.jfr; $jvm
recorded() {
    local name=$1 seconds=$2 java

    shift 2
    java_of "$home"
    "${java[@]}" "-agentpath:$agent=file=$work/$name.jfr,cpu=5ms,quiet${1:+,$1}" Workload cpu "$seconds" >"$work/out" 2>&1 </dev/null &
    jvm=$!
    children+=("$jvm")
    for _ in $(seq 100); do
        [ -s "$work/$name.jfr" ] || ls "$work/$name"-*.jfr >/dev/null 2>&1 && break
        sleep 0.1
    done
}

# push NAME ARGUMENTS...: in the background, with a spool of that name; $pusher
push() {
    local name=$1

    shift
    "$kit" push --every 1s --spool-folder "$work/spool-$name" "$@" >"$work/$name.pushed" 2>&1 </dev/null &
    pusher=$!
    children+=("$pusher")
}

counts() { # of each type of event in these recordings; not of what describes others, and what is scrubbed
    "$kit" info "$@" 2>/dev/null |
        awk '$1 ~ /^(jdk|jfrkit)\./ && $2 ~ /^[0-9]+$/ && $1 !~ /^jdk\.(Checkpoint|Metadata|InitialSystemProperty)$/ { print $1, $2 }' | sort
}

# taken NAME: the bodies that the server took under this path
taken() {
    grep -l "\"path\": \"[^\"]*/$1/" "$got"/*.json | xargs grep -l '"status": 200' | sed 's/json$/body/' | sort -V
}

# all_arrived NAME RECORDING...: each event once
all_arrived() {
    local name=$1 bodies

    shift
    mapfile -t bodies < <(taken "$name")
    [ ${#bodies[@]} -ge 2 ] || { wrong "${#bodies[@]} intervals"; return; }
    counts "$@" >"$work/want"
    counts "${bodies[@]}" >"$work/have"
    [ "$(awk '{ n += $2 } END { print n + 0 }' "$work/want")" -gt 300 ] || wrong 'the recording has few events'
    diff "$work/want" "$work/have" >"$work/log" || wrong "$(head -6 "$work/log")"
    echo "# ${#bodies[@]} intervals, $(awk '{ n += $2 } END { print n }' "$work/have") events"
}

recorded plain 5
push plain --to "$url/store/plain/" "$jvm"
wait "$pusher" || wrong "exit code $?: $(cat "$work/plain.pushed")"
wait "$jvm"
grep -qE ' intervals, .* sent; 0 wait, 0 lost$' "$work/plain.pushed" || wrong "it says $(cat "$work/plain.pushed")"
all_arrived plain "$work/plain.jfr"
verdict 'a JVM is sent while it runs, until it ends'

recorded parts 6 maxsize=200k
push parts --to "$url/busy-2/parts/" "$jvm"
sleep 2.5
kill -9 "$pusher"
wait "$pusher" 2>/dev/null
push parts --to "$url/busy-2/parts/" "$jvm"
wait "$pusher" || wrong "exit code $?: $(cat "$work/parts.pushed")"
wait "$jvm"
all_arrived parts "$work"/parts*.jfr
verdict 'a busy server, and a push that is killed and started again'

recorded killed 20
push killed --to "$url/store/killed/" "$jvm"
sleep 3.5
"$kit" push --every 1s --spool-folder "$work/spool-killed" --to "$url/x/" "$jvm" >"$work/log" 2>&1
[ $? = 1 ] && grep -q 'another jfrkit push' "$work/log" || wrong "a second push from one folder: $(cat "$work/log")"
kill -9 "$jvm"
wait "$jvm" 2>/dev/null
wait "$pusher" || wrong "exit code $?: $(cat "$work/killed.pushed")"
all_arrived killed "$work/killed.jfr"
verdict 'a JVM that is killed'

recorded away 4
push away --retry 0s --to http://127.0.0.1:1/store/away/ "$jvm"
wait "$pusher"
[ $? = 1 ] || wrong "exit code of a server that is away"
grep -q 'waits in .*spool-away' "$work/away.pushed" && grep -qE '[2-9] wait, 0 lost' "$work/away.pushed" || wrong "it says $(cat "$work/away.pushed")"
wait "$jvm"
[ "$(stat -c %a "$work/spool-away") $(stat -c %a "$work/spool-away/state")" = '700 600' ] || wrong 'others can read what waits'
push away --to "$url/store/away/" "$work/away.jfr"
sleep 3
kill "$pusher"
wait "$pusher" || wrong "exit code $?: $(cat "$work/away.pushed")"
all_arrived away "$work/away.jfr"
verdict 'what could not be sent is sent by the next run'

recorded full 5
push full --retry 0s --spool 20kB --to http://127.0.0.1:1/store/full/ "$jvm"
wait "$pusher"
[ "$(grep -c 'is full: the oldest intervals are deleted' "$work/full.pushed")" = 1 ] && grep -qE '[1-9] lost$' "$work/full.pushed" || wrong "it says $(cat "$work/full.pushed")"
[ "$(du -b --max-depth=0 "$work/spool-full" | cut -f1)" -lt 60000 ] || wrong "the spool has $(du -b "$work/spool-full")"
wait "$jvm"
verdict 'a full spool loses the oldest, and says so'

java_of "$home"
"$kit" record --cpu 5ms --agent "$agent" --push "$url/store/record/" --every 1s -o "$work/record.jfr" -- "${java[@]}" Workload cpu 5 >"$work/log" 2>&1 </dev/null ||
    wrong "exit code $?: $(cat "$work/log")"
grep -q 'push: .* sent; 0 wait, 0 lost' "$work/log" || wrong "it says $(cat "$work/log")"
all_arrived record "$work/record.jfr"
[ "$(stat -c %a "$work/record.jfr.push")" = 700 ] && grep -q '^push-state: ended' "$work/record.jfr.push/status" || wrong 'no state beside the recording'
verdict 'record --push'

"$kit" record -q --agent "$agent" --push "$url/store/short/" -o "$work/short.jfr" -- "${java[@]}" -version >"$work/log" 2>&1 </dev/null ||
    wrong "exit code $?: $(cat "$work/log")"
mapfile -t bodies < <(taken short)
[ ${#bodies[@]} = 1 ] || wrong "${#bodies[@]} recordings of a JVM that ends at once: $(cat "$work/log")"
[ "$(counts "$work/short.jfr")" = "$(counts "${bodies[@]}")" ] || wrong 'other events'
verdict 'record --push of a JVM that ends at once'

"${java[@]}" Workload cpu 60 >"$work/out" 2>&1 </dev/null &
jvm=$!
children+=("$jvm")
wait_for_jvm() { # until it can be asked
    for _ in $(seq 50); do
        "$kit" list 2>/dev/null | grep -q "^ *$jvm " && return
        sleep 0.1
    done
}
wait_for_jvm
mkdir "$work/started"
"$kit" start --cpu 5ms --agent "$agent" --push "$url/store/start/" --every 1s --push-with service=shop -o "$work/started/app.jfr" "$jvm" >"$work/log" 2>&1 </dev/null ||
    wrong "exit code $?: $(cat "$work/log")"
sender=$(sed -n 's/.*process \([0-9]*\) sends to http.*messages are in .*\/app.jfr.push\/log$/\1/p' "$work/log")
kill -0 "$sender" || wrong "nothing sends: $(cat "$work/log")"
sleep 2.5
"$kit" status "$jvm" >"$work/log" 2>&1
grep -qE "^  sending to $url/store/start/: [1-9] intervals?, .*; 0 wait, none lost$" "$work/log" || wrong "status says $(cat "$work/log")"
"$kit" status --json "$jvm" | grep -q '"push-sent": [1-9]' || wrong 'status --json does not say it'
"$kit" stop "$jvm" >"$work/log" 2>&1
grep -q '^  sending to ' "$work/log" || wrong "stop says $(cat "$work/log")"
for _ in $(seq 100); do
    kill -0 "$sender" 2>/dev/null || break
    sleep 0.1
done
kill -0 "$sender" 2>/dev/null && wrong 'it still sends after the end'
[ ! -s "$work/started/app.jfr.push/log" ] || grep -q ' intervals, .* sent; 0 wait, 0 lost' "$work/started/app.jfr.push/log" || wrong "the log: $(cat "$work/started/app.jfr.push/log")"
all_arrived start "$work/started/app.jfr"
verdict 'start --push: a process sends until stop, status shows how it goes'

# From a folder without the agent, which --agent names.
mkdir "$work/attached" "$work/alone"
cp "$kit" "$work/alone/jfrkit"
"$work/alone/jfrkit" attach -q -d 4s --cpu 5ms --agent "$agent" --push "$url/store/attach/" --every 1s -o "$work/attached/app.jfr" "$jvm" >"$work/log" 2>&1 </dev/null ||
    wrong "exit code $?: $(cat "$work/log")"
all_arrived attach "$work/attached/app.jfr"
verdict 'attach --push'

"$kit" start -q --agent "$agent" --push http://127.0.0.1:1/ --every 1s --push-with retry=0s -o "$work/started/away.jfr" "$jvm" >"$work/log" 2>&1 </dev/null ||
    wrong "exit code $?: $(cat "$work/log")"
sleep 2.5
"$kit" status "$jvm" >"$work/log" 2>&1
grep -qE "^  sending to http://127.0.0.1:1/: 0 intervals, 0 B; [1-9] wait, none lost; last error: .*127.0.0.1" "$work/log" || wrong "status says $(cat "$work/log")"
"$kit" stop -q "$jvm"
kill "$jvm"
for _ in $(seq 100); do
    grep -q '^push-state: ended' "$work/started/away.jfr.push/status" && break
    sleep 0.1
done
grep -q 'the next run with --spool-folder .*away.jfr.push sends what waits' "$work/started/away.jfr.push/log" || wrong "the log: $(cat "$work/started/away.jfr.push/log")"
verdict 'a server that is away is shown by status'

# A server that is away every other while; SOAK=1: every other minute, 30 minutes long.
while=2 rounds=3
[ -z "${SOAK:-}" ] || while=60 rounds=15
recorded often $((2 * while * rounds + 2))
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
push often --retry 30s --to "http://127.0.0.1:$port/store/often/" "$jvm"
for ((i = 0; i < rounds; i++)); do
    sleep $while
    mkdir "$work/often-$i"
    PORT=$port python3 test-data/push/server.py "$work/often-$i" >"$work/often" 2>&1 &
    server=$!
    children+=("$server")
    sleep $while
    [ $i = $((rounds - 1)) ] || { kill "$server" && wait "$server" 2>/dev/null; }
done
wait "$jvm"
wait "$pusher" || wrong "exit code $?: $(cat "$work/often.pushed")"
grep -q 'the server is back' "$work/often.pushed" || wrong "it says $(cat "$work/often.pushed")"
# What a server took when it was killed before its answer comes twice, with the same bytes.
mkdir "$work/often"-all
for f in "$work/often"-[0-9]*/*.body; do
    cp "$f" "$work/often-all/$(sha256sum <"$f" | cut -c1-64)"
done
counts "$work/often.jfr" >"$work/want"
counts "$work/often-all"/* >"$work/have"
diff "$work/want" "$work/have" >"$work/log" || wrong "$(head -6 "$work/log")"
[ "$(ls "$work/often-all" | wc -l)" -gt "$rounds" ] || wrong "only $(ls "$work/often-all" | wc -l) intervals"
echo "# $(ls "$work/often-all" | wc -l) intervals, $(awk '{ n += $2 } END { print n }' "$work/have") events"
verdict 'a server that is away every other while loses nothing'

box=$(jdk_home 17 || jdk_home 25)
if [[ $box == "$(dirname "$agent")"/* ]] || ! can_contain; then
    skip 'a JVM in a container is sent' 'unshare is not permitted, or there is no JDK outside of the build'
else
    contained "$box"
    mkdir "$work/here"
    (cd "$work/here" && "$kit" start -q --cpu 5ms --agent "$agent" --push "$url/store/boxed/" --every 1s -o /tmp/app.jfr "$pid") >"$work/log" 2>&1 ||
        wrong "exit code $?: $(cat "$work/log")"
    sleep 4
    (cd "$work/here" && "$kit" status "$pid") >"$work/log" 2>&1
    grep -q "^  sending to $url/store/boxed/: [1-9]" "$work/log" || wrong "status says $(cat "$work/log")"
    "$kit" stop -q "$pid"
    for _ in $(seq 100); do
        grep -q '^push-state: ended' "$work/here/app.jfr.push/status" && break
        sleep 0.1
    done
    cp "/proc/$pid/root/tmp/app.jfr" "$work/boxed.jfr"
    all_arrived boxed "$work/boxed.jfr"
    kill -9 "$pid"
    wait "$host" 2>/dev/null
    verdict 'a JVM in a container, of another user, is sent'
fi
exit $failed
