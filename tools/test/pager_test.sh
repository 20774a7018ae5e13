#!/bin/bash
# jfrkit print on a terminal: a pager, colours, and nothing that a recording could command the terminal with; in pipes
# and files the plain text.
set -u
. test-data/workload/lib.sh
. tools/test/sample_lib.sh
jfrkit=$(realpath "$B/jfrkit")

command -v python3 >/dev/null || { skip 'the pager' 'no python3 for a pseudo-terminal'; exit 0; }
export TERM=xterm
unset NO_COLOR PAGER LESS
file=$(own_recordings jdk25-server)
"$jfrkit" print "$file" >"$work/plain"
escape=$'\033'

on_terminal() { # on_terminal VERB OPTION...: what a person sees, in $work/seen
    tools/test/terminal.py "$jfrkit" "$@" >"$work/seen" 2>"$work/err"
}

terminal() {
    on_terminal print "$@"
}

# without_colours <TEXT
without_colours() {
    sed "s/$escape\\[[0-9;]*m//g"
}

PAGER="sed s/^/paged:/" terminal "$file" || wrong "exit code $?"
[ "$(grep -c '^paged:' "$work/seen")" = "$(wc -l <"$work/plain")" ] || wrong 'not every line goes through the pager'
grep -q "^paged:$escape\\[1;36mjdk" "$work/seen" || wrong 'no colours in the pager'
sed 's/^paged://' "$work/seen" | without_colours | cmp - "$work/plain" >>"$work/wrong" 2>&1
verdict 'a terminal has a pager'

PAGER="sed s/^/paged:/" terminal --no-pager "$file"
! grep -q '^paged:' "$work/seen" || wrong '--no-pager'
without_colours <"$work/seen" | cmp - "$work/plain" >>"$work/wrong" 2>&1
grep -q "$escape" "$work/seen" || wrong 'no colours without a pager'
for off in '' cat no-such-program; do
    PAGER=$off terminal "$file"
    without_colours <"$work/seen" | cmp - "$work/plain" >>"$work/wrong" 2>&1
done
TERM=dumb terminal "$file"
cmp "$work/seen" "$work/plain" >>"$work/wrong" 2>&1
NO_COLOR=1 PAGER='' terminal "$file"
cmp "$work/seen" "$work/plain" >>"$work/wrong" 2>&1
verdict 'pager and colours can be turned off'

PAGER="head -n 2" terminal "$file"
[ "$(without_colours <"$work/seen")" = "$(head -2 "$work/plain")" ] || wrong "$(head -3 "$work/seen")"
verdict 'a pager that ends early'

PAGER="sed s/^/paged:/" terminal -o "$work/out" "$file"
cmp "$work/out" "$work/plain" >>"$work/wrong" 2>&1
[ ! -s "$work/seen" ] || wrong "a file has a pager: $(head -2 "$work/seen")"
PAGER="sed s/^/paged:/" "$jfrkit" print "$file" | cmp - "$work/plain" >>"$work/wrong" 2>&1
verdict 'files and pipes have plain text'

# Texts with control characters.
file=$(own_recordings jdk25)
"$jfrkit" print "$file" >"$work/plain"
LC_ALL=C grep -qa '[[:cntrl:]]' <(tr -d '\n\t' <"$work/plain") || wrong 'the recording has no control characters'
for of in 'print --no-pager' 'follow -d 1ms'; do
    NO_COLOR=1 on_terminal $of "$file"
    ! LC_ALL=C grep -qa '[[:cntrl:]]' <(tr -d '\n\t' <"$work/seen") || wrong "$of: control characters reach the terminal"
    grep -qF '\u0001' "$work/seen" || wrong "$of: control characters are not shown"
done
verdict 'control characters do not reach a terminal'
exit $failed
