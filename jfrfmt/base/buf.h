/*
 * buf.h - the writing twin of cursor.h: bytes that grow, or a fixed room that refuses.
 *
 *     struct buf b = {0};                    growable
 *     struct buf b = buf_fixed(room, n);     fixed: never allocates, async-signal-safe
 *     buf_varint(&b, 42);
 *     if (!buf_ok(&b)) ...                   asked once: overflow or lack of memory sticks
 *     buf_free(&b);
 *
 * After a failure nothing more is stored and `n` stays where it was.
 * Threads: a buf belongs to one thread at a time.
 */
#ifndef JFRFMT_BASE_BUF_H
#define JFRFMT_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buf {
    uint8_t *p;
    size_t n; /* bytes stored */
    size_t room; /* bytes there is room for */
    bool fixed; /* p is the caller's */
    bool failed;
};

static inline struct buf buf_fixed(void *room, size_t n)
{
    return (struct buf){.p = room, .room = n, .fixed = true};
}

static inline bool buf_ok(const struct buf *b)
{
    return !b->failed;
}

/* Makes room for `more` bytes after b->n (at b->p + b->n); false and sticky when it cannot. */
bool buf_reserve_slow(struct buf *b, size_t more);

static inline bool buf_reserve(struct buf *b, size_t more)
{
    return b->room - b->n >= more && !b->failed ? true : buf_reserve_slow(b, more);
}

static inline void buf_byte(struct buf *b, uint8_t v)
{
    if (buf_reserve(b, 1))
        b->p[b->n++] = v;
}

static inline void buf_bytes(struct buf *b, const void *src, size_t n)
{
    if (n > 0 && buf_reserve(b, n)) {
        memcpy(b->p + b->n, src, n);
        b->n += n;
    }
}

/* Makes the buffer n bytes long if it is shorter; the new bytes are 0. False if out of memory. For
 * tables by a number that grows. */
static inline bool buf_fill(struct buf *b, size_t n)
{
    size_t more = n > b->n ? n - b->n : 0;

    if (!buf_reserve(b, more))
        return false;
    if (more > 0)
        memset(b->p + b->n, 0, more);
    b->n += more;
    return true;
}

static inline void buf_str(struct buf *b, const char *s)
{
    buf_bytes(b, s, strlen(s));
}

void buf_be(struct buf *b, uint64_t v, unsigned n); /* big-endian, n = 1..8 bytes */
void buf_varint_slow(struct buf *b, uint64_t v); /* the part of buf_varint() that is not inline */

/* A varint in its shortest form, at most nine bytes. */
static inline void buf_varint(struct buf *b, uint64_t v)
{
    if (v < 0x80)
        buf_byte(b, (uint8_t)v);
    else
        buf_varint_slow(b, v);
}

/* Bytes that buf_varint() stores, 1..9. */
static inline unsigned buf_varint_size(uint64_t v)
{
    unsigned n = 1;

    for (; v >= 0x80 && n < 9; v >>= 7)
        n++;
    return n;
}

/* The same in exactly n bytes, 1..9, padded with continuation bytes; v must fit in 7 * n bits
 * (any v when n is 9). For sizes that are filled in later. */
void buf_varint_at(uint8_t *at, uint64_t v, unsigned n);

/* printf into the buffer. A fixed room needs one byte more than the text, for printf's NUL. Not
 * async-signal-safe. */
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Forgets the bytes, keeps the room, clears the failure. */
static inline void buf_reset(struct buf *b)
{
    b->n = 0;
    b->failed = false;
}

/* Frees what the buffer allocated; it is empty and growable afterwards. */
void buf_free(struct buf *b);

#endif
