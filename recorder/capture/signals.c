/*
 * signals.c - the signal handler: which signals are ours, what each counts for, and a record of
 * each.
 *
 * on_signal() runs on the thread that is sampled, with all our signals blocked. It and all
 * functions that are marked ASYNC-SIGNAL-SAFE take no lock and allocate nothing; errno is restored.
 * The functions at the end install the handler and are called by the thread that starts a
 * recording.
 */
#include "recorder/capture/signals.h"

#include "recorder/capture/capture.h"
#include "recorder/capture/cpu_perf.h"
#include "recorder/capture/thread_names.h"
#include "recorder/capture/lost.h"
#include "recorder/capture/short_threads.h"
#include "jfrfmt/base/now.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#ifndef SIGSTKFLT
#define SIGSTKFLT SIGPWR
#endif

struct route {
    uint8_t engine;
    uint16_t state;
};

static struct route routes[SIGNAL_KINDS];
static struct sigaction before[NSIG]; /* of the signals that we have taken */
static int number; /* of the signal, 0: none yet */
static _Atomic uint64_t n_came[SIGNAL_KINDS]; /* while something recorded */
static _Atomic uint64_t n_dropped;
static _Atomic int64_t itimer_interval; /* ns; 0: its signals are not for us */
static _Atomic int64_t itimer_cpu; /* CPU time of the process for which there are samples */

/* ASYNC-SIGNAL-SAFE */
static void pass_signal_on(int sig, siginfo_t *info, void *ucontext)
{
    const struct sigaction *old = &before[sig];

    if ((old->sa_flags & SA_SIGINFO) != 0)
        old->sa_sigaction(sig, info, ucontext);
    else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN)
        old->sa_handler(sig);
    else /* the default action would end the process, which no sender of a profiling signal wants */
        atomic_fetch_add_explicit(&n_dropped, 1, memory_order_relaxed);
}

/* ASYNC-SIGNAL-SAFE. A cookie without a thread comes from the timer of the whole process. */
static struct thread *target(struct thread *named)
{
    return named != NULL ? named : threads_find((int32_t)syscall(SYS_gettid));
}

/* ASYNC-SIGNAL-SAFE. Signals of the process's timer are not queued, so one of them stands for all
 * CPU time that the process has used since the last one. */
