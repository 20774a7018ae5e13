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

#endif
