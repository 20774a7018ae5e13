/*
 * arena.h - memory that lives as long as a chunk: bump allocation, freed all at once.
 *
 *     struct arena a = {0};
 *     struct thing *t = arena_alloc(&a, sizeof(*t));   zeroed, aligned to 16
 *     arena_reset(&a);                                 all gone, the blocks are kept for reuse
 *     arena_free(&a);
 *
 * A failed allocation returns NULL and is remembered, so a builder may ask arena_ok() once.
 * Threads: an arena belongs to one thread at a time. Not async-signal-safe.
 */
#ifndef JFRFMT_BASE_ARENA_H
#define JFRFMT_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks; /* the current one first */
    struct arena_block *spare; /* blocks of earlier chunks, ready for reuse */
    size_t used; /* bytes handed out of the current block */
    bool failed;
};

static inline bool arena_ok(const struct arena *a)
{
    return !a->failed;
}

/* n zeroed bytes, aligned to 16; NULL if out of memory. n = 0 gives a valid pointer. */
void *arena_alloc(struct arena *a, size_t n);

/* n * size zeroed bytes; NULL also when the product overflows. */
void *arena_array(struct arena *a, size_t n, size_t size);

/* A copy of n bytes with a NUL after it. */
char *arena_strndup(struct arena *a, const char *s, size_t n);

/* Forgets everything handed out; keeps at most about the last use's worth of blocks. */
void arena_reset(struct arena *a);

/* Returns all memory; the arena may be used again. */
void arena_free(struct arena *a);

#endif
