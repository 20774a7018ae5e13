# rewrite_lib.sh - verdicts and JDKs for the tests of jfrcut and jfrcat.
B=${B:-build}
shared=${SHARED:-../shared}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
: >"$work/why"

# verdict NAME: $work/why is empty, or says what is wrong
verdict() {
    if [ -s "$work/why" ]; then
        echo "not ok $1"
        head -20 "$work/why" | cut -c1-300 | sed 's/^/    /'
        failed=1
    else
        echo "ok $1"
    fi
    : >"$work/why"
}

wrong() {
    echo "$*" >>"$work/why"
}

. tools/test/jdk_lib.sh
. tools/test/sample_lib.sh

find_jdks() {
    local home

    jfr17='' jfr25='' # empty: there is none
    for home in /usr/lib/jvm/*; do
        case $(release "$home") in
        17) jfr17=$(fast_jfr "$home" "$work/jfr17") java17=$home/bin/java ;;
        25) jfr25=$(fast_jfr "$home" "$work/jfr25") java25=$home/bin/java ;;
        esac
    done
}

# same WANT GOT [OPTION]: value by value; the second has no damage
same() {
    local said

    said=$("$B/bench/eventcmp" ${3-} "$1" "$2" 2>&1)
    [[ $said == *' 0 are missing, 0 are extra;'*' 0 of the second' ]] || wrong "$(basename "$1"): $said"
}
