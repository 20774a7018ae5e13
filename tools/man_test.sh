#!/bin/bash
# Runs the examples of every manual page in a folder of its own, where app.jfr, old.jfr, new.jfr,
# app.jfr.zst and day/*.jfr.zst are recordings, profile.jfc and mine.jfc settings. An example has to exit with 0.
set -u
shopt -s nullglob
B=${B:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# A recording of a JDK that is there, else one that somebody else made.
recording() {
    local java

    for java in /usr/lib/jvm/*/bin/java "$(command -v java)"; do
        [ -x "$java" ] || continue
        cat >"$work/Load.java" <<'END'
public class Load {
    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + 1_500_000_000L, n = 0;
        while (System.nanoTime() < end) n += new StringBuilder("x".repeat(10000)).reverse().length();
        Object lock = new Object();
        synchronized (lock) { lock.wait(50); }
        System.out.println(n);
    }
}
END
        "$java" -XX:StartFlightRecording:filename="$work/app.jfr",settings=profile "$work/Load.java" \
            >"$work/log" 2>&1 && [ -s "$work/app.jfr" ] && return
    done
    cp "${SHARED:-../shared}/recordings/jdk/jdk21.jfr" "$work/app.jfr" 2>/dev/null
}

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

if ! recording; then
    echo 'skip examples of the manual pages: no JDK to record with'
    exit 0
fi
mkdir "$work/bin" "$work/in"
for program in "$B"/jfr*; do
    [ ! -x "$program" ] || [ -d "$program" ] || ln -s "$(realpath "$program")" "$work/bin/"
done
for page in tools/*.1; do
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
