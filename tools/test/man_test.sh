#!/bin/bash
# Runs the examples of every manual page in a folder of its own, where app.jfr, old.jfr, new.jfr,
# app.jfr.zst and day/*.jfr.zst are recordings, profile.jfc and mine.jfc settings. An example has to exit with 0.
set -u
shopt -s nullglob
B=${B:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tools/test/sample_lib.sh
failed=0

# The lines between .nf and .fi of the section EXAMPLES, as they are read.
examples() {
    awk '/^\.SH/ { on = $2 == "EXAMPLES"; next } /^\./ { next } on' "$1" |
        sed -e 's/\\-/-/g' -e 's/\\e/\\/g'
}

# What a line needs and is not there.
missing() {
    local word

    for word in $(sed -E "s/'[^']*'//g" <<<"$1" | tr '|' '\n' | awk '{ print $1 }'); do
        PATH=$work/bin:$PATH command -v "$word" >/dev/null || echo "$word"
    done
}

cp "$(own_recordings jdk25-server)" "$work/app.jfr"
mkdir "$work/bin" "$work/in"
for program in "$B"/jfr*; do
    [ ! -x "$program" ] || [ -d "$program" ] || ln -s "$(realpath "$program")" "$work/bin/"
done
for page in tools/man/*.1; do
    name=$(basename "$page" .1) n=0
    while IFS= read -r line; do
        n=$((n + 1))
        why=$(missing "$line")
        if [ -n "$why" ]; then
            echo "skip $name example $n: no" $why
            continue
        fi
        rm -rf "$work/in" && mkdir -p "$work/in/day" && cp "$work/app.jfr" "$work/in/"
        cp config/profile.jfc "$work/in/" && cp config/default.jfc "$work/in/mine.jfc"
        cp "$work/app.jfr" "$work/in/old.jfr" && cp "$work/app.jfr" "$work/in/new.jfr"
        if command -v zstd >/dev/null; then
            zstd -qc "$work/app.jfr" | tee "$work/in/app.jfr.zst" >"$work/in/day/1.jfr.zst"
        elif [[ $line == *.zst* ]]; then
            echo "skip $name example $n: no zstd"
            continue
        fi
        (cd "$work/in" && PATH=$work/bin:$PATH timeout 600 bash -o pipefail -c "$line") \
            >"$work/out" 2>"$work/err" </dev/null
        code=$?
        sed -i "/: no event has '/d" "$work/err" # the sample has no contexts
        if [ $code = 0 ] && [ ! -s "$work/err" ]; then
            echo "ok $name example $n"
        else
            echo "not ok $name example $n: $line (exit code $code)"
            head -5 "$work/err" | sed 's/^/    /'
            failed=1
        fi
    done < <(examples "$page")
    [ $n -ge 3 ] || { echo "not ok $name has three examples"; failed=1; }
done
exit $failed
