#!/bin/bash
# bundle.sh JDK: $B/bundle/jfrkit.jar, the API with the program and the agent for linux-x64, and $B/bundle/jfrkit-api.jar
# with the API alone.
set -eu
B=${B:-build}
jdk=$1 out=$B/bundle
version=$(tools/package/version.sh)
rm -rf "$out"
mkdir -p "$out/classes"
cp "$B/jfrkit.jar" "$out/jfrkit-api.jar"
cp -r "$B/java/." "$out/classes"
"$jdk/bin/javac" --release 8 -Xlint:-options -cp "$out/classes" -d "$out/classes" recorder/java/bundle/jfrkit/*.java

to=$out/classes/META-INF/jfrkit/linux-x64
mkdir -p "$to"
cp "$B/jfrkit-static" "$to/jfrkit"
for library in libjfrkit.so libjfrkit-config.so; do
    strip --strip-unneeded -o "$to/$library" "$B/$library"
done
(cd "$to" && sha256sum -- *) | sed 's/  */ /' >"$out/index"
mv "$out/index" "$to/index"
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
