/*
 * segments.h - a recording in several files, of which the oldest are deleted above a limit.
 *
 * Threads: the drain thread only.
 */
#ifndef RECORDER_AGENT_SEGMENTS_H
#define RECORDER_AGENT_SEGMENTS_H

#include "jfrfmt/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct segment {
    char *path;
    uint64_t bytes; /* that are a recording */
    uint64_t chunk_at; /* where the last chunk begins */
    bool is_open; /* the header of its last chunk has no size yet */
    int fd; /* > 0: descriptor of a file that has no name any more; closed with the segment */
    int64_t ended; /* ticks */
};

struct segments {
    struct segment *all; /* the oldest first */
    size_t n, room;
    uint64_t n_removed;
};

/* Adds one; path is copied. -1: no memory. */
int segments_add(struct segments *s, const struct segment *segment);

/* Removes files while the sum of bytes is over max_size, or one ended before `oldest`. 0: no limit.
 */
void segments_limit(struct segments *s, uint64_t max_size, int64_t oldest);

/* Makes one file of them, in order; an existing regular file of our own is replaced. 0 or a
 * negative jfr_errc and *err; nothing is left behind then. */
int segments_join(const struct segments *s, const char *path, struct jfr_error *err);

/* Removes the files. */
void segments_remove(struct segments *s);

void segments_free(struct segments *s);

#endif
