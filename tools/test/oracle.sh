#!/bin/bash
# Compares what our commands say with what others say of the same recordings.
#   tools/test/oracle.sh [--quick]      every file, or a few (for make test)
# Oracles: `jfr print --json`, `jfr print` as text and XML, `jfr summary`, `jfr metadata` of JDK 17 and 25 where installed, and
# beside the recordings of $SHARED (../shared): JMC's listings, collapsed stacks and a parsed file of
# grafana/jfr-parser. Files: all of $SHARED, and recordings made here of test-data/workload.
# Where a peer is wrong, test-data/oracle-known.tsv says so with the reason; such a pair must differ.
# Answers of the JDK's tools are kept in $B/oracle. Exit code 1 on a disagreement.
set -u
shopt -s nullglob
B=${B:-build}
shared=${SHARED:-../shared}
out=$B/oracle
known=test-data/oracle-known.tsv
quick=
[ "${1:-}" != --quick ] || quick=yes
mkdir -p "$out/in" "$out/peer"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/results"
. tools/test/jdk_lib.sh
. tools/test/oracle_lib.sh

jdk() { # jdk 25: its home, if there is one
    grep -lE "^JAVA_VERSION=\"$1[.\"]" /usr/lib/jvm/*/release 2>/dev/null | head -1 | xargs -r dirname
}

# result ORACLE FILE OK EVENTS VALUES [DETAIL]: OK is "same" (bytes), "equal" (values) or "differs".
result() {
    local verdict=$3 why

    why=$(awk -F'\t' -v o="$1" -v f="$2" '$1 == o && $2 == f { print $3 }' "$known" 2>/dev/null)
    if [ -n "$why" ]; then
        [ "$verdict" = differs ] && verdict=known || verdict=stale
    fi
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$verdict" "$4" "$5" "$2" >>"$work/results"
    case $verdict in
    differs) printf '%s: %s\n' "$1" "$2: differs"; printf '%s\n' "${6:-}" | head -8 | cut -c1-160 | sed 's/^ */    /' ;;
    stale) echo "$1: $2: agrees now, but $known says it should not: $why" ;;
    esac
}

# --- recordings -------------------------------------------------------------------------------

unpack() { # the path of FILE, unwrapped if it is a .gz
    local to

    case $1 in
    *.gz)
        to=$out/in/$(basename "$1" .gz)
        [ "$to" -nt "$1" ] || gzip -dc "$1" >"$to"
        echo "$to"
        ;;
    *) echo "$1" ;;
    esac
}

record() { # record JDK NAME OPTIONS CLASS ARGUMENTS...
    local home=$1 to=$out/in/$2.jfr options=$3

    shift 3
    [ -e "$to" ] || "$home/bin/java" -XX:StartFlightRecording:filename="$to",settings=profile \
        $options -cp "$out/classes" "$@" >"$work/record.log" 2>&1 || {
        echo "recording $to failed:"
        cat "$work/record.log"
        rm -f "$to"
    }
    [ ! -e "$to" ] || echo "$to" >>"$work/files"
}

compile() {
    [ "$out/classes/Events.class" -nt test-data/workload/Events.java ] ||
        javac "$1" -nowarn --release 11 -d "$out/classes" test-data/workload/Events.java
}

