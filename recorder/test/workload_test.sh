#!/bin/bash
# Recordings of programs whose truth is known, on each JDK: CPU time, allocation, locks, threads, names.
# With SOAK=1 also the long ones: 10 000 threads at once, a minute at 100 us with forks and threads.
set -u
. test-data/workload/lib.sh

# recorded NAME OPTIONS MODE [SECONDS [N]]: a recording at $f without damage; false after wrong()
recorded() {
    local name=$1 code

    shift
    f=$work/$2.jfr
    record "$home" "$f" "$@"
    code=$?
    [ $code = "${want_code:-0}" ] || { wrong "$name: exit code $code: $(tail -3 "$work/err")"; return 1; }
    # JDK 8 has no sampling of allocations, which the default settings want.
    [ ! -s "$work/err" ] || grep -v 'Picked up' "$work/err" | grep -v "${no_allocations:-^\$}" | sed "s/^/$name: /" >>"$work/wrong"
    is_whole "$f"
    ! grep -q '^skip=' "$work/out" || return 1
}

named() { # named FILE EVENT THREAD-GLOB: events of threads of that name
    "$B/jfr2json" -l ndjson -e "$2" -t "$3" "$1" 2>/dev/null | wc -l
}

cpu() {
    local heavy light main all want threads unseen looks

    recorded cpu cpu=2ms cpu 3 || return
    heavy=$(samples "$f" 'Workload.heavy' -k cpu) light=$(samples "$f" 'Workload.light' -k cpu)
    all=$(samples "$f" . -k cpu) looks=$(draws "$f")
    is_share 'heavy' "$heavy" $((heavy + light)) "$(truth heavy_cpu_ns)" \
        $(($(truth heavy_cpu_ns) + $(truth light_cpu_ns))) "$looks"
    # On a busy machine the kernel checks the timer every 20 ms of CPU time, so few looks share the time among methods.
    main=$(samples "$f" '^main;' -k cpu --threads)
    is_share 'CPU time of two methods' $((heavy + light)) "$main" $(($(truth heavy_cpu_ns) + $(truth light_cpu_ns))) \
        "$(truth main_cpu_ns)" "$(draws "$f" Workload)"
    want=$(($(truth process_cpu_ns) - $(truth start_cpu_ns)))
    # The time of each thread since the last look at it is not sampled.
    threads=$("$B/jfr2json" -l ndjson -e jdk.ExecutionSample --fields sampledThread.osThreadId "$f" 2>/dev/null | sort -u | wc -l)
    unseen=$((all * 2000000 / looks * threads))
    [ $((all * 2000000 + unseen)) -ge $((want * 95 / 100)) ] && [ $((all * 2000000)) -le $(($(truth process_cpu_ns) * 105 / 100)) ] ||
        wrong "$all samples of 2 ms for $want ns of CPU time since main, $(truth process_cpu_ns) ns in all"
}

# The samples of short threads stand for their CPU time; a few of the threads that start them stand for some of it, since
# those are young, too. Neither kind has the other's share.
short_threads_cpu() {
    local brief longer interval java

    for interval in 2 10; do
        java_of "$home"
        "${java[@]}" "-agentpath:$agent=file=$work/short.jfr,settings=none,cpu=${interval}ms" ShortThreads 4 \
            >"$work/out" 2>"$work/err" || wrong "exit code $?: $(tail -1 "$work/err")"
        brief=$(($(samples "$work/short.jfr" '^brief;' -k cpu --threads) * interval))
        longer=$(($(samples "$work/short.jfr" '^longer;' -k cpu --threads) * interval))
        within "CPU time of short threads, a sample each $interval ms" $((brief + longer)) \
            $((($(truth brief_ns) + $(truth longer_ns)) / 1000000)) 8
        # some 500 ticks catch them
        [ $interval != 2 ] || within 'CPU time of threads of 1 ms' $brief $(($(truth brief_ns) / 1000000)) 30
    done
}

native() {
    local thread

    has_native || return
    recorded native cpu=2ms native 5 || return
    within 'CPU time in native code' $(($(samples "$f" 'burnNative.*burn_in_c' -k cpu) * 2)) \
        $(($(truth java_thread_cpu_ns) / 1000000)) 5
    thread=$(($(samples "$f" 'native-burner.*burn_in_c' -k cpu --threads) * 2))
    [ $thread -ge $(($(truth native_thread_cpu_ns) / 1000000 - 1000)) ] ||
        wrong "a native thread: $thread ms were seen of $(truth native_thread_cpu_ns) ns"
}

# percent_of BYTES: how far sums of so many bytes may be from the truth, a sample for each 64 kB: 10 %, or four standard
# errors beside what the sampler itself is wrong, where a busy machine leaves time for few samples. The sampler of JDK 11
# makes 3 to 10 % too many samples of this program.
percent_of() {
    awk -v bytes="$1" -v v="$(release "$home")" 'BEGIN {
        percent = (v == 11 ? 10 : 1) + 400 / sqrt(bytes / 65536); least = v == 11 ? 15 : 10
        print int(percent > least ? percent : least) }'
}

