/*
 * threads_agent - samples every thread of a JVM, one after the other, with native_walk() alone, and
 * says how far the walks came: to the thread's start, or to the VM's generated code.
 *
 *     -agentpath:threads_agent.so=SECONDS
 *
 * Prints "THREADS KIND walks=N ended=N code=N named=N" for each kind of thread (by its name) when
 * the VM ends, the misses with their reason, and the memory of tables.
 */
#include "recorder/libs.h"
#include "recorder/native_walk.h"
#include "recorder/safe_load.h"
#include "recorder/symbols.h"
#include "recorder/vm.h"
#include "recorder/walker.h"

#include <dirent.h>
#include <errno.h>
#include <jvmti.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    DEPTH = 512,
    TIMES = 200000,
    MISSES = 24
};

static struct vm vm;
static double seconds;
static volatile int stop;
static pthread_t sampler;

static struct {
    struct frame frames[DEPTH];
    int n, done; /* done: the request that was answered */
    enum walk_reason reason;
    struct native_walk w;
    long ns;
} answer;

static unsigned long n_running; /* walks of threads that were on a processor, or ready for one */
static int wanted, wanted_tid;
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

static long now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void on_signal(int signo, siginfo_t *info, void *ucontext)
{
    int saved = errno, request = __atomic_load_n(&wanted, __ATOMIC_ACQUIRE);
    long start;

    (void)signo;
    (void)info;
    /* a late answer is nobody's */
    if (syscall(SYS_gettid) == wanted_tid && answer.done != request) {
        answer.w = (struct native_walk){
            .code_lo = vm.code_low, .code_hi = vm.code_high, .counts = &counts};
        start = now_ns();
        answer.n = native_walk(ucontext, &answer.w, answer.frames, DEPTH, &answer.reason);
        answer.ns = now_ns() - start;
        __atomic_store_n(&answer.done, request, __ATOMIC_RELEASE);
    }
    errno = saved;
}

