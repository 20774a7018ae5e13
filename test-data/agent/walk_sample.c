/*
 * Samples running threads: how many stacks reach their bottom, beside AsyncGetCallTrace's in the
 * same handler, and what both take. Then the same walk from registers that are wrong.
 *   sample  us=MICROSECONDS between signals  fuzz=WALKS per sample  inject=ONE IN  show=N failures
 */
#include "test-data/agent/walk.h"
#include "recorder/vm/walk_cpu.h"
#include "recorder/walk/parked.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_THREADS = 1024,
    MAX_FRAMES = 2048,
    HISTOGRAM = 1 << 16, /* of NS_STEP each */
    NS_STEP = 16
};

struct agct_frame {
    jint bci;
    jmethodID method;
};

struct agct_trace {
    JNIEnv *env;
    jint n;
    struct agct_frame *frames;
};

static void (*agct)(struct agct_trace *, jint, void *);

struct target {
    pid_t tid;
    JNIEnv *env;
};

static struct {
    pthread_mutex_t lock;
    struct target targets[MAX_THREADS];
    int n;
    pthread_t sampler;
    atomic_bool stop, busy;
    long us, fuzz, inject, show, skip_agct, parked;
} run = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
    long samples, bottom, agct_ok, equal, differ, shorter;
    long reasons[WALK_N_REASONS], agct_errors[32], kinds[FRAME_REASON + 1];
    long walk_ns, agct_ns, frames, fuzzed, fuzz_frames;
    long longest_fuzz_ns;
    long parked, parked_bottom, parked_differ;
    unsigned histogram[HISTOGRAM], agct_histogram[HISTOGRAM], parked_histogram[HISTOGRAM];
} sum;

static __thread JNIEnv *own_env __attribute__((tls_model("initial-exec")));
static struct vm_frame ours[MAX_FRAMES];
static struct agct_frame theirs[MAX_FRAMES];

static long now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* What the thread has used, whoever else runs. */
static long cpu_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static int is_java(const struct vm_frame *f)
{
    return f->kind <= FRAME_NATIVE_METHOD;
}

static void show(const char *what, int n, int m, const struct vm_walk *w)
{
    static char out[1 << 16];
    char text[400];
    int at = 0;

    if (run.show <= 0)
        return;
    run.show--;
    at += snprintf(out, sizeof out,
                   "WALK show %s: %d frames, reason %s, AsyncGetCallTrace %d, at %lx\n", what, n,
                   walk_reason_name(w->reason), m, (long)w->start.pc);
    for (int i = 0; i < n && at < 60000 && (i < 12 || i > n - 4); i++)
        at += snprintf(out + at, sizeof out - (size_t)at,
                       "WALK   %d kind %d level %d %s@%d pc %lx sp %lx fp %lx\n", i, ours[i].kind,
                       ours[i].level, frame_text(&ours[i], text, sizeof text), ours[i].bci,
                       (long)ours[i].pc, (long)ours[i].sp, (long)ours[i].fp);
    at += snprintf(out + at, sizeof out - (size_t)at, "WALK   ends at pc %lx sp %lx fp %lx\n",
                   (long)w->r.pc, (long)w->r.sp, (long)w->r.fp);
    {
        uint8_t code[48] = {0};
        struct code_blob b;

        safe_copy(code, w->start.pc - 24, sizeof code);
        for (int i = 0; i < 48; i++)
            at += snprintf(out + at, sizeof out - (size_t)at, "%s%02x", i == 24 ? " | " : " ",
                           code[i]);
        if (vm_code_find(&agent.state->walker.vm, w->start.pc, &b))
            at += snprintf(out + at, sizeof out - (size_t)at,
                           "\nWALK   offset %ld of %ld, complete at %d, %d words",
                           (long)(w->start.pc - b.code_begin), (long)(b.code_end - b.code_begin),
                           b.frame_complete, b.frame_words);
        for (int i = -4; i < 12; i++) {
            uint64_t word = 0;

            safe_load64(w->start.sp + 8 * (uintptr_t)i, &word);
            at += snprintf(out + at, sizeof out - (size_t)at, "\nWALK   sp[%d] %lx", i, (long)word);
        }
        at += snprintf(out + at, sizeof out - (size_t)at, "\n");
    }
    if (write(2, out, (size_t)at) < 0)
        return;
}

