/*
 * sorted.h - binary search in what is sorted.
 *
 *     size_t first = SORTED_FIRST(n, i, symbols[i].address >= address);
 *     if (first < n && symbols[first].address == address)
 *         return &symbols[first];
 *
 * Threads: any. Signals: async-signal-safe, as far as the condition is.
 */
#ifndef JFRFMT_BASE_SORTED_H
#define JFRFMT_BASE_SORTED_H

#include <stddef.h>

/* The smallest index in 0..n-1 for which a condition is true, or n if there is none. The condition
 * calls the index `place`. If it is true for one index, it must be true for all larger ones. */
#define SORTED_FIRST(n, place, condition)                                  \
    __extension__({                                                        \
        size_t sorted_low_ = 0, sorted_high_ = (n);                        \
        while (sorted_low_ < sorted_high_) {                               \
            size_t place = sorted_low_ + (sorted_high_ - sorted_low_) / 2; \
            if (condition)                                                 \
                sorted_high_ = place;                                      \
            else                                                           \
                sorted_low_ = place + 1;                                   \
        }                                                                  \
        sorted_low_;                                                       \
    })

#endif
