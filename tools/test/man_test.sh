#!/bin/bash
# Runs the examples of every manual page.
set -u
shopt -s nullglob
B=${B:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tools/test/sample_lib.sh
. tools/test/examples_lib.sh
failed=0

# The lines between .nf and .fi of the section EXAMPLES, as they are read.
examples() {
    awk '/^\.SH/ { on = $2 == "EXAMPLES"; next } /^\./ { next } on' "$1" |
        sed -e 's/\\-/-/g' -e 's/\\e/\\/g'
}

examples_begin
for page in tools/man/*.1; do
    name=$(basename "$page" .1) n=0
    while IFS= read -r line; do
        n=$((n + 1))
        run_example "$name example $n" "$line"
    done < <(examples "$page")
    [ $n -ge 3 ] || { echo "not ok $name has three examples"; failed=1; }
done
exit $failed
