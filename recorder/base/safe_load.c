/*
 * safe_load.c - the signal handlers behind safe_load.h, and the order of handlers in the process.
 *
 * on_fault() runs in the thread that faulted: it looks for the pc in the table of fixups and
 * continues after the load, or passes the signal to the handler that was there before. The VM,
 * libjsig and profilers install handlers, too, so ours may have to go first again; `chain`
 * remembers all that were in front.
 */
#include "recorder/base/safe_load.h"
#include "recorder/base/thread_local.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

struct fixup {
    int32_t load, resume; /* relative to their own addresses */
};

/* Set by the linker to the ends of what all loads have put into the section. */
extern const struct fixup __start_safe_load_fixups[] __attribute__((visibility("hidden")));
extern const struct fixup __stop_safe_load_fixups[] __attribute__((visibility("hidden")));

typedef int sigaction_fn(int, const struct sigaction *, struct sigaction *);

static const int signals[] = {SIGSEGV, SIGBUS};
static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
enum {
    N_SIGNALS = sizeof signals / sizeof *signals,
    CHAIN_MAX = 4 /* how many later handlers we may be put in front of */
};

/* The handlers after ours, the newest last: each time that ours went first again, the handler that
 * had been in front of it is added. Those pass faults that are not theirs to ours, which passes
 * them to the next older one. */
struct chain {
    struct sigaction handlers[CHAIN_MAX];
    atomic_int n;
};

static struct chain before[N_SIGNALS];
/* Signals that were passed to another handler which has not returned, and the frame of the
 * outermost one. */
static __thread int n_inside SIGNAL_SAFE;
static __thread uintptr_t outermost SIGNAL_SAFE;
static uintptr_t first_load, last_load; /* all loads lie between, both included */
static atomic_uint_fast64_t n_faults;
static sigaction_fn *real_sigaction;
static atomic_uint_fast32_t injected;
uint32_t safe_load_one_in;

static uintptr_t relative(const int32_t *offset)
{
    return (uintptr_t)((intptr_t)offset + *offset);
}

/* Returns the address to continue at after a fault at pc, or 0 if pc is none of our loads. Nearly
 * every fault is an implicit null check of compiled code, so the range is tested first. */
static uintptr_t resume_at(uintptr_t pc)
{
    if (pc < first_load || pc > last_load)
        return 0;
    for (const struct fixup *f = __start_safe_load_fixups; f < __stop_safe_load_fixups; f++)
        if (relative(&f->load) == pc)
            return relative(&f->resume);
    return 0;
}

#if defined(__x86_64__)
#define CONTEXT_PC(uc_) (uc_)->uc_mcontext.gregs[REG_RIP]
#else
#define CONTEXT_PC(uc_) (uc_)->uc_mcontext.pc
#endif

/* Restores the default action. A fault happens again when the handler returns; a signal that a
 * process sent is sent again. */
static void take_default(int sig, const siginfo_t *info)
{
    struct sigaction dfl = {.sa_handler = SIG_DFL};

    real_sigaction(sig, &dfl, NULL);
    if (info->si_code <= 0)
        syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), sig);
}

static void pass_fault_on(const struct chain *c, int sig, siginfo_t *info, void *context)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    const struct sigaction *old;
    int at;

    if (n_inside == 0 || here >= outermost) { /* a handler may have jumped out */
        n_inside = 0;
        outermost = here;
    }
    at = atomic_load_explicit(&c->n, memory_order_acquire) - 1 - n_inside++;
    old = &c->handlers[at > 0 ? at : 0];
    if (old->sa_flags & SA_SIGINFO) {
        old->sa_sigaction(sig, info, context);
    } else if (old->sa_handler == SIG_DFL || (old->sa_handler == SIG_IGN && info->si_code > 0)) {
        take_default(sig, info);
    } else if (old->sa_handler != SIG_IGN) {
        old->sa_handler(sig);
    }
    n_inside--;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    uintptr_t resume = resume_at((uintptr_t)CONTEXT_PC(uc));

    if (resume == 0) {
        pass_fault_on(&before[sig == SIGSEGV ? 0 : 1], sig, info, context);
    } else {
        CONTEXT_PC(uc) = (__typeof__(CONTEXT_PC(uc)))resume;
        atomic_fetch_add_explicit(&n_faults, 1, memory_order_relaxed);
    }
}

