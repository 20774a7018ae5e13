#!/bin/bash
# The agent's library loads anywhere and gives away nothing: it needs libc alone.
B=${B:-build}
so=$B/libjfrkit.so
failed=0

verdict() { # verdict NAME WRONG
    if [ -z "$2" ]; then
        echo "ok $1"
    else
        echo "not ok $1"
        sed 's/^/    /' <<<"$2"
        failed=1
    fi
}

[ -e "$so" ] || { echo 'skip the library of the agent: it was not built'; exit 0; }
verdict 'needs libc alone' "$(readelf -d "$so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
    grep -vxE 'libc\.so\.6|ld-linux.*')"
verdict 'shows the entry points and the API for C, nothing else' "$(nm -D --defined-only "$so" |
    awk '$2 ~ /[A-Z]/ { print $3 }' |
    grep -vxE 'Agent_(On(Load|Attach)|CheckOptions)|(JNI_On(Load|Unload)|Java_(jfrkit|jdk_jfr_ContextType)_.*)|jfrkit_.*|jk_.*')"
# An agent that is attached gets it from what libc keeps for such: 512 bytes for all of them.
verdict 'has thread-local memory of a few words, bound at load time' "$(
    bytes=$(readelf -lW "$so" | awk '$1 == "TLS" { print $6 }')
    [ $((bytes)) -le 128 ] || echo "TLS of $bytes bytes"
    readelf -rW "$so" | grep -oE 'R_X86_64_(DTPMOD64|TLSDESC)' | sort -u)"
verdict 'binds at load time, read-only afterwards' "$(
    readelf -dW "$so" | grep -qE 'BIND_NOW|FLAGS_1.*NOW' || echo 'binds late'
    readelf -lW "$so" | grep -q GNU_RELRO || echo 'no RELRO'
    readelf -lW "$so" | grep GNU_STACK | grep -q 'RWE' && echo 'executable stack'
    readelf -dW "$so" | grep -E 'RPATH|RUNPATH|TEXTREL')"
exit $failed
