# sample_lib.sh - recordings for scripts that compare with the JDK's tool: ours of test-data/recordings,
# and a choice of those of others in $SHARED, where it is.
#
#   . tools/test/sample_lib.sh
#   for f in $(own_recordings) $(sample); do ...
#
#   SOAK=1   all of others; without it those of $large are left out, whose kind another one has

# own_recordings [PATTERN]: paths of ours, unpacked below $B once
own_recordings() {
    local f to

    mkdir -p "${B:-build}/recordings"
    for f in test-data/recordings/${1:-*}.jfr.gz; do
        to=${B:-build}/recordings/$(basename "$f" .gz)
        [ "$to" -nt "$f" ] || { gzip -dc "$f" >"$to.$$" && mv "$to.$$" "$to"; }
        echo "$to"
    done
}

# file         what has its kind
large='
jdk21                   jdk25-own
hotmethods              jdk15
ap45-jdk17              ap45-vthreads
ap45-jdk25              ap45-vthreads
async-profiler          cortex-dev-01__kafka-0__cpu_lock_alloc__0
event-with-type-zero    FastSlow_2024_01_16_180855
'

sample() { # recordings of others, plain and compressed; none when there are none
    local f name

    for f in "${SHARED:-../shared}"/recordings/*/*.jfr "${SHARED:-../shared}"/recordings/*/*.jfr.gz; do
        name=$(basename "${f%.gz}" .jfr)
        [ -e "$f" ] || continue
        [ -n "${SOAK:-}" ] || ! grep -q "^$name " <<<"$large" || continue
        echo "$f"
    done
}
