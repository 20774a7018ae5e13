/*
 * hist.h - how long the signal handler takes: counts in logarithmic steps of an eighth.
 * Signals: hist_add() is async-signal-safe.
 */
#ifndef RECORDER_BASE_HIST_H
#define RECORDER_BASE_HIST_H

#include <stdatomic.h>
#include <stdint.h>

#define HIST_SLOTS (64 * 8)

struct hist {
    _Atomic uint64_t counts[HIST_SLOTS];
    _Atomic uint64_t max;
};

/* Slot of a value: 8 to each power of two. */
static inline unsigned hist_slot(uint64_t v)
{
    unsigned log = v < 8 ? 0 : 63 - (unsigned)__builtin_clzll(v);

    return v < 8 ? (unsigned)v : (log - 2) * 8 + (unsigned)(v >> (log - 3) & 7);
}

/* The largest value of a slot. */
static inline uint64_t hist_value(unsigned slot)
{
    unsigned log = slot / 8 + 2;

    return slot < 8 ? slot : ((UINT64_C(8) | (slot & 7)) + 1) * (UINT64_C(1) << (log - 3)) - 1;
}

static inline void hist_add(struct hist *h, uint64_t v)
{
    uint64_t max = atomic_load_explicit(&h->max, memory_order_relaxed);

    atomic_fetch_add_explicit(&h->counts[hist_slot(v)], 1, memory_order_relaxed);
    while (v > max && !atomic_compare_exchange_weak_explicit(&h->max, &max, v, memory_order_relaxed,
                                                             memory_order_relaxed))
        ;
}

/* How many values there are. */
uint64_t hist_n(const struct hist *h);

/* The value that a share of all does not exceed, share in 0..1; at most 12.5 % too large. */
uint64_t hist_quantile(const struct hist *h, double share);

void hist_reset(struct hist *h);

#endif
