/*
 * thrift.h - structures in Thrift's compact protocol, in which Parquet writes its page headers and
 * its footer.
 *
 *     struct thrift t = thrift_begin(&b);
 *     thrift_i32(&t, 1, 7);
 *     struct thrift inner = thrift_struct(&t, 2); ... thrift_end(&inner);
 *     thrift_end(&t);
 *
 * Fields of a structure are written in the order of their ids, each at most 15 above the one
 * before. Errors: those of the buffer, which stick. Threads: as the buffer.
 */
#ifndef CONVERT_PARQUET_THRIFT_H
#define CONVERT_PARQUET_THRIFT_H

#include "jfrfmt/base/buf.h"

enum thrift_type {
    THRIFT_TRUE = 1,
    THRIFT_FALSE = 2,
    THRIFT_I32 = 5,
    THRIFT_I64 = 6,
    THRIFT_BINARY = 8,
    THRIFT_LIST = 9,
    THRIFT_STRUCT = 12,
};

struct thrift { /* a structure that is being written */
    struct buf *b;
    int last; /* id of the field before */
};

static inline struct thrift thrift_begin(struct buf *b)
{
    return (struct thrift){.b = b};
}

static inline void thrift_end(struct thrift *t)
{
    buf_byte(t->b, 0);
}

/* Seven bits a byte, the lowest first. */
void thrift_varint(struct buf *b, uint64_t v);

/* Small numbers of either sign in few bytes. */
void thrift_zigzag(struct buf *b, int64_t v);

void thrift_bool(struct thrift *t, int id, bool v);
void thrift_i32(struct thrift *t, int id, int32_t v);
void thrift_i64(struct thrift *t, int id, int64_t v);
void thrift_binary(struct thrift *t, int id, const void *p, size_t n);
void thrift_text(struct thrift *t, int id, const char *text);

/* A structure as a field; fields of the outer one follow after its end. */
struct thrift thrift_struct(struct thrift *t, int id);

/* A field that is a list of n elements, which the caller appends: structures from thrift_begin() to
 * thrift_end(), numbers by thrift_zigzag(), texts by thrift_element(), truths as a byte,
 * THRIFT_TRUE or THRIFT_FALSE. */
void thrift_list(struct thrift *t, int id, enum thrift_type type, size_t n);

/* A text or bytes as an element. */
void thrift_element(struct buf *b, const void *p, size_t n);

#endif
