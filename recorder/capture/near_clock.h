/*
 * near_clock.h - the time as emit_now() has it, for less.
 *
 *     near_clock_init();                    once, early
 *     int64_t began = near_clock_now();     any thread
 *
 * Where the system's clock is made of the processor's counter, a thread asks the clock once in
 * NEAR_WINDOW_NS and counts on from there. How fast the counter runs is measured first; until then,
 * elsewhere, and once counter and clock have disagreed, this is the clock itself. The clock may be
 * slewed by 500 ppm, so what a thread reads is off by 0.1 us at most, and by half of what asking
 * took, which is less than NEAR_TIGHT: two readings may be out of order by as much.
 *
 * Threads: any. Signals: nothing here is async-signal-safe.
 */
#ifndef RECORDER_CAPTURE_NEAR_CLOCK_H
#define RECORDER_CAPTURE_NEAR_CLOCK_H

#include "recorder/base/thread_local.h"

#include <stdatomic.h>
#include <stdint.h>

#define NEAR_WINDOW_NS 200000
#define NEAR_MEASURE_NS 20000000 /* the rate is measured over at least this time */
#define NEAR_TIGHT 1000 /* counts that asking the clock takes at most, undisturbed */

#ifndef NEAR_COUNTER /* a test has its own */
#ifdef __x86_64__
#define NEAR_COUNTER() __builtin_ia32_rdtsc()
#else
#define NEAR_COUNTER() UINT64_C(0)
#endif
#endif

struct near_pair {
    uint64_t counter;
    int64_t ns;
};

extern __thread struct near_pair near_asked SIGNAL_SAFE;
extern _Atomic uint64_t near_window; /* NEAR_WINDOW_NS in counts; 0: the counter is not used */
extern _Atomic uint64_t near_rate; /* ns for 2^32 counts */

/* Finds out whether the counter can be used; idempotent. One thread at a time. */
void near_clock_init(void);

/* Asks the clock. */
int64_t near_clock_ask(void);

static inline int64_t near_clock_now(void)
{
    uint64_t passed = NEAR_COUNTER() - near_asked.counter;

    if (passed >= atomic_load_explicit(&near_window, memory_order_acquire))
        return near_clock_ask();
    return near_asked.ns +
           (int64_t)(passed * atomic_load_explicit(&near_rate, memory_order_relaxed) >> 32);
}

#endif
