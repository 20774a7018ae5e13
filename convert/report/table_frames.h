/*
 * table_frames.h - a profile as a table of methods: how many samples they are in, and on top of.
 *
 *     table = table_frames(profile, TABLE_FRAMES, names, n_names);
 */
#ifndef CONVERT_REPORT_TABLE_FRAMES_H
#define CONVERT_REPORT_TABLE_FRAMES_H

#include "convert/profile/profile.h"
#include "convert/report/table.h"

enum table_frames {
    TABLE_FRAMES, /* a row for each name of a frame */
    TABLE_STACKS, /* a row for each stack */
};

/* `what` names the column ("method", "line", "stack"); names[] those before it, one for each of
 * dims[], which are PROFILE_KEY + i, PROFILE_THREAD or PROFILE_STATE and were requested in the
 * options of the finished profile. A recursive method counts once for each sample. Sorted by weight
 * or samples, lines by those on top. `min_group` is about all samples of one combination of dims;
 * NULL: none are small. NULL if out of memory. */
struct table *table_frames(const struct profile *p, enum table_frames how, const char *what,
                           const char *const *names, const int *dims, size_t n_dims,
                           const struct min_group *min_group);

#endif
