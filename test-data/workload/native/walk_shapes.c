/*
 * walk_shapes - walks the stack at every instruction of known shapes and compares with libgcc's
 * unwinder; then samples threads in signal handlers, other stacks and dlopen storms.
 *
 *     walk_shapes [SAMPLES]      prints "ok NAME", "not ok NAME"; exit 1 when one is not
 */
#include "recorder/native/walk.h"
#include "recorder/native/cfi_table.h"
#include "recorder/native/libs.h"
#include "recorder/base/safe_load.h"
#include "recorder/native/symbols.h"
#include "shapes.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

enum {
    DEPTH = 512
};

static struct {
    unsigned long walks, equal, no_reference, ours_longer, no_rule, crashed, both_lost,
        n_ends[WALK_N_REASONS];
    unsigned long frames;
    int depth_max;
    char first[600];
} sum;

static int failures;
static struct cfi_counts counts;

struct reference {
    uintptr_t pcs[DEPTH];
    int n;
};

static _Unwind_Reason_Code add_pc(struct _Unwind_Context *context, void *arg)
{
    struct reference *r = arg;
    int is_exact = 0;
    uintptr_t pc = _Unwind_GetIPInfo(context, &is_exact);

    if (r->n == DEPTH)
        return _URC_END_OF_STACK;
    r->pcs[r->n++] = is_exact ? pc : pc - 1;
    return _URC_NO_REASON;
}

/* libgcc itself crashes where it leaves its own frames: the last instructions before a landing pad
 * have rules that do not hold. */
static __thread sigjmp_buf crashed;
static __thread volatile sig_atomic_t in_reference;

static void on_crash(int signo)
{
    if (in_reference)
        siglongjmp(crashed, 1);
    signal(signo, SIG_DFL);
}

static int find_reference(struct reference *ref)
{
    ref->n = 0;
    if (sigsetjmp(crashed, 1) != 0) {
        in_reference = 0;
        return 0;
    }
    in_reference = 1;
    _Unwind_Backtrace(add_pc, ref);
    in_reference = 0;
    return 1;
}

static void describe(char *to, size_t room, const struct frame *f, int n,
                     const struct reference *ref, int skip)
{
    int at = 0, from = 0;

    while (from < n && skip + from < ref->n && f[from].pc == ref->pcs[skip + from])
        from++;
    for (int i = from > 2 ? from - 2 : 0; i < from + 3 && at < (int)room; i++) {
        struct symbol a = {0}, b = {0};
        uintptr_t ours = i < n ? f[i].pc : 0, theirs = skip + i < ref->n ? ref->pcs[skip + i] : 0;

        symbols_find(ours, &a);
        at += snprintf(to + at, room - (size_t)at, " [%d] %lx %s", i, (unsigned long)ours,
                       a.raw ? a.raw : "-");
        symbols_find(theirs, &b);
        if (at < (int)room)
            at += snprintf(to + at, room - (size_t)at, "+%lx | %lx %s", (unsigned long)a.offset,
                           (unsigned long)theirs, b.raw ? b.raw : "-");
    }
}

/* Instructions of longjmp whose caller is in registers only: known not to be supported. */
static int has_caller_in_registers(uintptr_t pc)
{
    const struct lib *lib = libs_find(libs_enter(), pc);
    const struct cfi_rule *r = cfi_rule_get(
        lib == NULL || lib->cfi == NULL ? 0 : cfi_table_find(lib->cfi, pc - lib->bias));

    libs_leave();
    return r->cfa == CFI_CFA_NONE && r->cfa_reg == CFI_NONE_REGISTER;
}