files() {
    local n home first='' f

    : >"$work/files"
    for n in 17 25; do
        home=$(jdk $n)
        [ -n "$home" ] || continue
        # The older compiler's classes run on both.
        [ -n "$first" ] || compile "$home" || continue
        first=$home
        record "$home" "events-$n" '' Events
        [ -n "$quick" ] ||
            record "$home" "chunks-$n" -XX:FlightRecorderOptions:maxchunksize=1m Events 8
    done
    if [ -n "$quick" ]; then
        for f in edge-cases/{reference_full,strings,units,extra_fields,ticks_differ}.jfr \
            recordings/jdk/{full_gc_g1,char_attribute}.jfr; do
            [ ! -e "$shared/$f" ] || echo "$shared/$f" >>"$work/files"
        done
        return
    fi
    for f in "$shared"/recordings/*/*.jfr "$shared"/recordings/*/*.jfr.gz "$shared"/edge-cases/*.jfr; do
        unpack "$f" >>"$work/files"
    done
}

# --- the JDK's tool ---------------------------------------------------------------------------

# peer JDK COMMAND FILE: its answer in $answer; false when it cannot read the file.
peer() {
    local n=$1 name

    name=$(basename "$3").$n.$(tr -d ' -' <<<"$2")
    answer=$out/peer/$name
    [ -e "$answer.rc" ] || {
        timeout 60 "$(jdk "$n")/bin/jfr" "${cheap[@]}" $2 "$3" >"$answer" 2>"$work/peer.err"
        echo $? >"$answer.rc"
    }
    [ "$(cat "$answer.rc")" = 0 ]
}

large() { # answers that are not worth their room on the disk
    [ "$(stat -c %s "$1")" -lt 200000000 ] || rm -f "$1" "$1.rc"
}

json() { # json JDK FILE
    local detail verdict=differs name

    name=$(basename "$2")
    peer "$1" 'print --json --stack-depth 64' "$2" || { unreadable "json $1" "$name"; return; }
    "$B/jfr2json" --layout jdk --compat "$1" --stack-depth 64 "$2" >"$work/ours" 2>"$work/err"
    detail="exit code $? $(head -1 "$work/err")"$'\n'
    detail+=$("$B/bench/jsoncmp" $([ "$1" = 25 ] || echo --float32) "$answer" "$work/ours" 2>&1) &&
        verdict=equal
    [[ $detail == 'exit code 0 '* ]] || verdict=differs
    ! cmp -s "$answer" "$work/ours" || verdict=same
    result "json $1" "$name" $verdict "$(grep -oE '^[0-9]+ of' <<<"$detail" | tail -1 | cut -d' ' -f1)" \
        "$(grep -oE '[0-9]+ values agree' <<<"$detail" | cut -d' ' -f1)" "$detail"
    large "$answer"
}

# text FORM JDK FILE OPTIONS: byte for byte. Ours has UTF-8 in any locale. JDK 17 prints some large numbers with more digits than
# they need (1.9999999999999998E23): then the values have to be equal.
text() {
    local oracle="$1 $2" jdk=$2 verdict=differs name

    name=$(basename "$3")
    LC_ALL=C.UTF-8 peer "$jdk" "print $4" "$3" || { unreadable "$oracle" "$name"; return; }
    "$B/jfrkit" print -q --compat "$jdk" $4 "$3" >"$work/ours" 2>"$work/err"
    if cmp -s "$answer" "$work/ours"; then
        verdict=same
    elif [ "$jdk" = 17 ] && cmp -s <(short_reals <"$answer") <(short_reals <"$work/ours"); then
        verdict=equal
    fi
    result "$oracle" "$name" $verdict "$(grep -cE '^(}|    </event>)$' "$work/ours")" "$(wc -l <"$work/ours")" "$(diff "$answer" "$work/ours")"
    large "$answer"
}

short_reals() {
    awk 'match($0, /[0-9.]+E-?[0-9]+/) {
            $0 = substr($0, 1, RSTART - 1) sprintf("%.6g", substr($0, RSTART, RLENGTH)) substr($0, RSTART + RLENGTH)
        } { print }'
}

summary() { # summary JDK FILE
    local verdict=differs name

    name=$(basename "$2")
    peer "$1" summary "$2" || { unreadable "summary $1" "$name"; return; }
    "$B/jfrsummary" --compat "$1" "$2" >"$work/ours" 2>"$work/err"
    summary_rows "$answer" >"$work/a"
    summary_rows "$work/ours" >"$work/b"
    ! cmp -s "$work/a" "$work/b" || verdict=equal
    ! cmp -s "$answer" "$work/ours" || verdict=same
    result "summary $1" "$name" $verdict \
        "$(awk '$1 == "row" { n += $(NF - 1) } END { print n + 0 }' "$work/a")" \
        "$(comm -12 "$work/a" "$work/b" | wc -l)" "$(diff "$work/a" "$work/b"; cat "$work/err")"
}

metadata() { # metadata JDK FILE
    local verdict=differs name

    name=$(basename "$2")
    peer "$1" metadata "$2" || { unreadable "metadata $1" "$name"; return; }
    "$B/jfrmeta" --compat "$1" "$2" >"$work/ours" 2>"$work/err"
    ! cmp -s "$answer" "$work/ours" || verdict=same
    result "metadata $1" "$name" $verdict 0 "$(wc -l <"$answer")" \
        "$(diff "$answer" "$work/ours"; cat "$work/err")"
}

unreadable() {
    printf '%s\tunreadable\t0\t0\t%s\n' "$1" "$2" >>"$work/results"
}

# --- goldens of others ------------------------------------------------------------------------

# lines ORACLE NAME: compares the sorted lines of $work/want and $work/got.
lines() {
    local both want

    sort -o "$work/want" "$work/want"
    sort -o "$work/got" "$work/got"
    both=$(comm -12 "$work/want" "$work/got" | wc -l)
    want=$(wc -l <"$work/want")
    if [ "$both" = "$want" ] && [ "$both" = "$(wc -l <"$work/got")" ] && [ "$both" != 0 ]; then
        result "$1" "$2" equal "$3" "$both"
    else
        result "$1" "$2" differs "$3" "$both" "$both of $want lines agree
$(diff "$work/want" "$work/got" | grep '^[<>]')"
    fi
}

jmc() { # jmc RECORDING
    local hidden=true

    # The listings of the oldest files leave hidden frames out.
    [[ $1 != */jrockit-era/* ]] || hidden=false
    "$B/jfr2json" --layout jdk --compat 17 --time-anchor chunk --numbers text64 --stack-depth all \
        "$(unpack "$1")" >"$work/ours" 2>"$work/err"
    jmc_lines <(gzip -dc "${1%.gz}.printout.txt.gz") >"$work/all-want"
    json_lines "$work/ours" $hidden >"$work/all-got"
    # Only fields that both show as plain values are compared.
    comparable "$work/all-want" "$work/all-got" >"$work/want"
    comparable "$work/all-got" "$work/all-want" >"$work/got"
    lines jmc "$(basename "$1")" "$(gzip -dc "${1%.gz}.printout.txt.gz" | grep -c '^<event ')"
}

# The recordings' samples are looked at as the golden's name says.
collapsed() { # collapsed GOLDEN
    local name base kind file unit events states=() scale=1 digits=15

    name=$(basename "$1")
    base=$(sed -E 's/_[0-9]+_(block|memory|process_cpu|wall)_.*//' <<<"$name")
    file=$(unpack "$(dirname "$1")/$base.jfr.gz")
    kind=$(sed -E "s/^${base}_[0-9]+_//" <<<"$name")
    case $kind in
    block_*) # in ticks, though the name says ns
        events='jdk.JavaMonitorEnter jdk.ThreadPark' unit=duration digits=5
        scale=$(od -An -j56 -N8 --endian=big -td8 "$file")e-9
        ;;
    memory_alloc_in_new*) events=jdk.ObjectAllocationInNewTLAB unit=bytes ;;
    memory_alloc_outside*) events=jdk.ObjectAllocationOutsideTLAB unit=bytes ;;
    memory_alloc_sample*) events=jdk.ObjectAllocationSample unit=bytes ;;
    process_cpu*)
        events='jdk.ExecutionSample profiler.WallClockSample' unit=samples scale=10000000
        states=(-s runnable,default)
        ;;
    wall_*) events='jdk.ExecutionSample profiler.WallClockSample' unit=samples scale=10000000 ;;
    esac
    # shellcheck disable=SC2046
    "$B/jfr2collapsed" $(printf -- '-e %s ' $events) "${states[@]}" -u $unit --lines --names slash \
        "$file" 2>"$work/err" | collapsed_ours $scale $digits >"$work/got"
    gzip -dc "$1" | collapsed_golden $digits >"$work/want"
    lines collapsed "${name%_expected_collapsed.txt.gz}" 0
}