/* What the VM calls the thread tells its kind independently of its stack. */
static enum symbols_thread_kind kind_by_name(int tid)
{
    static const struct {
        const char *start;
        enum symbols_thread_kind kind;
    } table[] = {
        {"GC Thread", SYMBOLS_THREAD_GC},
        {"G1 ", SYMBOLS_THREAD_GC},
        {"Shenandoah", SYMBOLS_THREAD_GC},
        {"ZWorker", SYMBOLS_THREAD_GC},
        {"ZDriver", SYMBOLS_THREAD_GC},
        {"ZDirector", SYMBOLS_THREAD_GC},
        {"C1 ", SYMBOLS_THREAD_JIT},
        {"C2 ", SYMBOLS_THREAD_JIT},
        {"VM Thread", SYMBOLS_THREAD_VM},
        {"VM Periodic", SYMBOLS_THREAD_VM},
        {"Sweeper thread", SYMBOLS_THREAD_VM},
        {"Service Thread", SYMBOLS_THREAD_VM},
        {"Signal Dispatch", SYMBOLS_THREAD_VM},
        {"Monitor Deflati", SYMBOLS_THREAD_VM},
        {"Notification Th", SYMBOLS_THREAD_VM},
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
    return tid == getpid() ? SYMBOLS_THREAD_OTHER : SYMBOLS_THREAD_JAVA;
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

static void add_miss(enum symbols_thread_kind kind)
{
    const struct frame *last = &answer.frames[answer.n - 1];
    struct symbol top, bottom;
    char text[400];

    symbols_find(answer.frames[0].pc, &top);
    symbols_find(last->pc, &bottom);
    snprintf(text, sizeof(text), "%s thread: %s after %d frames in %.100s+%lx (%s %lx), top %.100s",
             symbols_thread_kind_name(kind), reasons[answer.reason], answer.n,
             bottom.name ? bottom.name : "?", (unsigned long)bottom.offset,
             bottom.library ? symbols_file_name(bottom.library) : "?", (unsigned long)bottom.vaddr,
             top.name ? top.name : "?");
    for (int i = 0; i < MISSES; i++)
        if (misses[i].n == 0 || strcmp(misses[i].text, text) == 0) {
            strcpy(misses[i].text, text);
            misses[i].n++;
            return;
        }
}

static void account(enum symbols_thread_kind kind)
{
    enum symbols_thread_kind found = SYMBOLS_THREAD_OTHER;
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
    for (int i = answer.n; i > 0 && found == SYMBOLS_THREAD_OTHER; i--)
        if (symbols_find(answer.frames[i - 1].pc, &s) && s.name != NULL)
            found = symbols_thread_kind(s.name);
    sums[kind].named += found == kind;
}

static void ask(int tid)
{
    enum symbols_thread_kind kind;
    int request = wanted + 1;

    wanted_tid = tid;
    __atomic_store_n(&wanted, request, __ATOMIC_RELEASE);
    if (syscall(SYS_tgkill, getpid(), tid, SIGPROF) != 0)
        return;
    for (int i = 0; i < 4000 && __atomic_load_n(&answer.done, __ATOMIC_ACQUIRE) != request; i++)
        usleep(i < 20 ? 20 : 100);
    if (__atomic_load_n(&answer.done, __ATOMIC_ACQUIRE) != request)
        return;
    kind = kind_by_name(tid);
    account(kind);
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
static void ask_often(int tid)
{
    ask(tid);
    for (int i = 0; i < 30 && !stop && is_running(tid); i++) {
        n_running++;
        ask(tid);
        usleep((useconds_t)(i * 37 % 101));
    }
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void report(void)
{
    struct libs_usage u;

    for (int k = 0; k < 5; k++)
        if (sums[k].walks > 0)
            printf("THREADS %s walks=%lu ended=%lu code=%lu named=%lu\n",
                   symbols_thread_kind_name((enum symbols_thread_kind)k), sums[k].walks,
                   sums[k].ended, sums[k].code, sums[k].named);
    for (int i = 0; i < MISSES && misses[i].n > 0; i++)
        printf("MISS %lu %s\n", misses[i].n, misses[i].text);
    qsort(times, (size_t)n_times, sizeof(times[0]), ascending);
    libs_usage(&u);
    printf(
        "COST running=%lu walks=%d frames=%.1f ns_per_walk=%.0f ns_per_frame=%.1f median=%d p99=%d "
        "libraries=%u rules_kb=%llu symbols=%llu symbols_kb=%llu faults=%llu\n",
        n_running, n_times, (double)n_frames / (n_times + !n_times),
        (double)total_ns / (n_times + !n_times), (double)total_ns / (double)(n_frames + !n_frames),
        n_times ? times[n_times / 2] : 0, n_times ? times[n_times * 99L / 100] : 0, u.n_live,
        (unsigned long long)u.cfi_bytes / 1024, (unsigned long long)u.symbols,
        (unsigned long long)u.symbol_bytes / 1024, (unsigned long long)safe_load_faults());
    printf("STEPS rule=%llu remembered=%llu fp=%llu top_word=%llu signal=%llu\n",
           (unsigned long long)counts.rule, (unsigned long long)counts.cached_rule,
           (unsigned long long)counts.fp, (unsigned long long)counts.top_word,
           (unsigned long long)counts.signal_frame);
    fflush(stdout);
}

static void *sample(void *arg)
{
    int self = (int)syscall(SYS_gettid);
    long end = now_ns() + (long)(seconds * 1e9);

    (void)arg;
    usleep(200000);
    while (!stop && now_ns() < end) {
        DIR *tasks = opendir("/proc/self/task");
        struct dirent *d;

        libs_update();
        while (tasks != NULL && !stop && (d = readdir(tasks)) != NULL)
            if (atoi(d->d_name) > 0 && atoi(d->d_name) != self)
                ask_often(atoi(d->d_name));
        if (tasks != NULL)
            closedir(tasks);
    }
    return NULL;
}

static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    struct sigaction sa = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    JavaVM *java;
    char why[200];

    (void)jvmti;
    (void)thread;
    (*env)->GetJavaVM(env, &java);
    if (vm_open(&vm, java, why) != 0) {
        printf("THREADS failed: %s\n", why);
        return;
    }
    libs_set_vm(vm.library_low);
    if (safe_load_install() != 0 || libs_update() < 0)
        return;
    sigaction(SIGPROF, &sa, NULL);
    pthread_create(&sampler, NULL, sample, NULL);
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *env)
{
    (void)jvmti;
    (void)env;
    stop = 1;
    if (sampler != 0)
        pthread_join(sampler, NULL);
    signal(SIGPROF, SIG_IGN);
    report();
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java, char *options, void *reserved)
{
    jvmtiEventCallbacks callbacks = {.VMInit = on_init, .VMDeath = on_death};
    jvmtiEnv *jvmti;

    (void)reserved;
    seconds = options == NULL ? 5 : atof(options);
    if ((*java)->GetEnv(java, (void **)&jvmti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks));
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    return JNI_OK;
}
