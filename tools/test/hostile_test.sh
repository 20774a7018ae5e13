#!/bin/bash
# Runs a few tests under several conditions at once, each of which has made tests fail: the checkout is
# in a folder under /tmp with a space in its name; the user is not root; umask is 077; TMPDIR names
# another folder; LC_ALL is C; the tests run in the background of a shell without job control, so
# that SIGINT and SIGQUIT are ignored; two other processes use the processors; and a JVM that these
# tests did not start runs on the machine and must not be touched. The tests run on the newest JDK alone.
set -u
. test-data/workload/lib.sh

tests=(tools/rec/test/attach_test tools/rec/test/target_test recorder/agent/test/control_test recorder/agent/test/agent_test.sh
    tools/test/output_over_input_test.sh tools/test/jfrec_test.sh tools/test/jfrsummary_test.sh)

home=$(jdks | tail -1)
[ -n "$home" ] && [ -e "$agent" ] || { skip 'a hostile place' 'no JDK or no agent'; exit 0; }
[ -e "$B/tools/rec/test/attach_test" ] || { skip 'a hostile place' 'the unit tests are not built'; exit 0; }
workload "$home" || { skip 'a hostile place' "$why"; exit 0; }

chmod 711 "$work"
place="$work/a place/jfrkit"
mkdir -p "$place" "$work/a place/tmp"
cp -r Makefile config convert jfrfmt recorder test-data tools "$place"
mkdir "$place/build"
for f in libjfrkit.so libjfrkit-config.so jfrkit.jar bench workload; do
    cp -r "$B/$f" "$place/build/"
done
find "$B" -maxdepth 1 -name 'jfr*' ! -type d -perm -u+x -exec cp -P {} "$place/build/" \;
for t in "${tests[@]}"; do
    [ "${t%.sh}" != "$t" ] || { mkdir -p "$place/build/${t%/*}" && cp "$B/$t" "$place/build/$t"; }
done
as=()
if [ "$(id -u)" = 0 ]; then
    as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    "${as[@]}" true 2>/dev/null || { skip 'a hostile place' 'setpriv is not permitted'; exit 0; }
    chown -R 65534:65534 "$work/a place"
fi

run "$home" cpu 600
other=$pid
for _ in 1 2; do
    nice -n 5 bash -c 'while :; do :; done' &
    children+=($!)
done
set +m
cat >"$work/place.sh" <<'END'
cd "$1" || exit 1
shift
umask 077
PATH=/usr/local/bin:/usr/bin:/bin TMPDIR=$(realpath ../tmp) LC_ALL=C LANG=C HOME=$PWD JOBS=2 B=build JDKS=$newest tools/test.sh "$@"
END
chmod 755 "$work/place.sh"
run_tests() {
    local t

    for t in "${tests[@]}"; do
        [ "${t%.sh}" != "$t" ] && echo "$t" || echo "build/$t"
    done | xargs -d '\n' env "newest=$home" "${as[@]}" bash "$work/place.sh" "$place" >"$work/said" 2>&1
}
# An asynchronous command of a shell without job control ignores these two, and so does what it starts.
(trap '' INT QUIT; run_tests) &
wait $!
while read -r name line; do
    [[ $line == *' 0 failed'* ]] || wrong "$line"
    verdict "$name in a hostile place"
done < <(grep -E '^[a-z]+/[^ ]+ +[0-9]+ passed, [0-9]+ failed' "$work/said")
sum=$(tail -1 "$work/said")
[[ $sum == *' 0 failed'* ]] || { sed 's/^/    /' "$work/said"; wrong "$sum"; }
[ "$(grep -cE ' passed, [0-9]+ failed, [0-9]+ skipped, ' "$work/said")" = ${#tests[@]} ] || wrong "not all tests have run: $sum"
verdict 'all tests have run'
kill -0 "$other" 2>/dev/null || wrong 'it has ended'
! grep -q libjfrkit "/proc/$other/maps" || wrong 'it has our library in it'
kill -9 "$other" 2>/dev/null
verdict 'a JVM that is not ours is left alone'
exit $failed
