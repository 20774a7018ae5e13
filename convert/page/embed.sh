#!/bin/bash
# Writes the C header with the page's three parts: before the data, between data and header, behind
# the header. The policy gets the hashes of exactly what stands between the tags.
#   convert/page/embed.sh >page.h
set -eu
script='text inflate decode model layout search colour draw state view pointer keys twin table save main'
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# between TAG: the text of the page's last <TAG>, from the newline behind it on
between() {
    awk -v tag="$1" '
        $0 == "<" tag ">" { inside = 1; text = "\n"; next }
        $0 == "</" tag ">" { if (inside) last = text; inside = 0; next }
        inside { text = text $0 "\n" }
        END { printf "%s", last }' "$work/page"
}

hash() {
    # shellcheck disable=SC2059
    printf "$(between "$1" | sha256sum | sed 's/ .*//; s/../\\x&/g')" | base64
}

part() {
    echo "static const unsigned char $1[] = {"
    od -An -v -tx1 | sed 's/ \(..\)/0x\1,/g'
    echo '};'
}

sed 's/^ *//; s/: /:/; s/ *\([{}]\) */\1/g; s/;}/}/; /^$/d' flame.css >"$work/style"
for name in $script; do
    cat "$name.js"
done | sed '/^ *\/\//d; s/^ *//; s| // [a-z].*||; /^$/d' >"$work/script"
sed -e "/^@style@\$/{r $work/style" -e "d}" -e "/^@script@\$/{r $work/script" -e "d}" flame.html >"$work/page"
policy="default-src 'none'; script-src 'sha256-$(hash script)'; style-src 'sha256-$(hash style)';"
policy="$policy img-src data: blob:; base-uri 'none'; form-action 'none'"
sed -i "s|@policy@|$policy|" "$work/page"
sed '/^@data@$/,$d' "$work/page" | part page_before_data
sed '1,/^@data@$/d; /^@head@$/,$d' "$work/page" | part page_before_head
sed '1,/^@head@$/d' "$work/page" | part page_behind_head
