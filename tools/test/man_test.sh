#!/bin/bash
# Runs the examples of every manual page and of every option, and compares the output that a page shows with the real
# one. Examples that need a JVM are options_test.sh's.
set -u
shopt -s nullglob
B=${B:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tools/test/sample_lib.sh
. tools/test/examples_lib.sh
failed=0

# The lines between .nf and .fi of a section, as they are read.
lines_of() { # PAGE SECTION
    awk -v section="$2" '/^\.SH/ { on = $2 == section; next } /^\./ { next } on' "$1" |
        sed -e 's/^\\&//' -e 's/\\-/-/g' -e 's/\\e/\\/g'
}

# A section OUTPUT has a line "$ COMMAND" and what it prints for a recording of ours.
check_output() { # NAME PAGE
    local command

    rm -rf "$work/in" && mkdir "$work/in" && cp "$(own_recordings jfrkit-jdk25)" "$work/in/app.jfr"
    lines_of "$2" OUTPUT >"$work/shown"
    [ -s "$work/shown" ] || return
    shown=$((shown + 1))
    command=$(sed -n '1s/^\$ //p' "$work/shown")
    (cd "$work/in" && PATH=$work/bin:$PATH bash -o pipefail -c "$command") 2>&1 | tr -d '\r' >"$work/real"
    if sed 1d "$work/shown" | diff - "$work/real" >"$work/difference"; then
        echo "ok $1 shows the output of $command"
    else
        echo "not ok $1 shows the output of $command"
        sed 's/^/    /' "$work/difference"
        failed=1
    fi
}

examples_begin
shown=0
for page in "$B"/tools/man/*.1; do
    name=$(basename "$page" .1) n=0
    while IFS= read -r line; do
        n=$((n + 1))
        run_example "$name example $n" "$line"
    done < <(lines_of "$page" EXAMPLES)
    [ $n -ge 3 ] || { echo "not ok $name has three examples"; failed=1; }
    check_output "$name" "$page"
done
n=0
while IFS= read -r line; do
    n=$((n + 1))
    run_example "the example of an option: $line" "$line"
done < <(tools/options.sh rows | cut -f8 | grep -E '^jfrkit [a-z]' | grep -vE '^jfrkit (record|attach|start|status|dump|stop) | 4711$' | sort -u) # follow_test.sh has the JVM
[ $n -ge 60 ] || { echo "not ok only $n options have an example"; failed=1; }
[ $shown -ge 9 ] || { echo "not ok only $shown pages show an output"; failed=1; }
exit $failed
