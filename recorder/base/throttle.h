/*
 * throttle.h - limits events to a number in a period, decided on the threads where they happen.
 *
 *     struct throttle t;
 *     throttle_init(&t, 100, 1000000000);          100/s
 *     if (!throttle_take(&t, emit_now())) return;
 *
 * Time is cut into windows, ten in each period or one if there are fewer events than that; each
 * window lets its share through. So a burst does not take all of a second, and the sum never
 * exceeds the rate.
 *
 * Threads: any number may call throttle_take(); throttle_init() must not run at the same time.
 * Signals: throttle_take() is async-signal-safe.
 */
#ifndef RECORDER_BASE_THROTTLE_H
#define RECORDER_BASE_THROTTLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct throttle {
    int64_t window_ns; /* 0: all pass */
    uint32_t share; /* events a window lets through */
    _Atomic uint64_t state; /* number of the window, and events that passed in it */
};

/* `events` in `ns`; INT64_MAX: no limit. */
void throttle_init(struct throttle *t, int64_t events, int64_t ns);

/* Whether an event of now passes. */
bool throttle_take(struct throttle *t, int64_t now_ticks);

#endif
