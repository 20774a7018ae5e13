#!/bin/bash
# Recordings that the writer made, finished or not, read by others: the JDK's tool of every JDK on
# this machine, and Mission Control.
#   STATES=5 unfinished states, FULL=1 all of them
set -u
. tools/test/jdk_lib.sh
B=${B:-build}
states=${STATES:-5}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

verdict() { # verdict NAME WHY-NOT
    if [ -z "$2" ]; then
        echo "ok $1"
    else
        echo "not ok $1: $2"
        failed=1
    fi
}

# Events by the summary, metadata and checkpoints left out.
count_summary() {
    awk '/^=+$/ { rows = 1; next }
         rows && NF == 3 && $1 !~ /^jdk.(Metadata|Check[Pp]oint)$/ { n += $2 }
         END { print n + 0 }' "$1"
}

# reads HOME NAME FILE EVENTS WHAT: one subcommand works and says the right number
reads() {
    local home=$1 name=$2 file=$3 events=$4 what=$5 got

    # shellcheck disable=SC2086 # the subcommand may have options
    if ! jfr "$home" $what "$file" >"$dir/out" 2>"$dir/err" || [ -s "$dir/err" ]; then
        verdict "$name $what" "$(head -c 200 "$dir/err" "$dir/out" | tr '\n' ' ')"
        return
    fi
    case $what in
    summary) got=$(count_summary "$dir/out") ;;
    print*--json) got=$(grep -cE '"type": "(jdk|demo)[.]' "$dir/out") ;;
    print*--xml) got=$(grep -c '<event ' "$dir/out") ;;
    print*) got=$(grep -acE '^(jdk|demo)\.[A-Za-z]+ \{' "$dir/out") ;;
    view*) got=$(grep -q 'Method' "$dir/out" && echo "$events") ;;
    *) got=$events ;;
    esac
    [ "$got" = "$events" ] && got=
    verdict "$name $what" "${got:+$got events, not $events}"
}

homes() {
    for jfr in /usr/lib/jvm/*/bin/jfr; do
        [ -x "$jfr" ] && realpath "${jfr%/bin/jfr}"
    done | sort -u
}

demo=$dir/demo.jfr
"$B/jfrfmt/write/test/writer_test" --write "$demo" || { echo "not ok write the demo"; exit 1; }
mkdir "$dir/states" "$dir/killed"
"$B/jfrfmt/write/test/crash_test" --states "$dir/states" >"$dir/list" ||
    { echo "not ok write the states"; exit 1; }
KILLS=3 KEEP=$dir/killed "$B/jfrfmt/write/test/kill_test" >/dev/null 2>&1 ||
    { echo "not ok kill a writer"; exit 1; }
for f in "$dir"/killed/*.jfr; do
    n=${f##*-}
    echo "$f ${n%.jfr}"
done >"$dir/killed.list"
[ -n "${FULL:-}" ] && states=1000
awk -v n="$states" '{ line[NR] = $0 }
    END { step = NR > n ? NR / n : 1; for (i = NR; i >= 1; i -= step) print line[int(i)] }' \
    "$dir/list" >"$dir/some"

[ -n "$(homes)" ] || echo "skip readers: no JDK under /usr/lib/jvm"
while read -r home; do
    version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release")
    whats=(summary metadata print "print --json" "print --xml")
    [ "$version" -ge 21 ] && whats+=("view hot-methods")
    for what in "${whats[@]}"; do
        reads "$home" "$version demo" "$demo" 114 "$what"
    done
    while read -r file events; do
        reads "$home" "$version $(basename "$file")" "$file" "$events" summary
        reads "$home" "$version $(basename "$file")" "$file" "$events" print
    done <"$dir/some"
    while read -r file events; do
        reads "$home" "$version $(basename "$file")" "$file" "$events" summary
    done <"$dir/killed.list"
done < <(homes)

# Between two writes of a rotation the head of the new chunk reads as an event of type 76.
test-data/interop/jmc.sh --allow 'type with id 76' "$demo" "$dir"/states/*.jfr \
    "$dir"/killed/*.jfr || failed=1
exit "$failed"
