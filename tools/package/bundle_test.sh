#!/bin/bash
# The jar with everything in it: java -jar, -javaagent, JfrKit.start() and stop(), on each JDK that is here; what it unpacks
# is not another user's; and an application with the API on its own class path has one copy of it.
#   ENGINES=1   also with musl, and in JVMs for aarch64, under qemu
set -u
. test-data/workload/lib.sh
[ -e "$agent" ] && [ -e "$B/jfrkit.jar" ] || { skip 'the jar' 'no agent'; exit 0; }
[ -e "$("${CC:-cc}" -print-file-name=libtre.a)" ] || { skip 'the jar' 'no static libraries'; exit 0; }
workload || { skip 'the jar' "$why"; exit 0; }
# Into a folder of its own: other tests make jars at the same time.
flock "$B/static.lock" env -u MAKEFLAGS -u MAKELEVEL OUT="$work/bundle" make -s B="$B" bundle >"$work/log" 2>&1 || { echo "not ok the jar is built"; tail -5 "$work/log"; exit 1; }
jar=$work/bundle/jfrkit.jar
api=$work/bundle/jfrkit-api.jar kit=$(realpath "$B/jfrkit")
mkdir "$work/unpacked" "$work/classes"
where=-Djfrkit.dir=$work/unpacked

cat >"$work/Own.java" <<'END'
import jfrkit.ContextType;
import jfrkit.JfrKit;
import jfrkit.Scope;

class Own {
    static volatile double sink;

    public static void main(String[] args) throws Exception {
        ContextType type = ContextType.of("request", "user");
        System.out.println("started " + JfrKit.start("--cpu", "2ms", "-o", args[0]));
        for (int i = 0; i < 40; i++)
            try (Scope s = type.open("alice")) {
                for (long end = System.nanoTime() + 50_000_000L; System.nanoTime() < end;)
                    sink += Math.sqrt(sink + i);
            }
        System.out.println("state " + JfrKit.status().get("state"));
        JfrKit.dump(args[0] + ".dump");
        System.out.println("stopped " + JfrKit.stop());
        try {
            JfrKit.stop();
        } catch (java.io.IOException e) {
            System.out.println("refused " + e.getMessage());
        }
        System.out.println(ContextType.class.getProtectionDomain().getCodeSource().getLocation());
    }
}
END
javac "$(compiler)" -nowarn -cp "$jar" -d "$work/classes" "$work/Own.java" >"$work/log" 2>&1 || give_up "javac: $(head -3 "$work/log")"

counted() { # counted RECORDING [CONDITION]: samples of CPU time
    "$kit" sql -q -f csv "$1" "select count(*) from jdk_ExecutionSample ${2:-}" 2>&1 | tail -1 | tr -d '\r'
}

