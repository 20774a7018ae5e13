#!/bin/sh
# Class files as a C table of struct boot_class: recorder/java/embed.sh FOLDER TABLE CLASS... >classes.h
# Classes in internal form; one comes after those it needs. Their number is TABLE_n.
set -eu
folder=$1
table=$2
shift 2
echo "/* Made by recorder/java/embed.sh. */"
i=0
for cls; do
    echo "static const unsigned char ${table}_$i[] = {"
    od -An -v -tu1 "$folder/$cls.class" | sed 's/  */,/g; s/^,//; s/$/,/'
    echo "};"
    i=$((i + 1))
done
echo "static const struct boot_class $table[] = {"
i=0
for cls; do
    echo "    {\"$cls\", ${table}_$i, sizeof(${table}_$i)},"
    i=$((i + 1))
done
echo "    {0, 0, 0},"
echo "};"
echo "enum { ${table}_n = $i };"
