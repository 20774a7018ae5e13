#!/bin/bash
# The static program: it needs no library and no other file, writes the same bytes as the whole program, and says what it
# does not have. ENGINES=1: also that for aarch64, under qemu.
set -u
B=${B:-build}
. tools/test/verdict_lib.sh
. tools/test/sample_lib.sh
. tools/test/jdk_lib.sh
for library in zstd z lz4 tre protobuf-c c; do
    [ -e "$("${CC:-cc}" -print-file-name=lib$library.a)" ] || { echo "skip the static program: no lib$library.a"; exit 0; }
done
flock "$B/static.lock" env -u MAKEFLAGS -u MAKELEVEL make -s B="$B" static >"$work/log" 2>&1 || { echo "not ok the static program is built"; tail -5 "$work/log"; exit 1; }
whole=$(realpath "$B/jfrkit")
mapfile -t files < <(own_recordings)
files=("${files[@]/#/$PWD/}")
cd "$work" || exit 1

# same_bytes HOW...: the program is run by HOW
same_bytes() {
    local verb f n=0

    while read -r verb; do
        for f in "${files[@]}"; do
            # shellcheck disable=SC2086
            "$whole" ${verb//FILE/$f} >want 2>want.err
            echo "exit $?" >>want.err
            # shellcheck disable=SC2086
            "$@" ${verb//FILE/$f} >have 2>have.err
            echo "exit $?" >>have.err
            cmp -s want have || wrong "$verb of $(basename "$f") writes something else"
            diff want.err have.err >log || wrong "$verb of $(basename "$f"): $(head -3 log)"
            n=$((n + 1))
        done
    done <<'END'
info FILE
top FILE
table --by thread FILE
view gc-pauses FILE
flame -o - FILE
print -e jdk.ThreadStart FILE
print --json -e jdk.CPULoad FILE
convert -f collapsed -o - FILE
convert -f pprof -o - FILE
convert -f otlp -o - FILE
convert -f parquet -e jdk.ThreadPark -o - FILE
events FILE
sql FILE .tables
cut --scrub -o - FILE
END
    [ $n -gt 100 ] || wrong "only $n runs"
}

program=$OLDPWD/$B/jfrkit-static
[ "$(stat -c %s "$program")" -le 5000000 ] || wrong "it has $(stat -c %s "$program") bytes"
! readelf -d "$program" 2>/dev/null | grep -q NEEDED || wrong 'it needs a library'
same_bytes "$program"
verdict "the static program writes the same bytes ($(stat -c %s "$program") bytes)"

for verb in settings push; do
    "$program" $verb x >have 2>&1
    [ $? = 1 ] && grep -q "^jfrkit $verb: not in the static program" have || wrong "$verb: $(cat have)"
done
"$program" start --settings "$OLDPWD/config/profile.jfc" 1 >have 2>&1 && wrong 'a .jfc file is no error'
verdict 'it says what it does not have'

java=$(compiler)
if [ -n "$java" ] && [ -e "$OLDPWD/$B/libjfrkit.so" ] && javac "$java" -nowarn -d classes "$OLDPWD/test-data/workload/Workload.java" >log 2>&1; then
    mkdir two && cp "$program" two/jfrkit && cp "$OLDPWD/$B/libjfrkit.so" two/
    two/jfrkit record -q --cpu 5ms -o two.jfr -- "$java/bin/java" -cp classes Workload cpu 2 >have 2>&1 || wrong "record: exit code $?: $(tail -1 have)"
    [ "$("$whole" sql -q -f csv two.jfr 'select count(*) from jdk_ExecutionSample' | tail -1 | tr -d '\r')" -gt 100 ] || wrong 'few samples'
    "$java/bin/java" -cp classes Workload cpu 60 >log 2>&1 &
    jvm=$!
    sleep 1
    two/jfrkit attach -d 1s -o "$PWD/attached.jfr" $jvm >have 2>&1 || wrong "attach: exit code $?: $(cat have)"
    grep -q '^Top methods' have || wrong "attach says $(cat have)"
    kill $jvm
    verdict 'with the agent beside it, it records and attaches'
else
    echo 'skip recording with the static program: no JDK or no agent'
fi

# As in a container FROM scratch: no file but itself and the recording.
if [ "$(id -u)" = 0 ]; then
    mkdir root && cp "$program" root/jfrkit && cp "${files[0]}" root/
    "$whole" top "${files[0]}" >want 2>&1
    chroot root /jfrkit top "/$(basename "${files[0]}")" >have 2>&1 || wrong "exit code $?"
    cmp want have >>wrong 2>&1
    chroot root /jfrkit sql "/$(basename "${files[0]}")" 'select count(*) from samples' >have 2>&1 || wrong "sql: $(cat have)"
    verdict 'it works where there is nothing else'
else
    echo 'skip a folder with nothing else: not root'
fi

if ! command -v buildah >/dev/null || [ "$(id -u)" != 0 ]; then
    echo 'skip the container image: no buildah, or not root'
else
    store=(--storage-driver vfs --root "$work/store" --runroot "$work/run")
    mkdir image && cp "$program" image/ && "$whole" top "${files[0]}" >want 2>&1 && cp "${files[0]}" a.jfr
    buildah "${store[@]}" bud --isolation chroot -f "$OLDPWD/tools/package/Containerfile" -t jfrkit image >log 2>&1 || wrong "$(tail -3 log)"
    container=$(buildah "${store[@]}" from jfrkit 2>log) || wrong "$(tail -3 log)"
    buildah "${store[@]}" run --isolation chroot -v "$PWD:/data:ro" "$container" -- /jfrkit top /data/a.jfr >have 2>&1 || wrong "exit code $?"
    cmp want have >>wrong 2>&1
    verdict 'a container image from scratch has it, and reads a recording'
fi

if [ -z "${ENGINES:-}${SOAK:-}" ]; then
    echo 'skip the static program for aarch64: ENGINES=1 runs it'
elif ! command -v qemu-aarch64-static >/dev/null || ! command -v aarch64-linux-gnu-gcc >/dev/null; then
    echo 'skip the static program for aarch64: no qemu-aarch64-static or no aarch64-linux-gnu-gcc'
elif ! (cd "$OLDPWD" && env -u MAKEFLAGS -u MAKELEVEL tools/package/aarch64.sh) >log 2>&1; then
    grep -qE 'Temporary failure|Could not|Unable to' log && echo 'skip the static program for aarch64: packages of Debian cannot be had' ||
        { wrong "$(tail -5 log)"; verdict 'the static program for aarch64 is built'; }
else
    program=$OLDPWD/$B/jfrkit-static-aarch64
    [ "$(stat -c %s "$program")" -le 5000000 ] || wrong "it has $(stat -c %s "$program") bytes"
    same_bytes qemu-aarch64-static "$program"
    verdict "the same for aarch64 ($(stat -c %s "$program") bytes)"
fi
exit $failed
