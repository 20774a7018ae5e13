#!/bin/bash
# jfrec start, status, dump, stop, list: JVMs that run, of each JDK, in containers and under other
# users; and processes that must not be harmed.
set -u
. test-data/workload/lib.sh
. tools/test/container_lib.sh
jfrec=$(realpath -s "$B/jfrec")

# says CODE WORDS ARGUMENT...: jfrec's exit code, and words that it prints; "" = silence on stderr
says() {
    local code=$1 words=$2 is

    shift 2
    "$jfrec" "$@" >"$work/said" 2>"$work/complaint" </dev/null
    is=$?
    [ $is = "$code" ] || wrong "jfrec $*: exit code $is: $(cat "$work/complaint")"
    if [ -z "$words" ]; then
        [ ! -s "$work/complaint" ] || wrong "jfrec $*: $(cat "$work/complaint")"
    else
        cat "$work/said" "$work/complaint" | grep -qE -- "$words" ||
            wrong "jfrec $*: no word of '$words' in: $(cat "$work/said" "$work/complaint")"
    fi
}

status() { # status KEY: of the last answer
    sed -nE "s/^$1 +//p" "$work/said"
}

# no_left_overs [PID [NSPID]]: of us in the /tmp of a process
no_left_overs() {
    left_overs "${1:-self}" >>"$work/wrong"
    [ ! -e "/proc/${1:-self}/root/tmp/.attach_pid${2:-x}" ] || wrong ".attach_pid$2 is left"
}

stop_it() {
    kill -9 "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
}

life_cycle() { # life_cycle JDK
    local name

    name="JDK $(release "$1")"
    run "$1" cpu 600
    says 0 "$pid .* +Workload cpu 600" list
    [ "$("$jfrec" list --json | jq -r ".[] | select(.pid == $pid) | .main")" = Workload ] || wrong 'list --json'
    says 1 "process $pid is not being recorded" status "$pid"
    says 1 'sees no folder' start -o /no/such/folder/x.jfr "$pid"
    says 0 '' start -v -o "$work/a.jfr" --cpu 1ms "$pid"
    [ "$(status process)" = "$pid Workload" ] || wrong "process $(status process)"
    says 1 'a recording is running already' start -o "$work/b.jfr" "$pid"
    says 0 "$pid \*" list
    until_told samples 50
    says 0 '' status -v "$pid"
    [ "$(status state)" = running ] || wrong "state $(status state)"
    [ "$(status file)" = "$work/a.jfr" ] || wrong "file $(status file)"
    says 0 '' status --json "$pid"
    [ "$(jq -r .state "$work/said")" = running ] || wrong 'status --json'
    is_whole "$work/a.jfr" # while it is written
    says 2 '-o FILE' dump "$pid"
    says 2 "unknown option '-o'" stop -o "$work/b.jfr" "$pid"
    says 0 '' stop -v "$pid"
    [ "$(status process)" = "$pid Workload" ] || wrong "process $(status process)"
    [ "$(status state)" = stopped ] || wrong "state $(status state)"
    is_whole "$work/a.jfr"
    [ "$(count "$work/a.jfr" jdk.ExecutionSample)" = "$(status samples)" ] ||
        wrong "$(count "$work/a.jfr" jdk.ExecutionSample) samples, status said $(status samples)"
    says 0 'off' status -v "$pid"
    says 1 'no recording runs' stop "$pid"
    no_left_overs self "$pid"
    verdict "start, status and stop on $name"
    restarts
    stopped_jvm
    deleted_socket "$1"
    stop_it
    verdict "the socket of $name was deleted"
}

restarts() {
    local i

    for i in 1 2 3 4 5 6 7 8 9 10; do
        says 0 '' start -q -o "$work/r.jfr" "$pid"
        says 0 '' stop -q "$pid"
        is_whole "$work/r.jfr"
    done
    kill -0 "$pid" || wrong 'the JVM has died'
    verdict "ten recordings one after the other on $name"
}

stopped_jvm() {
    says 0 '' start -q -o "$work/s.jfr" --cpu 1ms "$pid"
    kill -STOP "$pid"
    sleep 0.3
    says 1 "kill -CONT $pid" status "$pid"
    kill -CONT "$pid"
    until_told samples 20
    says 0 '' stop -q "$pid"
    is_whole "$work/s.jfr"
    verdict "SIGSTOP and SIGCONT while recording on $name"
}