mapfile -t homes < <(jdks)
for home in "${homes[@]}"; do
    release=$(release "$home")
    java_of "$home"
    "${java[@]}" "$where" "-javaagent:$jar=-o $work/a$release.jfr --cpu 2ms" Workload cpu 2 >"$work/log" 2>&1 || wrong "exit code $?: $(tail -2 "$work/log")"
    n=$(counted "$work/a$release.jfr")
    [ "$n" -gt 100 ] || wrong "-javaagent: $n samples; $(tail -2 "$work/log")"
    "${java[@]}" "$where" "-javaagent:$jar=--no-such-option" Workload cpu 0 >"$work/log" 2>&1 || wrong 'a wrong option ends the program'
    grep -q '^jfrkit: not recording: .*no-such-option' "$work/log" || wrong "a wrong option: $(tail -2 "$work/log")"
    if [ "$release" -ge "$(release "$(compiler)")" ]; then
        "$home/bin/java" "$where" -cp "$work/classes:$jar" Own "$work/o$release.jfr" >"$work/log" 2>&1 || wrong "exit code $?: $(tail -3 "$work/log")"
        grep -qx "started $work/o$release.jfr" "$work/log" && grep -qx 'state running' "$work/log" &&
            grep -qx "stopped $work/o$release.jfr" "$work/log" && grep -q '^refused .*no recording runs' "$work/log" || wrong "$(cat "$work/log")"
        n=$(counted "$work/o$release.jfr" "where context.user = 'alice'")
        [ "$n" -gt 100 ] || wrong "$n samples of alice"
        [ "$(counted "$work/o$release.jfr.dump")" -gt 100 ] || wrong 'the dump has few samples'
        # The API on the application's class path, which comes before the agent's jar.
        "$home/bin/java" "$where" "-javaagent:$jar=-o $work/other.jfr --cpu off" -cp "$work/classes:$api" Own "$work/x.jfr" >"$work/log" 2>&1
        grep -q 'already: stop it first' "$work/log" || wrong "a second recording: $(tail -3 "$work/log")"
        "$home/bin/java" -verbose:class "$where" "-javaagent:$jar=--no-such-option" -cp "$work/classes:$api" Own "$work/x.jfr" >"$work/log" 2>&1
        [ "$(grep -c ' jfrkit\.ContextType source:' "$work/log")" = 1 ] && grep -q ' jfrkit.ContextType source: .*jfrkit-api.jar' "$work/log" ||
            wrong "$(grep ' jfrkit\.ContextType ' "$work/log" | head -3)"
        [ "$(counted "$work/x.jfr" "where context.user = 'alice'")" -gt 100 ] || wrong 'no context with two jars'
    fi
    verdict "-javaagent and JfrKit.start() on JDK $release"
done

home=${homes[-1]}
java=$home/bin/java
"$java" "$where" -jar "$jar" top "$work/a$(release "$home").jfr" >"$work/have" 2>&1
"$kit" top "$work/a$(release "$home").jfr" | diff - "$work/have" >>"$work/wrong"
java_of "$home"
"${java[@]}" Workload cpu 60 >"$work/out" 2>&1 </dev/null &
jvm=$!
children+=("$jvm")
sleep 1
"$home/bin/java" "$where" -jar "$jar" attach -d 1s -o "$work/attached.jfr" "$jvm" >"$work/log" 2>&1 || wrong "attach: exit code $?: $(cat "$work/log")"
grep -q '^Top methods' "$work/log" || wrong "attach says $(cat "$work/log")"
"$home/bin/java" "$where" -jar "$jar" nonsense >"$work/log" 2>&1
[ $? = 2 ] || wrong "exit code $? of a wrong verb"
kill "$jvm"
verdict 'java -jar: verbs, their exit codes, attach'

# --- what is unpacked

java=$home/bin/java
folder=$(echo "$work"/unpacked/jfrkit-*)
[ "$(stat -c %a "$folder")" = 700 ] || wrong "mode $(stat -c %a "$folder")"
echo '#!/bin/sh' >"$folder/jfrkit"
"$java" "$where" -jar "$jar" --version >"$work/log" 2>&1
grep -q '(jfrkit)' "$work/log" || wrong "a file that was changed is run: $(cat "$work/log")"
rm -rf "$work/unpacked" && mkdir "$work/unpacked"
for i in 1 2 3 4 5 6; do
    "$java" "$where" -jar "$jar" --version >"$work/log$i" 2>&1 &
    children+=($!)
    racers[i]=$!
done
for i in 1 2 3 4 5 6; do
    wait "${racers[i]}"
    grep -q '(jfrkit)' "$work/log$i" || wrong "one of six at once: $(cat "$work/log$i")"
