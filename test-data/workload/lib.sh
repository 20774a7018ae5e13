# lib.sh - for scripts that test the agent: JDKs, compiled workloads, recordings of them, the truth.
#
#   . test-data/workload/lib.sh
#   mapfile -t homes < <(jdks)
#   for home in "${homes[@]}"; do
#       workload || { skip "cpu on JDK $(release "$home")" "$why"; continue; }
#       record "$home" "$work/cpu.jfr" cpu=1ms cpu 3 || wrong "exit code $?: $(tail -1 "$work/err")"
#       [ "$(count "$work/cpu.jfr" jdk.ExecutionSample)" -gt 100 ] || wrong 'no samples'
#       verdict "cpu on JDK $(release "$home")"
#   done
#   exit $failed
. tools/test/jdk_lib.sh
B=${B:-build}
agent=$(realpath -m "${JFRKIT_AGENT:-$B/libjfrkit.so}")
work=$(mktemp -d)
failed=0
# A function for awk scripts: the nanoseconds of the day of an ISO time; a double has room for them.
# shellcheck disable=SC2034
awk_time='function time(iso, part) {
    part = substr(iso, 21) "000000000"
    sub(/Z/, "", part)
    return ((substr(iso, 12, 2) * 60 + substr(iso, 15, 2)) * 60 + substr(iso, 18, 2)) * 1e9 + substr(part, 1, 9)
}'
children=()
: >"$work/wrong"
: >"$work/wrong.begin"

