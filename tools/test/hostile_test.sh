#!/bin/bash
# Recordings that were crafted to cost more than they are worth (jfrfmt/test/crafted_test.c). Every program
# ends by itself, takes at most 100 MB and 20 times the recording, and twice the recording is at most
# 2.6 times the work, in instructions that valgrind counts. SOAK=1: the work of all programs on all
# shapes, not only where it once grew with the square.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/jdk_lib.sh

#       shape       for memory  for work
shapes='fields      20000       1000
        types       10000       1000
        same-name   5000        1000
        super       20000       1000
        struct      20000       1000
        empty       200         40
        pools       100000      5000
        text        1000000     100000
        attributes  100000      5000
        frames      100000      5000
        stacks      5000        100
        threads     100000      2000'
commands=(jfr2collapsed jfr2csv jfr2firefox jfr2flame jfr2json 'jfr2json -l ndjson' 'jfr2json -l columns'
    jfr2otlp jfr2pprof jfr2speedscope jfr2table jfr2trace jfrdiff jfrmeta 'jfrmeta --json' jfrsummary
    'jfrview all-views' jfrannotate jfrcat 'jfrcut -E nothing')
# Where the work, or the memory, once grew with the square, or faster.
squares='fields jfr2csv|fields jfr2json -l ndjson|fields jfr2json -l columns|fields jfr2trace|fields jfr2firefox'
squares+='|types jfrview all-views|super jfrview all-views|empty jfrcut -E nothing|same-name jfr2json'

# run_on COMMAND FILE [BEFORE...]: with a limit on memory, since what grows without bound must not take the
# machine. The exit code, and $work/err.
run_on() {
    local command=($1) file=$2

    shift 2
    command[0]=$B/${command[0]}
    [ "${command[0]}" != "$B/jfrdiff" ] || file="$file $file"
    (ulimit -v 6000000; timeout 120 "$@" "${command[@]}" -o /dev/null $file) >"$work/said" 2>"$work/err" </dev/null
}

# What is in it that cannot be decoded, or no sample, makes 0, 1 or 3; all else is no end by itself.
ended_well() { # ended_well CODE COMMAND SHAPE
    case $1 in
    0 | 1 | 3) ;;
    2) [ "$2" = jfrdiff ] || wrong "$2 on $3: exit code 2" ;; # no samples to compare
    *) wrong "$2 on $3: exit code $1: $(tail -1 "$work/err")" ;;
    esac
}

memory() { # memory SHAPE FILE
    local command limit mb rc

    limit=$((100 + 20 * $(stat -c %s "$2") / 1000000))
    for command in "${commands[@]}"; do
        run_on "$command" "$2" "$B/bench/measure" -x
        rc=$?
        ended_well $rc "$command" "$1"
        mb=$(awk '{ print $2 }' "$work/said")
        awk -v mb="${mb:-1e9}" -v limit=$limit 'BEGIN { exit !(mb > limit) }' && wrong "$command on $1: $mb MB, not $limit"
    done
    verdict "$1: memory of every program"
}

count() { # count COMMAND FILE: instructions
    run_on "$1" "$2" valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null
    ended_well $? "$1" "$2"
    sed -nE 's/,//g; s/.*I +refs: +([0-9]+)$/\1/p' "$work/err"
}

work_grows() { # work_grows SHAPE N
    local command none once twice

    "$B/jfrfmt/test/crafted_test" --write "$1" "$2" "$work/once.jfr"
    "$B/jfrfmt/test/crafted_test" --write "$1" $((2 * $2)) "$work/twice.jfr"
    for command in "${commands[@]}"; do
        [[ -n ${SOAK:-} || "$1 $command" =~ ^($squares)$ ]] || continue
        # What these write is a table of all types by all fields.
        [ "$1 $command" != 'same-name jfr2csv' ] && [ "$1 $command" != 'same-name jfr2json -l columns' ] || continue
        none=$(count "$command" "$work/none.jfr")
        once=$(count "$command" "$work/once.jfr")
        twice=$(count "$command" "$work/twice.jfr")
        # Half a million: what is read once, and what the allocator does by chance.
        once=$((once > none ? once - none : 0)) twice=$((twice - none))
        [ $((10 * twice)) -le $((26 * once + 5000000)) ] ||
            wrong "$command on $1: $once instructions, then $twice"
    done
    verdict "$1: work of ${SOAK:+all }programs"
}

