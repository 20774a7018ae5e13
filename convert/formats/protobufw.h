/* protobufw.h - the few bytes of protobuf that are too many in number to be made by a library. */
#ifndef CONVERT_FORMATS_PROTOBUFW_H
#define CONVERT_FORMATS_PROTOBUFW_H

#include "jfrfmt/base/buf.h"

#define PROTOBUFW_BYTES 2u /* wire type of strings, messages, packed numbers */
#define PROTOBUFW_TAG(field, wire) ((uint8_t)((field) << 3 | (wire))) /* fields 1..15 */

/* A base-128 number of at most ten bytes; those of JFR, buf_varint(), end after nine. */
static inline void protobufw_number(struct buf *b, uint64_t v)
{
    for (; v > 0x7f; v >>= 7)
        buf_byte(b, (uint8_t)(v | 0x80));
    buf_byte(b, (uint8_t)v);
}

/* A field whose bytes are there already. */
static inline void protobufw_bytes(struct buf *b, unsigned field, const void *bytes, size_t n)
{
    buf_byte(b, PROTOBUFW_TAG(field, PROTOBUFW_BYTES));
    protobufw_number(b, n);
    buf_bytes(b, bytes, n);
}

/* Where the bytes of something stand that is written more than once; n < 0: not made yet. */
struct protobufw_piece {
    size_t at;
    int64_t n;
};

#endif
