#!/bin/bash
# Every hand-made recording of $SHARED/edge-cases (../shared) against test-data/edge-cases.tsv.
set -u
B=${B:-build}
dir=${SHARED:-../shared}/edge-cases
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ -d "$dir" ] || { echo "skip edge cases: no $dir"; exit 0; }
command -v jq >/dev/null || { echo "skip edge cases: no jq"; exit 0; }

# Events in a summary, of declared types (a name may be empty): all rows but those of metadata, checkpoints and the unknown.
counted() {
    awk '
        /^=+$/ { rows = 1; next }
        rows && NF >= 2 && $1 !~ /^jdk\.(Metadata|Check[Pp]oint)$/ && !/missing event metadata/ { n += $(NF - 1) }
        END { print n + 0 }' "$1"
}

# The command may say anything on standard error, but never be killed or run for long.
wrong() { # what is wrong with FILE
    local file=$dir/$1 counted=${2%/*} events=${2#*/} rc

    timeout 300 "$B/jfrsummary" --compat 25 "$file" >"$work/summary" 2>"$work/err"
    rc=$?
    [ $rc = "$3" ] || echo "jfrsummary: exit code $rc, not $3 ($(head -1 "$work/err"))"
    [ $rc = 1 ] || [ "$(counted "$work/summary")" = "$counted" ] ||
        echo "jfrsummary: $(counted "$work/summary") events, not $counted"
    timeout 300 "$B/jfr2json" --layout ndjson --compat own "$file" >"$work/json" 2>"$work/err"
    rc=$?
    [ $rc = "$4" ] || echo "jfr2json: exit code $rc, not $4 ($(head -1 "$work/err"))"
    jq -s . "$work/json" >"$work/events" 2>"$work/err" || echo "jfr2json: $(head -1 "$work/err")"
    [ "$(jq length "$work/events")" = "$events" ] ||
        echo "jfr2json: $(jq length "$work/events") events, not $events"
    [ "$5" = - ] || [ "$(jq "$5" "$work/events" 2>&1)" = true ] || echo "does not hold: $5"
}

while IFS=$'\t' read -r file events summary json holds _; do
    [[ $file != \#* ]] || continue
    if [ ! -e "$dir/$file" ]; then
        echo "skip $file: not there"
        continue
    fi
    found=$(wrong "$file" "$events" "$summary" "$json" "$holds")
    if [ -z "$found" ]; then
        echo "ok $file"
    else
        printf 'not ok %s\n%s\n' "$file" "$found"
        failed=1
    fi
done <test-data/edge-cases.tsv
exit $failed
