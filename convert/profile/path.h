/*
 * path.h - the paths of a profile's rows, one after the other. Rows are in the order of their
 * paths, so most begin as the row before: two paths in turns hold a row and the one before it.
 *
 * Threads: one at a time.
 */
#ifndef CONVERT_PROFILE_PATH_H
#define CONVERT_PROFILE_PATH_H

#include "convert/profile/profile.h"

struct path { /* all 0 to begin with */
    uint32_t *frames; /* frame_of(), the root first */
    size_t room, n;
};

/* Replaces the path by that of a row. False if out of memory. */
bool path_load(struct path *path, const struct profile_row *row);

/* How many frames with the same names both begin with. */
uint32_t path_shared_length(const struct path *a, const struct path *b);

void path_free(struct path *path);

#endif
