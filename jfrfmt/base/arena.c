/*
 * arena.c - memory that is freed all at once.
 *
 * What belongs to a chunk (metadata, plans, tables of its pools) is in the chunk's arena and ends
 * with it. arena_reset() keeps the blocks of the last use as spares for the next chunk and frees
 * those that the last use did not need, so memory follows the chunks' size. Out of memory sticks:
 * see arena_ok().
 */
#include "jfrfmt/base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 16
#define BLOCK_MIN ((size_t)64 << 10)

struct arena_block {
    struct arena_block *next;
    size_t room; /* bytes after this header */
};

_Static_assert(sizeof(struct arena_block) % ALIGN == 0, "blocks hand out aligned memory");

/* A spare block that is large enough, or a new one; it becomes the current block. */
static bool add_block(struct arena *a, size_t n)
{
    struct arena_block **at = &a->spare, *b;

    while (*at != NULL && (*at)->room < n)
        at = &(*at)->next;
    b = *at;
    if (b != NULL) {
        *at = b->next;
    } else {
        size_t room = a->blocks == NULL ? BLOCK_MIN : a->blocks->room * 2;

        if (room > ((size_t)4 << 20))
            room = (size_t)4 << 20;
        if (room < n)
            room = n;
        b = malloc(sizeof(*b) + room);
        if (b == NULL)
            return false;
        b->room = room;
    }
    b->next = a->blocks;
    a->blocks = b;
    a->used = 0;
    return true;
}

void *arena_alloc(struct arena *a, size_t n)
{
    void *p;

    if (n > SIZE_MAX / 2) {
        a->failed = true;
        return NULL;
    }
    n = (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (a->blocks == NULL || a->blocks->room - a->used < n) {
        if (!add_block(a, n)) {
            a->failed = true;
            return NULL;
        }
    }
    p = (char *)(a->blocks + 1) + a->used;
    a->used += n;
    return memset(p, 0, n);
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(n, size, &bytes)) {
        a->failed = true;
        return NULL;
    }
    return arena_alloc(a, bytes);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *p = n < SIZE_MAX ? arena_alloc(a, n + 1) : NULL;

    if (p != NULL && n > 0)
        memcpy(p, s, n);
    return p;
}

static void free_blocks(struct arena_block *b)
{
    while (b != NULL) {
        struct arena_block *next = b->next;
        free(b);
        b = next;
    }
}

/* Spares that the last use did not touch are returned: memory follows the chunk, not the maximum.
 */
void arena_reset(struct arena *a)
{
    free_blocks(a->spare);
    a->spare = a->blocks;
    a->blocks = NULL;
    a->used = 0;
    a->failed = false;
}

void arena_free(struct arena *a)
{
    free_blocks(a->blocks);
    free_blocks(a->spare);
    *a = (struct arena){0};
}