done
[ "$(ls "$work/unpacked" | wc -l)" = 1 ] && [ -z "$(ls "$folder" | grep '^new')" ] || wrong "left behind: $(ls "$work"/unpacked/*)"
if [ "$(id -u)" = 0 ]; then
    rm -rf "$folder" && mkdir -m 777 "$folder" && printf '#!/bin/sh\necho evil\n' >"$folder/jfrkit" && chmod 755 "$folder/jfrkit" && chown -R 65534 "$folder"
    "$java" "$where" -jar "$jar" --version >"$work/log" 2>&1
    grep -q '(jfrkit)' "$work/log" && ! grep -q evil "$work/log" || wrong "another user's folder is used: $(cat "$work/log")"
    rm -rf "$work"/unpacked/* && mkdir "$work/elsewhere" && ln -s "$work/elsewhere" "$folder"
    "$java" "$where" -jar "$jar" --version >"$work/log" 2>&1
    grep -q '(jfrkit)' "$work/log" && [ -z "$(ls "$work/elsewhere")" ] || wrong "a link is followed: $(cat "$work/log")"
fi
verdict 'unpacked for its user alone, checked, by several at once'

# --- musl

# JVMs with musl cannot be had from the registries that tests use: the agent is loaded by a program, and the jar takes it.
if [ -z "${ENGINES:-}${SOAK:-}" ] || ! command -v musl-gcc >/dev/null; then
    skip 'the agent for musl' "$(command -v musl-gcc >/dev/null && echo 'ENGINES=1 tries it' || echo 'no musl-gcc')"
else
    env -u MAKEFLAGS -u MAKELEVEL B="$B" tools/package/musl.sh >"$work/log" 2>&1 || wrong "$(tail -5 "$work/log")"
    cat >"$work/load.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>

int main(int n, char **words)
{
    void *library = dlopen(words[n - 1], RTLD_NOW);

    if (library == NULL)
        puts(dlerror());
    return library == NULL || dlsym(library, "Agent_OnLoad") == NULL || dlsym(library, "Agent_OnAttach") == NULL;
}
END
    musl-gcc -o "$work/load" "$work/load.c" && "$work/load" "$B/musl/libjfrkit.so" >"$work/log" 2>&1 || wrong "it cannot be loaded: $(cat "$work/log")"
    "$work/load" "$B/libjfrkit.so" >"$work/log" 2>&1 && wrong "the other agent can be loaded, too: the program is none of musl"
    # Not native/test/walk: Debian's musl has no tables for unwinding, so a walk ends at its functions.
    for test in base/test/safe_load symbols/test/perf_map vm/test/dict vm/test/zgc native/test/symbols; do
        musl-gcc -std=c11 -D_GNU_SOURCE -Itest-data/cross -I. -isystem "$(compiler)/include" -isystem "$(compiler)/include/linux" \
            -idirafter "$B/musl-root/include" -O2 -w -fPIC -pthread -rdynamic -o "$work/${test##*/}_test" "recorder/${test}_test.c" "$B/musl/libjfrkit.a" \
            -L"$B/musl-root/lib" -l:libzstd.a >"$work/log" 2>&1 &&
            "$work/${test##*/}_test" >"$work/log" 2>&1 || wrong "$test: $(tail -3 "$work/log")"
    done
    verdict 'the agent for musl loads, and its safe reads and symbols work in programs with musl'

    B=$B OUT=$work/bundle tools/package/bundle.sh "$(compiler)" >"$work/log" 2>&1 && ! grep -q 'no agent for musl' "$work/log" || wrong "$(tail -2 "$work/log")"
    cc -shared -o "$work/ld-musl-x86_64.so.1" -x c /dev/null
    LD_PRELOAD=$work/ld-musl-x86_64.so.1 "$java" "$where" "-javaagent:$jar=-o $work/musl.jfr" -cp "$work/classes" Workload cpu 0 >"$work/log" 2>&1
    grep -q '^jfrkit: not recording: .*libjfrkit-musl.so' "$work/log" || wrong "the jar takes another agent: $(tail -3 "$work/log")"
    verdict 'the jar takes it where musl is loaded'
fi

# --- aarch64