deleted_socket() { # it is made again, since 11.0.5 or so, or the message says what to do
    rm -f "/tmp/.java_pid$pid"
    if [ "$(release "$1")" -ge 11 ]; then
        says 0 '' start -q -o "$work/d.jfr" "$pid"
        says 0 '' stop -q "$pid"
    else
        says 1 'socket was deleted' start --timeout 2 -o "$work/d.jfr" "$pid"
    fi
}

# run_jar HOME JAR: as run
run_jar() {
    : >"$work/out"
    "$1/bin/java" -jar "$2" cpu 600 >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    children+=("$pid")
    wait_for "$work/out" '^pid='
}

# Virtual threads that do not leave their carriers do not make the agent doubt its walker.
mounted() { # mounted JDK
    [ "$(release "$1")" -ge 21 ] || { inapplicable "virtual threads that wait on their carriers, JDK $(release "$1")" 'it has none'; return; }
    mkdir -p "$work/classes"
    javac "$1" -d "$work/classes" test-data/workload/Mounted.java || { wrong javac; verdict 'virtual threads that wait on their carriers'; return; }
    : >"$work/out"
    [ -p "$work/in" ] || mkfifo "$work/in"
    "$1/bin/java" -cp "$work/classes" Mounted 2 <>"$work/in" >"$work/out" 2>"$work/err" & # nothing comes, nor an end
    children+=("$!")
    wait_for "$work/out" '^pid=' || give_up 'it does not start'
    pid=$(truth pid)
    children+=("$pid")
    says 0 '' start -q -o "$work/m.jfr" "$pid"
    says 0 '' status -v "$pid"
    [ "$(status walker)" = signal ] || wrong "walker $(status walker): $(status walker-why)"
    says 0 '' stop -q "$pid"
    is_whole "$work/m.jfr"
    stop_it
    verdict "virtual threads that wait on their carriers, JDK $(release "$1")"
}

# A JVM listens before it takes a library: it is asked until it does.
starting() { # starting JDK
    local ms

    java_of "$1"
    for ms in {10..90..8}; do
        "${java[@]}" Workload cpu 600 >"$work/out" 2>"$work/err" </dev/null &
        pid=$!
        children+=("$pid")
        until [ "$(cat "/proc/$pid/comm")" = java ]; do :; done
        sleep "0.0$ms"
        "$jfrec" start -q -o "$work/early.jfr" "$pid" 2>"$work/complaint" || {
            kill -9 "$pid" 2>/dev/null
            wait "$pid" # 137: it was still running
            wrong "after $ms ms, exit code $?: $(cat "$work/complaint" "$work/err")"
        }
        stop_it
    done
    verdict "a JVM that is asked while it starts, JDK $(release "$1")"
}

by_name() { # by_name JDK
    local jar=$work/named$$.jar first

    jar_of "$jar"
    run_jar "$1" "$jar"
    says 0 '' start -q -o "$work/n.jfr" "named$$.jar"
    says 1 'no running JVM' stop "named${$%?}"
    says 1 'no running JVM' stop "amed$$"
    says 2 'is empty' stop ''
    says 0 'recording for' status "named$$"
    says 0 '' stop -q "named$$"
    verdict 'a JVM is found by the name of its main class or jar'
    first=$pid
    run_jar "$1" "$jar"
    says 1 "matches several JVMs" status "named$$"
    grep -q " $first named" "$work/complaint" && grep -q " $pid named" "$work/complaint" ||
        wrong "$(cat "$work/complaint")"
    verdict 'candidates are named when there are several'
    stop_it
    pid=$first
    stop_it
}

no_attach() { # no_attach JDK: JVMs that do not want it
    java_options=(-XX:+DisableAttachMechanism)
    run "$1" cpu 600
    says 1 'DisableAttachMechanism' start --timeout 2 "$pid"
    kill -0 "$pid" || wrong 'the JVM has died'
    ! grep -q 'Full thread dump' "$work/out" || wrong 'it was sent a signal'
    stop_it
    verdict 'DisableAttachMechanism is told, without a signal'
    java_options=(-Xrs)
    run "$1" cpu 600
    says 0 '' start -q -o "$work/x.jfr" "$pid" # it listens from the start on
    says 0 '' stop -q "$pid"
    rm -f "/tmp/.java_pid$pid"
    says 1 'was started with -Xrs' start --timeout 1 "$pid"
    kill -0 "$pid" || wrong 'the JVM has died'
    stop_it
    verdict 'a JVM with -Xrs is recorded, or lives at least'
    java_options=()
    if [ "$(release "$1")" -ge 21 ]; then
        java_options=(-XX:-EnableDynamicAgentLoading)
        run "$1" cpu 600
        says 1 'Dynamic agent loading is not enabled.*jfrkit record' start "$pid"
        kill -0 "$pid" || wrong 'the JVM has died'
        stop_it
        verdict 'EnableDynamicAgentLoading off is told'
    fi
    java_options=()
    run "$1" cpu 600
    echo none >"$work/none.so"
    says 1 "could not load|was not loaded" start --agent "$work/none.so" "$pid"
    stop_it
    verdict 'a library that is none'
}

