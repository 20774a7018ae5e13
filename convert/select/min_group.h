/*
 * min_group.h - which groups of samples are too small to be shown: those with fewer samples than a
 * number, or than a share of all. They are grouped as "(other)". All 0: none.
 */
#ifndef CONVERT_SELECT_MIN_GROUP_H
#define CONVERT_SELECT_MIN_GROUP_H

#include <stdbool.h>
#include <stdint.h>

struct min_group {
    uint64_t samples;
    double share;
};

#define MIN_GROUP_OTHERS "(others)" /* what they are called together */

static inline bool min_group_is_small(const struct min_group *min_group, uint64_t samples,
                                      uint64_t total)
{
    return samples < min_group->samples || (double)samples < min_group->share * (double)total;
}

static inline bool min_group_is_given(const struct min_group *min_group)
{
    return min_group->samples > 0 || min_group->share > 0;
}

#endif
