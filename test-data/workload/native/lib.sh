# lib.sh - for scripts that run an agent of this folder in each JVM, on top of ../lib.sh.
#
#   . test-data/workload/lib.sh
#   . test-data/workload/native/lib.sh
#   mapfile -t homes < <(jdks)
#   for home in "${homes[@]}"; do
#       native_agent "$home" threads || continue
#       "$home/bin/java" "-agentpath:$work/threads.so=5" -cp "$work" Busy 5

# native_agent HOME NAME: compiles NAME_agent.c and the program Busy into $work; false and a line
# when it cannot.
native_agent() {
    local home=$1 name=$2 from=test-data/workload/native

    make -s B="$B" "$B/libjfrkit.a" >"$work/log" 2>&1 &&
        ${CC:-cc} -std=c11 -O2 -g -fPIC -shared -D_GNU_SOURCE -w -I. $(headers) \
            -o "$work/$name.so" $from/sampler.c "$from/${name}_agent.c" "$B/libjfrkit.a" -lpthread -lm >>"$work/log" 2>&1 &&
        javac "$home" -d "$work" $from/Busy.java >>"$work/log" 2>&1 && return
    tail "$work/log" >>"$work/wrong"
    verdict "JDK $(release "$home"): the test agent compiles"
    return 1
}
