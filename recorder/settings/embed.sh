#!/bin/bash
# Writes config/default.jfc and config/profile.jfc as C tables.
#   recorder/settings/embed.sh >builtin.h
# Our own two files are written plainly: one element a line, no entities, no attributes with
# settings. Whatever else is found ends this; settings_test.c compares with what libxml2 reads.
set -eu
cd "$(dirname "$0")/../../config"
for name in default profile; do
    echo "static const struct settings_row builtin_$name[] = {"
    awk '
        function attribute(line) { sub(/.* name="/, "", line); sub(/".*/, "", line); return line }
        /<!--/ { comment = 1 }
        comment { if (/-->/) comment = 0; next }
        /^ *$/ || /^<\?xml / || /^<configuration / || /^<\/configuration>/ { next }
        /^ *<event name="[^"]*">$/ { event = attribute($0); next }
        /^ *<\/event>$/ { event = ""; next }
        event != "" && /^ *<setting name="[^"]*">[^<&"\\]*<\/setting>$/ {
            value = $0
            sub(/^[^>]*>/, "", value)
            sub(/<.*/, "", value)
            printf "    {\"%s\", \"%s\", \"%s\"},\n", event, attribute($0), value
            next
        }
        { print FILENAME ":" NR ": not plain: " $0 >"/dev/stderr"; exit 1 }' "$name.jfc"
    echo "};"
done
