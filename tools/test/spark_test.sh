#!/bin/bash
# tools/spark/convert.py on a cluster of two workers, one of which is killed: nothing is lost or doubled, recordings that
# cannot be read are reported, and a second run converts only what is left.
#   ENGINES=1 or SOAK=1 is needed: Spark is 400 MB
set -u
[ -n "${SOAK:-}${ENGINES:-}" ] || { echo 'skip the Spark job: ENGINES=1 tests it'; exit 0; }
B=$(realpath "${B:-build}")
. tools/test/verdict_lib.sh
. tools/test/engines_lib.sh
. tools/test/jdk_lib.sh
home=$(jdks | tail -1)
[ -n "$home" ] || { echo 'skip the Spark job: no JDK'; exit 0; }
big_engines pyarrow=26.0.1 pyspark=4.3.0 || { echo "skip the Spark job: $why"; exit 0; }
export JAVA_HOME=$home SPARK_LOCAL_IP=127.0.0.1
archive=$work/archive lake=$work/lake

n=0
for service in shop pay; do
    for host in web1 web2 web3 web4; do
        n=$((n + 1))
        mkdir -p "$archive/$service/$host"
        "$B/bench/gen" --samples 500 --stacks 50 --chunks 1 --seed $n "$archive/$service/$host/app.jfr" || exit 1
    done
done
head -c 20000 "$archive/pay/web1/app.jfr" >"$archive/pay/web1/cut.jfr"
echo 'no recording' >"$archive/pay/web1/notes.jfr"
pattern='/archive/(?P<service>[^/]+)/(?P<host>[^/]+)/'

# A slow program. Its third run kills the worker that it works for, so that a task surely runs there.
mkdir "$work/bin"
ln -s "$B/jfrkit" "$work/bin/jfrkit"
cat >"$work/jfrkit" <<'END'
#!/bin/bash
work=$(dirname "$0")
echo x >>"$work/runs"
if [ "$(wc -l <"$work/runs")" -ge 3 ] && mkdir "$work/killed" 2>/dev/null; then
    pid=$PPID
    until [ "$pid" -le 1 ] || grep -q CoarseGrainedExecutorBackend "/proc/$pid/cmdline"; do
        pid=$(awk '$1 == "PPid:" { print $2 }' "/proc/$pid/status")
    done
    [ "$pid" -gt 1 ] && kill -9 "$pid" && echo "$pid" >"$work/killed/pid"
fi
sleep 2
exec "$work/bin/jfrkit" "$@"
END
chmod +x "$work/jfrkit"

# job: runs it; its exit code, and $work/out
job() {
    timeout 500 "$work/spark-submit" --master 'local-cluster[2,1,600]' --conf spark.ui.enabled=false \
        --conf spark.executor.memory=600m tools/spark/convert.py --lake "$lake" --jfrkit "$work/jfrkit" --partition "$pattern" \
        "$archive/*/*/*.jfr" >"$work/out" 2>"$work/err"
}
cat >"$work/spark-submit" <<END
#!/bin/bash
export PYSPARK_PYTHON=$big_python
exec "$(dirname "$big_python")/spark-submit" "\$@"
END
chmod +x "$work/spark-submit"

: >"$work/runs"
job
same 'exit code with recordings that cannot be read' $? 1
[ -s "$work/killed/pid" ] || wrong "no worker was killed: $(tail -3 "$work/err")"
same 'the last line' "$(tail -1 "$work/out")" '9 converted, 1 of them damaged; 1 errors'
grep -q '^error: .*/notes.jfr: .*not a JFR recording' "$work/out" || wrong "no error: $(cat "$work/out")"
[ "$(wc -l <"$work/runs")" -gt 10 ] || wrong 'no task was run again'
verdict 'a worker is killed, and all recordings are converted'

for f in "$archive"/*/*/*.jfr; do
    [[ $f =~ /archive/([^/]+)/([^/]+)/ ]]
    "$B/jfrkit" convert -q -f parquet -o "$work/want/" --partition "service=${BASH_REMATCH[1]},host=${BASH_REMATCH[2]}" "$f" 2>/dev/null
done
(cd "$lake" && find . -name '.*.parquet.*' -delete) # of programs that were killed with their worker
diff -r -x _conversions "$lake" "$work/want" >>"$work/wrong"
verdict 'nothing is lost or doubled'

: >"$work/runs"
job
same 'exit code of the second run' $? 1
same 'recordings of the second run' "$(grep ' recordings, ' "$work/out")" '10 recordings, 1 to convert'
same 'programs of the second run' "$(wc -l <"$work/runs")" 1
rm "$archive/pay/web1/notes.jfr"
"$B/bench/gen" --samples 700 --stacks 50 --chunks 2 --seed 1 "$archive/shop/web1/app.jfr"
job
same 'exit code of the third run' $? 3
same 'recordings of the third run' "$(grep ' recordings, ' "$work/out")" '9 recordings, 1 to convert'
verdict 'a further run does what is left'
exit $failed