static uint64_t random_state = 88172645463325252u;

static uint64_t any(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void perturb(struct vm_registers *r, const struct vm_walk *w)
{
    const struct vm *vm = &agent.state->walker.vm;
    uintptr_t low = w->stack_low, size = w->stack_high - low;

    switch (any() % 6) {
    case 0:
        r->pc = vm->code_low + any() % (vm->code_high - vm->code_low);
        break;
    case 1:
        r->pc = vm->interpreter_low + any() % (vm->interpreter_high - vm->interpreter_low);
        break;
    case 2:
        r->pc += any() % 257 - 128;
        break;
    case 3:
        r->pc = vm->call_stub_return;
        break;
    case 4:
        r->pc = any();
        break;
    default:
        break;
    }
    switch (any() % 5) {
    case 0:
        r->sp = low + (any() % size & ~(uintptr_t)7);
        break;
    case 1:
        r->sp += (any() % 129 - 64) & ~(uintptr_t)7;
        break;
    case 2:
        r->sp = any();
        break;
    default:
        break;
    }
    switch (any() % 5) {
    case 0:
        r->fp = low + (any() % size & ~(uintptr_t)7);
        break;
    case 1:
        r->fp = any();
        break;
    case 2:
        r->fp += any() % 129 - 64;
        break;
    default:
        break;
    }
    if (any() % 4 == 0) {
        r->bcp = r->sender_sp = any();
        r->method = any();
    }
}

static void fuzz(const struct vm_walk *walked)
{
    struct vm_frame f;
    struct vm_walk w;
    long begin, took;

    for (long i = 0; i < run.fuzz; i++) {
        struct vm_registers r = walked->start;

        perturb(&r, walked);
        begin = cpu_now();
        vm_walk_registers(&w, &agent.state->walker, any() & 1 ? walked->thread : 0, &r,
                          any() % 8 != 0, (any() & 1) * VM_WALK_C_FRAMES);
        for (int n = 0; n < MAX_FRAMES && vm_walk_next(&w, &f); n++)
            sum.fuzz_frames++;
        took = cpu_now() - begin;
        sum.longest_fuzz_ns = took > sum.longest_fuzz_ns ? took : sum.longest_fuzz_ns;
        sum.fuzzed++;
    }
}

static void compare(int n, const struct agct_trace *a)
{
    int k = 0;

    for (int i = 0; i < n; i++) {
        const struct vm_entry *e = vm_dict_get(&agent.state->walker.dict, ours[i].id);

        if (!is_java(&ours[i]))
            continue;
        if (k == a->n)
            break;
        if (a->frames[k].method != NULL &&
            (e == NULL || e->address != method_of(a->frames[k].method))) {
            sum.differ++;
            return;
        }
        k++;
    }
    sum.equal += k == a->n;
    sum.shorter += k < a->n;
}

static void note(unsigned *histogram, long ns)
{
    histogram[ns / NS_STEP < HISTOGRAM ? ns / NS_STEP : HISTOGRAM - 1]++;
}

/* The same stack walked by the other thread, frame by frame, while this one waits. */
static void park(void *context, int n)
{
    static struct frame frames[MAX_FRAMES];
    enum walk_reason reason;
    long begin = now(), took;
    int m = walk_parked.walk(context, frames, MAX_FRAMES, &reason), i = 0;

    took = now() - begin;
    note(sum.parked_histogram, took);
    while (i < n && i < m && frames[i].method == ours[i].id && frames[i].bci == ours[i].bci &&
           frames[i].kind == ours[i].kind && ours[i].pc - frames[i].pc <= 1 /* in the call */)
        i++;
    sum.parked++;
    sum.parked_bottom += reason == WALK_END;
    sum.parked_differ += i != n || i != m;
}

static long walk_agct_once(struct agct_trace *a, void *context)
{
    long begin = now();

    if (agct != NULL && !run.skip_agct)
        agct(a, MAX_FRAMES, context);
    return now() - begin;
}

static long walk_once(struct vm_walk *w, int *n, void *context)
{
    long begin = now();

    walk_vm_begin(w, context, VM_WALK_C_FRAMES);
    for (*n = 0; *n < MAX_FRAMES && vm_walk_next(w, &ours[*n]); ++*n)
        ;
    return now() - begin;
}

/* Who comes second finds warm caches, so they take turns. */
static void take(void *context)
{
    struct agct_trace a = {own_env, 0, theirs};
    long walk_ns, agct_ns;
    struct vm_walk w;
    int n = 0, java = 0;

    if (sum.samples & 1) {
        agct_ns = walk_agct_once(&a, context);
        walk_ns = walk_once(&w, &n, context);
    } else {
        walk_ns = walk_once(&w, &n, context);
        agct_ns = walk_agct_once(&a, context);
    }
    sum.samples++;
    sum.reasons[w.reason]++;
    for (int i = 0; i < n; i++) {
        sum.kinds[ours[i].kind]++;
        java += is_java(&ours[i]);
    }
    sum.bottom += w.reason == WALK_END && java > 0;
    if (w.reason != WALK_END || java == 0)
        show("failed", n, a.n, &w);
    if (a.n > 0) {
        sum.agct_ok++;
        sum.agct_ns += agct_ns;
        sum.walk_ns += walk_ns;
        sum.frames += java;
        note(sum.histogram, walk_ns);
        note(sum.agct_histogram, agct_ns);
        compare(n, &a);
    } else {
        sum.agct_errors[-a.n & 31]++;
    }
    if (run.parked)
        park(context, n);
    if (run.fuzz > 0) {
        safe_load_inject((uint32_t)run.inject);
        fuzz(&w);
        safe_load_inject(0);
    }
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    int before = errno;

    (void)sig;
    (void)info;
    if (own_env != NULL && !atomic_exchange(&run.busy, true)) {
        take(context);
        atomic_store(&run.busy, false);
    }
    errno = before;
}

static void *sampler(void *arg)
{
    struct target t;
    int i = 0;

    while (!atomic_load(&run.stop)) {
        pthread_mutex_lock(&run.lock);
        t = run.n > 0 ? run.targets[i++ % run.n] : (struct target){0};
        /* A signal that waits for the end of a handler would keep the thread from going on. */
        if (t.tid != 0 && !atomic_load(&run.busy))
            syscall(SYS_tgkill, getpid(), t.tid, SIGPROF);
        pthread_mutex_unlock(&run.lock);
        usleep((useconds_t)run.us);
    }
    return arg;
}

void sample_begin(JNIEnv *env, int mode)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    void *found = dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");
    char why[200];

    (void)mode;
    if (found == NULL) { /* the VM is opened for itself alone */
        Dl_info info;
        void *library = NULL;

        if (dladdr((void *)agent.state->walker.vm.library_low, &info))
            library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        found = library != NULL ? dlsym(library, "AsyncGetCallTrace") : NULL;
    }
    memcpy(&agct, &found, sizeof agct);
    run.us = option("us", 200);
    run.fuzz = option("fuzz", 0);
    run.inject = option("inject", 0);
    run.show = option("show", 0);
    run.skip_agct = option("noagct", 0);
    run.parked = option("parked", 0);
    if (run.parked && walk_parked.start(agent.vm, agent.jvmti, env, why) != 0)
        run.parked = 0;
    sigaction(SIGPROF, &action, NULL);
    pthread_create(&run.sampler, NULL, sampler, NULL);
}