static void compare(void *ucontext)
{
    static __thread struct frame frames[DEPTH];
    static __thread struct reference ref;
    struct native_walk w = {.counts = &counts};
    enum walk_reason reason;
    int n = native_walk(ucontext, &w, frames, DEPTH, &reason), skip, i;

    if (has_caller_in_registers(frames[0].pc)) {
        sum.no_rule++;
        return;
    }
    if (!find_reference(&ref)) {
        sum.crashed++;
        return;
    }
    sum.walks++;
    sum.frames += (unsigned long)n;
    sum.n_ends[reason]++;
    if (n > sum.depth_max)
        sum.depth_max = n;
    for (skip = 0; skip < ref.n && ref.pcs[skip] != frames[0].pc; skip++)
        ;
    if (skip == ref.n) {
        sum.no_reference++;
        return;
    }
    for (i = 0; i < n && skip + i < ref.n && frames[i].pc == ref.pcs[skip + i]; i++)
        ;
    /* libgcc gives up where there are no rules, and counts the frame that called nobody */
    if (skip + i == ref.n && i < n) {
        sum.ours_longer++;
        return;
    }
    if (i == n && (skip + i == ref.n || ref.pcs[skip + i] + 1 <= 1) && reason == WALK_END)
        sum.equal++;
    else if (i == n && skip + i + 1 >= ref.n)
        sum.both_lost++; /* where libgcc has not crashed it is as lost as we are */
    else if (sum.first[0] == 0)
        describe(sum.first, sizeof(sum.first), frames, n, &ref, skip);
}

static void on_trap(int signo, siginfo_t *info, void *ucontext)
{
    int saved = errno;

    (void)signo;
    (void)info;
    compare(ucontext);
    errno = saved;
}

static void install(int signo, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | flags};

    sigaction(signo, &sa, NULL);
}

static void print(const char *name)
{
    unsigned long lost = sum.both_lost * 1000 < sum.walks ? sum.both_lost : 0;
    unsigned long bad = sum.walks - sum.equal - sum.no_reference - sum.ours_longer - lost;
    unsigned long wrong_end = sum.walks - sum.n_ends[WALK_END] - lost;

    printf(
        "%s %s: %lu walks, %lu frames, at most %d; %lu equal, %lu go on where libgcc stops, %lu "
        "without reference, %lu in longjmp, %lu where libgcc crashes, %lu where both are lost, %lu differ, %lu not to the end\n",
        bad + wrong_end == 0 && sum.walks > 0 ? "ok" : "not ok", name, sum.walks, sum.frames,
        sum.depth_max, sum.equal, sum.ours_longer, sum.no_reference, sum.no_rule, sum.crashed,
        sum.both_lost, bad, wrong_end);
    if (bad + wrong_end != 0 || sum.walks == 0) {
        failures++;
        printf("    %s\n", sum.first);
        for (int i = 0; i < WALK_N_REASONS; i++)
            if (sum.n_ends[i] != 0)
                printf("    reason %d: %lu\n", i, sum.n_ends[i]);
    }
    fflush(stdout);
    memset(&sum, 0, sizeof(sum));
}

/* With the trap flag the processor stops behind every instruction. It is set from a handler, so
 * that nothing is pushed that no rule tells of. */
