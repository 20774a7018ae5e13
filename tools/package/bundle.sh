#!/bin/bash
# bundle.sh JDK: $B/bundle/jfrkit.jar, the API with the program and the agent for linux-x64, also for musl if musl.sh has
# built it, and for linux-aarch64 if aarch64.sh has; and $B/bundle/jfrkit-api.jar with the API alone.
#   OUT=DIR   another folder than $B/bundle; it is made anew
set -eu
B=${B:-build}
jdk=$1 out=${OUT:-$B/bundle}
version=$(tools/package/version.sh)
rm -rf "$out"
mkdir -p "$out/classes"
cp "$B/jfrkit.jar" "$out/jfrkit-api.jar"
cp -r "$B/java/." "$out/classes"
"$jdk/bin/javac" --release 8 -Xlint:-options -cp "$out/classes" -d "$out/classes" recorder/java/bundle/jfrkit/*.java
# JMH's profiler, if JMH can be had.
. tools/test/jdk_lib.sh
if jars jmh-core org.openjdk.jmh:jmh-core:1.37; then
    "$jdk/bin/javac" --release 8 -Xlint:-options -proc:none -cp "$out/classes:$jars/*" -d "$out/classes" recorder/java/jmh/jfrkit/*.java
else
    echo "jfrkit.jar is without the profiler for JMH: $why" >&2
fi

# pack PLATFORM PROGRAM FOLDER STRIP [MUSL-FOLDER]: the program, and the agents that are in the folders
pack() {
    local to=$out/classes/META-INF/jfrkit/$1 library

    mkdir -p "$to"
    cp "$2" "$to/jfrkit"
    for library in libjfrkit.so libjfrkit-config.so; do
        "$4" --strip-unneeded -o "$to/$library" "$3/$library"
    done
    [ ! -e "${5:-}/libjfrkit.so" ] || "$4" --strip-unneeded -o "$to/libjfrkit-musl.so" "$5/libjfrkit.so"
    (cd "$to" && sha256sum -- *) | sed 's/  */ /' >"$out/index"
    mv "$out/index" "$to/index"
}
pack linux-x64 "$B/jfrkit-static" "$B" strip "$B/musl"
[ -e "$B/musl/libjfrkit.so" ] || echo 'jfrkit.jar has no agent for musl: tools/package/musl.sh has not run' >&2
if [ -e "$B/jfrkit-static-aarch64" ] && [ -e "$B/aarch64/libjfrkit.so" ]; then
    pack linux-aarch64 "$B/jfrkit-static-aarch64" "$B/aarch64" aarch64-linux-gnu-strip
else
    echo 'jfrkit.jar has nothing for linux-aarch64: tools/package/aarch64.sh has not run' >&2
fi
cp LICENSE "$out/classes/META-INF/LICENSE"
[ ! -e "$B/weave/LICENSE.asm" ] || cp "$B/weave/LICENSE.asm" "$out/classes/META-INF/LICENSE.asm"
cat >"$out/manifest" <<END
Main-Class: jfrkit.JfrKit
Premain-Class: jfrkit.JfrKit
Agent-Class: jfrkit.JfrKit
Implementation-Title: jfrkit
Implementation-Version: $version
END
"$jdk/bin/jar" cfm "$out/jfrkit.jar" "$out/manifest" -C "$out/classes" .
rm -r "$out/classes" "$out/manifest"
ls -l "$out"
