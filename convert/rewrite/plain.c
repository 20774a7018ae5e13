/*
 * plain.c - keys and numbers, fast: stacks are made of them, and a recording of stacks.
 *
 * Numbers are read as eight bytes at once, the first one lowest. Most take three bytes or less, in
 * no order that a processor could guess, so nothing branches on their lengths.
 */
#include "convert/rewrite/bytes.h"
#include "convert/rewrite/internal.h"

#include <endian.h>

#define BATCH 64 /* elements for which room is made at once */
#define STOPS 0x8080808080808080u /* in the inverse, the bit that is set in a last byte */

static inline uint64_t load(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof(v));
    return le64toh(v);
}

static inline uint8_t *store(uint8_t *p, uint64_t bytes, unsigned n)
{
    bytes = htole64(bytes);
    memcpy(p, &bytes, sizeof(bytes));
    return p + n;
}

/* Copies n varints; c has nine bytes for each, and so has `to`. */
static inline uint8_t *copy_many(const uint8_t **from, uint8_t *to, uint32_t n)
{
    while (n > 0) {
        uint64_t bytes = load(*from), stops = ~bytes & STOPS;
        uint32_t k = n > 1 && (stops & (stops - 1)) != 0 ? 2 : 1;
        unsigned size = 9;

        if (k == 2)
            stops &= stops - 1;
        if (stops != 0)
            size = (unsigned)__builtin_ctzll(stops) / 8 + 1;
        to[8] = (*from)[8];
        to = store(to, bytes, size);
        *from += size;
        n -= k;
    }
    return to;
}

/* Seven bits of each byte. */
static inline uint64_t join(uint64_t x)
{
    x &= ~STOPS;
    x = (x & 0x007f007f007f007fu) | (x & 0x7f007f007f007f00u) >> 1;
    x = (x & 0x00003fff00003fffu) | (x & 0x3fff00003fff0000u) >> 2;
    return (x & 0x0fffffffu) | (x & 0x0fffffff00000000u) >> 4;
}

/* Looks a key up. *bytes: what to remember, as in struct found; 0: nothing. The tables' misses are
 * kept out of the way of their hits. */
static __attribute__((noinline)) uint8_t *copy_new_key(struct rewrite *rw, uint32_t cls,
                                                       uint64_t key, uint8_t *to, uint64_t *bytes)
{
    uint8_t room[CUR_VARINT_MAX] = {0};
    bool is_final;
    unsigned n = (unsigned)(give(room, rewrite_key(rw, cls, key, &is_final)) - room);

    memcpy(to, room, n);
    *bytes = is_final && n < 8 ? load(room) | (uint64_t)n << 56 : 0;
    return to + n;
}

static inline uint8_t *copy_direct(struct rewrite *rw, uint32_t cls, uint64_t key, uint8_t *to)
{
    const struct in_class *in = &rw->in[cls];
    uint64_t at = key - in->first, bytes;

    if (at < in->span && in->direct[at] != 0)
        return store(to, in->direct[at] & 0xffffff, in->direct[at] >> 24);
    to = copy_new_key(rw, cls, key, to, &bytes);
    if (at < in->span && bytes >> 56 <= 3)
        in->direct[at] = (uint32_t)(bytes >> 56 << 24 | (bytes & 0xffffff));
    return to;
}

/* from: the bytes of the key. */
static inline uint8_t *copy_found(struct rewrite *rw, uint32_t cls, uint64_t from, uint8_t *to)
{
    const struct in_class *in = &rw->in[cls];
    size_t at = from * 0x9e3779b97f4a7c15u >> in->found_shift;
    struct found *found = &in->found[at];
    uint64_t bytes;

    if (found->from != from && found->to != 0)
        found = &in->found[at ^ 1];
    if (found->from == from && found->to != 0)
        return store(to, found->to, (unsigned)(found->to >> 56));
    to = copy_new_key(rw, cls, join(from), to, &bytes);
    if (bytes != 0)
        *found = (struct found){from, bytes};
    return to;
}

/* A key of at most eight bytes; those after them are 0. */
static inline __attribute__((always_inline)) uint8_t *copy_short(struct rewrite *rw, uint32_t cls,
                                                                 uint64_t bytes, uint8_t *to)
{
    const struct in_class *in = &rw->in[cls];
    uint64_t ignored;

    if (in->direct != NULL)
        return copy_direct(rw, cls, join(bytes), to);
    if (in->found != NULL)
        return copy_found(rw, cls, bytes, to);
    return copy_new_key(rw, cls, join(bytes), to, &ignored);
}

/* *from has nine bytes at least, and so has `to`. */
static inline __attribute__((always_inline)) uint8_t *copy_key(struct rewrite *rw, uint32_t cls,
                                                               const uint8_t **from, uint8_t *to)
{
    uint64_t bytes = load(*from), stops = ~bytes & STOPS;
    unsigned size = stops == 0 ? CUR_VARINT_MAX : (unsigned)__builtin_ctzll(stops) / 8 + 1;
    uint64_t last = (*from)[8], ignored;

    if ((bytes & 0x80) == 0 && rw->in[cls].direct != NULL) { /* frame types, thread states */
        ++*from;
        return copy_direct(rw, cls, bytes & 0x7f, to);
    }
    *from += size;
    if (stops == 0)
        return copy_new_key(rw, cls, join(bytes) | last << 56, to, &ignored);
    return copy_short(rw, cls, bytes & (stops ^ (stops - 1)), to);
}

/* Bytes after the end are not read, those before it are: a value lies in a chunk, after its
 * header. */
void rewrite_last_key(struct rewrite *rw, uint32_t cls, struct cursor *c, struct buf *out)
{
    size_t left = cur_left(c);
    uint64_t bytes, stops;

    if (!buf_reserve(out, CUR_VARINT_MAX))
        return;
    if (left >= CUR_VARINT_MAX) {
        const uint8_t *from = c->p;

        out->n = (size_t)(copy_key(rw, cls, &from, out->p + out->n) - out->p);
        c->p = from;
        return;
    }
    bytes = left == 0 ? 0 : load(c->p + left - 8) >> (left >= 8 ? 0 : 64 - 8 * left);
    stops = ~bytes & STOPS;
    if (left == 0 || stops == 0 || (unsigned)__builtin_ctzll(stops) / 8 >= left) {
        cur_fail(c);
        return;
    }
    c->p += (unsigned)__builtin_ctzll(stops) / 8 + 1;
    out->n = (size_t)(copy_short(rw, cls, bytes & (stops ^ (stops - 1)), out->p + out->n) - out->p);
}

uint64_t rewrite_plain(struct rewrite *rw, const struct op *op, uint64_t n, struct cursor *c,
                       struct buf *out)
{
    size_t most = ((size_t)op->n + 1) * CUR_VARINT_MAX;
    const uint8_t *from = c->p;

    while (n > 0 && cur_left(c) >= most) {
        uint64_t some = cur_left(c) / most;
        uint8_t *to;

        some = some < n ? some : n;
        some = some < BATCH ? some : BATCH;
        if (!buf_reserve(out, some * most))
            break;
        n -= some;
        for (to = out->p + out->n; some > 0; some--)
            for (const struct op *o = op + 1; o <= op + op->span; o++)
                to = o->code == OP_KEY ? copy_key(rw, o->n, &from, to) : copy_many(&from, to, o->n);
        c->p = from;
        out->n = (size_t)(to - out->p);
    }
    return n;
}
