#!/bin/bash
# The help of jfrkit: the first screen, the size of each verb's --help, and that its examples work (those
# that need a JVM are in jfrkit_jvm_test.sh); nearest verbs, options and names.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/sample_lib.sh
. tools/test/examples_lib.sh
kit=$B/jfrkit

fits() { # fits NAME LINES COLUMNS <text
    awk -v name="$1" -v lines="$2" -v columns="$3" '
        length > columns { print name ": " length " columns: " $0 }
        END { if (NR > lines) print name ": " NR " lines"; if (NR < 5) print name ": only " NR " lines" }'
}

prints() { # prints TEXT COMMAND...: it fails with 2 and this text on standard error
    local text=$1

    shift
    "$@" >"$work/out" 2>"$work/err" </dev/null
    same "$*: exit code" $? 2
    [ ! -s "$work/out" ] || echo "$*: prints to standard output" >>"$work/wrong"
    grep -qF -- "$text" "$work/err" || { echo "$*: not '$text' but"; cat "$work/err"; } >>"$work/wrong"
}

mapfile -t verbs < <("$kit" completion fish | sed -n "s/.*__fish_use_subcommand -a \([a-z]*\) -d.*/\1/p")
[ ${#verbs[@]} -ge 15 ] || echo "only ${#verbs[@]} verbs" >>"$work/wrong"

"$kit" >"$work/screen" || echo "jfrkit: exit code $?" >>"$work/wrong"
fits jfrkit 23 79 <"$work/screen" >>"$work/wrong"
for verb in "${verbs[@]}" help version completion; do
    grep -qE "(^| )$verb([, ]|\$)" "$work/screen" || echo "the first screen has no $verb" >>"$work/wrong"
done
[ "$(grep -c '^  jfrkit ' "$work/screen")" -ge 3 ] || echo 'the first screen has no examples' >>"$work/wrong"
for word in help --help -h; do
    "$kit" $word | cmp - "$work/screen" >>"$work/wrong" 2>&1
done
verdict "jfrkit alone lists its ${#verbs[@]} verbs on one screen"

for verb in "${verbs[@]}"; do
    "$kit" "$verb" --help >"$work/help" 2>&1 || echo "$verb --help: exit code $?" >>"$work/wrong"
    fits "$verb --help" 40 80 <"$work/help" >>"$work/wrong"
    "$kit" "$verb" --help=all | fits "$verb --help=all" 100 80 >>"$work/wrong"
    "$kit" help "$verb" | cmp - "$work/help" >>"$work/wrong" 2>&1
    head -1 "$work/help" | grep -q "^Usage: jfrkit $verb " || echo "$verb: usage is not its own" >>"$work/wrong"
    [ "$(grep -c '^  jfrkit ' "$work/help")" -ge 1 ] || echo "$verb: no example" >>"$work/wrong"
done
for topic in where context time; do
    "$kit" help $topic | fits "help $topic" 40 80 >>"$work/wrong"
done
verdict 'each --help has at most 40 lines of 80 columns'

prints "no verb 'flaem', did you mean 'flame'?" "$kit" flaem app.jfr
prints "no verb 'recrd', did you mean 'record'?" "$kit" recrd
prints "no verb 'xyzzy'; 'jfrkit' alone lists them" "$kit" xyzzy
prints "no verb 'flaem', did you mean 'flame'?" "$kit" help flaem
prints "jfrkit flame: unknown option '--tittle', did you mean --title?" "$kit" flame --tittle x app.jfr
prints "jfrkit info: unknown option '--chunk', did you mean --chunks?" "$kit" info --chunk app.jfr
prints "the verb comes first: jfrkit flame --list ..." "$kit" --list flame
prints "which verb?" "$kit" --json
verdict 'a wrong verb or option is answered with the nearest'

[ "$("$kit" version)" = "$("$kit" --version | sed 's/ (jfrkit)//')" ] || echo 'two versions' >>"$work/wrong"
"$kit" version --json | grep -qE '^\{"name": "jfrkit", "version": "[0-9.]+"\}$' || echo 'version --json' >>"$work/wrong"
"$kit" info --version | grep -q '^jfrkit info (jfrkit) [0-9]' || echo 'info --version' >>"$work/wrong"
verdict 'version'

examples_begin
export BROWSER=true # which opens nothing
for verb in "${verbs[@]}"; do
    [[ " record attach list start status dump stop " != *" $verb "* ]] || continue
    n=0
    while IFS= read -r line; do
        n=$((n + 1))
        # The two recordings are the same: the gate of diff holds. killed.jfr is damaged.
        case $line in
        *' 4711') ;; # a JVM: follow_test.sh
        *killed.jfr*) run_example "help $verb example $n" "$line" 3 ;;
        *) run_example "help $verb example $n" "$line" ;;
        esac
    done < <("$kit" "$verb" --help | sed -n '/^Examples:/,/^$/s/^  \(jfrkit .*\)/\1/p' | sed 's/ # .*//')
    [ $n -ge 1 ] || { echo "not ok help $verb has examples"; failed=1; }
done
exit $failed
