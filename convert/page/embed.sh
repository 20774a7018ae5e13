#!/bin/bash
# Writes the C header with the page's parts around what flame.c writes: report, data, header, samples and
# their directory. Style and code are packed by gzip and unpacked by boot.js, which halves them; the policy gets the
# hashes of exactly what runs.
#   convert/page/embed.sh >page.h
set -eu
script='text decode model samples layout search origin colour draw state view pointer facets segments clock lanes time minimap keys twin columns report calltree compare legend controls table drawer save pprof subset heading selection page main'
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

hash() { # hash <TEXT: base64 of its SHA-256
    # shellcheck disable=SC2059
    printf "$(sha256sum | sed 's/ .*//; s/../\\x&/g')" | base64
}

# The digits of flame/pack.h, which a script of the page may hold as they are.
as_text() {
    od -An -v -w1 -tu1 | awk '
        BEGIN {
            digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!\"#$%\047()*+,-./:;=?@[\\]^_`{|}~"
            scale = 1
        }
        {
            bits += $1 * scale
            scale *= 256
            if (scale >= 8192) {
                v = bits % 8192
                printf "%s%s", substr(digits, v % 91 + 1, 1), substr(digits, int(v / 91) + 1, 1)
                bits = int(bits / 8192)
                scale /= 8192
            }
        }
        END {
            if (scale > 1)
                printf "%s", substr(digits, bits % 91 + 1, 1)
            if (scale > 64)
                printf "%s", substr(digits, int(bits / 91) + 1, 1)
        }'
}

part() {
    echo "static const unsigned char $1[] = {"
    od -An -v -tx1 | sed 's/ \(..\)/0x\1,/g'
    echo '};'
}

strip() { # no comments, no indentation
    sed '/^ *\/\//d; s/^ *//; s| // [a-z].*||; /^$/d'
}

tr '\n' ' ' <flame.css | sed 's/  */ /g; s/ *\([{};,]\) */\1/g; s/: /:/g; s/;}/}/g; s/}/}\n/g' >"$work/style"
{
    echo "'use strict';{"
    for name in $script; do
        cat "$name.js"
    done | strip
    echo '}'
} >"$work/code"
strip <boot.js >"$work/script"
{ cat "$work/style"; printf '\0'; cat "$work/code"; } | gzip -9n | as_text >"$work/packed"
sed -e "/^@script@\$/{r $work/script" -e "d}" \
    -e "/^@code@\$/{r $work/packed" -e "d}" flame.html >"$work/page"
policy="default-src 'none'; script-src 'sha256-$(between script | hash)' 'sha256-$(hash <"$work/code")';"
policy="$policy style-src 'sha256-$(between style | hash)' 'sha256-$(hash <"$work/style")'; img-src data: blob:; base-uri 'none'; form-action 'none'"
sed -i "s|@policy@|$policy|" "$work/page"
from='1'
for hole in report data head samples directory; do
    sed -n "$from,/^@$hole@\$/p" "$work/page" | sed "/^@.*@\$/d" | part "page_before_$hole"
    from="/^@$hole@\$/"
done
sed "1,/^@directory@\$/d" "$work/page" | part page_end
