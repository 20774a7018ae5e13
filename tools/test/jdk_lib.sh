# jdk_lib.sh - for scripts that test on every JDK of the machine.
#
#   . tools/test/jdk_lib.sh
#   mapfile -t homes < <(jdks) # one a line: a folder's name may have a space
#   for home in "${homes[@]}"; do echo "JDK $(release "$home")"; jfr "$home" summary "$file"; done
#
#   JDKS=HOME:HOME   only these, whether or not they have a compiler

release() { # release HOME: 8, 17, 25, ...; nothing when HOME is no JDK
    local of

    of=$(sed -nE 's/^JAVA_VERSION="(1\.)?([0-9]+).*/\2/p' "$1/release" 2>/dev/null)
    # Debian's packages of JDK 8 have no such file.
    [ -n "$of" ] || of=$("$1/bin/java" -version 2>&1 | sed -nE '1s/.*version "(1\.)?([0-9]+).*/\2/p')
    echo "$of"
}

has_recorder() { # has_recorder HOME: its JVM has jdk.jfr, whether or not the tool jfr is there
    compgen -G "$1/lib/jfr/*.jfc" >/dev/null || compgen -G "$1/jre/lib/jfr/*.jfc" >/dev/null
}

homes_with() { # homes_with PROGRAM FOLDER...: those with bin/PROGRAM, the first of each release, oldest first
    local home program=$1

    for home in "${@:2}"; do
        [ -x "$home/bin/$program" ] && [ -n "$(release "$home")" ] &&
            echo "$(release "$home") $(realpath "$home")"
    done | sort -sun -k1,1 | cut -d' ' -f2-
}

jdks() { # a home for each release with a compiler; for a soak each one
    [ -n "${JDKS:-}${SOAK:-}" ] && runtimes || homes_with javac /usr/lib/jvm/* ${JAVA_HOME:+"$JAVA_HOME"}
}

runtimes() { # those, and the releases without a compiler that tools/setup.sh fetched
    local given

    IFS=: read -ra given <<<"${JDKS:-}"
    [ ${#given[@]} != 0 ] || given=(/usr/lib/jvm/* ${JAVA_HOME:+"$JAVA_HOME"} "${B:-build}"/jdks/*)
    homes_with java "${given[@]}"
}

compiler() { # the newest home with a compiler: programs and headers for a home without one come from there
    local given

    IFS=: read -ra given <<<"${JDKS:-}"
    homes_with javac /usr/lib/jvm/* ${JAVA_HOME:+"$JAVA_HOME"} "${given[@]}" | tail -1
}

headers() { # where jni.h is, as options of cc
    local home

    home=$(compiler)
    echo "-I$home/include -I$home/include/linux"
}

jdk_home() { # jdk_home RELEASE: its home; false, and nothing, when it is not installed
    local home

    while read -r home; do
        [ "$(release "$home")" != "$1" ] || { echo "$home"; return; }
    done < <(jdks)
    return 1
}

# The JDK's tools as they cost least: they run for a second, in which a better compiler and collector
# take more than they give.
cheap=(-J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC)
jfr() { # jfr HOME ARGUMENT...: its tool, or else the newest one there is
    local home=$1

    [ -x "$home/bin/jfr" ] || home=$(compiler)
    "$home/bin/jfr" "${cheap[@]}" "${@:2}"
}

javac() { # javac HOME ARGUMENT...: its compiler, or else the newest one there is, for that release
    local compiler=$1 target=()

    if [ ! -x "$1/bin/javac" ]; then
        compiler=$(compiler)
        case " $* " in
        *' --release '*) ;;
        *' --patch-module '*) target=(-source "$(release "$1")" -target "$(release "$1")" -Xlint:-options) ;;
        *) target=(--release "$(release "$1")") ;;
        esac
        # What JDK 8 got later, jdk.jfr among it, is not in what --release 8 offers.
        [ "${target[*]}" != '--release 8' ] || target=(-source 8 -target 8 -Xlint:-options)
    fi
    "$compiler/bin/javac" "${cheap[@]}" "${target[@]}" "${@:2}"
}

# fresh_recording HOME FILE SOURCE [ARGUMENT...]: what the JDK's recorder makes of a program, without the
# compiler in it
fresh_recording() {
    [ -e "$3.classes" ] || javac "$1" -nowarn --release 11 -d "$3.classes" "$3" || return
    "$1/bin/java" -XX:StartFlightRecording:filename="$2",settings="${settings:-profile}" -cp "$3.classes" \
        "$(basename "$3" .java)" "${@:4}"
}

fast_jfr() { # fast_jfr HOME FILE: writes the program FILE that is `jfr HOME`, and names it
    printf '#!/bin/sh\nexec %q %s "$@"\n' "$1/bin/jfr" "${cheap[*]}" >"$2"
    chmod 700 "$2"
    echo "$2"
}

# jdk_reads HOME FILE...: says what is wrong when the JDK's parser reads all events of each file, in one
# JVM; nothing when all is well.
jdk_reads() {
    local home=$1 to=${B:-build}/interop f said

    shift
    if [ "$(release "$home")" -lt 11 ]; then # it has the tool, but not the parser's API
        for f; do jfr "$home" print "$f" 2>&1 >/dev/null; done
        return
    fi
    mkdir -p "$to"
    (
        flock 9
        [ "$to/JdkCheck.class" -nt test-data/interop/JdkCheck.java ] ||
            javac "$home" -nowarn --release 11 -d "$to" test-data/interop/JdkCheck.java 2>&1
    ) 9>"$to/lock"
    said=$(timeout 300 "$home/bin/java" "${cheap[@]#-J}" -cp "$to" JdkCheck "$@" 2>&1)
    grep -v '^ok ' <<<"$said"
    # One that is killed says nothing.
    [ "$(grep -c '^ok ' <<<"$said")" = $# ] || echo "JDK $(release "$home") has not read all of $# recordings"
}

# jars NAME GROUP:ARTIFACT:VERSION...: $jars, a folder with them and what they need, from Maven Central, once for each list.
# False, and $why, where that cannot be.
jars() {
    local dir c group artifact version

    why=
    dir=$(realpath -m "${B:-build}/jars/$1")
    shift
    command -v mvn >/dev/null || { why='no mvn'; return 1; }
    mkdir -p "$dir"
    (
        flock 9
        [ "$(cat "$dir/ready" 2>/dev/null)" != "$*" ] || exit 0
        rm -f "$dir"/{ready,*.jar}
        {
            echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
            echo '<groupId>jfrkit</groupId><artifactId>jars</artifactId><version>1</version><dependencies>'
            for c; do
                IFS=: read -r group artifact version <<<"$c"
                echo "<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version></dependency>"
            done
            echo '</dependencies></project>'
        } >"$dir/pom.xml"
        timeout 200 mvn -q -B -f "$dir/pom.xml" \
            org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
            -DoutputDirectory="$dir" >"$dir/mvn.log" 2>&1 && echo "$*" >"$dir/ready"
    ) 9>"$dir/lock" || { why="mvn failed, see $dir/mvn.log"; return 1; }
    jars=$dir
}