/* Worker threads are named "w" and a number; the others wait most of the time. */
void sample_thread(JNIEnv *env, jthread thread)
{
    jvmtiThreadInfo info = {0};

    agent.jvmti[0]->GetThreadInfo(agent.jvmti, thread, &info);
    own_env = env;
    pthread_mutex_lock(&run.lock);
    if (info.name != NULL && (info.name[0] == 'w' || strncmp(info.name, "ForkJoin", 8) == 0) &&
        run.n < MAX_THREADS)
        run.targets[run.n++] = (struct target){(pid_t)syscall(SYS_gettid), env};
    pthread_mutex_unlock(&run.lock);
    agent.jvmti[0]->Deallocate(agent.jvmti, (unsigned char *)info.name);
}

void sample_thread_end(void)
{
    pid_t tid = (pid_t)syscall(SYS_gettid);

    pthread_mutex_lock(&run.lock);
    for (int i = 0; i < run.n; i++)
        if (run.targets[i].tid == tid)
            run.targets[i--] = run.targets[--run.n];
    pthread_mutex_unlock(&run.lock);
    own_env = NULL;
}

static long percentile(const unsigned *histogram, double p)
{
    long n = 0, at = 0;

    for (int i = 0; i < HISTOGRAM; i++)
        n += histogram[i];
    for (int i = 0; i < HISTOGRAM; i++) {
        at += histogram[i];
        if ((double)at >= p * (double)n)
            return (long)i * NS_STEP;
    }
    return (long)HISTOGRAM * NS_STEP;
}

