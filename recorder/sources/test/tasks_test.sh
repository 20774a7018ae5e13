#!/bin/bash
# The context of who submits a task goes with it to the thread that runs it, and no other does: each task reads a file
# that is named after its user, and the event of the read has that user.
#   ROUNDS=N   of each of the ways
#   SOAK=1     on every Java runtime, not only on the oldest and newest JDK
set -u
. test-data/workload/lib.sh
. recorder/test/events_lib.sh

reads=settings=none,+jdk.FileRead#enabled=true,+jdk.FileRead#threshold=0ns,+jdk.FileRead#withContext=true
rounds=${ROUNDS:-200}

need jq
task_jars || { skip 'contexts of tasks' "$why"; exit 0; }
[ -n "$(compiler)" ] || { skip 'contexts of tasks' 'no JDK with a compiler'; exit 0; }
[ "$(nm "$agent" 2>/dev/null | grep -c woven_classes_1)" != 0 ] ||
    { skip 'contexts of tasks' 'the agent was built without ASM'; exit 0; }
mkdir -p "$work/classes"
javac "$(compiler)" -nowarn --release 8 -Xlint:-options -cp "$jars/*" -d "$work/classes" \
    test-data/workload/{Tasks,MutinyPublishers,NettyTimers,NextUser,OkCalls,ReactorPublishers,RxPublishers,ScalaFutures,VertxFutures,VirtualSleepers}.java >"$work/log" 2>&1 || give_up "javac: $(grep -m1 error "$work/log")"

# hand_over HOME SOURCES HOW [JAVA-OPTION...]: the program, recorded to $work/tasks.jfr from its start or attached to
hand_over() {
    local home=$1 sources=$2 how=$3 options

    rm -rf "$work/files" "$work/tasks.jfr"
    options="file=$work/tasks.jfr,$reads,contextsource=$sources"
    set -- "${@:4}"
    [ "$(release "$home")" -lt 21 ] || set -- --enable-preview "$@" # StructuredTaskScope
    [ "$how" = attach ] || set -- -Xverify:all "$@" "-agentpath:$agent=$options" # all classes, also those that are changed
    : >"$work/out"
    "$home/bin/java" "$@" -cp "$work/classes:$jars/*" Tasks "$work/files" "$rounds" >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    children+=("$pid")
    wait_for "$work/out" '^ready' "$pid" || wrong "it does not begin: $(tail -1 "$work/err")"
    [ "$how" = start ] ||
        "$B/jfrkit" start -q --context-source "$sources" --settings none -s +jdk.FileRead#enabled=true -s +jdk.FileRead#threshold=0ns \
            -s +jdk.FileRead#withContext=true -o "$work/tasks.jfr" "$pid" >"$work/log" 2>&1 || give_up "start: $(cat "$work/log")"
    wait_for "$work/err" 'keys of MDC that are recorded' "$pid" || wrong "no keys are chosen: $(tail -2 "$work/err")"
    sleep 1 # each worker gets its second task meanwhile
    touch "$work/files/go"
    wait "$pid" || wrong "exit code $?: $(tail -1 "$work/err")"
    ! grep -E 'jfrkit: (warning|error)|values are missing' "$work/err" >"$work/log" || wrong "$(cat "$work/log")"
}

