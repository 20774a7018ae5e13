# exit_lib.sh - for scripts that test exit codes; what is wrong goes to $work/wrong.

is_code() { # is_code CODE COMMAND...: its exit code
    local want=$1 got

    shift
    "$@" >/dev/null 2>&1 </dev/null
    got=$?
    [ $got = "$want" ] || echo "$*: exit code $got, not $want" >>"$work/wrong"
}