void sample_end(void)
{
    long ok = sum.agct_ok > 0 ? sum.agct_ok : 1;

    atomic_store(&run.stop, true);
    pthread_join(run.sampler, NULL);
    fprintf(stderr,
            "WALK sample samples=%ld bottom=%ld percent=%.2f agct=%ld agct_percent=%.2f equal=%ld "
            "differ=%ld shorter=%ld\n",
            sum.samples, sum.bottom,
            100.0 * (double)sum.bottom / (double)(sum.samples + !sum.samples), sum.agct_ok,
            100.0 * (double)sum.agct_ok / (double)(sum.samples + !sum.samples), sum.equal,
            sum.differ, sum.shorter);
    fprintf(stderr, "WALK sample-reasons");
    for (int i = 0; i < WALK_N_REASONS; i++)
        if (sum.reasons[i] > 0)
            fprintf(stderr, " %s=%ld", walk_reason_name((enum walk_reason)i), sum.reasons[i]);
    fprintf(stderr, "\nWALK sample-agct");
    for (int i = 0; i < 32; i++)
        if (sum.agct_errors[i] > 0)
            fprintf(stderr, " -%d=%ld", i, sum.agct_errors[i]);
    fprintf(
        stderr,
        "\nWALK sample-time frames=%ld ns=%ld agct_ns=%ld p50=%ld p99=%ld p999=%ld agct_p50=%ld "
        "agct_p99=%ld\n",
        sum.frames / ok, sum.walk_ns / ok, sum.agct_ns / ok, percentile(sum.histogram, 0.5),
        percentile(sum.histogram, 0.99), percentile(sum.histogram, 0.999),
        percentile(sum.agct_histogram, 0.5), percentile(sum.agct_histogram, 0.99));
    if (sum.parked > 0) {
        uint64_t walked, alone;

        walk_parked_counts(&walked, &alone);
        fprintf(
            stderr,
            "WALK parked samples=%ld bottom=%ld differ=%ld walked=%lu alone=%lu p50=%ld p99=%ld\n",
            sum.parked, sum.parked_bottom, sum.parked_differ, (unsigned long)walked,
            (unsigned long)alone, percentile(sum.parked_histogram, 0.5),
            percentile(sum.parked_histogram, 0.99));
        walk_parked.stop();
    }
    if (sum.fuzzed > 0)
        fprintf(stderr, "WALK fuzz walks=%ld frames=%ld longest_us=%ld\n", sum.fuzzed,
                sum.fuzz_frames, sum.longest_fuzz_ns / 1000);
}
