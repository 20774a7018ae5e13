#!/bin/bash
# The examples of tools/docs/java.md: tests of Maven and Gradle builds are recorded, with the context that a test sets, and
# benchmarks of JMH. And the jar in a container whose file system is read-only.
#   ENGINES=1   runs it: Maven fetches its plugins
set -u
. test-data/workload/lib.sh
[ -n "${ENGINES:-}${SOAK:-}" ] || { skip 'builds of Maven, Gradle and JMH' 'ENGINES=1 runs it'; exit 0; }
[ -e "$agent" ] && [ -e "$B/jfrkit.jar" ] || { skip 'builds of Maven, Gradle and JMH' 'no agent'; exit 0; }
[ -e "$("${CC:-cc}" -print-file-name=libtre.a)" ] || { skip 'builds of Maven, Gradle and JMH' 'no static libraries'; exit 0; }
JAVA_HOME=$(compiler)
[ -n "$JAVA_HOME" ] || { skip 'builds of Maven, Gradle and JMH' 'no JDK with a compiler'; exit 0; }
export JAVA_HOME
flock "$B/static.lock" env -u MAKEFLAGS -u MAKELEVEL OUT="$work/bundle" make -s B="$B" bundle >"$work/log" 2>&1 || { echo "not ok the jar is built"; tail -5 "$work/log"; exit 1; }
jar=$work/bundle/jfrkit.jar kit=$(realpath "$B/jfrkit")

# example LANGUAGE FILE: a part of java.md
example() {
    awk -v begin="\`\`\`$1" '$0 == begin { inside = 1; next } /^```$/ { inside = 0 } inside' tools/docs/java.md >"$2"
    [ -s "$2" ] || wrong "java.md has no example in $1"
}

# a_test FOLDER: a test that works for a second, for the user alice
a_test() {
    mkdir -p "$1/src/test/java"
    cat >"$1/src/test/java/WorkTest.java" <<'END'
import jfrkit.ContextType;
import jfrkit.Scope;

public class WorkTest {
    static volatile double sink;

    @org.junit.Test
    public void works() {
        try (Scope s = ContextType.of("request", "user").open("alice")) {
            for (long end = System.nanoTime() + 1_000_000_000L; System.nanoTime() < end;)
                sink += Math.sqrt(sink);
        }
    }
}
END
}

has_samples() { # has_samples RECORDING: of alice
    local n

    n=$("$kit" sql -q -f csv "$1" "select count(*) from jdk_ExecutionSample where context.user = 'alice'" 2>&1 | tail -1 | tr -d '\r')
    [ "$n" -gt 100 ] || wrong "$n samples of alice: $(tail -3 "$work/log")"
}

is_unreachable() { # what mvn says without a network
    grep -qE 'Could not transfer|Unknown host|offline mode|status code: (403|404|5..)' "$work/log"
}

if ! command -v mvn >/dev/null; then
    skip 'a build of Maven' 'no mvn'
else
    repository=-Dmaven.repo.local=$(realpath -m "$B/maven-repository")
    a_test "$work/maven"
    example xml "$work/maven/pom.xml"
    if ! tools/package/maven.sh "$work/bundle" "$repository" >"$work/log" 2>&1 || ! timeout 300 mvn -q -B "$repository" -f "$work/maven/pom.xml" test >"$work/log" 2>&1; then
        is_unreachable && skip 'a build of Maven' "a plugin cannot be had: $(grep -m1 -oE '[a-z.-]+:[a-z-]+:(jar|pom):[0-9.]+' "$work/log")" ||
            { wrong "$(tail -5 "$work/log")"; verdict 'tests of Maven are recorded'; }
    else
        has_samples "$work/maven/target/tests.jfr"
        verdict 'tests of Maven are recorded'
    fi
fi

if ! command -v gradle >/dev/null || [ ! -e /usr/share/java/junit4.jar ]; then
    skip 'a build of Gradle' 'no gradle'
else
    a_test "$work/gradle"
    example groovy "$work/gradle/build.gradle"
    mkdir "$work/gradle/lib"
    cp -L /usr/share/java/{junit4,hamcrest-core}.jar "$jar" "$work/gradle/lib"
    mapfile -t homes < <(jdks)
    # Debian's Gradle 4.4 does not run on the newest.
    (cd "$work/gradle" && JAVA_HOME=${homes[0]} GRADLE_USER_HOME=$work/gradle-home timeout 300 gradle --offline --no-daemon test) >"$work/log" 2>&1 || wrong "$(tail -5 "$work/log")"
    has_samples "$work/gradle/build/tests.jfr"
    verdict 'tests of Gradle are recorded'