# A few kB that unpack to far more: gzip, and zstd in gzip.
bombs() {
    local f what command

    head -c 400000000 /dev/zero | gzip >"$work/zeros.gz"
    { "$B/jfrfmt/test/crafted_test" --write threads 1000 "$work/small.jfr" && cat "$work/small.jfr" && head -c 200000000 /dev/zero; } |
        gzip >"$work/behind.gz"
    gzip -c "$work/behind.gz" >"$work/twice.gz.gz"
    for f in zeros.gz behind.gz twice.gz.gz; do
        for command in jfr2json jfrsummary jfrcat jfr2collapsed jfrview\ all-views; do
            run_on "$command --max-unpacked 50m" "$work/$f" "$B/bench/measure" -x
            what=$?
            ended_well $what "$command" "$f"
            [ $what != 0 ] || wrong "$command on $f: exit code 0"
            grep -q 'unpacks to too much (more with --max-unpacked) at compressed offset' "$work/err" ||
                wrong "$command on $f: $(tail -1 "$work/err")"
            awk '{ exit !($2 > 100 + 50) }' "$work/said" && wrong "$command on $f: $(cat "$work/said") MB"
        done
    done
    "$B/jfr2json" -l ndjson --max-unpacked 50m "$work/behind.gz" 2>/dev/null | cmp - <("$B/jfr2json" -l ndjson "$work/small.jfr") >>"$work/wrong" 2>&1
    "$B/jfr2json" --max-unpacked lots "$work/behind.gz" >/dev/null 2>&1
    [ $? = 2 ] || wrong '--max-unpacked lots is no usage error'
    verdict 'what unpacks to too much ends, and what came before it is there'
}

# A clone in a folder whose name has a space, with JVMs in build/jdks: one script that runs on each of them.
space() {
    local home folder=$B/a\ b

    home=$( (compgen -G "$B/jdks/*" || jdks) | head -1)
    [ -n "$home" ] && [ -e "$B/libjfrkit.so" ] || { echo 'skip a folder with a space: no JVM, or no agent'; return; }
    rm -rf "$folder"
    mkdir -p "$folder/build/jdks"
    # Links cost no space; an installed JVM may be in another file system.
    cp -al "$home" "$folder/build/jdks/" 2>/dev/null || cp -a "$home" "$folder/build/jdks/"
    cp -a recorder test-data tools "$folder/"
    cp -a "$B"/jfr* "$B"/*.so "$folder/build/"
    (cd "$folder" && env -u SOAK B=build JDKS="$PWD/build/jdks/$(basename "$home")" recorder/io/test/wait_test.sh) >"$work/said" 2>&1 &&
        grep -q '^ok ' "$work/said" || cat "$work/said" >>"$work/wrong"
    rm -rf "$folder"
    verdict 'a test on a JVM below a folder with a space'
}

space
bombs
"$B/jfrfmt/test/crafted_test" --write fields 1 "$work/none.jfr"
while read -r shape large small; do
    "$B/jfrfmt/test/crafted_test" --write "$shape" "$large" "$work/large.jfr"
    memory "$shape" "$work/large.jfr"
    [[ -n ${SOAK:-} || "|$squares" == *"|$shape "* ]] || continue
    if tools/setup.sh --has valgrind; then
        work_grows "$shape" "$small"
    else
        echo "skip $shape: work: no valgrind"
    fi
done <<<"$shapes"
exit $failed