alloc() {
    local site bytes

    [ "$(release "$home")" -ge 11 ] || return
    recorded alloc alloc=64k alloc 1 || return
    within 'bytes of all threads' "$(samples "$f" allocator -k alloc -u bytes --threads)" "$(truth threads_bytes)" "$(percent_of "$(truth threads_bytes)")"
    for site in allocNodes allocInts allocBytes; do
        bytes=$(truth ${site}_bytes)
        within "bytes of $site" "$(samples "$f" "Workload.$site" -k alloc -u bytes)" "$bytes" "$(percent_of "$bytes")"
    done
}

# A thread that allocates has its share of the samples, though many signals come while its stack is walked for the
# sampler of allocations, at 25 000 samples a second.
payers() {
    local spinner allocator

    [ "$(release "$home")" -ge 11 ] || return
    recorded payers cpu=1ms,alloc=64k payers 2 || return
    spinner=$(samples "$f" '^spinner' -k cpu --threads) allocator=$(samples "$f" '^allocator' -k cpu --threads)
    within 'share of the thread that allocates' "$((allocator * 10000 / (allocator + spinner)))" \
        "$(($(truth allocator_cpu_ns) * 10000 / ($(truth allocator_cpu_ns) + $(truth spinner_cpu_ns))))" 2
    # Those samples were lost before. They are there, below the methods that allocate.
    [ "$(samples "$f" 'allocBytes;.*jfrkit_sampler' -k cpu)" -gt 0 ] || wrong 'no sample of the sampler itself'
}

lock() {
    recorded lock lock=1ms lock 2 || return
    within 'ms blocked' "$(($(samples "$f" contend -k lock -u duration) / 1000000))" "$(truth blocked_ms)" 10
}

idle() {
    recorded idle 'jdk.ThreadSleep#threshold=0ms,jdk.JavaMonitorWait#threshold=0ms,jdk.ThreadPark#threshold=0ms' idle 1 || return
    [ "$(named "$f" jdk.ThreadSleep 'sleeper-*')" = "$(truth sleeps)" ] ||
        wrong "$(named "$f" jdk.ThreadSleep 'sleeper-*') sleeps, not $(truth sleeps)"
    [ "$(named "$f" jdk.JavaMonitorWait 'waiter-*')" = "$(truth waits)" ] ||
        wrong "$(named "$f" jdk.JavaMonitorWait 'waiter-*') waits, not $(truth waits)"
    [ "$(named "$f" jdk.ThreadPark 'parker-*')" = "$(truth parks)" ] ||
        wrong "$(named "$f" jdk.ThreadPark 'parker-*') parks, not $(truth parks)"
}

exceptions() {
    local n

    recorded throw 'jdk.JavaExceptionThrow#enabled=true,jdk.JavaExceptionThrow#throttle=off' throw || return
    n=$("$B/jfr2json" -l ndjson -e jdk.JavaExceptionThrow "$f" 2>/dev/null |
        jq -r .values.thrownClass.name | grep -cx 'Workload$Known') # its loading on JDK 8 throws others, which name it
    [ "$n" = "$(truth thrown)" ] || wrong "$n exceptions, not $(truth thrown)"
}

short_threads() {
    local n

    recorded threads cpu=1ms threads 1 || return
    n=$("$B/jfr2json" -l ndjson -e jdk.ThreadStart "$f" 2>/dev/null | grep -c '"javaName":"short-[0-9]')
    [ "$n" -ge "$(truth started)" ] || wrong "$n of $(truth started) threads have a start"
    [ "$(samples "$f" 'Workload.spin' -k cpu --threads)" = "$(samples "$f" 'short-[0-9].*Workload.spin' -k cpu --threads)" ] ||
        wrong "$("$B/jfr2collapsed" -k cpu --threads "$f" | grep Workload.spin | grep -v short- | head -3)"
}

churn() {
    local named all nameless

    recorded churn cpu=1ms churn 2 || return
    named=$(samples "$f" 'Workload.Churned[0-9]+.run' -k cpu)
    is_share 'CPU time in classes that are gone' "$named" "$(samples "$f" Workload.churn -k cpu)" \
        "$(truth churned_cpu_ns)" "$(truth churn_cpu_ns)" "$(draws "$f" 'Workload\.churn')"
    all=$(samples "$f" . -k cpu) nameless=$(samples "$f" 'unknown_|no_Java_frame' -k cpu)
    [ $((nameless * 100)) -le "$all" ] || wrong "$nameless of $all samples have frames without a name"
}

