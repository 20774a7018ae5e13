/*
 * fast_clock.h - moments that are taken often and looked at rarely.
 *
 * fast_clock_now() is the processor's own counter where it runs evenly, else CLOCK_MONOTONIC.
 * fast_clock_ticks() turns such a moment into ticks (nanoseconds of CLOCK_MONOTONIC), by what both
 * clocks say now and said at the start; the error is that of reading them, some ten nanoseconds,
 * growing with the age of the moment by less than a millionth of it.
 *
 * Threads: any, after fast_clock_init(). Signals: async-signal-safe.
 */
#ifndef RECORDER_FAST_CLOCK_H
#define RECORDER_FAST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

struct fast_clock {
    bool is_counter;
    uint64_t counter; /* at the start */
    int64_t ns;
};

extern struct fast_clock fast_clock;

/* Idempotent. */
void fast_clock_init(void);

static inline int64_t fast_clock_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static inline uint64_t fast_clock_counter(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#else
    return 0;
#endif
}

static inline uint64_t fast_clock_now(void)
{
    return fast_clock.is_counter ? fast_clock_counter() : (uint64_t)fast_clock_ns();
}

/* Ticks of a moment that fast_clock_now() gave. */
static inline int64_t fast_clock_ticks(uint64_t moment)
{
    uint64_t counter = fast_clock_counter();
    int64_t ns;

    if (!fast_clock.is_counter)
        return (int64_t)moment;
    ns = fast_clock_ns();
    return ns - (int64_t)((double)(counter - moment) * (double)(ns - fast_clock.ns) /
                          (double)(counter - fast_clock.counter));
}

#endif
