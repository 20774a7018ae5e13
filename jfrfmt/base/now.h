/*
 * now.h - what a clock of the system says, as one number.
 *
 * Threads: any. Signals: async-signal-safe.
 */
#ifndef JFRFMT_BASE_NOW_H
#define JFRFMT_BASE_NOW_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds, of a clock that the system has. */
static inline int64_t now_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

#define NOW_READS 5

/* Reads CLOCK_MONOTONIC and another clock for one moment. The thread may lose its processor between
 * the two, and all times of a recording would be wrong by as much: of several readings, the one
 * that took the shortest time is returned. */
static inline void now_pair(int64_t (*read)(void *ctx), void *ctx, int64_t *monotonic,
                            int64_t *other)
{
    int64_t least = INT64_MAX;

    *monotonic = *other = 0;
    for (int i = 0; i < NOW_READS; i++) {
        int64_t before = now_ns(CLOCK_MONOTONIC), between = read(ctx);
        int64_t took = now_ns(CLOCK_MONOTONIC) - before;

        if (took >= least)
            continue;
        least = took;
        *monotonic = before + took / 2;
        *other = between;
    }
}

static inline int64_t now_real(void *unused)
{
    (void)unused;
    return now_ns(CLOCK_REALTIME);
}

#endif
