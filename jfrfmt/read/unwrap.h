/*
 * unwrap.h - a stream of bytes, freed of the gzip, zstd, lz4 or zip around it.
 *
 *     struct jfr_error err = {0};
 *     struct unwrap *u = unwrap_open(unwrap_fd_take(fd, &err), &err);
 *     while ((n = unwrap_read(u, room, sizeof(room))) > 0)
 *         ...
 *     if (err.code != 0) ...          everything before the damage has been delivered
 *     unwrap_close(u);
 *
 * Streams stack: each layer pulls from the one below it through a fixed buffer, so memory does not
 * depend on what the input says about itself. Internal to jfrfmt.
 *
 * Threads: a stream belongs to one thread at a time. Errors: the first one of all layers goes to
 * the struct given at opening, which must outlive the stream; a stream that failed is at its end.
 */
#ifndef JFRFMT_READ_UNWRAP_H
#define JFRFMT_READ_UNWRAP_H

#include "jfrfmt/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNWRAP_BUFFER ((size_t)128 << 10)
#define UNWRAP_MAGIC 4 /* bytes that tell what a stream is wrapped in */

/* A bomb: a stream that has grown beyond UNWRAP_MOST, or beyond both of the others. Recordings grow
 * three to twenty times, deflate's best is 1032, zstd's above 10 000. */
#define UNWRAP_MOST ((uint64_t)64 << 30)
#define UNWRAP_FREE ((uint64_t)1 << 30)
#define UNWRAP_RATIO 200

/* These instead; 0: as they are. See jfr_source_limit_unpacked(). */
void unwrap_limit(uint64_t bytes);

struct unwrap;

struct unwrap_kind {
    /* Up to n bytes into `to`; 0 at the end, also when it failed: then u->err says why. */
    size_t (*pull)(struct unwrap *u, uint8_t *to, size_t n);
    void (*close)(struct unwrap *u); /* frees what the layer added, not the layer itself */
};

/* A layer. Layers with more to remember begin with this. */
struct unwrap {
    const struct unwrap_kind *kind;
    const char *name; /* of the wrapper, for messages */
    struct unwrap *inner; /* what it pulls from; NULL at the bottom */
    struct jfr_error *err;
    const uint8_t *p, *end; /* bytes pulled and not yet taken */
    uint8_t *buffer; /* UNWRAP_BUFFER bytes, NULL where p and end are the caller's memory */
    uint64_t pulled; /* bytes pulled so far */
    bool ended;
};

/* The bottom layers. The descriptor is closed with the stream, also on failure; the memory is
 * borrowed. NULL and *err if out of memory. */
struct unwrap *unwrap_fd_take(int fd, struct jfr_error *err);
struct unwrap *unwrap_mem(const void *bytes, size_t n, struct jfr_error *err);

/* Does a stream that begins with these n bytes need unwrapping? */
bool unwrap_is_wrapped(const uint8_t *bytes, size_t n);

/* Looks at the first bytes and puts the layers that they ask for on top: none, one, or two where
 * one wrapper is in the other. Owns `below` (NULL: answers NULL), also on failure: NULL and *err.
 */
struct unwrap *unwrap_open(struct unwrap *below, struct jfr_error *err);

/* At most n bytes into `to`. Less than n, but not 0, does not mean the end; 0 does. */
size_t unwrap_read(struct unwrap *u, uint8_t *to, size_t n);

/* Tries to have n (<= UNWRAP_BUFFER) bytes at u->p without taking them; answers how many there are:
 * fewer only at the end. */
size_t unwrap_peek(struct unwrap *u, size_t n);

/* Takes n bytes that unwrap_peek() has shown. */
static inline void unwrap_take(struct unwrap *u, size_t n)
{
    u->p += n;
}

/* How many bytes have been taken: the place of u->p in this layer. */
static inline uint64_t unwrap_offset(const struct unwrap *u)
{
    return u->pulled - (uint64_t)(u->end - u->p);
}

/* Puts a layer of `size` bytes, which begins with a struct unwrap and is zero after it, on top of
 * `inner`; NULL if out of memory: `inner` is then left to the caller. */
struct unwrap *unwrap_push(struct unwrap *inner, size_t size, const struct unwrap_kind *kind,
                           struct jfr_error *err);

/* Closes all layers. NULL is allowed. */
void unwrap_close(struct unwrap *u);

#endif