if [ -z "${ENGINES:-}${SOAK:-}" ]; then
    echo 'skip the jar on aarch64: ENGINES=1 runs it'
    exit $failed
fi
why=$(tools/test/aarch64.sh true 2>&1) || { echo "skip the jar on aarch64: $why"; exit $failed; }
if ! env -u MAKEFLAGS -u MAKELEVEL B="$B" tools/package/aarch64.sh >"$work/log" 2>&1; then
    grep -qE 'Temporary failure|Could not|Unable to' "$work/log" && { echo 'skip the jar on aarch64: packages of Debian cannot be had'; exit $failed; }
    wrong "$(tail -5 "$work/log")"
fi
B=$B OUT=$work/bundle tools/package/bundle.sh "$(compiler)" >"$work/log" 2>&1 && ! grep -q 'has nothing for linux-aarch64' "$work/log" || wrong "$(tail -2 "$work/log")"
rm -rf "$work/aarch64"
javac "$(compiler)" -nowarn --release 8 -Xlint:-options -cp "$jar" -d "$work/aarch64" "$work/Own.java" test-data/workload/Workload.java >"$work/log" 2>&1 ||
    wrong "javac: $(head -3 "$work/log")"
verdict 'the jar has the program and the agent for aarch64'
for home in "$B"/jdks-aarch64/*; do
    [ -x "$home/bin/java" ] || { echo 'skip the jar on aarch64: tools/setup.sh jdks has not fetched a JVM'; exit $failed; }
    release=${home##*/}
    rm -f "$work/arm.jfr" "$work/own.jfr"
    tools/test/aarch64.sh "$home/bin/java" "$where" "-javaagent:$jar=-o $work/arm.jfr --cpu 5ms" -cp "$work/aarch64" Workload cpu 8 >"$work/out" 2>"$work/log" ||
        wrong "exit code $?: $(tail -2 "$work/log")"
    heavy=$(samples "$work/arm.jfr" 'Workload[.]heavy' --kind cpu) light=$(samples "$work/arm.jfr" 'Workload[.]light' --kind cpu)
    is_share 'share of light' "$light" $((heavy + light)) "$(truth light_cpu_ns)" \
        $(($(truth heavy_cpu_ns) + $(truth light_cpu_ns))) "$(draws "$work/arm.jfr" 'Workload[.](heavy|light)')"
    tools/test/aarch64.sh "$home/bin/java" "$where" -cp "$work/aarch64:$jar" Own "$work/own.jfr" >"$work/log" 2>&1 || wrong "exit code $?: $(tail -3 "$work/log")"
    grep -qx "stopped $work/own.jfr" "$work/log" || wrong "$(tail -3 "$work/log")"
    n=$(counted "$work/own.jfr" "where context.user = 'alice'")
    [ "$n" -gt 100 ] || wrong "$n samples of alice"
    # The main job, all of it on aarch64: who used how much, and the page. The same bytes as the program of this machine.
    tools/test/aarch64.sh "$home/bin/java" "$where" -jar "$jar" table --by user "$work/own.jfr" >"$work/have" 2>"$work/log"
    "$kit" table --by user "$work/own.jfr" 2>/dev/null | cmp - "$work/have" >>"$work/wrong" 2>&1
    grep -q alice "$work/have" || wrong "no alice in the table: $(tail -2 "$work/log")"
    tools/test/aarch64.sh "$home/bin/java" "$where" -jar "$jar" flame -o "$work/arm.html" "$work/arm.jfr" >"$work/log" 2>&1 || wrong "flame: $(tail -2 "$work/log")"
    "$kit" flame -o "$work/here.html" "$work/arm.jfr" >/dev/null 2>&1
    cmp "$work/here.html" "$work/arm.html" >>"$work/wrong" 2>&1
    echo "# aarch64, JDK $release: heavy $heavy, light $light samples, alice $n"
    verdict "recorded, summed up and drawn on aarch64, JDK $release"
done
exit $failed
