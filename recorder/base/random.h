/*
 * random.h - random numbers for the phases of timers and the order of visits: fast, not secret.
 *
 * Threads: one at a time for each state. Signals: random_below() is async-signal-safe.
 */
#ifndef RECORDER_BASE_RANDOM_H
#define RECORDER_BASE_RANDOM_H

#include <stdint.h>
#include <sys/random.h>
#include <time.h>

/* A state of its own to begin with. */
static inline uint64_t random_seed(void)
{
    struct timespec now = {0};
    uint64_t seed;

    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == sizeof seed)
        return seed;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_nsec;
}

/* At least 0 and less than n, which is between 1 and 2^43. */
static inline int64_t random_below(uint64_t *state, int64_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((*state >> 20) % (uint64_t)n);
}

#endif
