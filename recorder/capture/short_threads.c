/* What an expiry of a timer stands for, so that short threads have their share. */
#include "recorder/capture/short_threads.h"

#include "recorder/base/random.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define MOST_OWED (SECOND / 10) /* by one thread: one that has more could not be sampled at all */

static int64_t interval, tick; /* ns */
static _Atomic int64_t owed; /* ns; negative: more was told than was used */
static uint64_t random_state; /* for those who own timers */

void short_threads_open(int64_t interval_ns, int64_t tick_ns)
{
    interval = interval_ns;
    tick = tick_ns;
    random_state = random_seed();
    atomic_store(&owed, 0);
}

void short_threads_begin(struct thread *t, int64_t cpu)
{
    random_below(&random_state, 1);
    t->random = random_state;
    atomic_store_explicit(&t->told_cpu, cpu, memory_order_relaxed);
    atomic_store_explicit(&t->youth, SHORT_TICKS, memory_order_release);
}

bool short_threads_is_fresh(const struct thread *t)
{
    return atomic_load_explicit(&t->youth, memory_order_relaxed) == SHORT_TICKS;
}

static struct timespec to_timespec(int64_t ns)
{
    return (struct timespec){ns / SECOND, ns % SECOND};
}

/* ASYNC-SIGNAL-SAFE. When it is old it expires at the interval, from a random moment on. */
static void set_timer(struct thread *t, bool is_young)
{
    struct itimerspec spec = {.it_value = {0, 1}};

    if (!is_young)
        spec = (struct itimerspec){to_timespec(interval),
                                   to_timespec(1 + random_below(&t->random, interval))};
    syscall(SYS_timer_settime, t->timer, 0, &spec, NULL);
}

/* ASYNC-SIGNAL-SAFE. A tick's time and what is owed, rounded to intervals by chance. What it stands
 * for beyond the tick's time is not the thread's own. */
static uint32_t young_weight(struct thread *t, uint32_t youth)
{
    int64_t due = tick + atomic_exchange_explicit(&owed, 0, memory_order_relaxed);
    uint32_t weight = 0;

    if (due > 0)
        weight = (uint32_t)((due + random_below(&t->random, interval)) / interval);
    atomic_fetch_add_explicit(&owed, due - weight * interval, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->told_cpu, tick, memory_order_relaxed);
    atomic_store_explicit(&t->youth, youth - 1, memory_order_relaxed);
    set_timer(t, youth > 1);
    return weight;
}

/* ASYNC-SIGNAL-SAFE */
uint32_t short_threads_weight(struct thread *t, uint32_t expiries)
{
    uint32_t youth = atomic_load_explicit(&t->youth, memory_order_acquire);

    if (youth > 0)
        return young_weight(t, youth);
    atomic_fetch_add_explicit(&t->told_cpu, expiries * interval, memory_order_relaxed);
    return expiries;
}

void short_threads_end(struct thread *t, int64_t cpu)
{
    int64_t told = atomic_load_explicit(&t->told_cpu, memory_order_relaxed), rest = cpu - told;

    if (cpu >= 0 && told >= 0 && rest < MOST_OWED + interval && rest > -MOST_OWED - interval)
        atomic_fetch_add_explicit(&owed, rest, memory_order_relaxed);
}

void short_threads_forget(struct thread *t)
{
    atomic_store_explicit(&t->youth, 0, memory_order_relaxed);
}