not_a_jvm() {
    local other

    sleep 1000 &
    other=$!
    children+=("$other")
    says 1 "process $other is not a JVM" start "$other"
    says 1 "process $other is not a JVM" stop "$other"
    kill -0 "$other" || wrong 'it was killed'
    kill "$other"
    wait "$other" 2>/dev/null
    says 1 "there is no process $other" status "$other"
    verdict 'a process that is no JVM is left alone'
}

other_user() { # other_user JDK
    local me

    if [ "$(id -u)" != 0 ]; then
        says 1 'run this command as' status 1
        verdict "another user's process is told"
        return
    fi
    setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null ||
        { skip "another user's JVM" 'setpriv is not permitted'; return; }
    mkdir "$work/open"
    chmod 711 "$work"
    chmod 777 "$work/open"
    cp "$jfrec" "$agent" "$work/open/"
    run "$1" cpu 600
    me=$(setpriv --reuid=65534 --regid=65534 --clear-groups "$work/open/jfrec" start "$pid" 2>&1)
    [[ $me == *'belongs to user 0: run this command as that user or as root'* ]] || wrong "$me"
    kill -0 "$pid" || wrong 'the JVM has died'
    stop_it
    verdict "a user is told about root's JVM"
    cp -r "$B/workload" "$work/open/"
    : >"$work/out"
    setpriv --reuid=65534 --regid=65534 --clear-groups "$1/bin/java" -cp "$work/open/workload" \
        Workload cpu 600 >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    children+=("$pid")
    wait_for "$work/out" '^pid='
    # as a JVM of root that was killed and had this number left it
    rm -f "/tmp/.java_pid$pid"
    python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "/tmp/.java_pid$pid" ||
        wrong 'no socket was left'
    says 0 '' start -q -o "$work/open/u.jfr" --cpu 1ms "$pid"
    until_told samples 20
    says 0 '' stop -q "$pid"
    [ "$(stat -c %u "$work/open/u.jfr")" = 65534 ] || wrong 'the recording is not the user'"'"'s'
    is_whole "$work/open/u.jfr"
    stop_it
    no_left_overs
    verdict "root records a user's JVM, which owns its file"
}

container() { # container JDK
    local host

    [[ $1 != "$(dirname "$agent")"/* ]] || { inapplicable "a JVM in a container, JDK $(release "$1")" 'its files are hidden with ours'; return; }
    can_contain || { skip "a JVM in a container, JDK $(release "$1")" 'unshare is not permitted'; return; }
    contained "$1"
    [ "$("$jfrec" list --json | jq -r ".[] | select(.pid == $pid and .nspid == 1) | .main")" = Workload ] ||
        wrong 'it is not listed'
    says 1 'sees no folder' start -o "$work/x.jfr" "$pid"
    says 0 '' start -q --cpu 1ms --settings "$1/lib/jfr/profile.jfc" -o /tmp/app.jfr "$pid"
    until_told samples 20
    says 0 '' stop -q "$pid"
    cp "/proc/$pid/root/tmp/app.jfr" "$work/c.jfr" || wrong 'no recording'
    is_whole "$work/c.jfr"
    no_left_overs "$pid" 1
    ! grep -E 'libjfrkit' "/proc/$pid/maps" | grep -v deleted || wrong 'its library is still there'
    kill -9 "$pid"
    wait "$host" 2>/dev/null
    verdict "a JVM in a container, JDK $(release "$1")"
}

command -v jq >/dev/null || { skip 'attach' 'no jq'; exit 0; }
mapfile -t homes < <(runtimes)
[ ${#homes[@]} != 0 ] || { skip 'attach' 'no JDK'; exit 0; }
[ -e "$agent" ] || { skip 'attach' "no $agent"; exit 0; }
not_a_jvm
for home in "${homes[@]}"; do
    workload || { skip "attach on JDK $(release "$home")" "$why"; continue; }
    life_cycle "$home"
    starting "$home"
    mounted "$home"
    container "$home"
done
by_name "$home"
no_attach "$home"
other_user "$home"
exit $failed
