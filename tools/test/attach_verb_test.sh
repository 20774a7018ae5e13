#!/bin/bash
# jfrkit attach and the end of jfrkit record: file, page, top methods and users; ends of all kinds; and the
# examples of the verbs that need a JVM.
set -u
. test-data/workload/lib.sh
. tools/test/sample_lib.sh
. tools/test/examples_lib.sh
kit=$(realpath -s "$B/jfrkit")
mkdir "$work/here" "$work/browser"
printf '#!/bin/sh\nprintf "%%s\\n" "$@" >>%s/opened\n' "$work" >"$work/browser/show"
chmod +x "$work/browser/show"
export BROWSER=$work/browser/show

# attach CODE ARGUMENT...: in a folder of its own; what it prints is in $work/said and $work/complaint
attach() {
    local code=$1 is

    shift
    (cd "$work/here" && "$kit" attach "$@" >"$work/said" 2>"$work/complaint" </dev/null)
    is=$?
    [ $is = "$code" ] || wrong "attach $*: exit code $is: $(cat "$work/said" "$work/complaint")"
}

silent() { # nothing was complained about
    [ ! -s "$work/complaint" ] || wrong "messages: $(cat "$work/complaint")"
}

has() { # has PATTERN...: lines that were printed
    local pattern

    for pattern; do
        grep -qE -- "$pattern" "$work/said" || wrong "no line '$pattern' in: $(cat "$work/said")"
    done
}

opened() { # opened FILE: the browser got it
    local n=100

    until [ -s "$work/opened" ] || [ $n = 0 ]; do n=$((n - 1)); sleep 0.1; done
    [ "$(cat "$work/opened" 2>&1)" = "$1" ] || wrong "the browser got '$(cat "$work/opened" 2>&1)', not $1"
    rm -f "$work/opened"
}

one_command() { # one_command JDK: a picture of a running process
    local jdk page

    jdk="JDK $(release "$1")"
    run "$1" cpu 600
    attach 0 -d 2s --cpu 1ms --open "$pid"
    silent
    has "^Recording: $work/here/recording-$pid.jfr, [0-9.]+ [kM]B$" "^Page: $work/here/recording-$pid.html$" \
        '^Top methods, CPU$' '^Self +Share +Total +Share +method$' ' Workload\.heavy$'
    ! grep -q 'Top users' "$work/said" || wrong 'users, where the program sets none'
    is_whole "$work/here/recording-$pid.jfr"
    [ "$(grep -cE '^ *[0-9]+ +[0-9.]+%' "$work/said")" -le 5 ] || wrong 'more than five methods'
    opened "$work/here/recording-$pid.html"
    page=$("$B/jfr2flame" "$work/here/recording-$pid.jfr" | cksum)
    [ "$page" = "$(cksum <"$work/here/recording-$pid.html")" ] || wrong 'the page is not that of jfr2flame'
    verdict "attach --open: a page of a running JVM, on $jdk"

    attach 0 -d 1s -o x.jfr --report none "$pid"
    silent
    [ "$(wc -l <"$work/said")" = 1 ] || wrong "--report none: $(cat "$work/said")"
    [ ! -e "$work/here/x.html" ] || wrong 'a page that was not asked for'
    attach 0 -d 1s --cpu 1ms -o x.jfr --json "$pid"
    [ "$(jq -r '.recording, (.methods.rows | map(.method) | index("Workload.heavy") != null), (.users.rows | length)' "$work/said" | xargs)" = \
        "$work/here/x.jfr true 0" ] || wrong "--json: $(head -c 300 "$work/said")"
    attach 0 -d 1s -o x.jfr --report class-loaders -q "$pid"
    [ ! -s "$work/said" ] || wrong "-q: $(cat "$work/said")"
    attach 0 -d 1s -o x.jfr --report recording "$pid"
    (cd "$work/here" && "$B_abs/jfrview" recording x.jfr) >"$work/want"
    tail -n +2 "$work/said" | cmp - "$work/want" >>"$work/wrong" 2>&1
    rm -f "$work/here/x.jfr"
    attach 2 --report nix "$pid"
    attach 2 "$pid" "$pid"
    attach 2
    attach 2 -d never "$pid"
    attach 1 -d 1s -o /no/such/folder/x.jfr "$pid"
    attach 1 -d 1s no.such.Main
    [ -z "$(find "$work/here" -name 'x*')" ] || wrong 'files after errors'
    verdict "attach --report, and wrong options, on $jdk"

    # Ctrl-C ends the recording, not the JVM; its file is complete.
    (cd "$work/here" && exec "$kit" attach -o c.jfr --cpu 1ms "$pid" >"$work/said" 2>"$work/complaint") &
    until_told state running
    kill -INT $! && wait $! || wrong "Ctrl-C: exit code $?: $(cat "$work/complaint")"
    has "^Recording: $work/here/c.jfr"
    is_whole "$work/here/c.jfr"
    kill -0 "$pid" || wrong 'the JVM has ended'
    # Killed, it leaves a recording that ends by itself.
    (cd "$work/here" && exec "$kit" attach -d 3s -o k.jfr "$pid" >"$work/said" 2>"$work/complaint") &
    until_told state running
    kill -9 $!
    wait $! 2>/dev/null
    until_told state off
    is_whole "$work/here/k.jfr"
    # The JVM ends first.
    (cd "$work/here" && exec "$kit" attach -d 600s -o e.jfr "$pid" >"$work/said" 2>"$work/complaint") &
    until_told state running
    kill -TERM "$pid"
    wait $! || wrong "the JVM ended: exit code $?: $(cat "$work/complaint")"
    has "^Recording: $work/here/e.jfr" '^Top methods'
    is_whole "$work/here/e.jfr"
    verdict "attach ends by Ctrl-C, by kill -9, with the JVM, on $jdk"
    wait "$pid" 2>/dev/null
}

