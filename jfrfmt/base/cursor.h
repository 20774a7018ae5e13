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

/* LEB128 of at most nine bytes, the ninth of which carries eight bits; padded forms are legal. */
static inline uint64_t cur_varint(struct cursor *c)
{
    const uint8_t *p = c->p;
    uint64_t v;

    if (p < c->end && *p < 0x80) { /* records end in short ones, where the slow way would begin */
        c->p = p + 1;
        return *p;
    }
    if (c->end - p < CUR_VARINT_MAX)
        return cur_varint_slow(c);
    v = *p++ & 0x7f;
    for (int shift = 7;; shift += 7) {
        uint64_t b = *p++;
        if (shift == 56) {
            v |= b << 56;
            break;
        }
        v |= (b & 0x7f) << shift;
        if (b < 0x80)
            break;
    }
    c->p = p;
    return v;
}

/* Steps over n varints, looking at eight bytes at a time. Fails when they do not all fit. */
void cur_skip_varints(struct cursor *c, uint64_t n);

#endif