deep() {
    recorded deep cpu=1ms,depth=256 deep 1 || return
    # the deepest stacks: one frame of recurse for each step, and that which calls spin
    [ "$("$B/jfr2collapsed" -k cpu "$f" | awk '/Workload.spin/ { n = gsub(/Workload.recurse/, ""); if (n > most) most = n }
        END { print most + 0 }')" = 101 ] || wrong 'a stack of 100 calls is not whole'
    recorded deep cpu=1ms,depth=64 deep 0.5 1000 || return
    [ "$("$B/jfr2json" -l ndjson -e jdk.ExecutionSample "$f" | jq -r 'select(.values.stackTrace.truncated) |
        .values.stackTrace.frames | length' | sort -u)" = 64 ] || wrong 'long stacks are not cut at 64'
}

virtual() {
    recorded virtual cpu=1ms virtual 1 200 || return
    [ "$(samples "$f" 'Workload.spin' -k cpu)" -gt 100 ] || wrong 'virtual threads are not seen'
}

exits() {
    want_code=3
    recorded exit cpu=1ms,alloc=64k,lock=1ms exit 0.5 4
    want_code=0
    [ "$(samples "$f" 'Workload.spin' -k cpu)" -gt 20 ] || wrong 'nothing was recorded'
}

forks() {
    recorded fork cpu=1ms,wall=10ms fork 1 || return
    [ "$(truth children_failed)" = 0 ] && [ "$(truth children)" -gt 0 ] ||
        wrong "$(truth children_failed) of $(truth children) children failed"
}

storm() { # storm N
    LIMIT=200 recorded storm cpu=1ms,wall=10ms storm 1 "$1" || return
    [ "$(truth started)" = "$1" ] || wrong "only $(truth started) threads"
}

soak() {
    LIMIT=200 recorded fork cpu=100us,wall=1ms,alloc=16k,lock=1us fork 60
    verdict "a minute at 100 us with forks on $name"
    LIMIT=200 recorded threads cpu=100us,wall=1ms,alloc=16k,lock=1us threads 60
    verdict "a minute at 100 us with short threads on $name"
    storm 10000
    verdict "10 000 threads on $name"
}

# The number of a child that has ended is another's soon.
ends_its_own() {
    local other

    env -i sleep 60 &
    other=$!
    bash -c '. test-data/workload/lib.sh; sleep 60 & echo $!; children+=($!'" $other)" >"$work/own" 2>/dev/null
    kill "$other" || wrong "a program was killed that the script did not start"
    # A killed process exists until the one that adopted it has noticed its end.
    for _ in $(seq 100); do
        grep -q '^State:[[:space:]]*[^ZX]' "/proc/$(cat "$work/own")/status" 2>/dev/null || break
        sleep 0.1
    done
    ! grep -q '^State:[[:space:]]*[^ZX]' "/proc/$(cat "$work/own")/status" 2>/dev/null || wrong 'a program that the script started is still running'
    wait "$other"
}

ends_its_own; verdict 'a script ends what it started, and nothing else'
for tool in jq awk; do
    command -v $tool >/dev/null || { skip 'workloads' "no $tool"; exit 0; }
done
mapfile -t homes < <(runtimes)
[ ${#homes[@]} != 0 ] || { skip 'workloads' 'no JDK'; exit 0; }
[ -e "$agent" ] || { skip 'workloads' "no $agent"; exit 0; }
for home in "${homes[@]}"; do
    name="JDK $(release "$home")"
    [ "$name" = 'JDK 8' ] && no_allocations='no jdk.ObjectAllocationSample: this VM has no allocation sampling' || no_allocations=
    workload || { skip "workloads on $name" "$why"; continue; }
    cpu; verdict "CPU time and shares on $name"
    has_native || skip "native code on $name" 'no libworkload.so'
    native; verdict "native code and native threads on $name"
    alloc; verdict "allocated bytes on $name"
    payers; verdict "CPU time of a thread that allocates on $name"
    lock; verdict "blocked time on $name"
    idle; verdict "sleeps, waits and parks are counted on $name"
    exceptions; verdict "exceptions are counted on $name"
    short_threads_cpu; verdict "short threads have their CPU time on $name"
    if [ "$(release "$home")" -ge 21 ]; then
        virtual; verdict "virtual threads on $name"
    else
        inapplicable "virtual threads on $name" 'it has none'
    fi
    # What depends on the release less is for those that are installed.
    [[ $'\n'$(jdks)$'\n' == *$'\n'$home$'\n'* ]] || continue
    short_threads; verdict "short threads keep their names on $name"
    churn; verdict "classes that are gone keep their names on $name"
    deep; verdict "deep stacks on $name"
    exits; verdict "System.exit in the middle on $name"
    forks; verdict "fork and exec on $name"
    storm 1000; verdict "1000 threads at once on $name"
    [ -z "${SOAK:-}" ] || soak
done
exit $failed
