#!/bin/bash
# Runs test programs and says what passed: tools/test.sh PROGRAM...
# A program is a cmocka binary, or a script that prints "ok NAME", "not ok NAME", "skip NAME: why".
# One line per program; the whole log of one that failed; all skip lines; the sum at the end.
#   B=build      logs go to $B/log     TIMEOUT=900  seconds per program
#   JOBS=3       so many at once, else one more than processors, since programs wait too; what they
#                say appears in the order given, each with its seconds
# What fails beside others runs once more, alone and when the machine has its processors: programs
# that run against a clock fail on a busy machine too. The second run counts, unless a sanitizer found
# something in the first; that is shown all the same, and named at the end.
set -u
log=${B:-build}/log
limit=${TIMEOUT:-900}
jobs=${JOBS:-$(($(nproc) + 1))}
passed=0 failed=0 skipped=0
mkdir -p "$log"
rm -f "$log"/*.said "$log"/*.sum
: >"$log/skipped"
: >"$log/again"

# Counts the results in a log. A cmocka test that began and did not end has crashed; one that says
# "skip NAME: why" did not test. The lists at the end of cmocka's output repeat and are not counted.
count() {
    awk '
        /^\[ RUN      \] /                { if (run != "") fail++; run = substr($0, 14); said = 0; next }
        /^\[ .*(OK|FAILED|SKIPPED) +\] / && run != "" && index($0, "] " run) {
            if (/OK \]/ && !said) pass++
            else if (/FAILED/) fail++
            else if (!said) skip++
            run = ""; next
        }
        /^ok /                            { pass++ }
        /^not ok /                        { fail++ }
        /^skip /                          { skip++; said = 1 }
        END { print pass + 0, fail + (run != ""), skip + 0 }' "$1"
}

run() {
    local name=${1#"${B:-build}/"} began=$SECONDS out p f s rc verdict

    out=$log/$(tr / - <<<"$name").log
    if [ ! -e "$1" ] && ! tools/setup.sh --has cmocka.h; then
        echo "skip $name: not built, needs libcmocka-dev" >"$out"
        rc=0
    else
        timeout -k 10 "$limit" "$1" >"$out" 2>&1 </dev/null
        rc=$?
    fi
    read -r p f s < <(count "$out")
    verdict=
    [ $rc != 124 ] && [ $rc != 137 ] || verdict="stopped after $limit s"
    [ -n "$verdict" ] || [ $rc = 0 ] || [ "$f" != 0 ] || verdict="exit code $rc"
    [ -n "$verdict" ] || [ $((p + f + s)) != 0 ] || verdict="ran no test"
    [ -z "$verdict" ] || f=$((f + 1))
    printf '%-40s %s passed, %s failed, %s skipped, %s s%s\n' "$name" "$p" "$f" "$s" $((SECONDS - began)) "${verdict:+ ($verdict)}"
    [ "$f" = 0 ] || sed 's/^/    /' "$out"
    if [ "$f" != 0 ] && [ "$2" != again ] && ! grep -qE 'Sanitizer|runtime error:' "$out"; then
        echo "$1" >>"$log/again"
        p=0 f=0 s=0
        : >"$out"
    fi
    {
        grep '^skip ' "$out"
        grep '^\[  SKIPPED \] .*' "$out" | grep -v 'listed below' | sort -u |
            sed 's/^\[  SKIPPED \]/skip/'
    } >"$log/$2.skips"
    echo "$p $f $s" >"$log/$2.sum"
}

# Shows what is there, in order, from the first that was not shown yet.
show() {
    local p f s

    while [ -e "$log/$shown.sum" ]; do
        read -r p f s <"$log/$shown.sum"
        cat "$log/$shown.said"
        cat "$log/$shown.skips" >>"$log/skipped"
        rm -f "$log/$shown".{said,skips,sum}
        passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
        shown=$((shown + 1))
    done
}

# stolen: the percentage of the last two seconds that other machines on this host had of our processors.
stolen() {
    local -a from to

    read -ra from </proc/stat
    sleep 2
    read -ra to </proc/stat
    echo $(((to[8] - from[8]) * 100 / (2 * $(getconf CLK_TCK) * $(nproc))))
}

# Waits until the processors are ours, for ten minutes in all.
patience=600
wait_for_calm() {
    local until=$((SECONDS + patience))

    while [ $SECONDS -lt $until ] && [ "$(stolen)" -gt 20 ]; do
        sleep 8
    done
    patience=$((until - SECONDS))
    [ $patience -gt 0 ] || patience=0
}

started=0 shown=0
for program; do
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
        wait -n
        show
    done
    run "$program" $started >"$log/$started.said" &
    started=$((started + 1))
done
wait
show
while read -r program; do
    wait_for_calm
    echo "== again, alone: ${program#"${B:-build}/"}"
    run "$program" again
    cat "$log/again.skips" >>"$log/skipped"
    read -r p f s <"$log/again.sum"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    [ "$f" != 0 ] || echo "unsteady: ${program#"${B:-build}/"} failed beside others and passed alone"
done <"$log/again"
cat "$log/skipped"
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] && [ $shown = $started ]
