#!/bin/bash
# Runs test programs and reports what passed: tools/test.sh PROGRAM...
#
# A program is a cmocka binary, or a script that prints "ok NAME", "not ok NAME" or "skip NAME: WHY".
# Output: one line for each program when it has ended, with its seconds of time and of processor;
# the whole log of one that failed; all skip lines; which tests failed and how to run each alone; the
# sum. A program that fails has failed: nothing runs twice.
#
#   B=build       logs go to $B/log/NAME.log, times to $B/log/times
#   JOBS=6        programs at a time. Default: three for each processor
#   TIMEOUT=900   seconds for each program
#
# Most programs wait for a JVM, a disk or a timer. tools/test_times has the seconds that each took and
# the seconds of processor time in them. The longest starts first, and more start as long as those that
# run leave a processor idle, so that programs which wait run beside programs which compute. One that
# is not in the list is taken for a short one that computes.
set -u
log=${B:-build}/log
limit=${TIMEOUT:-900}
processors=$(nproc)
jobs=${JOBS:-$((3 * processors))}
mkdir -p "$log"
rm -f "$log"/*.sum
: >"$log/skipped"
: >"$log/failed"
: >"$log/times"
# Our own numbers have a decimal point; the programs get the locale that we were given.
given=(${LC_ALL+"LC_ALL=$LC_ALL"})
export LC_ALL=C

# Counts the results in a log. A cmocka test that began and did not end has crashed; one that says
# "skip NAME: why" did not test. The lists at the end of cmocka's output repeat and are not counted.
# Names of failed tests go to the file `names`.
count() {
    awk -v names="$2" '
        function fails(name) { fail++; print name >names }
        /^\[ RUN      \] /                { if (run != "") fails(run); run = substr($0, 14); said = 0; next }
        /^\[ .*(OK|FAILED|SKIPPED) +\] / && run != "" && index($0, "] " run) {
            if (/OK \]/ && !said) pass++
            else if (/FAILED/) fails(run)
            else if (!said) skip++
            run = ""; next
        }
        /^ok /                            { pass++ }
        /^not ok /                        { fails(substr($0, 8)) }
        /^skip /                          { skip++; said = 1 }
        END { if (run != "") fails(run " (did not end)"); print pass + 0, fail + 0, skip + 0 }' "$1"
}

# run PROGRAM: prints its line, and its log if it failed; leaves the numbers in $log/ID.sum.
run() {
    local name=${1#"${B:-build}/"} id out p f s rc verdict wall user system cpu TIMEFORMAT='%R %U %S'

    id=$(tr / - <<<"$name")
    out=$log/$id.log
    : >"$log/$id.names"
    if [ ! -e "$1" ] && ! tools/setup.sh --has cmocka.h; then
        echo "skip $name: not built, needs libcmocka-dev" >"$out"
        rc=0 wall=0 user=0 system=0
    else
        # Started from a script in the background, we inherit SIGINT and SIGQUIT ignored; a JVM that
        # inherits that does not answer SIGQUIT.
        { time timeout -k 10 "$limit" env -u LC_ALL --default-signal=INT,QUIT,PIPE ${given[@]+"${given[@]}"} "$1" >"$out" 2>&1 </dev/null; } 2>"$log/$id.time"
        rc=$?
        read -r wall user system < <(tail -1 "$log/$id.time")
    fi
    rm -f "$log/$id.time"
    cpu=$(awk "BEGIN { printf \"%.1f\", $user + $system }")
    read -r p f s < <(count "$out" "$log/$id.names")
    verdict=
    [ $rc != 124 ] && [ $rc != 137 ] || verdict="stopped after $limit s"
    [ -n "$verdict" ] || [ $rc = 0 ] || [ "$f" != 0 ] || verdict="exit code $rc"
    [ -n "$verdict" ] || [ $((p + f + s)) != 0 ] || verdict="ran no test"
    [ -z "$verdict" ] || { f=$((f + 1)) && echo "$verdict" >>"$log/$id.names"; }
    # One write for each program: others print at the same time.
    {
        printf '%-40s %d passed, %d failed, %d skipped, %.0f s, %.0f s of processor%s\n' \
            "$name" "$p" "$f" "$s" "$wall" "$cpu" "${verdict:+ ($verdict)}"
        [ "$f" = 0 ] || sed 's/^/    /' "$out"
    } >"$log/$id.said"
    flock "$log/skipped" cat "$log/$id.said"
    {
        grep '^skip ' "$out"
        grep '^\[  SKIPPED \] .*' "$out" | grep -v 'listed below' | sort -u | sed 's/^\[  SKIPPED \]/skip/'
    } >>"$log/skipped"
    [ "$f" = 0 ] || sed "s|^|$name: |" "$log/$id.names" >>"$log/failed"
    printf '%s %.1f %.1f\n' "$name" "$wall" "$cpu" >>"$log/times"
    rm -f "$log/$id.said" "$log/$id.names"
    echo "$p $f $s" >"$log/$id.sum"
}

# Plan: "SECONDS LOAD PROGRAM" for each, longest first; the load is in hundredths of a processor.
mapfile -t plan < <(
    printf '%s\n' "$@" | awk -v b="${B:-build}/" -v list=tools/test_times '
        BEGIN { while ((getline line <list) > 0) { split(line, f, " "); wall[f[1]] = f[2]; cpu[f[1]] = f[3] } }
        {
            name = index($0, b) == 1 ? substr($0, length(b) + 1) : $0
            seconds = name in wall ? wall[name] : 1
            load = name in wall ? 100 * cpu[name] / (seconds > 0.1 ? seconds : 0.1) : 100
            printf "%.1f %.0f %s\n", seconds, load, $0
        }' | sort -k1,1rn -k3
)

# The next one starts while the others leave a processor idle by their measured loads, which is half a
# processor more than there are, since nothing computes all the time.
capacity=$((100 * processors + 50))
declare -A load_of=()
used=0

collect() { # waits for a program to end and gives its load back
    local pid

    wait -n -p pid
    used=$((used - ${load_of[$pid]:-0}))
    unset "load_of[$pid]"
}

for line in "${plan[@]}"; do
    read -r _ load program <<<"$line"
    while [ ${#load_of[@]} -ge "$jobs" ] || [ $used -ge $capacity ]; do
        collect
    done
    run "$program" &
    load_of[$!]=$load
    used=$((used + load))
done
while [ ${#load_of[@]} -gt 0 ]; do
    collect
done

passed=0 failed=0 skipped=0 ended=0
for sum in "$log"/*.sum; do
    [ -e "$sum" ] || continue
    read -r p f s <"$sum"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s)) ended=$((ended + 1))
done
sort "$log/skipped"
if [ -s "$log/failed" ]; then
    echo 'failed:'
    sort "$log/failed" | sed 's/^/    /'
    echo 'to run one alone:'
    cut -d: -f1 "$log/failed" | sort -u | sed 's|.*|    make test ONLY=&|'
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] && [ $ended = $# ]
