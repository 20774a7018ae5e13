/*
 * source_window.h - the bytes from the current place of an input on, whichever way they come.
 *
 *     have = source_want(&w, 68);       68 bytes at w.p, or fewer at the end of the input
 *     block = source_hold(&w);          w.p[0..have) stays until the block is let go
 *     source_skip(&w, have);
 *
 * A mapped file or memory shows all that is left at once. A stream shows what has arrived, in a
 * block that grows as more is wanted; a block that would get larger than the limit continues in an
 * unlinked temporary file. Blocks are counted, so the bytes of a chunk that was handed out stay
 * where they are while the window moves on. Internal to jfrfmt/read/source.c and its tests.
 */
#ifndef JFRFMT_READ_SOURCE_WINDOW_H
#define JFRFMT_READ_SOURCE_WINDOW_H

#include "jfrfmt/read/unwrap.h"

#define SOURCE_IN_MEMORY ((size_t)256 << 20) /* bytes of a block, unless a test says otherwise */

struct jfr_source;

struct source_window {
    const uint8_t *p; /* the current place */
    size_t n; /* bytes that can be seen from there */
    uint64_t offset; /* of the current place in the unwrapped input */
    struct unwrap *in; /* where more comes from; NULL: nothing more will come */
    struct source_block *block; /* holds p[0..n); NULL when mapped, in memory or empty */
    size_t limit; /* bytes that a block may have in memory */
    uint8_t *map; /* a mapped file */
    size_t map_n;
    int fd; /* of the mapped file, to see whether it shrinks; -1 */
    struct jfr_error err; /* why there is nothing more; code 0: it is the end */
};

/* Takes the descriptor, also on failure. */
int source_window_open_fd(struct source_window *w, int fd, struct jfr_error *err);
int source_window_open_mem(struct source_window *w, const void *bytes, size_t n,
                           struct jfr_error *err);
void source_window_close(struct source_window *w);

size_t source_want_more(struct source_window *w, size_t n);

/* Tries to show n bytes and answers how many can be seen: fewer only at the end of the input. */
static inline size_t source_want(struct source_window *w, size_t n)
{
    return w->n >= n || w->in == NULL ? w->n : source_want_more(w, n);
}

/* Moves on by n bytes that can be seen. */
static inline void source_skip(struct source_window *w, size_t n)
{
    w->p += n;
    w->n -= n;
    w->offset += n;
}

/* A share in the block under w->p; NULL when there is none to hold. */
struct source_block *source_hold(struct source_window *w);

/* Gives a share back, from any thread. NULL is allowed. */
void source_let_go(struct source_block *block);

/* Tells the kernel that n bytes at p of a mapped file are not needed for now. From any thread. */
void source_forget(const struct source_window *w, const uint8_t *p, size_t n);

/* Cuts the window when the mapped file has become shorter; true if so. */
bool source_shrank(struct source_window *w);

/* The window of a source, for tests that set w->limit. */
struct source_window *source_window_of(struct jfr_source *src);

#endif
