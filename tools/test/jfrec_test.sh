#!/bin/bash
# jfrec settings: the JDKs' own files without a word, ours as the JDKs understand them, and words
# about files that are wrong.
set -u
B=${B:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# verdict NAME: $work/diff is empty
verdict() {
    if [ -s "$work/diff" ]; then
        echo "not ok $1"
        sed 's/^/    /' "$work/diff" | head -20
        failed=1
    else
        echo "ok $1"
    fi
}

. tools/test/jdk_lib.sh

# From JSON to event#setting=value.
table() {
    jq -r '.settings[] | "\(.event)#\(.setting)=\(.value)"'
}

# All settings of a file, by Python's XML parser.
by_python() {
    python3 - "$1" <<'END'
import sys, xml.etree.ElementTree as E
rows = {}
for event in E.parse(sys.argv[1]).getroot().iter('event'):
    for s in event.iter('setting'):
        rows[event.get('name') + '#' + s.get('name')] = (s.text or '').strip()
for key in rows:
    print(key + '=' + rows[key])
END
}

# same_as_python NAME FILE: the same values, no warning, nothing on standard error.
same_as_python() {
    : >"$work/diff"
    "$B/jfrec" settings --json "$2" >"$work/json" 2>"$work/diff" || echo "exit code $?" >>"$work/diff"
    [ "$(jq .warnings "$work/json")" = 0 ] || echo 'warnings' >>"$work/diff"
    diff <(by_python "$2" | LC_ALL=C sort) <(table <"$work/json" | LC_ALL=C sort) >>"$work/diff"
    verdict "$1"
}

# configure JDK VERSION NAME: `jfr configure` takes our file, writes the same values, and says so.
configure() {
    : >"$work/diff"
    jfr "$1" configure --verbose --input "config/$3.jfc" --output "$work/out.jfc" >"$work/said" 2>&1 ||
        { echo "exit code $?"; cat "$work/said"; } >>"$work/diff"
    "$B/jfrec" settings --json "config/$3.jfc" | table | LC_ALL=C sort >"$work/ours"
    by_python "$work/out.jfc" | LC_ALL=C sort | diff "$work/ours" - >>"$work/diff"
    sed -n 's/^"\(.*#.*=.*\)"$/\1/p' "$work/said" | LC_ALL=C sort | comm -23 - "$work/ours" >>"$work/diff"
    [ "$2" != 25 ] || [ "$(grep -c '#' "$work/said")" = "$(wc -l <"$work/ours")" ] ||
        echo 'not everything was said' >>"$work/diff"
    verdict "jfr configure of JDK $2 reads our $3.jfc"
}

# record JDK VERSION NAME: a recording with our file says the same about the events that are on.
record() {
    : >"$work/diff"
    "$1/bin/java" -XX:StartFlightRecording:settings="config/$3.jfc",filename="$work/r.jfr" -version \
        >"$work/said" 2>&1 || cat "$work/said" >>"$work/diff"
    ! grep -iE 'warn|error|could not' "$work/said" >>"$work/diff" || :
    "$B/jfrsummary" -q --json -a "$work/r.jfr" |
        jq -r '.settings | to_entries[] | .key as $e | select(.value.enabled == "true") |
               .value | to_entries[] | "\($e)#\(.key) \(.value)"' | LC_ALL=C sort >"$work/theirs"
    "$B/jfrec" settings --json "config/$3.jfc" |
        jq -r '.settings[] | "\(.event)#\(.setting) \(.value)"' | LC_ALL=C sort >"$work/ours"
    LC_ALL=C join "$work/ours" "$work/theirs" -t ' ' -o 0 | wc -l >"$work/n"
    [ "$(cat "$work/n")" -gt 60 ] || echo "only $(cat "$work/n") settings in common" >>"$work/diff"
    awk 'NR == FNR { key = $1; $1 = ""; ours[key] = $0; next }
         { key = $1; $1 = ""; if (key in ours && ours[key] != $0) print key ": " ours[key] ", recorded:" $0 }' \
        "$work/ours" "$work/theirs" >>"$work/diff"
    verdict "a recording of JDK $2 has the values of our $3.jfc"
}

jdk_files() {
    local jdk version f

    for jdk in /usr/lib/jvm/*; do
        version=$(release "$jdk")
        [ -n "$version" ] && [ ! -e "$work/seen$version" ] && [ -e "$jdk/lib/jfr/default.jfc" ] || continue
        : >"$work/seen$version"
        for f in default profile; do
            same_as_python "$f.jfc of JDK $version" "$jdk/lib/jfr/$f.jfc"
            [ "$version" -lt 17 ] || configure "$jdk" "$version" $f
            [ "$version" -lt 17 ] || record "$jdk" "$version" $f
        done
    done
    ls "$work"/seen* >/dev/null 2>&1 || echo 'skip files of a JDK: none found'
}

# says NAME CODE WORDS ARGUMENT...: exit code, and words on standard error; "" = silence.
says() {
    local name=$1 code=$2 words=$3 is

    shift 3
    "$B/jfrec" "$@" >"$work/out" 2>"$work/err" </dev/null
    is=$?
    : >"$work/diff"
    [ $is = "$code" ] || echo "exit code $is" >>"$work/diff"
    if [ -z "$words" ]; then
        cat "$work/err" >>"$work/diff"
    else
        grep -qF -- "$words" "$work/err" || cat - "$work/err" <<<"no word of: $words" >>"$work/diff"
    fi
    verdict "$name"
}

# printed NAME TEXT: what the last command wrote.
printed() {
    diff <(printf '%s\n' "$2") "$work/out" >"$work/diff"
    verdict "$1"
}

own_words() {
    local dir=$PWD B=$B

    [[ $B = /* ]] || B=$PWD/$B
    cd "$work" || exit 1
    cat >a.jfc <<'END'
<configuration version="2.0" label="A">
  <event name="jdk.FileRead" withContext="true">
    <setting name="enabled">true</setting>
    <setting name="treshold">20 ms</setting>
  </event>
</configuration>
END
    cat >b.jfc <<'END'
<configuration version="2.0">
  <event name="jdk.FileRead"><setting name="enabled">false</setting></event>
</configuration>
END
    sed 's/20 ms/\n/; s/treshold/threshold/' a.jfc >bad.jfc
    says 'a warning names file, line and what was meant' 0 \
        "jfrec settings: a.jfc:4: warning: setting 'treshold' of jdk.FileRead is not known, did you mean 'threshold'?" \
        settings a.jfc
    says 'quiet' 0 '' settings -q a.jfc b.jfc -s '+jdk.FileRead#threshold=5 ms'
    printed 'text' 'Event         Setting      Value  From
jdk.FileRead  enabled      false  b.jfc:2
jdk.FileRead  threshold    5 ms   --setting
jdk.FileRead  treshold     20 ms  a.jfc:4
jdk.FileRead  withContext  true   a.jfc:2'
    says 'JSON' 0 '' settings -q --json a.jfc -s 'jdk.FileRead#enabled=false'
    jq -c '[.files[0].label, .files[0].provider, .warnings, .warning[0].line, (.settings[] | [.value, .from, .line])]' \
        out >json 2>&1
    mv json out
    printed 'JSON holds all' '["A",null,1,4,["false","--setting",null],["20 ms","a.jfc",4],["true","a.jfc",2]]'
    says 'to a file' 0 '' settings -o table b.jfc
    [ -s table ] && [ ! -s out ] || echo 'nothing' >diff
    verdict 'output in a file'
    says 'a wrong value' 1 "jfrec settings: bad.jfc:4: jdk.FileRead#threshold: '' is not a number" settings bad.jfc
    says 'a wrong override' 1 "--setting: no jdk.FileRead#treshold is set; '+' before it adds it" \
        settings b.jfc -s jdk.FileRead#treshold=1ms
    says 'no such file' 1 'absent.jfc: No such file' settings absent.jfc
    says 'no file at all' 2 'which file' settings
    says 'no command' 2 'which command?'
    says 'another command' 2 "no command 'begin'" begin
    says 'an option before the command' 2 'the command comes first: jfrec record -o' -o x.jfr record
    says 'record without a program' 2 'which program?' record
    says 'record without --' 2 'put -- before the program' record -o x.jfr java -version
    says 'record of nothing' 2 'which program?' record --
    says 'start without a pid' 2 'name one JVM by its pid' start
    says 'status of two' 2 'name one JVM by its pid' status 1 2
    says 'a wrong interval' 2 '--cpu: ' record --cpu fast -- true
    says 'a wrong size' 2 '--alloc: ' record --alloc much -- true
    says 'a wrong option for the agent' 2 "--option: 'x' is not KEY=VALUE" record --option x -- true
    says 'no such settings' 1 'absent.jfc: No such file' record --settings absent.jfc -- true
    says 'wrong settings name the line' 1 "bad.jfc:4: jdk.FileRead#threshold: '' is not a number" \
        record --settings bad.jfc -- true
    says 'no such agent' 1 'absent.so: No such file' record --agent absent.so -- true
    says 'no JVM of that name' 1 "no running JVM has a main class or jar named 'no.such.Main'" status no.such.Main
    for command in start stop status 'dump -o x.jfr'; do
        # shellcheck disable=SC2086
        says "$command without a name" 2 'the name of the JVM is empty' $command ''
    done
    says 'no such process' 1 'there is no process 999999999' status 999999999
    says 'no such command to record' 127 'cannot run no-such-command: No such file' \
        record --agent "$B/jfrec" -- no-such-command
    says 'a command without a JVM keeps its exit code' 9 'nothing was recorded' \
        record --agent "$B/jfrec" -- sh -c 'exit 9'
    printf '<configuration version="2.0"><event name="a.B"><setting name="x">\302\233\342\200\256\n\342\202\254</setting></event></configuration>' >odd.jfc
    says 'values cannot command a terminal' 0 '' settings odd.jfc
    printed 'odd characters are spelt' $'Event  Setting  Value                From\na.B    x        \\u009b\\u202e\\u000a\342\202\254  odd.jfc:1'
    cd "$dir" || exit 1
}

# jfrkit needs the libraries of the Debian packages that tools/setup.sh installs, and no others.
libraries() {
    readelf -d "$B/jfrkit" | sed -n 's/.*(NEEDED).*\[\(lib[a-z0-9-]*\)\.so.*/\1/p' | sort >"$work/is"
    printf 'lib%s\n' c lz4 m protobuf-c tre xml2 z zstd | diff - "$work/is" >"$work/diff"
    verdict 'the libraries that jfrkit needs'
}

for tool in jq python3; do
    command -v $tool >/dev/null || { echo "skip jfrec: no $tool"; exit 0; }
done
same_as_python 'our default.jfc' config/default.jfc
same_as_python 'our profile.jfc' config/profile.jfc
own_words
libraries
jdk_files
exit $failed
