#!/bin/bash
# bundle.sh JDK: $B/bundle/jfrkit.jar, the API with the programs and agents that there are: for linux-x64, and for
# linux-aarch64 if tools/package/aarch64.sh has made them; and $B/bundle/jfrkit-api.jar with the API alone.
set -eu
B=${B:-build}
jdk=$1 out=$B/bundle
version=$(sed -n 's/.*JFRKIT_VERSION "\([^"]*\)".*/\1/p' tools/cli/cli.h)
rm -rf "$out"
mkdir -p "$out/classes"
"$jdk/bin/javac" --release 8 -Xlint:-options -d "$out/classes" recorder/java/jfrkit/*.java recorder/java/bundle/jfrkit/*.java

# add PLATFORM PROGRAM STRIP LIBRARY...
add() {
    local to=$out/classes/META-INF/jfrkit/$1 strip=$3 library

    mkdir -p "$to"
    cp "$2" "$to/jfrkit"
    for library in "${@:4}"; do
        "$strip" --strip-unneeded -o "$to/$(basename "$library")" "$library"
    done
    (cd "$to" && sha256sum -- *) | sed 's/  */ /' >"$out/index"
    mv "$out/index" "$to/index"
}

add linux-x64 "$B/jfrkit-static" strip "$B/libjfrkit.so" "$B/libjfrkit-config.so"
if [ -e "$B/jfrkit-static-aarch64" ] && [ -e "$B/libjfrkit-aarch64.so" ]; then
    mkdir "$out/aarch64" && cp "$B/libjfrkit-aarch64.so" "$out/aarch64/libjfrkit.so"
    add linux-aarch64 "$B/jfrkit-static-aarch64" aarch64-linux-gnu-strip "$out/aarch64/libjfrkit.so"
    rm -r "$out/aarch64"
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
"$jdk/bin/jar" cf "$out/jfrkit-api.jar" $(cd "$out/classes" && for c in "$OLDPWD"/recorder/java/jfrkit/*.java; do c=$(basename "$c" .java); printf ' -C %s jfrkit/%s.class' "$OLDPWD/$out/classes" "$c"; for i in jfrkit/"$c"\$*.class; do [ ! -e "$i" ] || printf ' -C %s %s' "$OLDPWD/$out/classes" "$i"; done; done)
rm -r "$out/classes" "$out/manifest"
ls -l "$out"