# Whatever a script started and did not wait for ends with it. Most children have ended by then, and
# their numbers, or those of threads, are others' within minutes: only what is still ours is killed.
export JFRKIT_TEST=$work
clean_up() {
    local pid ours

    mapfile -t ours < <(jobs -pr)
    for pid in "${children[@]}"; do
        ! grep -qszx "JFRKIT_TEST=$work" "/proc/$pid/environ" || ours+=("$pid")
    done
    [ ${#ours[@]} = 0 ] || kill -9 "${ours[@]}" 2>/dev/null
    rm -rf "$work"
}
[ -n "${KEEP:-}" ] || trap clean_up EXIT

wrong() { # wrong TEXT...: the test in progress has failed
    echo "$*" >>"$work/wrong"
}

# give_up TEXT...: ends the script as failed, because what the next lines need is not there.
give_up() {
    echo "not ok $(basename "$0"), line ${BASH_LINENO[0]}: $*"
    exit 1
}

verdict() { # verdict NAME: ok unless something was wrong since the last verdict
    if [ -s "$work/wrong" ]; then
        echo "not ok $1"
        head -20 "$work/wrong" | cut -c1-400 | sed 's/^/    /'
        failed=1
    else
        echo "ok $1"
    fi
    : >"$work/wrong"
}

skip() { # skip NAME WHY: something is missing on this machine
    echo "skip $1: $2"
}

inapplicable() { # inapplicable NAME WHY: there is nothing to test, whatever the machine has
    echo "# not tested, $1: $2"
}

classes=$(realpath -m "$B/workload")
newer='Adapters|Sources|Events|Mounted|MutinyPublishers|NettyTimers|OkCalls|Pinned|ReactorPublishers|Redeploys|RxPublishers|ScalaFutures|SignalCost|SpanCost|Structured|TaskCost|Tasks|Twins|VertxFutures|Virtual.*|Walk.*|WebFiles' # compiled where they are needed

# workload: compiles the programs, all at once, so that one set of classes runs on every JDK from 8
# on, and the native half where jni.h is. False, and $why, when it cannot.
workload() {
    local compiler

    compiler=$(compiler)
    why='no JDK with a compiler'
    [ -n "$compiler" ] || return
    mkdir -p "$classes"
    (
        flock 9
        [ -e "$classes/ready" ] && [ -z "$(find test-data/workload -name '*.java' -newer "$classes/ready")" ] ||
            { find test-data/workload -maxdepth 1 -name '*.java' | grep -vE "/($newer).java" |
                if [ -e "$B/jfrkit.jar" ]; then cat; else xargs grep -L 'jfrkit[.]'; fi |
                xargs "$compiler/bin/javac" "${cheap[@]}" -source 8 -target 8 -nowarn -Xlint:-options \
                    -cp "$B/jfrkit.jar" -d "$classes" >"$classes/javac.log" 2>&1 && touch "$classes/ready"; } || exit 1
        [ "$classes/libworkload.so" -nt test-data/workload/workload.c ] ||
            ${CC:-cc} -O2 -g -shared -fPIC -pthread $(headers) \
                -o "$classes/libworkload.so" test-data/workload/workload.c >"$classes/cc.log" 2>&1 || true
    ) 9>"$classes/lock" || { why="javac: $(grep -m1 error "$classes/javac.log")"; return 1; }
}

# task_jars: $jars, the libraries of programs that set contexts and hand tasks over; false, and $why
task_jars() {
    jars tasks-mutiny org.apache.logging.log4j:log4j-core:2.24.3 org.jboss.logmanager:jboss-logmanager:2.1.19.Final \
        ch.qos.logback:logback-classic:1.3.15 org.slf4j:slf4j-api:2.0.17 io.opentelemetry:opentelemetry-sdk-trace:1.67.0 \
        com.google.guava:guava:33.4.0-jre org.springframework:spring-core:5.3.39 org.scala-lang:scala-library:2.13.17 \
        com.squareup.okhttp3:okhttp:4.12.0 io.projectreactor:reactor-core:3.7.12 \
        io.projectreactor.addons:reactor-pool:1.1.4 io.reactivex.rxjava3:rxjava:3.1.11 io.vertx:vertx-core:4.5.14 \
        io.smallrye.reactive:mutiny:1.10.0
}

# compile CLASS: one of those that need JDK 21; false, and $why, when it cannot
compile() {
    why='no compiler of JDK 21 or later'
    [ "$classes/$1.class" -nt "test-data/workload/$1.java" ] && return
    [ "$(release "$(compiler)")" -ge 21 ] || return
    why=
    javac "$(compiler)" -nowarn --release 21 -d "$classes" "test-data/workload/$1.java" >"$work/javac" 2>&1 && return
    why="javac: $(head -1 "$work/javac")"
    return 1
}

has_native() { # the native half was compiled
    [ -e "$B/workload/libworkload.so" ]
}

java_of() { # java_of HOME: the command and options that find the workloads, as an array `java`
    java=("$1/bin/java" "-Djava.library.path=$B/workload" -cp "$B/workload")
    [ "$(release "$1")" -lt 22 ] || java+=(--enable-native-access=ALL-UNNAMED)
}

# record HOME OUT OPTIONS MODE [SECONDS [N]]: runs a workload with the agent, which writes OUT. More
# java options stand in the array java_options. The truth goes to $work/out, messages to $work/err.
# The exit code is java's; 124 after LIMIT (300) seconds, and wrong() says where its threads stood then.
record() {
    local home=$1 out=$2 options=$3 java code

    shift 3
    rm -f "$out"
    java_of "$home"
    timeout -s QUIT -k 5 "${LIMIT:-300}" "${java[@]}" "-agentpath:$agent=file=$out${options:+,$options}" \
        ${java_options[@]+"${java_options[@]}"} Workload "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
    [ $code = 137 ] || return $code
    awk -F '"' '/^"/ { name = $2 } /^\tat / && name != "" { sub(/^\tat /, ""); print "at the limit " name " was in " $0; name = "" }' \
        "$work/out" >>"$work/wrong"
    return 124
}

# run HOME MODE [SECONDS [N]]: the same in the background and without the agent; $pid is there once
# this returns.
run() {
    local java

    java_of "$1"
    shift
    : >"$work/out" # of the one before; nothing of it must be waited for
    "${java[@]}" ${java_options[@]+"${java_options[@]}"} Workload "$@" >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    children+=("$pid")
    wait_for "$work/out" '^pid=' "$pid" || give_up "the workload does not start: $(head -3 "$work/err")"
}

# wait_for FILE PATTERN [PID]: until a line matches; false when none did in five minutes, or before the
# process ended.
wait_for() {
    local n=6000

    until grep -qE -- "$2" "$1" 2>/dev/null; do
        if [ -n "${3:-}" ] && ! kill -0 "$3" 2>/dev/null; then
            grep -qE -- "$2" "$1" 2>/dev/null
            return
        fi
        n=$((n - 1))
        [ $n -gt 0 ] || return 1
        sleep 0.05
    done
}

# until_told KEY VALUE: until status says so of $pid; of a number, until it says so many. LIMIT is that of record(). jfrec
# asks, which costs less than a JVM of its own to ask with.
until_told() {
    local end=$((SECONDS + ${LIMIT:-300}))

    while [ $SECONDS -lt $end ]; do
        "$B/jfrec" status -v "$pid" >"$work/told" 2>&1
        awk -v k="$1" -v value="$2" '$1 == k { is = value ~ /^[0-9]+$/ ? $2 + 0 >= value + 0 : $2 == value } END { exit !is }' \
            "$work/told" && return
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    wrong "status does not say $1 $2: $(grep -E "^$1 " "$work/told" || head -1 "$work/told")"
}

jar_of() { # jar_of FILE: the workloads as a jar
    "$(compiler)/bin/jar" cfe "$1" Workload -C "$B/workload" . 2>/dev/null
}

truth() { # truth KEY: what the workload printed
    sed -n "s/^$1=//p" "$work/out"
}

count() { # count FILE EVENT: number of events, by our own reader
    "$B/jfrsummary" "$1" 2>/dev/null |
        awk -v e="$2" '/^=+$/ { rows = 1 } !NF { rows = 0 } rows && $1 == e { n += $2 } END { printf "%.0f\n", n }'
}

# samples FILE PATTERN [OPTION...]: sum of the weights of stacks that match; options of jfr2collapsed
samples() {
    local file=$1 pattern=$2

    shift 2
    "$B/jfr2collapsed" "$@" "$file" 2>/dev/null |
        awk -v p="$pattern" '$0 ~ p { n += $NF } END { printf "%.0f\n", n }'
}

# is_whole FILE: our reader finds no damage; wrong() otherwise
is_whole() {
    local said

    said=$("$B/jfrsummary" "$1" 2>&1 >/dev/null) && [ -z "$said" ] ||
        wrong "$(basename "$1"): ${said:-jfrsummary failed}"
}

# within NAME GOT WANT PERCENT: wrong() unless GOT is that near to WANT
within() {
    awk -v g="${2:-0}" -v w="${3:-0}" -v p="$4" 'BEGIN { d = g - w; if (d < 0) d = -d
        exit !(w > 0 && d <= w * p / 100) }' || wrong "$1: $2, not $3 within $4 %"
}

# draws FILE [PATTERN]: samples of CPU time taken at different moments, those whose stack has PATTERN in it. A timer that
# is checked only when the kernel ticks fires for several intervals at once: that is one look, and several samples.
draws() {
    "$B/jfr2json" -l ndjson -e jdk.ExecutionSample ${2:+-w "frame ~ /$2/"} \
        --fields startTime,sampledThread.osThreadId "$1" 2>/dev/null | sort -u | wc -l
}

# is_share NAME PART ALL TRUE-PART TRUE-ALL DRAWS: wrong() unless the share of samples is within 6.2
# standard errors of the true one (off by chance: p < 1e-9), if so many independent looks were taken
is_share() {
    awk -v k="${2:-0}" -v n="${3:-0}" -v a="${4:-0}" -v b="${5:-0}" -v d="${6:-0}" 'BEGIN {
        if (n < 20 || d < 20 || b <= 0) exit 1
        p = a / b; off = k / n - p; if (off < 0) off = -off
        exit !(off <= 6.2 * sqrt(p * (1 - p) / d) + 0.5 / d) }' ||
        wrong "$1: $2 of $3 samples ($6 looks), not $4 of $5"
}

# left_overs [PID]: files that jfrec has left in the /tmp of a process (ours), one a line; not those
# of commands that still run.
left_overs() {
    local dir=/proc/${1:-self}/root/tmp file number

    for file in $(find "$dir" -maxdepth 1 \( -name '.jfrec-*' -o -name '.jfrkit-*' \) -newer "$work/wrong.begin" 2>/dev/null); do
        number=$(grep -oE '[0-9a-f]{16}' <<<"$file")
        cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | grep -qa "$number" || sleep 2
        [ ! -e "$file" ] || cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | grep -qa "$number" || echo "$file"
    done
}
