#include "recorder/base/hist.h"

uint64_t hist_n(const struct hist *h)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < HIST_SLOTS; i++)
        n += atomic_load_explicit(&h->counts[i], memory_order_relaxed);
    return n;
}

uint64_t hist_quantile(const struct hist *h, double share)
{
    uint64_t n = hist_n(h), seen = 0, max = atomic_load_explicit(&h->max, memory_order_relaxed);
    uint64_t wanted = (uint64_t)(share * (double)n);

    for (unsigned i = 0; i < HIST_SLOTS; i++) {
        seen += atomic_load_explicit(&h->counts[i], memory_order_relaxed);
        if (seen > 0 && seen >= wanted)
            return hist_value(i) < max ? hist_value(i) : max;
    }
    return max;
}

void hist_reset(struct hist *h)
{
    for (unsigned i = 0; i < HIST_SLOTS; i++)
        atomic_store_explicit(&h->counts[i], 0, memory_order_relaxed);
    atomic_store_explicit(&h->max, 0, memory_order_relaxed);
}
