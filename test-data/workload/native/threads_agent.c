/*
 * threads_agent - samples every thread of a JVM, one after the other, with native_walk() alone, and
 * says how far the walks came: to the thread's start, or to the VM's generated code.
 *
 *     -agentpath:threads_agent.so=SECONDS
 *
 * Prints "THREADS KIND walks=N ended=N code=N named=N" for each kind of thread (by its name) when
 * the VM ends, the misses with their reason, and the memory of tables.
 */
#include "test-data/workload/native/sampler.h"
#include "recorder/native/libs.h"
#include "recorder/native/walk.h"
#include "recorder/base/safe_load.h"
#include "recorder/native/symbols.h"
#include "recorder/vm/vm.h"
#include "recorder/base/walker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DEPTH = 512,
    TIMES = 200000,
    MISSES = 24
};

enum thread_kind {
    THREAD_OTHER,
    THREAD_JAVA,
    THREAD_GC,
    THREAD_JIT,
    THREAD_VM /* the VM's other helpers */
};

static struct vm vm;

static struct {
    struct frame frames[DEPTH];
    int n;
    enum walk_reason reason;
    struct native_walk w;
    long ns;
} answer;

static unsigned long n_running; /* walks of threads that were on a processor, or ready for one */
static struct cfi_counts counts;

static struct {
    unsigned long walks, ended, code, named, n_reasons[WALK_N_REASONS];
} sums[8];

static struct {
    char text[400];
    unsigned long n;
} misses[MISSES];

static unsigned long n_frames;
static long total_ns;
static int times[TIMES], n_times;

void sampler_look(void *ucontext, int request)
{
    long start;

    (void)request;
    answer.w =
        (struct native_walk){.code_lo = vm.code_low, .code_hi = vm.code_high, .counts = &counts};
    start = sampler_now_ns();
    answer.n = native_walk(ucontext, &answer.w, answer.frames, DEPTH, &answer.reason);
    answer.ns = sampler_now_ns() - start;
}

/* A function at the end of a thread's stack, demangled, says what the thread is for; THREAD_OTHER
 * if it says nothing. Stacks are read from their ends; the first answer counts. */
static enum thread_kind kind_by_function(const char *name)
{
    static const struct {
        const char *start;
        enum thread_kind kind;
    } table[] = {
        {"VMThread::", THREAD_VM},
        {"WatcherThread::", THREAD_VM},
        {"MonitorDeflationThread::", THREAD_VM},
        {"ServiceThread::", THREAD_VM},
        {"AsyncLogWriter::", THREAD_VM},
        {"NotificationThread::", THREAD_VM},
        {"os::signal_", THREAD_VM},
        {"signal_thread_entry", THREAD_VM},
        {"NMethodSweeper::", THREAD_VM},
        {"CompileBroker::", THREAD_JIT},
        {"CompilerThread::", THREAD_JIT},
        {"GangWorker::", THREAD_GC},
        {"AbstractGangWorker::", THREAD_GC},
        {"WorkerThread::", THREAD_GC},
        {"ConcurrentGCThread::", THREAD_GC},
        {"GCTaskThread::", THREAD_GC},
        {"G1", THREAD_GC},
        {"Shenandoah", THREAD_GC},
        {"ZDriver", THREAD_GC},
        {"ZDirector", THREAD_GC},
        {"ZThread", THREAD_GC},
        {"StringDedup", THREAD_GC},
        {"JavaMain", THREAD_JAVA},
        {"thread_entry", THREAD_JAVA},
        {"JavaThread::run", THREAD_OTHER}, /* compilers are such threads, too */
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strncmp(name, table[i].start, strlen(table[i].start)) == 0)
            return table[i].kind;
    return THREAD_OTHER;
}

static const char *kind_name(enum thread_kind kind)
{
    static const char *const names[] = {"other", "Java", "GC", "JIT", "VM"};

    return (unsigned)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "other";
}

/* What the VM calls the thread tells its kind independently of its stack. */
static enum thread_kind kind_by_name(int tid)
{
    static const struct {
        const char *start;
        enum thread_kind kind;
    } table[] = {
        {"GC Thread", THREAD_GC},
        {"G1 ", THREAD_GC},
        {"Shenandoah", THREAD_GC},
        {"ZWorker", THREAD_GC},
        {"ZDriver", THREAD_GC},
        {"ZDirector", THREAD_GC},
        {"C1 ", THREAD_JIT},
        {"C2 ", THREAD_JIT},
        {"VM Thread", THREAD_VM},
        {"VM Periodic", THREAD_VM},
        {"Sweeper thread", THREAD_VM},
        {"Service Thread", THREAD_VM},
        {"Signal Dispatch", THREAD_VM},
        {"Monitor Deflati", THREAD_VM},
        {"Notification Th", THREAD_VM},
    };
    char path[64], name[32] = "";
    FILE *f;

    snprintf(path, sizeof(path), "/proc/self/task/%d/comm", tid);
    f = fopen(path, "r");
    if (f != NULL) {
        if (fgets(name, sizeof(name), f) == NULL)
            name[0] = 0;
        fclose(f);
    }
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strncmp(name, table[i].start, strlen(table[i].start)) == 0)
            return table[i].kind;
    return tid == getpid() ? THREAD_OTHER : THREAD_JAVA;
}

