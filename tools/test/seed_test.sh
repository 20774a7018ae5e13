#!/bin/bash
# No output depends on the order in a hash table: with two other seeds than the process would draw, every program writes
# the same bytes.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh

name='outputs with other seeds'
cat >"$work/seed.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

ssize_t getrandom(void *to, size_t n, unsigned flags)
{
    FILE *asked = fopen(getenv("ASKED"), "a");

    (void)flags;
    fprintf(asked, "%zu\n", n);
    fclose(asked);
    memset(to, atoi(getenv("SEED")), n);
    return (ssize_t)n;
}
C
if ! ${CC:-cc} -shared -fPIC -o "$work/seed.so" "$work/seed.c" 2>"$work/err"; then
    echo "skip $name: $(head -1 "$work/err")"
    exit 0
fi

# with SEED COMMAND...
with() {
    SEED=$1 ASKED=$work/asked LD_PRELOAD="$work/seed.so" "${@:2}"
}

for file in jdk25 async-profiler-jdk25 jfrkit-jdk25; do
    gzip -dc "test-data/recordings/$file.jfr.gz" >"$work/$file.jfr" || exit 1
done
outputs=0
while read -r command; do
    for file in "$work"/*.jfr; do
        for seed in 1 200; do
            # shellcheck disable=SC2086
            with $seed "$B"/$command "$file" >"$work/out.$seed" 2>"$work/err" || [ -s "$work/err" ] || echo "$command $file: exit code $?" >>"$work/wrong"
        done
        outputs=$((outputs + 1))
        cmp "$work/out.1" "$work/out.200" >>"$work/wrong" 2>&1 || echo "$command $(basename "$file")" >>"$work/wrong"
        cat "$work/out.1" >>"$work/all"
    done
done <<'COMMANDS'
jfr2json
jfr2csv -e jdk.ExecutionSample
jfr2parquet -e jdk.ExecutionSample -o -
jfr2collapsed -k cpu
jfr2flame -o -
jfr2pprof -o -
jfr2otlp -o -
jfr2speedscope
jfr2firefox
jfr2trace
jfr2table
jfrmeta
jfrsummary
jfrview hot-methods
jfrview types
jfrcat -o -
COMMANDS
[ "$(stat -c %s "$work/all")" -gt 1000000 ] || echo 'the programs wrote next to nothing' >>"$work/wrong"
# Two seeds for each output, which the program drew: it must not have taken others.
same 'seeds of 8 bytes that were drawn' "$(grep -cx 8 "$work/asked")" $((2 * outputs))
verdict "$name"
exit $failed