# users_of: "user-way user n" of the reads, with - for no user
users_of() {
    "$B/jfr2json" --layout ndjson -e jdk.FileRead --stack-depth 0 "$work/tasks.jfr" 2>/dev/null |
        jq -r --arg d "$work/files/" '.values | select((.path // "") | startswith($d)) |
            [(.path | ltrimstr($d)), (first(to_entries[] | select(.key | test("^mdc[0-9]*_user$")) | .value) // "-")] | @tsv' |
        sort | uniq -c | awk '{ print $2, $3, $1 }'
}

# all_have_their_user [threads]: with that word the program's own threads do, too
all_have_their_user() {
    users_of >"$work/users"
    awk -v threads="${1:-}" '/^want/ {
        split($2, a, "-") # user, way
        print $2, a[1] == "none" || (a[2] == "thread" && threads == "") ? "-" : a[1], $3
    }' "$work/out" | sort >"$work/want"
    [ "$(grep '^early-' "$work/users" | tr '\n' ';')" = 'early-any - 1;early-any user0 1;' ] ||
        wrong "a thread that waited before: $(grep '^early-' "$work/users" | tr '\n' ';')"
    [ "$(grep '^linked-' "$work/users" | tr '\n' ';')" = 'linked-any - 1;linked-any user0 1;' ] ||
        wrong "an object of two, in a linked queue: $(grep '^linked-' "$work/users" | tr '\n' ';')"
    [ "$(grep '^array-' "$work/users")" = 'array-any - 2' ] ||
        wrong "an object of two, in another queue: $(grep '^array-' "$work/users" | tr '\n' ';')"
    [ "$(awk '/^shared-/ { print $2, $3 }' "$work/users" | tr '\n' ';')" = \
        "$(for user in - user0 user1 user2 user3; do printf '%s %s;' $user $((rounds * 3)); done)" ] ||
        wrong "an object of all: $(grep '^shared-' "$work/users" | tr '\n' ';')"
    grep -v '^warm-\|^shared-\|^early-\|^linked-\|^array-' "$work/users" | sort >"$work/got"
    [ "$(wc -l <"$work/want")" = 162 ] || wrong 'nothing was asked for'
    # What may run once more stays until it is garbage, which a collector has not found yet, perhaps: in each round, five
    # periodic tasks that were cancelled, and four timers of Netty for each user. All others have taken theirs.
    [ "$(sed -n 's/^unclaimed //p' "$work/out")" -le $((rounds * (5 + 4 * 4))) ] || wrong "$(grep '^unclaimed' "$work/out") of $rounds rounds"
    grep -q '^stored 0$' "$work/out" || wrong "tasks that have ended are remembered: $(grep '^stored' "$work/out")"
    diff "$work/want" "$work/got" >"$work/log" || wrong "$(wc -l <"$work/log") lines: $(grep '^[<>]' "$work/log" | head -6)"
}

# times: "thread time what user first end": parts by their begin, reads by their end, with - for no user
times() {
    "$B/jfr2csv" -e jdk.FileRead,jfrkit.Mdc --fields event,startTime,duration,eventThread.javaThreadId,isContinuation,mdc_user,user \
        "$work/tasks.jfr" 2>/dev/null | tr -d '\r' | awk -F, "$awk_time"'
        $1 == "jfrkit.Mdc" { printf "%d %.0f 1part %s %s %.0f\n", $4, time($2), $7, $5 == "false", time($2) + $3 }
        $1 == "jdk.FileRead" { printf "%d %.0f 2read %s\n", $4, time($2) + $3, $6 == "" ? "-" : $6 }' |
        sort -k1,1n -k2,2n -k3,3
}

# Each read with a user lies in one part of a scope of that user, on its thread. Parts of a thread do not overlap, and only
# those of the threads that submit are first ones: one for each user and round.
parts_are_right() {
    times | awk -v first=$((rounds * 4)) '
        $1 != thread { thread = $1; user = "-"; end = 0 }
        $3 == "1part" {
            if ($2 < end)
                print "parts of thread " thread " overlap"
            user = $4; end = $6; n_first += $5
        }
        $3 == "2read" && $4 != "-" && ++n_reads && (user != $4 || end < $2) { print "a read of " $4 " is in no part of thread " thread }
        END {
            if (n_first != first || n_reads < 10 * first)
                print n_first " first parts, not " first ", and " n_reads " reads"
        }' >"$work/log"
    [ ! -s "$work/log" ] || wrong "$(wc -l <"$work/log") faults of parts: $(head -3 "$work/log")"
}

# none_is_wrong HOME CHECKS: that many tasks ask which user is set, which takes less than an event; meanwhile the table of
# values fills up and forgets old ones, so that numbers of values get another meaning
none_is_wrong() {
    local home=$1 each=1310 n n_forgot wrong lost # of each round, at least: five users, 262 checks each

    local preview=()
    [ "$(release "$home")" -lt 21 ] || preview=(--enable-preview)
    rm -rf "$work/files"
    "$home/bin/java" "${preview[@]}" "-agentpath:$agent=file=$work/checks.jfr,settings=none,contextsource=mdc=user+request+threads" \
        -cp "$work/classes:$jars/*:$B/jfrkit.jar" Tasks "$work/files" $(($2 / each + 1)) check >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    children+=("$pid")
    wait_for "$work/out" '^ready' "$pid" || wrong "it does not begin: $(tail -1 "$work/err")"
    wait_for "$work/err" 'keys of MDC that are recorded' "$pid" || wrong "no keys are chosen: $(tail -2 "$work/err")"
    sleep 1
    touch "$work/files/go"
    wait "$pid" || wrong "exit code $?: $(tail -1 "$work/err")"
    read -r n wrong lost < <(sed -n 's/^checks \([0-9]*\) wrong \([0-9]*\) lost \([0-9]*\)$/\1 \2 \3/p' "$work/out")
    [ "${n:-0}" -ge "$2" ] && [ "${wrong:-1}" = 0 ] || wrong "$wrong of $n: $(grep '^wrong' "$work/out" | head -3)"
    n_forgot=$(sed -n 's/^generations //p' "$work/out")
    [ "${n_forgot:-0}" -ge 3 ] || wrong 'no value was forgotten meanwhile'
    [ "${lost:-$n}" -le $((n / 10000)) ] || wrong "$lost of $n have no context"
    echo "# $lost of $n tasks had no context; values were forgotten $n_forgot times meanwhile"
    verdict "$n tasks have the context of who submitted them, JDK $(release "$home")"
}

# sleepers HOME RUNS: virtual threads of users that sleep, lock and wake each other up all end
sleepers() {
    local run stacks

    for ((run = 0; run < $2; run++)); do
        "$1/bin/java" "-agentpath:$agent=file=$work/sleepers.jfr,cpu=5ms,contextsource=mdc=user" \
            -cp "$work/classes:$jars/*" VirtualSleepers 6 >"$work/out" 2>"$work/err" </dev/null &
        pid=$!
        children+=("$pid")
        if ! wait_for "$work/out" '^done' "$pid"; then
            stacks=$B/log/sleepers-$pid
            kill -QUIT "$pid" 2>/dev/null && sleep 2
            cp "$work/out" "$stacks"
            kill -ABRT "$pid" 2>/dev/null
            wrong "run $run did not end: thread dump in $stacks"
            break
        fi
        wait "$pid" || wrong "run $run: exit code $?: $(tail -1 "$work/err")"
    done
    "$B/jfrkit" table --by user -f csv "$work/sleepers.jfr" 2>/dev/null | grep -q '^own[0-3],' || wrong 'no sample has a user of a virtual thread'
    verdict "$2 runs of 12 000 virtual threads with contexts end, JDK $(release "$1")"
}

mapfile -t homes < <(if [ -n "${SOAK:-}" ]; then runtimes; else jdks | sed -n '1p;$p' | uniq; fi)
for home in "${homes[@]}"; do
    v=$(release "$home")
    hand_over "$home" auto start
    all_have_their_user
    parts_are_right
    [ "$v" -lt 21 ] || grep -qx 'newer executors: virtual perTask structured' "$work/out" || wrong "$(grep '^newer' "$work/out")"
    verdict "tasks have the context of who submitted them, JDK $v"
done
hand_over "${homes[0]}" notasks start
users_of >"$work/users"
# The thread that begins a parallel stream takes part in it, and a future's functions run where it is completed.
sed -i '/^warm-/d; /-parallelStream /d; /-dependent /d; /-scala /d; /-reactor/d; /-rx/d; /-mutiny/d; /-vertx/d' "$work/users"
[ "$(awk '$2 != "-" { n += $3 } END { print n + 0 }' "$work/users")" = 0 ] || wrong "$(grep -v ' - ' "$work/users" | head -3)"
[ "$(wc -l <"$work/users")" -gt 40 ] || wrong "few reads: $(wc -l <"$work/users")"
verdict 'with "notasks" they have none'
for home in "${homes[@]}"; do
    hand_over "$home" threads start
    all_have_their_user threads
    parts_are_right
    verdict "with \"threads\" the program's own threads have it, too, JDK $(release "$home")"
done
hand_over "${homes[${#homes[@]} - 1]}" auto attach
all_have_their_user
verdict 'in a program that was attached to'
none_is_wrong "${homes[${#homes[@]} - 1]}" "$([ -n "${SOAK:-}" ] && echo 10000000 || echo 1000000)"
if [ -n "${SOAK:-}" ]; then
    for gc in Serial Parallel G1 Z; do
        hand_over "${homes[${#homes[@]} - 1]}" auto start "-XX:+Use${gc}GC"
        all_have_their_user
        verdict "with the garbage collector $gc"
    done
fi
mapfile -t newer < <(runtimes | while read -r home; do [ "$(release "$home")" -lt 21 ] || echo "$home"; done)
if [ ${#newer[@]} = 0 ]; then
    inapplicable 'virtual threads with contexts' 'no JDK 21 or later'
    exit $failed
fi
if [ -n "${SOAK:-}" ]; then
    for home in "${newer[@]}"; do
        sleepers "$home" 200
    done
else
    sleepers "${newer[0]}" 2
fi
exit $failed
