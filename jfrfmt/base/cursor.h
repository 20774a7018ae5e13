/*
 * cursor.h - decode bytes without ever reading past them.
 *
 *     struct cursor c = cur_over(bytes, n);
 *     uint64_t size = cur_varint(&c), type = cur_varint(&c);
 *     if (!cur_ok(&c))
 *         return ...;
 *
 * A read that does not fit returns 0, remembers where, and moves the cursor to its end; every
 * later read then fails by the same bounds test. So a record is decoded straight through and
 * cur_ok() is asked once.
 *
 * Ownership: borrows the bytes. Threads: a cursor is a value. Signals: async-signal-safe.
 */
#ifndef JFRFMT_BASE_CURSOR_H
#define JFRFMT_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
    const uint8_t *p, *end;
    const uint8_t *fail; /* start of the first read that did not fit; NULL while all is well */
};

#define CUR_VARINT_MAX 9 /* eight groups of 7 bits, then one byte of 8 (jfr-format: LEB128) */

static inline struct cursor cur_over(const void *bytes, size_t n)
{
    const uint8_t *p = bytes;

    return (struct cursor){.p = p, .end = n == 0 ? p : p + n}; /* NULL + 0 is undefined in C */
}

static inline bool cur_ok(const struct cursor *c)
{
    return c->fail == NULL;
}

/* Bytes not yet read; 0 after a failure. */
static inline size_t cur_left(const struct cursor *c)
{
    return (size_t)(c->end - c->p);
}

/* Marks the cursor as failed at its current place; the first failure stays. */
void cur_fail(struct cursor *c);

/* n bytes in place, or NULL when fewer are left (a zero-length read of a good cursor is not NULL).
 */
const uint8_t *cur_bytes(struct cursor *c, uint64_t n);

/* Big-endian unsigned integer of n bytes, 1..8. */
uint64_t cur_be(struct cursor *c, unsigned n);

uint64_t cur_varint_slow(struct cursor *c);

#define CUR_HIGH_BITS 0x8080808080808080u

/* Eight bytes, the first of which is the lowest. */
static inline uint64_t cur_word(const uint8_t *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* The seven bits of each of eight bytes, the lowest first, side by side. */
static inline uint64_t cur_join_groups(uint64_t bytes)
{
    bytes = (bytes & 0x007f007f007f007fu) | (bytes & 0x7f007f007f007f00u) >> 1;
    bytes = (bytes & 0x00003fff00003fffu) | (bytes & 0x3fff00003fff0000u) >> 2;
    return (bytes & 0x000000000fffffffu) | (bytes & 0x0fffffff00000000u) >> 4;
}

/* A varint at a place from which eight bytes can be read. Returns the place after it; NULL, and *v
 * unchanged, if it has nine bytes. */
static inline const uint8_t *cur_word_varint(const uint8_t *p, uint64_t *v)
{
    uint64_t word = cur_word(p), last = ~word & CUR_HIGH_BITS;

    if (last == 0)
        return NULL;
    *v = cur_join_groups(word & (last ^ (last - 1)));
    return p + __builtin_ctzll(last) / 8 + 1;
}

/* The same, where short ones are frequent: they are read without the word. */
static inline const uint8_t *cur_short_varint(const uint8_t *p, uint64_t *v)
{
    if (p[0] < 0x80) {
        *v = p[0];
        return p + 1;
    }
    if (p[1] < 0x80) {
        *v = (p[0] & 0x7fu) | (unsigned)p[1] << 7;
        return p + 2;
    }
    return cur_word_varint(p, v);
}

/* The place after a varint from which eight bytes can be read; NULL if it has nine. */
static inline const uint8_t *cur_after_varint(const uint8_t *p)
{
    uint64_t last;

    if (p[0] < 0x80)
        return p + 1;
    last = ~cur_word(p) & CUR_HIGH_BITS;
    return last == 0 ? NULL : p + __builtin_ctzll(last) / 8 + 1;
}

/* LEB128 of at most nine bytes, the ninth of which carries eight bits; padded forms are legal.
 * The shortest ones and the last ones of a record are compared byte by byte, longer ones are read
 * as a word. The address of `c` is not passed on, so that a caller's cursor stays in registers. */
static inline uint64_t cur_varint(struct cursor *c)
{
    const uint8_t *p = c->p;
    size_t left = (size_t)(c->end - p);
    struct cursor rest;
    uint64_t v;

    if (left > 0 && p[0] < 0x80) {
        c->p = p + 1;
        return p[0];
    }
    if (left > 1 && p[1] < 0x80) {
        c->p = p + 2;
        return (p[0] & 0x7fu) | (unsigned)p[1] << 7;
    }
    if (left >= CUR_VARINT_MAX) {
        p = cur_word_varint(p, &v);
        if (p != NULL) {
            c->p = p;
            return v;
        }
    }
    rest = *c;
    v = cur_varint_slow(&rest);
    *c = rest;
    return v;
}

/* Steps over n varints, looking at eight bytes at a time. Fails when they do not all fit. */
void cur_skip_varints(struct cursor *c, uint64_t n);

#endif
