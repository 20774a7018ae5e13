# verdict_lib.sh - for scripts that test: a folder of their own, and what is wrong gathered until a
# verdict.
#
#   . tools/test/verdict_lib.sh
#   same 'exit code' $? 0
#   cmp a b || echo 'a and b differ' >>"$work/wrong"
#   verdict 'what has been tried'
#   exit $failed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
: >"$work/wrong"

verdict() { # verdict NAME: ok when $work/wrong is empty
    if [ -s "$work/wrong" ]; then
        echo "not ok $1"
        head -20 "$work/wrong" | cut -c1-300 | sed 's/^/    /'
        failed=1
    else
        echo "ok $1"
    fi
    : >"$work/wrong"
}

wrong() { # wrong WHAT
    echo "$*" >>"$work/wrong"
}

same() { # same WHAT IS WANT
    [ "$2" = "$3" ] || wrong "$1: $2, not $3"
}
