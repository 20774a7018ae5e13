#include "recorder/base/throttle.h"

#define WINDOWS 10
#define COUNT_BITS 24 /* of state; what is above is the window's number */
#define COUNT_MAX ((UINT64_C(1) << COUNT_BITS) - 1)

void throttle_init(struct throttle *t, int64_t events, int64_t ns)
{
    int64_t windows = events >= WINDOWS ? WINDOWS : 1;

    atomic_store(&t->state, 0);
    t->window_ns = events == INT64_MAX ? 0 : ns / windows;
    if (t->window_ns <= 0 && events != INT64_MAX)
        t->window_ns = 1;
    t->share = events / windows > (int64_t)COUNT_MAX ? COUNT_MAX : (uint32_t)(events / windows);
}

bool throttle_take(struct throttle *t, int64_t now_ticks)
{
    uint64_t state, window, count;

    if (t->window_ns == 0)
        return true;
    window = (uint64_t)(now_ticks / t->window_ns) & (UINT64_MAX >> COUNT_BITS);
    state = atomic_load_explicit(&t->state, memory_order_relaxed);
    do {
        count = state >> COUNT_BITS == window ? state & COUNT_MAX : 0;
        if (count >= t->share)
            return false;
        /* Nothing else is handed over with it, so no order is needed. */
    } while (!atomic_compare_exchange_weak_explicit(&t->state, &state,
                                                    window << COUNT_BITS | (count + 1),
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}