fi

if ! jars jmh org.openjdk.jmh:jmh-core:1.37 org.openjdk.jmh:jmh-generator-annprocess:1.37; then
    skip 'benchmarks of JMH' "$why"
else
    mkdir -p "$work/jmh/classes"
    cat >"$work/jmh/Sums.java" <<'END'
package sums;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.*;

@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 1, time = 1)
@Measurement(iterations = 1, time = 1)
public class Sums {
    @Param({"1 00"})
    String n;

    @Benchmark
    public double roots() {
        double sum = 0;

        for (int i = 0; i < n.length() * 100; i++)
            sum += Math.sqrt(i);
        return sum;
    }
}
END
    "$JAVA_HOME/bin/javac" -processor org.openjdk.jmh.generators.BenchmarkProcessor -cp "$jars/*" -d "$work/jmh/classes" "$work/jmh/Sums.java" >"$work/log" 2>&1 || wrong "javac: $(head -3 "$work/log")"
    example sh "$work/jmh/run"
    # The class path of the example, and its folder; twice, so that a file is there already.
    sed -i "s|benchmarks.jar:jfrkit.jar|'$work/jmh/classes:$jars/*:$jar'|; s|^java|'$JAVA_HOME/bin/java'|; s|dir=out|dir=$work/jmh/out|" "$work/jmh/run"
    for n in 1 2; do
        (cd "$work/jmh" && timeout 300 bash run) >"$work/log" 2>&1 || wrong "exit code $?: $(tail -3 "$work/log")"
        files=("$work"/jmh/out/*.jfr)
        [ ${#files[@]} = $n ] && [ "$(ls "$work"/jmh/out/*.html | wc -l)" = $n ] || wrong "files: $(ls "$work/jmh/out")"
        grep -q "^Recording: .*/sums.Sums.roots.*-$n.jfr" "$work/log" && grep -q 'sums.*Sums.*roots' "$work/log" || wrong "$(tail -20 "$work/log")"
    done
    "$kit" top "${files[0]}" 2>/dev/null | head -3 | grep -q 'Sums' || wrong "another method is first: $("$kit" top "${files[0]}" | head -3)"
    (cd "$work/jmh" && sed 's/dir=/folder=/' run | timeout 100 bash) >"$work/log" 2>&1
    grep -q "jfrkit.Jmh: 'folder=" "$work/log" || wrong "a wrong option: $(tail -3 "$work/log")"
    verdict 'benchmarks of JMH have a recording and a page each'
fi

# A container's file system is read-only but for /tmp.
java_classes=$work/classes
javac "$JAVA_HOME" -nowarn -d "$java_classes" test-data/workload/Workload.java >"$work/log" 2>&1
if ! unshare -Urm true 2>/dev/null; then
    skip 'a read-only file system' 'no namespaces'
else
    cp "$jar" "$java_classes/"
    # shellcheck disable=SC2016
    unshare -Urm bash -c '
        mkdir "$1/tmp" && mount --bind "$1/classes" /mnt && mount -t tmpfs tmpfs "$1/tmp" && mount --bind "$1/tmp" /tmp || exit 1
        mount -o remount,bind,ro / || exit 1
        ! touch /var/jfrkit 2>/dev/null || exit 1
        "$2/bin/java" "-javaagent:/mnt/jfrkit.jar=-o /tmp/a.jfr --cpu 2ms" -cp /mnt Workload cpu 2 && cat /tmp/a.jfr >&3' - "$work" "$JAVA_HOME" \
        3>"$work/ro.jfr" >"$work/log" 2>&1 || wrong "exit code $?: $(tail -3 "$work/log")"
    n=$("$kit" sql -q -f csv "$work/ro.jfr" 'select count(*) from jdk_ExecutionSample' 2>&1 | tail -1 | tr -d '\r')
    [ "$n" -gt 100 ] || wrong "$n samples: $(tail -3 "$work/log")"
    verdict 'the jar records where only /tmp can be written'
fi
exit $failed