# The end of record is the same; standard output is the program's alone.
recorded() { # recorded JDK
    local java

    java_of "$1"
    # The workload reads and writes files for ten users; it prints what each of them got.
    (cd "$work/here" && "$kit" record -o r.jfr --cpu 1ms --open -- "$1/bin/java" -cp "$B_abs/workload:$B_abs/jfrkit.jar" UserFiles 20 \
        >"$work/program" 2>"$work/said" </dev/null) || wrong "record: exit code $?: $(cat "$work/said")"
    has "^jfrkit record: $work/here/r.jfr: [0-9.]+ kB, [0-9]+ samples" '^Top methods, CPU$' '^Top users' '^alice ' \
        "^Page: $work/here/r.html$"
    opened "$work/here/r.html"
    sed -n '/^Top users/,/^$/p' "$work/said" | tail -n +2 | sed '/^$/d' >"$work/users"
    "$B/jfr2table" --by user --limit 10 "$work/here/r.jfr" | cmp - "$work/users" >>"$work/wrong" 2>&1
    ! grep -qE '^(Top|Page|Next)' "$work/program" || wrong "standard output: $(cat "$work/program")"
    (cd "$work/here" && "$kit" record -o r.jfr --report none -- "$1/bin/java" -cp "$B_abs/workload" Workload cpu 1) >"$work/program" 2>"$work/said"
    [ "$(wc -l <"$work/said")" = 1 ] || wrong "--report none: $(cat "$work/said")"
    (cd "$work/here" && "$kit" record --report nix -o no.jfr -- touch ran) 2>"$work/said"
    [ $? = 2 ] && [ ! -e "$work/here/ran" ] || wrong 'a wrong --report is seen when the program has ended'
    verdict "record ends with the same lines, on JDK $(release "$1")"
}

# The examples of the help, for a JVM that is there.
examples_of_help() { # examples_of_help JDK
    local verb line n

    printf 'Main-Class: Workload\n' >"$work/manifest"
    (cd "$classes" && "$(compiler)/bin/jar" cfm "$work/app.jar" "$work/manifest" Workload*.class) || wrong 'no jar'
    export JAVA_TOOL_OPTIONS=
    PATH=$1/bin:$PATH
    run "$1" cpu 600
    for verb in record attach list start status dump stop; do
        n=0
        while IFS= read -r line; do
            n=$((n + 1))
            line=${line//4711/$pid}
            line=${line//app.jar/$work/app.jar cpu 1}
            case $verb in
            status | dump | stop) "$B/jfrec" start -q -o "$work/here/example.jfr" "$pid" ;;
            esac
            errors_expected=$([ $verb = record ] && echo any)
            run_example "help $verb example $n" "$line"
            "$B/jfrec" stop -q "$pid" 2>/dev/null
        done < <("$kit" "$verb" --help | sed -n '/^Examples:/,/^$/s/^  \(jfrkit .*\)/\1/p' | sed 's/ # .*//')
        [ $n -ge 1 ] || { echo "not ok help $verb has examples"; failed=1; }
    done
    kill "$pid"
}

B_abs=$(realpath "$B")
mapfile -t homes < <(jdks)
[ ${#homes[@]} -gt 0 ] || { skip attach 'no JDK'; exit 0; }
workload || { skip attach "$why"; exit 0; }
for home in "${homes[@]}"; do
    one_command "$home"
done
recorded "$home"
examples_begin
examples_of_help "$home"
exit $failed
