#!/bin/bash
# Writes the C header with style, script and content policy of the event reference. The policy gets
# the hashes of exactly what stands between the tags.
#   convert/page/embed_meta.sh >page_meta.h
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

hash() {
    # shellcheck disable=SC2059
    printf "$(sha256sum <"$1" | sed 's/ .*//; s/../\\x&/g')" | base64
}

part() {
    echo "static const unsigned char $1[] = {"
    od -An -v -tx1 | sed 's/ \(..\)/0x\1,/g'
    echo '};'
}

sed 's/^ *//; /^$/d' meta.css >"$work/style"
sed '/^ *\/\//d; s/^ *//; /^$/d' meta.js >"$work/script"
printf "default-src 'none'; script-src 'sha256-%s'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'" \
    "$(hash "$work/script")" "$(hash "$work/style")" | part meta_policy
part meta_style <"$work/style"
part meta_script <"$work/script"