static uint32_t itimer_weight(int64_t interval)
{
    int64_t cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    int64_t sampled = atomic_load_explicit(&itimer_cpu, memory_order_relaxed), n;

    do
        n = (cpu - sampled) / interval;
    while (n > 0 &&
           !atomic_compare_exchange_weak_explicit(&itimer_cpu, &sampled, sampled + n * interval,
                                                  memory_order_relaxed, memory_order_relaxed));
    return n <= 0 ? 0 : n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* What has sent a signal. */
enum source {
    NOT_OURS,
    BY_COOKIE, /* a timer, or the sampler of wall-clock time */
    BY_PERF,
    BY_ITIMER
};

/* ASYNC-SIGNAL-SAFE. Sets the weight of the sample: the number of intervals that it stands for. */
static void weigh(struct capture *c, struct thread *t, enum source source,
                  struct cpu_perf_taken *perf)
{
    int64_t interval = atomic_load_explicit(&itimer_interval, memory_order_relaxed);

    if (source == BY_ITIMER && interval > 0)
        c->head.weight = itimer_weight(interval);
    else if (t != NULL && source == BY_PERF) {
        cpu_perf_take(t, perf);
        c->head.weight = perf->weight;
        c->kernel = perf->kernel;
        c->n_kernel = perf->n_kernel;
    } else if (t != NULL && c->head.kind == SIGNAL_CPU)
        c->head.weight = short_threads_weight(t, c->head.weight);
}

/* ASYNC-SIGNAL-SAFE. Not for Java threads: a hook reports when those change their names. */
static void note_name(struct thread *t)
{
    char comm[NAMES_COMM] = {0};

    if (atomic_load_explicit(&t->java_id, memory_order_relaxed) == 0 &&
        prctl(PR_GET_NAME, comm) == 0)
        thread_names_native(t, comm);
}

/* ASYNC-SIGNAL-SAFE */
static void sample(struct thread *t, unsigned kind, enum source source, int overruns,
                   void *ucontext)
{
    struct cpu_perf_taken perf;
    struct capture c = {
        .head = {.engine = routes[kind].engine,
                 .kind = (uint8_t)kind,
                 .state = routes[kind].state,
                 .weight = 1 + (overruns > 0 ? (uint32_t)overruns : 0)},
        .with_stack = true,
        .ucontext = ucontext,
    };
    int64_t began = now_ns(CLOCK_MONOTONIC);

    c.head.ticks = began;
    if (!capture_enter())
        return;
    atomic_fetch_add_explicit(&n_came[kind], 1, memory_order_relaxed);
    weigh(&c, t, source, &perf);
    if (t == NULL)
        lost_record(LOST_NO_THREAD, c.head.weight, sizeof(c.head));
    else if (c.head.weight > 0) {
        note_name(t);
        capture(t, &c);
    }
    capture_leave();
    hist_add(&capture_times, (uint64_t)(now_ns(CLOCK_MONOTONIC) - began));
}

/* ASYNC-SIGNAL-SAFE. `self` is set where the signal does not name a thread. */
static enum source source_of(const siginfo_t *info, struct thread **self)
{
    uint64_t cookie = (uint64_t)(uintptr_t)info->si_value.sival_ptr;

    if (info->si_code == SI_TIMER || info->si_code == SI_QUEUE)
        return threads_is_cookie(cookie) ? BY_COOKIE : NOT_OURS;
    if (info->si_code <= 0 || info->si_code > SI_KERNEL)
        return NOT_OURS;
    *self = target(NULL);
    if (info->si_code == SI_KERNEL)
        return atomic_load_explicit(&itimer_interval, memory_order_relaxed) > 0 ? BY_ITIMER
                                                                                : NOT_OURS;
    return *self != NULL && cpu_perf_is_from(*self, info->si_fd) ? BY_PERF : NOT_OURS;
}

/* ASYNC-SIGNAL-SAFE */
static void on_signal(int sig, siginfo_t *info, void *ucontext)
{
    int saved = errno;
    uint64_t cookie = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
    struct thread *self = NULL;
    enum source source = source_of(info, &self);

    if (source == BY_COOKIE)
        sample(target(threads_from_cookie(cookie)), threads_cookie_kind(cookie), source,
               info->si_code == SI_TIMER ? info->si_overrun : 0, ucontext);
    else if (source != NOT_OURS)
        sample(self, SIGNAL_CPU, source, 0, ucontext);
    else
        pass_signal_on(sig, info, ucontext);
    errno = saved;
}

static bool is_signal_free(int sig)
{
    struct sigaction sa;
    struct itimerval timer;

    if (sigaction(sig, NULL, &sa) != 0 || (sa.sa_flags & SA_SIGINFO) != 0 ||
        sa.sa_handler != SIG_DFL)
        return false;
    if (sig == SIGPROF && getitimer(ITIMER_PROF, &timer) == 0)
        return timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0;
    if (sig == SIGVTALRM && getitimer(ITIMER_VIRTUAL, &timer) == 0)
        return timer.it_value.tv_sec == 0 && timer.it_value.tv_usec == 0;
    return true;
}

/* SIGPROF is last, since other profilers use it, the JDK's own (jdk.CPUTimeSample of JDK 25) among
 * them. If all have handlers, SIGPROF is shared: signals of others are passed on. Real-time signals
 * are queued, one for each expiry, and could flood a thread that is slow to handle them. */
static int choose_signal(void)
{
    static const int candidates[] = {SIGVTALRM, SIGSTKFLT, SIGPROF};

    for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++)
        if (is_signal_free(candidates[i]))
            return candidates[i];
    return SIGPROF;
}

static bool is_our_handler(int sig)
{
    struct sigaction sa;

    return sig != 0 && sigaction(sig, NULL, &sa) == 0 && (sa.sa_flags & SA_SIGINFO) != 0 &&
           sa.sa_sigaction == on_signal;
}

int signals_taken(void)
{
    return number != 0 && !is_our_handler(number) ? number : 0;
}

/* The handler runs with all our signals blocked, so handlers never nest. */
static bool take(int sig)
{
    struct sigaction sa = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};

    sigemptyset(&sa.sa_mask);
    sigaddset(&sa.sa_mask, SIGPROF);
    if (number != 0)
        sigaddset(&sa.sa_mask, number);
    return sigaction(sig, NULL, &before[sig]) == 0 && sigaction(sig, &sa, NULL) == 0;
}

int signals_install(char why[200])
{
    int sig;

    if (is_our_handler(number))
        return number;
    sig = choose_signal();
    if (!take(sig)) {
        snprintf(why, 200, "no handler for signal %d: %s", sig, strerror(errno));
        return -1;
    }
    number = sig;
    return sig;
}

int signals_from_itimer(int64_t interval)
{
    if (interval > 0 && !is_our_handler(SIGPROF) && (!is_signal_free(SIGPROF) || !take(SIGPROF)))
        return -1;
    atomic_store_explicit(&itimer_cpu, now_ns(CLOCK_PROCESS_CPUTIME_ID), memory_order_relaxed);
    atomic_store_explicit(&itimer_interval, interval, memory_order_relaxed);
    return 0;
}

void signals_route(unsigned kind, const struct engine *engine, uint16_t state)
{
    routes[kind] = (struct route){engine->id, state};
}

uint64_t signals_came(unsigned kind)
{
    return atomic_load_explicit(&n_came[kind], memory_order_relaxed);
}

uint64_t signals_dropped(void)
{
    return atomic_load_explicit(&n_dropped, memory_order_relaxed);
}