static const char *const reasons[WALK_N_REASONS] = {
    [WALK_END] = "end",
    [WALK_TRUNCATED] = "truncated",
    [WALK_BAD_SP] = "bad sp",
    [WALK_BAD_PC] = "no code",
    [WALK_BAD_FRAME] = "no rule",
    [WALK_FAULT] = "fault",
    [WALK_LIMIT] = "too many steps",
};

static void add_miss(enum thread_kind kind)
{
    const struct frame *last = &answer.frames[answer.n - 1];
    struct symbol top, bottom;
    char text[400];

    symbols_find(answer.frames[0].pc, &top);
    symbols_find(last->pc, &bottom);
    snprintf(text, sizeof(text), "%s thread: %s after %d frames in %.100s+%lx (%s %lx), top %.100s",
             kind_name(kind), reasons[answer.reason], answer.n, bottom.name ? bottom.name : "?",
             (unsigned long)bottom.offset, bottom.library ? symbols_file_name(bottom.library) : "?",
             (unsigned long)bottom.vaddr, top.name ? top.name : "?");
    for (int i = 0; i < MISSES; i++)
        if (misses[i].n == 0 || strcmp(misses[i].text, text) == 0) {
            strcpy(misses[i].text, text);
            misses[i].n++;
            return;
        }
}

static void account(enum thread_kind kind)
{
    enum thread_kind found = THREAD_OTHER;
    struct symbol s;

    sums[kind].walks++;
    if (answer.w.stop == NATIVE_STOP_CODE) {
        sums[kind].code++;
        return;
    }
    n_frames += (unsigned long)answer.n;
    total_ns += answer.ns;
    if (n_times < TIMES)
        times[n_times++] = (int)answer.ns;
    sums[kind].n_reasons[answer.reason]++;
    if (answer.reason == WALK_END)
        sums[kind].ended++;
    else
        add_miss(kind);
    for (int i = answer.n; i > 0 && found == THREAD_OTHER; i--)
        if (symbols_find(answer.frames[i - 1].pc, &s) && s.name != NULL)
            found = kind_by_function(s.name);
    sums[kind].named += found == kind;
}

static void ask(int tid)
{
    if (sampler_ask(tid))
        account(kind_by_name(tid));
}

static int is_running(int tid)
{
    char path[64], text[256] = "";
    const char *end;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
    f = fopen(path, "r");
    if (f == NULL)
        return 0;
    if (fgets(text, sizeof(text), f) == NULL)
        text[0] = 0;
    fclose(f);
    end = strrchr(text, ')');
    return end != NULL && end[1] == ' ' && end[2] == 'R';
}

/* Threads that wait have the same stack all the time: those that run are asked more often. */
void sampler_visit(int tid)
{
    ask(tid);
    for (int i = 0; i < 30 && !sampler_is_stopping() && is_running(tid); i++) {
        n_running++;
        ask(tid);
        usleep((useconds_t)(i * 37 % 101));
    }
}

void sampler_report(void)
{
    struct libs_usage u;

    for (int k = 0; k < 5; k++)
        if (sums[k].walks > 0)
            printf("THREADS %s walks=%lu ended=%lu code=%lu named=%lu\n",
                   kind_name((enum thread_kind)k), sums[k].walks, sums[k].ended, sums[k].code,
                   sums[k].named);
    for (int i = 0; i < MISSES && misses[i].n > 0; i++)
        printf("MISS %lu %s\n", misses[i].n, misses[i].text);
    libs_usage(&u);
    printf(
        "COST running=%lu walks=%d frames=%.1f ns_per_walk=%.0f ns_per_frame=%.1f median=%d p99=%d "
        "libraries=%u rules_kb=%llu symbols=%llu symbols_kb=%llu faults=%llu\n",
        n_running, n_times, (double)n_frames / (n_times + !n_times),
        (double)total_ns / (n_times + !n_times), (double)total_ns / (double)(n_frames + !n_frames),
        sampler_quantile(times, n_times, 0.5), sampler_quantile(times, n_times, 0.99), u.n_live,
        (unsigned long long)u.cfi_bytes / 1024, (unsigned long long)u.symbols,
        (unsigned long long)u.symbol_bytes / 1024, (unsigned long long)safe_load_faults());
    printf("STEPS rule=%llu remembered=%llu fp=%llu top_word=%llu signal=%llu\n",
           (unsigned long long)counts.rule, (unsigned long long)counts.cached_rule,
           (unsigned long long)counts.fp, (unsigned long long)counts.top_word,
           (unsigned long long)counts.signal_frame);
}

bool sampler_open(JavaVM *java, jvmtiEnv *jvmti, JNIEnv *env)
{
    char why[200] = "";

    (void)jvmti;
    (void)env;
    if (vm_open(&vm, java, why) != 0) {
        printf("THREADS failed: %s\n", why);
        return false;
    }
    libs_set_vm(vm.library_low);
    return safe_load_install() == 0 && libs_update() >= 0;
}