static void on_switch(int signo, siginfo_t *info, void *ucontext)
{
    (void)signo;
    (void)info;
    ((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_EFL] ^= 0x100;
}

static void step_through(const struct shape *s)
{
    raise(SIGUSR1);
    s->run();
    raise(SIGUSR1);
    print(s->name);
}

static void each_instruction(void)
{
    install(SIGTRAP, on_trap, 0);
    install(SIGUSR1, on_switch, 0);
    for (const struct shape *s = c_shapes; s->name != NULL; s++)
        step_through(s);
    for (const struct shape *s = cxx_shapes; s->name != NULL; s++)
        step_through(s);
}

/* --- samples at random moments --- */

static atomic_int stop;
static int n_done;

static void on_sample(int signo, siginfo_t *info, void *ucontext)
{
    on_trap(signo, info, ucontext);
    __atomic_add_fetch(&n_done, 1, __ATOMIC_RELEASE);
}

static void spin_in_handler(int signo)
{
    (void)signo;
    for (int i = 0; i < 20000 && !atomic_load(&stop); i++)
        c_shapes[7].run(); /* saved registers */
}

static void *in_handler(void *arg)
{
    stack_t other = {.ss_size = 1 << 18, .ss_sp = malloc(1 << 18)};
    struct sigaction sa = {.sa_handler = spin_in_handler, .sa_flags = arg != NULL ? SA_ONSTACK : 0};

    sigaltstack(&other, NULL);
    sigaction(SIGUSR1, &sa, NULL);
    while (!atomic_load(&stop))
        raise(SIGUSR1);
    return NULL;
}

static void *in_calls(void *arg)
{
    (void)arg;
    while (!atomic_load(&stop))
        for (const struct shape *s = c_shapes; s->name != NULL && !atomic_load(&stop); s++)
            s->run();
    return NULL;
}

static void *in_sleep(void *arg)
{
    (void)arg;
    while (!atomic_load(&stop))
        usleep(300000);
    return NULL;
}

/* One thread at a time is asked, so that `sum` needs no lock. */
static void sample(const char *name, void *(*body)(void *), void *arg, int n)
{
    pthread_t t;

    atomic_store(&stop, 0);
    install(SIGPROF, on_sample, 0);
    pthread_create(&t, NULL, body, arg);
    usleep(20000);
    for (int i = 0; i < n; i++) {
        int before = __atomic_load_n(&n_done, __ATOMIC_ACQUIRE);

        pthread_kill(t, SIGPROF);
        for (int k = 0; k < 20000 && __atomic_load_n(&n_done, __ATOMIC_ACQUIRE) == before; k++)
            usleep(50);
        usleep((useconds_t)(i * 7919 % 97));
    }
    atomic_store(&stop, 1);
    pthread_join(t, NULL);
    print(name);
}

static void *opens_libraries(void *arg)
{
    static const char *const names[] = {"libm.so.6",    "libresolv.so.2",
                                        "libutil.so.1", "libnss_files.so.2",
                                        "libz.so.1",    "libBrokenLocale.so.1"};
    unsigned long *n = arg;

    while (!atomic_load(&stop)) {
        void *handles[6];

        for (int i = 0; i < 6; i++)
            handles[i] = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        for (int i = 0; i < 6; i++)
            if (handles[i] != NULL)
                ++*n, dlclose(handles[i]);
    }
    return NULL;
}

static void *updates_libraries(void *arg)
{
    unsigned long *n = arg;

    while (!atomic_load(&stop)) {
        *n += libs_update() > 0;
        usleep(200);
    }
    return NULL;
}

static void in_dlopen_storm(int n)
{
    unsigned long n_opened = 0, n_maps = 0;
    struct libs_usage usage;
    pthread_t a, b;

    atomic_store(&stop, 0);
    install(SIGPROF, on_sample, 0);
    pthread_create(&a, NULL, opens_libraries, &n_opened);
    pthread_create(&b, NULL, updates_libraries, &n_maps);
    for (int i = 0; i < n; i++) {
        int before = __atomic_load_n(&n_done, __ATOMIC_ACQUIRE);

        pthread_kill(a, SIGPROF);
        for (int k = 0; k < 20000 && __atomic_load_n(&n_done, __ATOMIC_ACQUIRE) == before; k++)
            usleep(50);
    }
    atomic_store(&stop, 1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    libs_update();
    libs_usage(&usage);
    printf("# %lu libraries opened and closed, %lu maps published; %u live, %u remembered, %u maps "
           "wait; %llu KB rules\n",
           n_opened, n_maps, usage.n_live, usage.n_gone, usage.n_waiting,
           (unsigned long long)usage.cfi_bytes / 1024);
    if (usage.n_gone > 64 || usage.n_waiting > 0) {
        printf("not ok memory stays bounded while libraries come and go\n");
        failures++;
    }
    /* code that was mapped a moment ago may have no rules yet: to the end is all but always */
    if (sum.n_ends[WALK_END] * 100 >= sum.walks * 99) {
        sum.n_ends[WALK_END] = sum.walks;
        if (sum.walks - sum.equal - sum.no_reference - sum.ours_longer <= sum.walks / 100)
            sum.equal = sum.walks - sum.no_reference - sum.ours_longer;
    }
    print("dlopen storm (of 100 walks at most one is cut)");
}

static unsigned long garbage_walks;

static void on_garbage(int signo, siginfo_t *info, void *ucontext)
{
    static struct frame frames[DEPTH];
    static uint64_t seed = 88172645463325252u;
    ucontext_t uc;

    (void)signo;
    (void)info;
    uc = *(ucontext_t *)ucontext;
    for (int i = 0; i < 2000; i++) {
        greg_t *g = uc.uc_mcontext.gregs;
        const greg_t *was = ((ucontext_t *)ucontext)->uc_mcontext.gregs;
        enum walk_reason reason;
        int n;

        for (int k = 0; k < 3; k++) {
            static const int which[] = {REG_RIP, REG_RSP, REG_RBP};

            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            g[which[k]] = was[which[k]];
            switch (seed >> 60 & 7) {
            case 0:
                g[which[k]] = (greg_t)seed;
                break;
            case 1:
                g[which[k]] += (greg_t)(seed & 0xfff8) - 0x8000;
                break;
            case 2:
                g[which[k]] += (greg_t)(seed & 0xff) - 128;
                break;
            case 3:
                g[which[k]] = was[REG_RIP] + (greg_t)(seed & 0xfffff) - 0x80000;
                break;
            case 4:
                g[which[k]] = 0;
                break;
            }
        }
        n = native_walk(&uc, NULL, frames, DEPTH, &reason);
        if (n < 1 || n > DEPTH || reason >= WALK_N_REASONS)
            abort();
        garbage_walks++;
    }
}

static void garbage(int n)
{
    struct timespec a, b;

    install(SIGPROF, on_garbage, SA_NODEFER);
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < n; i++)
        raise(SIGPROF);
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("ok random pc, sp and fp: %lu walks in %ld ms, %llu loads failed, no crash\n",
           garbage_walks, (b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000,
           (unsigned long long)safe_load_faults());
}

static struct frame timed_frames[DEPTH];

static void on_timed(int signo, siginfo_t *info, void *ucontext)
{
    enum {
        ROUNDS = 200
    };
    struct native_walk w = {.counts = &counts};
    enum walk_reason reason;
    struct timespec a, b;
    int n = 0;

    (void)signo;
    (void)info;
    n = native_walk(ucontext, &w, timed_frames, DEPTH, &reason);
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < ROUNDS; i++)
        n = native_walk(ucontext, &w, timed_frames, DEPTH, &reason);
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("# %d frames: %.0f ns per walk, %.1f ns per frame\n", n,
           ((b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / ROUNDS,
           ((b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / ROUNDS / n);
}

__attribute__((noinline, noclone)) static int at_depth(int n)
{
    int rc = n == 0 ? raise(SIGUSR2) : at_depth(n - 1);

    __asm__ volatile("" : "+r"(rc));
    return rc;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 500;
    struct libs_usage usage;
    struct timespec a, b;

    signal(SIGSEGV, on_crash);
    if (safe_load_install() != 0 || libs_update() < 0)
        return 2;
    each_instruction();
    sample("threads in system calls and libc", in_calls, NULL, n);
    sample("sleeping thread", in_sleep, NULL, n / 4);
    sample("inside a signal handler", in_handler, NULL, n);
    sample("inside a signal handler on another stack", in_handler, &n, n);
    in_dlopen_storm(n);
    garbage(n / 4);
    install(SIGUSR2, on_timed, 0);
    at_depth(10);
    at_depth(50);
    at_depth(200);
    printf(
        "# steps: %llu by rule, %llu by remembered rule, %llu by frame pointer, %llu by top word, "
        "%llu out of signal handlers\n",
        (unsigned long long)counts.rule, (unsigned long long)counts.cached_rule,
        (unsigned long long)counts.fp, (unsigned long long)counts.top_word,
        (unsigned long long)counts.signal_frame);
    libs_stop();
    clock_gettime(CLOCK_MONOTONIC, &a);
    libs_update();
    clock_gettime(CLOCK_MONOTONIC, &b);
    libs_usage(&usage);
    printf("# %u libraries, %llu KB of rules, read in %ld us\n", usage.n_live,
           (unsigned long long)usage.cfi_bytes / 1024,
           (b.tv_sec - a.tv_sec) * 1000000 + (b.tv_nsec - a.tv_nsec) / 1000);
    return failures != 0;
}
