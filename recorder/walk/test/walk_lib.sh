# walk_lib.sh - runs the walker's test agent in a JVM; behind tools/test/jdk_lib.sh.
#
#   agent=build/walk-agent.so       of the JVM's processor
#   emulator=(qemu-aarch64 -L ...)  for a JVM of another processor
#   work=FOLDER                     has the classes for JDK 21 in FOLDER/21
#   preload=LIBRARY                 LD_PRELOAD

emulator=()

# run HOME LOG AGENT-OPTIONS JVM-OPTIONS... -- CLASS ARGS...
run() {
    local home=$1 log=$2 options=$3 jvm=()

    shift 3
    while [ "$1" != -- ]; do
        jvm+=("$1")
        shift
    done
    shift
    [ "$(release "$home")" -lt 24 ] || jvm+=(--enable-native-access=ALL-UNNAMED)
    LD_PRELOAD=${preload:-} timeout "${patience:-250}" "${emulator[@]}" "$home/bin/java" "${jvm[@]}" "-agentpath:$agent=$options" \
        -cp "$work/$(release "$home")" "$@" >"$log" 2>&1
}

# value FILE LINE KEY: the number behind KEY= in the last "WALK LINE" of a log.
value() {
    grep "^WALK $2 " "$1" | tail -1 | tr ' ' '\n' | sed -n "s/^$3=//p"
}
