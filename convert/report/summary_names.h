/*
 * summary_names.h - byte strings to small numbers, in the order in which they are first seen; and
 * names made fit for a terminal.
 *
 *     struct names n = {.arena = &arena};
 *     size_t i = names_add(&n, key, n_key);      n.n grew if it is new
 *     const char *text = n.text[i];
 *     names_free(&n);
 *
 * Threads: one at a time. The texts live in the arena.
 */
#ifndef CONVERT_REPORT_SUMMARY_NAMES_H
#define CONVERT_REPORT_SUMMARY_NAMES_H

#include "jfrfmt/base/arena.h"
#include "jfrfmt/base/buf.h"

#include <stdint.h>

#define NAMES_NONE SIZE_MAX

struct names {
    struct arena *arena;
    const char **text; /* NUL-terminated copies */
    uint32_t *bytes; /* their lengths */
    size_t n;
    size_t room;
    uint32_t *slots; /* private: number + 1, by hash */
    size_t mask;
};

/* The number of the string, a new one if need be; NAMES_NONE when memory is short. */
size_t names_add(struct names *names, const void *key, size_t n);

/* The number of the string, or NAMES_NONE. */
size_t names_find(const struct names *names, const void *key, size_t n);

void names_free(struct names *names);

/* Appends UTF-8 text for a terminal: what is malformed becomes U+FFFD, control characters and
 * those that turn the writing direction or break lines are spelt \uXXXX. NULL appends nothing. */
void names_plain(struct buf *b, const char *text);

/* How many columns names_plain() fills, every character counted as one. */
size_t names_plain_width(const char *text);

#endif
