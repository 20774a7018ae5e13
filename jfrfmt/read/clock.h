/*
 * clock.h - the ticks of a file, when they are not nanoseconds of CLOCK_MONOTONIC.
 *
 * Readers take the clock of a file's first chunk for all of them. So what is to stand in one file
 * with chunks of another recorder has to count as that one does.
 */
#ifndef JFRFMT_READ_CLOCK_H
#define JFRFMT_READ_CLOCK_H

#include <stdint.h>

/* per_second 0: ticks are nanoseconds of CLOCK_MONOTONIC. */
struct jfr_clock {
    int64_t per_second; /* ticks */
    int64_t ticks, at_ns; /* the same moment on both clocks */
    int64_t so_many,
        in_ns; /* ticks since that moment, as was seen later; 0 ns: as per_second says */
};

/* Nanoseconds as ticks, rounded down; what is no time at all (the least and the greatest) stays. */
static inline int64_t clock_span(const struct jfr_clock *c, int64_t ns)
{
    __int128 ticks = c->in_ns > 0 ? (__int128)ns * c->so_many / c->in_ns
                                  : (__int128)ns * c->per_second / 1000000000;

    if (c->per_second == 0 || ns == INT64_MIN || ns == INT64_MAX)
        return ns;
    return ticks > INT64_MAX ? INT64_MAX : ticks < INT64_MIN ? INT64_MIN : (int64_t)ticks;
}

/* The same for a moment. */
static inline int64_t clock_moment(const struct jfr_clock *c, int64_t ns)
{
    if (c->per_second == 0 || ns == INT64_MIN || ns == INT64_MAX)
        return ns;
    return c->ticks + clock_span(c, ns - c->at_ns);
}

static inline int64_t clock_per_second(const struct jfr_clock *c)
{
    return c->per_second == 0 ? 1000000000 : c->per_second;
}

#endif
