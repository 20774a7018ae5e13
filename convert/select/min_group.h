/*
 * min_group.h - which groups of samples are too small to be told apart: those of fewer samples than
 * that, or than that share of all. They are put together as one. All 0: none.
 */
#ifndef CONVERT_SELECT_MIN_GROUP_H
#define CONVERT_SELECT_MIN_GROUP_H

#include <stdbool.h>
#include <stdint.h>

struct least {
    uint64_t samples;
    double share;
};

#define LEAST_OTHERS "(others)" /* what they are called together */

static inline bool least_is_small(const struct least *least, uint64_t samples, uint64_t total)
{
    return samples < least->samples || (double)samples < least->share * (double)total;
}

static inline bool least_is_given(const struct least *least)
{
    return least->samples > 0 || least->share > 0;
}

#endif
