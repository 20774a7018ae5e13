/*
 * near_clock.c - measures how fast the processor's counter runs beside the system's clock, and
 * checks that both still agree. near_clock_now() (near_clock.h) calls near_clock_ask() once in
 * NEAR_WINDOW_NS.
 *
 * Threads share only the rate. A thread that finds a disagreement switches the counter off for all.
 */
#include "recorder/capture/near_clock.h"

#include <stdbool.h>

#ifndef NEAR_CLOCK /* a test has its own */
#include "recorder/capture/emit.h"
#include "recorder/base/thread_local.h"

#include <stdio.h>
#include <string.h>

#define NEAR_CLOCK() emit_now()
#define NEAR_IS_COUNTED() is_counted()

/* The system uses the counter for its own clock only if it runs at a constant rate, never stops,
 * and is the same on all processors. */
static bool is_counted(void)
{
#ifdef __x86_64__
    FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    char name[16] = "";

    if (f == NULL)
        return false;
    if (fgets(name, sizeof(name), f) == NULL)
        name[0] = '\0';
    fclose(f);
    return strcmp(name, "tsc\n") == 0;
#else
    return false;
#endif
}
#endif

#define ASKED_MAX 10 /* times for a pair that nothing disturbed */
#define RATE_LEAST (UINT64_C(1) << 28) /* 16 GHz */
#define RATE_MOST (UINT64_C(1) << 36) /* 62 MHz */
#define COMPARED_MAX (UINT64_C(1) << 28) /* counts: times RATE_MOST no more than 64 bits */

__thread struct near_pair near_asked SIGNAL_SAFE;
_Atomic uint64_t near_window, near_rate;

static struct near_pair first; /* of near_clock_init(); ns 0: there is none */
static _Atomic bool is_usable;

/* Reads both at the same moment. Returns false if the thread was interrupted between the two. */
static bool ask_clocks(struct near_pair *now)
{
    uint64_t before = NEAR_COUNTER(), took;

    now->ns = NEAR_CLOCK();
    took = NEAR_COUNTER() - before;
    now->counter = before + took / 2;
    return took < NEAR_TIGHT;
}

void near_clock_init(void)
{
    struct near_pair now;

    if (first.ns != 0 || !NEAR_IS_COUNTED())
        return;
    for (int i = 0; i < ASKED_MAX && first.ns == 0; i++)
        if (ask_clocks(&now))
            first = now;
    atomic_store_explicit(&is_usable, first.ns != 0, memory_order_release);
}

static void give_up(void)
{
    atomic_store_explicit(&is_usable, false, memory_order_relaxed);
    atomic_store_explicit(&near_window, 0, memory_order_release);
}

static int64_t in_ns(uint64_t counts, uint64_t rate)
{
    return (int64_t)(counts * rate >> 32);
}

/* Measures the rate of the counter. Several threads may do so at the same time; their results are
 * nearly the same. */
static void measure(const struct near_pair *now)
{
    uint64_t counts = now->counter - first.counter, rate;

    if (now->ns - first.ns < NEAR_MEASURE_NS)
        return;
    __extension__ unsigned __int128 ns = (unsigned __int128)(now->ns - first.ns) << 32;

    rate = counts > (uint64_t)(now->ns - first.ns) >> 4 ? (uint64_t)(ns / counts) : 0;
    if (rate < RATE_LEAST || rate > RATE_MOST) {
        give_up();
        return;
    }
    atomic_store_explicit(&near_rate, rate, memory_order_relaxed);
    atomic_store_explicit(&near_window, ((uint64_t)NEAR_WINDOW_NS << 32) / rate,
                          memory_order_release);
}

/* Has the same time passed on counter and clock since the thread asked last? The clock may be
 * slewed by up to a thousandth, and a pair is not exact. */
static bool agrees(const struct near_pair *before, const struct near_pair *now, uint64_t rate)
{
    uint64_t counts = now->counter - before->counter;
    int64_t ns = now->ns - before->ns, off;

    if (before->ns == 0)
        return true;
    if ((int64_t)counts < 0)
        return false;
    if (counts >= COMPARED_MAX)
        return true; /* too long ago to tell */
    off = ns - in_ns(counts, rate);
    return off <= ns / 1000 + 1000 && -off <= ns / 1000 + 1000;
}

int64_t near_clock_ask(void)
{
    struct near_pair now;
    uint64_t rate;

    if (!atomic_load_explicit(&is_usable, memory_order_acquire))
        return NEAR_CLOCK();
    if (!ask_clocks(&now))
        return now.ns; /* and again the next time */
    rate = atomic_load_explicit(&near_rate, memory_order_relaxed);
    if (rate == 0)
        measure(&now);
    else if (!agrees(&near_asked, &now, rate))
        give_up();
    near_asked = now;
    return now.ns;
}