/* libjsig keeps handlers that come after the VM's behind it, but only those that ask through the
 * sigaction it has put in front of libc's. */
static sigaction_fn *find_sigaction(void)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    void *found = libc != NULL ? dlsym(libc, "sigaction") : NULL;
    sigaction_fn *fn = sigaction;

    if (found != NULL)
        memcpy(&fn, &found, sizeof fn);
    return fn;
}

static void find_range(void)
{
    first_load = UINTPTR_MAX;
    for (const struct fixup *f = __start_safe_load_fixups; f < __stop_safe_load_fixups; f++) {
        uintptr_t load = relative(&f->load);

        first_load = load < first_load ? load : first_load;
        last_load = load > last_load ? load : last_load;
    }
}

static bool is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_fault;
}

static void let_faults_through(sigset_t *mask)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(mask, faults[i]);
}

void safe_load_block_others(sigset_t *old)
{
    sigset_t all;

    sigfillset(&all);
    let_faults_through(&all);
    pthread_sigmask(SIG_SETMASK, &all, old);
}

/* Our handler calls the next one, so it blocks the signals that that one blocks. Faults stay
 * unblocked: those of loads, and those that the VM causes in its own handler. */
static int install_one(size_t i)
{
    struct sigaction now, ours = {.sa_sigaction = on_fault};
    int n = atomic_load_explicit(&before[i].n, memory_order_relaxed);

    if (real_sigaction(signals[i], NULL, &now) != 0)
        return -errno;
    if (is_ours(&now))
        return 0;
    if (n == 0 || before[i].handlers[n - 1].sa_sigaction != now.sa_sigaction) {
        if (n == CHAIN_MAX)
            return -EBUSY;
        before[i].handlers[n] = now;
        atomic_store_explicit(&before[i].n, n + 1, memory_order_release);
    }
    ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_NODEFER;
    ours.sa_mask = now.sa_mask;
    let_faults_through(&ours.sa_mask);
    return real_sigaction(signals[i], &ours, NULL) == 0 ? 0 : -errno;
}

int safe_load_install(void)
{
    int rc = 0;

    if (real_sigaction == NULL) {
        find_range();
        real_sigaction = find_sigaction();
    }
    for (size_t i = 0; i < N_SIGNALS && rc == 0; i++)
        rc = install_one(i);
    if (rc != 0 && rc != -EBUSY)
        safe_load_remove();
    return rc;
}

bool safe_load_is_first(void)
{
    struct sigaction now;

    for (size_t i = 0; i < N_SIGNALS; i++)
        if (real_sigaction == NULL || real_sigaction(signals[i], NULL, &now) != 0 || !is_ours(&now))
            return false;
    return true;
}

void safe_load_remove(void)
{
    struct sigaction now;

    for (size_t i = 0; i < N_SIGNALS && real_sigaction != NULL; i++)
        if (real_sigaction(signals[i], NULL, &now) == 0 && is_ours(&now)) {
            int n = atomic_fetch_sub_explicit(&before[i].n, 1, memory_order_acq_rel);

            real_sigaction(signals[i], &before[i].handlers[n - 1], NULL);
        }
}

uint64_t safe_load_faults(void)
{
    return atomic_load_explicit(&n_faults, memory_order_relaxed);
}

void safe_load_inject(uint32_t one_in)
{
    safe_load_one_in = one_in;
}

/* A counter passed through a mixing function. Threads share it without a lock; a lost increment
 * does no harm. */
bool safe_load_unlucky(void)
{
    uint64_t x = atomic_fetch_add_explicit(&injected, 1, memory_order_relaxed);

    x = (x + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return x % safe_load_one_in == 0;
}

size_t safe_copy(void *to, uintptr_t from, size_t n)
{
    uint8_t *out = to;
    size_t done = 0;
    uint64_t word;

    for (; n - done >= sizeof word && safe_load64(from + done, &word); done += sizeof word)
        memcpy(out + done, &word, sizeof word);
    while (done < n && safe_load8(from + done, out + done))
        done++;
    return done;
}
