#!/bin/bash
# Contexts that are set without scopes, changed inside of them, and restored, on every JDK: events have
# them as fields, and interval events tell the same.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test-data/workload/lib.sh

if [ ! -e "$agent" ] || [ ! -e "$B/jfrkit.jar" ]; then
    skip 'contexts without scopes' "the agent was not built"
    exit 0
fi
jar=$(realpath "$B/jfrkit.jar")
newest=$(jdks | tail -1)

# own FILE CONTEXT: "name user file" of each file read below our folder
own() {
    "$B/jfr2json" --layout ndjson -e jdk.FileRead --stack-depth 0 "$1" |
        jq -r --arg d "$work/files/" --arg c "$2" '.values | select(.path != null and (.path | startswith($d))) |
            "\(.path | ltrimstr($d)) \(.[$c + "_user"]) \(.[$c + "_file"])"'
}

# lines FILE: the same as the newest JDK's tool shows it: the innermost comes last
lines() {
    jfr "$newest" print --events 'jdk.FileRead,jfrkit.*' "$1" |
        awk -v d="$work/files/" '/^jdk.FileRead/ { user = file = "null" }
            /Context: App/ { gsub(/"/, ""); sub("N/A", "null") } /Context: App.user/ { user = $NF } /Context: App.file/ { file = $NF }
            /path = / && index($0, d) { n = split($3, part, /[\/"]/); name = part[n - 1] }
            /^}/ && name != "" { print name, user, file; name = "" }'
}

mkdir -p "$work/classes-25"
# program ARGUMENT...: with the agent
program() {
    rm -rf "$work/set.jfr" "$work/files"
    timeout 300 "$home/bin/java" ${java_options[@]+"${java_options[@]}"} "-agentpath:$agent=file=$work/set.jfr,settings=none,+jdk.FileRead#enabled=true,+jdk.FileRead#threshold=0ns,+jdk.FileRead#withContext=true" \
        -cp "$classes:$jar" ContextSet "$work/files" "$@" >"$work/out" 2>"$work/err" || wrong "java: $(tail -3 "$work/err")"
    is_whole "$work/set.jfr"
}

# Work that goes from thread to thread; Structured needs a preview of JDK 25.
handover() {
    local java_options=() more=() n

    if [ "$v" = 25 ]; then
        java_options=(--enable-preview)
        more=(Structured)
        javac "$home" --enable-preview --release 25 -nowarn -cp "$classes:$jar" -d "$work/classes-25" \
            test-data/workload/Structured.java >"$work/log" 2>&1 || wrong "javac: $(head -3 "$work/log")"
    fi
    rm -f "$work/handover.jfr"
    timeout 300 "$home/bin/java" "${java_options[@]}" "-agentpath:$agent=file=$work/handover.jfr,settings=none,+test.Who#withContext=true,buffer=32m" \
        -cp "$work/classes-25:$classes:$jar" Handover "${more[@]}" >"$work/out" 2>"$work/err" || wrong "java: $(tail -3 "$work/err")"
    is_whole "$work/handover.jfr"
    "$B/jfr2json" --layout ndjson -e test.Who "$work/handover.jfr" | jq -r '.values | [.where, .who // "nobody", .app_user // "nobody"] | @tsv' |
        awk -F '\t' '{ n[$1]++ } $2 != $3 && wrong[$1]++ == 0 { print $1 ": is " $3 ", not " $2 }
            END { for (w in n) places++; print places + 0 > "/dev/stderr" }' >>"$work/wrong" 2>"$work/n"
    n=28 # places on platform threads that every run has
    [ "$v" -lt 21 ] || n=$((n + 7))
    [ "$v" != 25 ] || n=$((n + 6))
    [ "$(cat "$work/n")" -ge "$n" ] || wrong "$(cat "$work/n") places of $n"
    verdict "work that goes from thread to thread, $(cat "$work/n") ways, JDK $v"
}

mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    v=$(release "$home")
    workload || give_up "$why"
    program
    sed -n 's/^want //p' "$work/out" >"$work/want"
    [ "$(wc -l <"$work/want")" = 18 ] || wrong 'the program did not read everything'
    own "$work/set.jfr" app | diff - "$work/want" >>"$work/wrong"
    verdict "what is set and restored is on the events, JDK $v"

    "$B/jfrcut" --drop-fields app_user,app_file -o "$work/bare.jfr" "$work/set.jfr" 2>>"$work/wrong"
    "$B/jfrannotate" -o "$work/again.jfr" "$work/bare.jfr" 2>>"$work/wrong"
    own "$work/again.jfr" App | diff - "$work/want" >>"$work/wrong"
    [ "$(release "$newest")" -lt 25 ] || lines "$work/set.jfr" | diff - "$work/want" >>"$work/wrong"
    # What was changed or restored is no request of its own; those of which nothing is told may be missing.
    "$B/jfr2table" --by user -f json "$work/set.jfr" |
        jq -r '.rows[] | select(.user != null and .requests > 0 and ((.user | test("dave|erin|frank|heidi") | not) or .requests > 1)) | "\(.user) \(.requests)"' | sort | tr '\n' ' ' >"$work/got"
    grep -qx 'alice 1 bob 1 grace 1 ' "$work/got" || wrong "requests: $(cat "$work/got")"
    [ ! -s "$work/err" ] || wrong "it says $(cat "$work/err")"
    verdict "interval events tell the same, JDK $v"

    program limits
    for said in 'a context is not recorded' 'inside of 32 others' 'more values at a time'; do
        [ "$(grep -c "$said" "$work/err")" = 1 ] || wrong "not told once: $said: $(cat "$work/err")"
    done
    [ "$(wc -l <"$work/err")" = 3 ] || wrong "it says $(cat "$work/err")"
    "$B/jfr2json" --layout ndjson -e 'jfrkit.A*' "$work/set.jfr" | jq -r '"\(.type) \(.values.user)"' | grep -E 'alice|bob' >"$work/got"
    printf '%s\n' 'jfrkit.App alice' 'jfrkit.App2 bob' | diff <(sort "$work/got") - >>"$work/wrong"
    verdict "limits are told, once, JDK $v"

    handover
    [ "$v" -lt 24 ] || { inapplicable "a security manager, JDK $v" 'it has none'; continue; }
    echo "grant codeBase \"file:$classes/\" { permission java.security.AllPermission; };" >"$work/policy"
    java_options=(-Djava.security.manager "-Djava.security.policy=$work/policy")
    program event
    java_options=()
    [ "$(count "$work/set.jfr" test.One)" = 1 ] || wrong 'no event'
    verdict "a security manager that gives the jar no leave, JDK $v"
done
exit $failed
