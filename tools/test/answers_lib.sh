# answers_lib.sh - what the JDK's `jfr` prints of a recording, as a digest. The answers to recordings that
# stay as they are stand in test-data/recordings/answers.tsv, since asking takes most of a test's time and
# needs a JDK. The tool is asked about those that a script has just made (fresh*.jfr), and with SOAK=1
# about all.
#
#   . tools/test/jdk_lib.sh; . tools/test/answers_lib.sh
#   answer 25 "$home" "$file" summary || continue      the tool cannot read it
#   build/jfrsummary --compat 25 "$file" >"$work/is"
#   is_answer "$work/is" || difference "$work/is"
#
#   REMEMBER=1   writes answers that are new into the table: test-data/recordings/answers.sh

answers=test-data/recordings/answers.tsv

digest() { # digest FILE: 32 digits
    sha256sum "$1" | cut -c1-32
}

# answer RELEASE HOME FILE COMMAND [OPTION...]: asks what a JDK says. HOME may be empty where it is not
# installed. False when the tool cannot read the file, or when there is none to ask.
answer() {
    local id

    asked=("$@")
    answer=
    id=$(digest "$3")
    [[ $(basename "$3") == fresh* ]] ||
        answer=$(awk -F'\t' -v id="$id" -v q="$1 ${*:4}" '$1 == id && $2 == q { print $3 }' "$answers")
    if [ -z "$answer" ] || [ -n "${SOAK:-}" ]; then
        ask "$answer" || return
        [ -z "${REMEMBER:-}" ] || [[ $(basename "$3") == fresh* ]] ||
            printf '%s\t%s\t%s\t%s\n' "$id" "$1 ${*:4}" "$answer" "$(basename "$3")" >>"$answers"
    fi
    [ "$answer" != - ]
}

# ask [KNOWN]: asks the tool itself; $work/answer is what it says
ask() {
    local known=${1:-} home=${asked[1]}

    [ -n "$home" ] || { [ -n "$known" ]; return; }
    answer=-
    ! timeout 300 "$home/bin/jfr" "${cheap[@]}" "${asked[@]:3}" "${asked[2]}" >"$work/answer" 2>/dev/null ||
        answer=$(digest "$work/answer")
    [ -z "$known" ] || [ "$answer" = "$known" ] ||
        echo "not ok $answers: jfr ${asked[0]} ${asked[*]:3} says something else of $(basename "${asked[2]}")"
}

is_answer() { # is_answer FILE: whether it is what the JDK says
    [ "$(digest "$1")" = "$answer" ]
}

difference() { # difference FILE: tells where it is not
    echo "$(basename "${asked[2]}"): not as jfr ${asked[0]} ${asked[*]:3} has it"
    [ -z "${asked[1]}" ] || ! ask || diff "$work/answer" "$1" | head -5
}

# json_of FILE OUT: what JDK 25 prints of a recording as JSON, stacks to a depth of 5, by our own program, whose
# output is that of the JDK byte for byte
json_of() {
    answer 25 "$(jdk_home 25)" "$1" print --json --stack-depth 5 || return
    "${B:-build}/jfr2json" -q --compat 25 --stack-depth 5 "$1" >"$2"
    is_answer "$2" || { difference "$2" && return 1; }
}
