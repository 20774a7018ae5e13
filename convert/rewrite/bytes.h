/* bytes.h - varints in and out, one at a time. For copy.c and plain.c. */
#ifndef CONVERT_REWRITE_BYTES_H
#define CONVERT_REWRITE_BYTES_H

#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/cursor.h"

static inline uint64_t get(struct cursor *c)
{
    if (c->p < c->end && *c->p < 0x80)
        return *c->p++;
    return cur_varint(c);
}

static inline uint8_t *give(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 8 && v >= 0x80; i++, v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)v;
    return p;
}

static inline void put(struct buf *out, uint64_t v)
{
    if (buf_reserve(out, CUR_VARINT_MAX))
        out->n = (size_t)(give(out->p + out->n, v) - out->p);
}

#endif
