/* signals.c - runs in signal handlers, but for the installation. */
#include "recorder/signals.h"

#include "recorder/capture.h"
#include "recorder/lost.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
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
static struct sigaction before;
static int number; /* of the signal, 0: none yet */
static _Atomic uint64_t n_dropped;

/* ASYNC-SIGNAL-SAFE */
static int64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* ASYNC-SIGNAL-SAFE */
static void pass_on(int sig, siginfo_t *info, void *ucontext)
{
    if ((before.sa_flags & SA_SIGINFO) != 0)
        before.sa_sigaction(sig, info, ucontext);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        before.sa_handler(sig);
    else /* the default would end the process; nobody can have meant that by a profiling signal */
        atomic_fetch_add_explicit(&n_dropped, 1, memory_order_relaxed);
}

/* ASYNC-SIGNAL-SAFE. A cookie without a thread comes from the timer of the whole process. */
static struct thread *target(struct thread *named)
{
    return named != NULL ? named : threads_find((int32_t)syscall(SYS_gettid));
}

/* ASYNC-SIGNAL-SAFE. What an expiry counts for: the first one of a timer is special, see
 * engine_cpu.c. */
static uint32_t weight_of(struct thread *t, uint32_t weight)
{
    uint32_t first = atomic_load_explicit(&t->first_weight, memory_order_acquire);
    struct itimerspec spec;

    if (first == 0)
        return weight;
    atomic_store_explicit(&t->first_weight, 0, memory_order_relaxed);
    if (t->first_phase > 0 && syscall(SYS_timer_gettime, t->timer, &spec) == 0) {
        spec.it_value = (struct timespec){t->first_phase / 1000000000, t->first_phase % 1000000000};
        syscall(SYS_timer_settime, t->timer, 0, &spec, NULL);
    }
    return first - 1;
}

/* ASYNC-SIGNAL-SAFE */
static void sample(struct thread *t, unsigned kind, int overruns, void *ucontext)
{
    struct capture c = {
        .head = {.engine = routes[kind].engine,
                 .kind = (uint8_t)kind,
                 .state = routes[kind].state,
                 .weight = 1 + (overruns > 0 ? (uint32_t)overruns : 0)},
        .with_stack = true,
        .ucontext = ucontext,
    };
    int64_t began = now();

    c.head.ticks = began;
    if (!capture_enter())
        return;
    if (t != NULL && kind == SIGNAL_CPU)
        c.head.weight = weight_of(t, c.head.weight);
    if (t == NULL)
        lost_record(LOST_NO_THREAD, c.head.weight, sizeof(c.head));
    else if (c.head.weight > 0)
        capture(t, &c);
    capture_leave();
    hist_add(&capture_times, (uint64_t)(now() - began));
}

/* ASYNC-SIGNAL-SAFE */
static void on_signal(int sig, siginfo_t *info, void *ucontext)
{
    int saved = errno;
    uint64_t cookie = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
    bool has_value = info->si_code == SI_TIMER || info->si_code == SI_QUEUE;

    if (has_value && threads_is_cookie(cookie)) {
        unsigned kind = threads_cookie_kind(cookie);

        sample(target(threads_from_cookie(cookie)), kind,
               info->si_code == SI_TIMER ? info->si_overrun : 0, ucontext);
    } else
        pass_on(sig, info, ucontext);
    errno = saved;
}

static bool is_free(int sig)
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

/* Real-time signals queue up instead of collapsing; they come last, and SIGPROF is shared rather
 * than have a flood. */
static int choose(void)
{
    static const int candidates[] = {SIGPROF, SIGVTALRM, SIGSTKFLT, SIGPWR};

    for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++)
        if (is_free(candidates[i]))
            return candidates[i];
    return SIGPROF;
}

static bool is_installed(void)
{
    struct sigaction sa;

    return number != 0 && sigaction(number, NULL, &sa) == 0 && (sa.sa_flags & SA_SIGINFO) != 0 &&
           sa.sa_sigaction == on_signal;
}

int signals_install(char why[200])
{
    struct sigaction sa = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    int sig = choose();

    if (is_installed())
        return number;
    sigemptyset(&sa.sa_mask);
    if (sigaction(sig, NULL, &before) != 0 || sigaction(sig, &sa, NULL) != 0) {
        snprintf(why, 200, "no handler for signal %d: %s", sig, strerror(errno));
        return -1;
    }
    number = sig;
    return sig;
}

void signals_route(unsigned kind, const struct engine *engine, uint16_t state)
{
    routes[kind] = (struct route){engine->id, state};
}

uint64_t signals_dropped(void)
{
    return atomic_load_explicit(&n_dropped, memory_order_relaxed);
}