parsed() { # parsed RECORDING: grafana/jfr-parser's view of it, with raw ids, ticks and pools
    "$B/jfr2json" --layout jdk --stack-depth all "$(unpack "$1")" >"$work/ours" 2>"$work/err"
    gzip -dc "${1%.jfr.gz}.json.gz" | parsed_golden | neutral >"$work/want"
    parsed_ours "$work/ours" | neutral >"$work/got"
    lines parsed "$(basename "$1")" "$(wc -l <"$work/want")"
}

# --- all of it --------------------------------------------------------------------------------

files
while read -r file; do
    for n in 17 25; do
        [ -n "$(jdk $n)" ] || continue
        json $n "$file"
        text text $n "$file" ''
        [ $n = 17 ] && text text 17 "$file" '--stack-depth 64' || text text 25 "$file" '--exact --stack-depth 64'
        text xml $n "$file" --xml
        summary $n "$file"
        metadata $n "$file"
    done
done <"$work/files"
for golden in "$shared"/recordings/*/*.printout.txt.gz; do
    [[ -n $quick && $golden != */7u40.* ]] || jmc "${golden%.printout.txt.gz}"
done
for golden in "$shared"/recordings/*/*_expected_collapsed.txt.gz; do
    [[ -n $quick && $golden != */wall_tick_sample_0_process* ]] || collapsed "$golden"
done
for golden in "$shared"/recordings/*/*.json.gz; do
    parsed "${golden%.json.gz}.jfr.gz"
done

for n in 17 25; do
    [ -n "$(jdk $n)" ] || echo "skip jfr $n: no such JDK under /usr/lib/jvm"
done
[ -d "$shared/recordings" ] || echo "skip recordings of others: no $shared"
awk -F'\t' '
    !($1 in files) { order[++n] = $1 }
    { files[$1]++; count[$1, $2]++ }
    $2 != "known" && $2 != "unreadable" { events[$1] += $3; values[$1] += $4 }
    END {
        for (i = 1; i <= n; i++) {
            o = order[i]
            bad = count[o, "differs"] + count[o, "stale"]
            failed += bad
            printf "%s %s: %d files: %d same bytes, %d equal values, %d differ; %d events, %d values agree",
                bad ? "not ok" : "ok", o, files[o], count[o, "same"], count[o, "equal"], bad, events[o],
                values[o]
            if (count[o, "known"])
                printf "; %d where the peer is wrong", count[o, "known"]
            if (count[o, "unreadable"])
                printf "; %d the peer cannot read", count[o, "unreadable"]
            print ""
        }
        exit failed > 0
    }' "$work/results"
