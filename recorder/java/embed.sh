#!/bin/sh
# Class files as a C table: recorder/java/embed.sh FOLDER CLASS... >shim_classes.h
# Classes in internal form; one comes after those it needs.
set -eu
folder=$1
shift
echo "/* Made by recorder/java/embed.sh. */"
i=0
for cls; do
    echo "static const unsigned char class_$i[] = {"
    od -An -v -tu1 "$folder/$cls.class" | sed 's/  */,/g; s/^,//; s/$/,/'
    echo "};"
    i=$((i + 1))
done
echo "static const struct shim_class shim_classes[] = {"
i=0
for cls; do
    echo "    {\"$cls\", class_$i, sizeof(class_$i)},"
    i=$((i + 1))
done
echo "};"
