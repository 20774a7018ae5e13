# examples_lib.sh - runs examples of manual pages and help texts. Sourced after sample_lib.sh, with $work.
#
#     examples_begin             # puts the programs into $work/bin, makes the recordings
#     run_example NAME LINE      # "ok NAME", "not ok NAME: ...", "skip NAME: ..."
#
# errors_expected=any: messages of an example are no failure.
#
# Each example runs in a folder of its own, $work/in, where app.jfr, old.jfr, new.jfr, killed.jfr,
# app.jfr.zst and day/*.jfr.zst are recordings, profile.jfc and mine.jfc settings. It has to exit with 0
# and to print no warning.

# What a line needs and is not there.
missing() {
    local word

    for word in $(sed -E "s/'[^']*'//g" <<<"$1" | tr '|' '\n' | awk '{ print $1 }'); do
        PATH=$work/bin:$PATH command -v "$word" >/dev/null || echo "$word"
    done
}

examples_begin() {
    local program

    "$B/jfrcat" -o "$work/app.jfr" $(own_recordings jdk25-server) $(own_recordings jfrkit-jdk25)
    mkdir "$work/bin" "$work/in"
    for program in "$B"/jfrkit "$B"/jfr2* "$B"/jfr[a-jl-z]*; do
        [ ! -x "$program" ] || [ -d "$program" ] || ln -s "$(realpath -s "$program")" "$work/bin/"
    done
}

run_example() { # NAME LINE [CODE...]: the exit codes that are right, 0 by default
    local name=$1 line=$2 why code

    shift 2
    line=${line/jfrkit push /jfrkit push --dry-run } # there is no server
    why=$(missing "$line")
    if [ -n "$why" ]; then
        echo "skip $name: no" $why
        return
    fi
    rm -rf "$work/in" && mkdir -p "$work/in/day" && cp "$work/app.jfr" "$work/in/"
    cp config/profile.jfc "$work/in/" && cp config/default.jfc "$work/in/mine.jfc"
    cp "$work/app.jfr" "$work/in/old.jfr" && cp "$work/app.jfr" "$work/in/new.jfr"
    head -c $(($(stat -c %s "$work/app.jfr") - 1000)) "$work/app.jfr" >"$work/in/killed.jfr"
    if command -v zstd >/dev/null; then
        zstd -qc "$work/app.jfr" | tee "$work/in/app.jfr.zst" >"$work/in/day/1.jfr.zst"
    elif [[ $line == *.zst* ]]; then
        echo "skip $name: no zstd"
        return
    fi
    (cd "$work/in" && PATH=$work/bin:$PATH timeout 600 bash -o pipefail -c "$line") \
        >"$work/out" 2>"$work/err" </dev/null
    code=$?
    # The users in the recording have other names, and it has few events.
    sed -i '/: no event has user=/d; /: no event of a type with stacks fits all options/d; /: no events of GCPhasePause; this recording has /d' \
        "$work/err"
    if [[ " ${*:-0} " == *" $code "* ]] && { [ $code != 0 ] || [ -n "${errors_expected:-}" ] || [ ! -s "$work/err" ]; }; then
        echo "ok $name"
    else
        echo "not ok $name: $line (exit code $code)"
        head -5 "$work/err" | sed 's/^/    /'
        failed=1
    fi
}
