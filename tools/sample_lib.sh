# sample_lib.sh - for scripts that compare with the JDK's tool over recordings of everybody: a choice of
# recordings.
#
#   . tools/sample_lib.sh
#   for f in $(sample); do ...             paths in $SHARED/recordings
#
#   SOAK=1   all recordings; without it those of $large are left out, whose kind another one has

# file         what has its kind
large='
jdk21                   jdk25-own
hotmethods              jdk15
ap45-jdk17              ap45-vthreads
ap45-jdk25              ap45-vthreads
async-profiler          cortex-dev-01__kafka-0__cpu_lock_alloc__0
event-with-type-zero    FastSlow_2024_01_16_180855
'

sample() { # recordings, plain and compressed; none when there are none
    local f name

    for f in "${SHARED:-../shared}"/recordings/*/*.jfr "${SHARED:-../shared}"/recordings/*/*.jfr.gz; do
        name=$(basename "${f%.gz}" .jfr)
        [ -e "$f" ] || continue
        [ -n "${SOAK:-}" ] || ! grep -q "^$name " <<<"$large" || continue
        echo "$f"
    done
}
