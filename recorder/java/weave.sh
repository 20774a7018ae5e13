#!/bin/bash
# The classes that change classes of programs, as a C table: recorder/java/weave.sh JDK FOLDER >woven_classes.h
# FOLDER is for what comes in between. Without ASM the table is empty, and a line on standard error says so.
set -eu
jdk=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder/classes"

if ! why=$("$jdk/bin/java" recorder/java/weave/FetchAsm.java "$folder/asm" 2>&1); then
    echo "the agent is built without contexts from MDC and OpenTelemetry: ${why%%$'\n'*}" >&2
    recorder/java/embed.sh "$folder/classes" woven_classes
    exit
fi
# The classes of the API that access memory, in the package of the others.
mkdir -p "$folder/memory"
for class in Memory Fence; do
    sed 's/^package jfrkit;/package jfrkit.weave;/' "recorder/java/jfrkit/$class.java" >"$folder/memory/$class.java"
done
"$jdk/bin/javac" --release 8 -g:none -nowarn -Xlint:-options -XDstringConcat=inline -d "$folder/classes" \
    $(find "$folder/asm" -name '*.java') "$folder"/memory/*.java recorder/java/weave/jfrkit/weave/*.java >"$folder/log" 2>&1 ||
    { cat "$folder/log" >&2; exit 1; }

# Its licence goes wherever the agent is installed.
sed '/^[^/]/,$d; /^$/,$d' "$folder/asm/jfrkit/weave/asm/ClassReader.java" >"$folder/LICENSE.asm"

# A class comes after those that it extends.
cd "$folder/classes"
classes=$(find . -name '*.class' | sed 's|^\./||; s|\.class$||' | sort)
order=$("$jdk/bin/javap" -p $(printf '%s.class\n' $classes) |
    sed -nE 's/^([a-z]+ )*(class|interface) ([a-zA-Z0-9_.$]+)(<.*>)?( extends ([a-zA-Z0-9_.$]+)[^{]*)?( implements [^{]*)? \{$/\6 \3/p' |
    tr . / | while read -r a b; do echo "$a ${b:-$a}"; done | tsort | grep -Fx "$classes")
[ "$(sort <<<"$order")" = "$classes" ] || { echo "recorder/java/weave.sh: not every class has a place" >&2; exit 1; }
cd - >/dev/null
recorder/java/embed.sh "$folder/classes" woven_classes $order
