#!/bin/bash
# Opens recordings with the parser, the pages' attributes and the rules of Mission Control.
#   test-data/interop/jmc.sh [--count TYPE]... [--allow WARNING]... FILE...
# prints one line per file: ok NAME ..., not ok NAME
#   test-data/interop/jmc.sh --by TYPE ATTRIBUTE [SUMMED] FILE
# groups events of a type by an attribute, by its core's aggregators: "VALUE NUMBER", one a line.
# Its jars come from Maven Central into build/jmc, once; where that cannot be: one line "skip jmc: why".
# Exit code 1 when a file is not ok.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
version=9.1.1
dir=$root/build/jmc/$version
cheap=(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC) # it runs for a second

skip() {
    echo "skip jmc: $1"
    exit 0
}

javac=$(compgen -G '/usr/lib/jvm/*/bin/javac' | sort -V | tail -1)
[ -n "$javac" ] || skip "no JDK under /usr/lib/jvm"
mkdir -p "$dir"
exec 9>"$dir/lock" # several tests may want the jars at once
flock 9
if [ ! -e "$dir/ready" ]; then
    command -v mvn >/dev/null || skip "no mvn"
    cat >"$dir/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>jfrkit</groupId><artifactId>interop</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>org.openjdk.jmc</groupId><artifactId>flightrecorder.rules.jdk</artifactId>
    <version>$version</version>
  </dependency></dependencies>
</project>
POM
    timeout 300 mvn -q -B -f "$dir/pom.xml" \
        org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
        -DoutputDirectory="$dir/jars" >"$dir/mvn.log" 2>&1 || skip "mvn failed, see $dir/mvn.log"
    touch "$dir/ready"
fi
class=JmcCheck
if [ "${1:-}" = --by ]; then
    class=JmcGroups
    shift
fi
if [ ! "$dir/$class.class" -nt "$root/test-data/interop/$class.java" ]; then
    "$javac" "${cheap[@]/#/-J}" -nowarn -cp "$dir/jars/*" -d "$dir" "$root/test-data/interop/$class.java" || exit 1
fi
exec 9>&-
[ $# -gt 0 ] || exit 0
exec "${javac%javac}java" "${cheap[@]}" -cp "$dir:$dir/jars/*" $class "$@"
