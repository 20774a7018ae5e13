/*
 * short_threads.c - the weight of each expiry of a timer, so that threads that live for less than a
 * tick of the kernel get their share of samples. short_threads.h explains the rule.
 *
 * The signal handler calls short_threads_weight() on the thread itself. `owed` is shared by all
 * threads.
 */
#include "recorder/capture/short_threads.h"

#include "recorder/base/random.h"
#include "recorder/capture/cpu_timer.h"

/* ns of one thread; one with more could not be sampled at all */
#define MOST_OWED INT64_C(100000000)

static int64_t interval, tick; /* ns */
/* CPU time of threads that have ended, in ns, for which no sample stands yet; negative: samples
 * stand for more than they used. */
static _Atomic int64_t owed;
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
    atomic_store_explicit(&t->sampled_cpu, cpu, memory_order_relaxed);
    atomic_store_explicit(&t->youth, SHORT_TICKS, memory_order_release);
}

bool short_threads_is_fresh(const struct thread *t)
{
    return atomic_load_explicit(&t->youth, memory_order_relaxed) == SHORT_TICKS;
}

/* ASYNC-SIGNAL-SAFE. A young thread's timer expires at the next tick, another's at each interval
 * from a random moment on. */
static void set_timer(struct thread *t, bool is_young)
{
    if (is_young)
        cpu_timer_set(t->timer, 1, 0);
    else
        cpu_timer_set(t->timer, 1 + random_below(&t->random, interval), interval);
}

/* ASYNC-SIGNAL-SAFE. The sample stands for one tick and for all that is owed, rounded to intervals
 * at random. Only the tick counts as CPU time of this thread. */
static uint32_t young_weight(struct thread *t, uint32_t youth)
{
    int64_t due = tick + atomic_exchange_explicit(&owed, 0, memory_order_relaxed);
    uint32_t weight = 0;

    if (due > 0)
        weight = (uint32_t)((due + random_below(&t->random, interval)) / interval);
    atomic_fetch_add_explicit(&owed, due - weight * interval, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->sampled_cpu, tick, memory_order_relaxed);
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
    atomic_fetch_add_explicit(&t->sampled_cpu, expiries * interval, memory_order_relaxed);
    return expiries;
}

void short_threads_end(struct thread *t, int64_t cpu)
{
    int64_t sampled = atomic_load_explicit(&t->sampled_cpu, memory_order_relaxed),
            rest = cpu - sampled;

    if (cpu >= 0 && sampled >= 0 && rest < MOST_OWED + interval && rest > -MOST_OWED - interval)
        atomic_fetch_add_explicit(&owed, rest, memory_order_relaxed);
}

void short_threads_forget(struct thread *t)
{
    atomic_store_explicit(&t->youth, 0, memory_order_relaxed);
}
