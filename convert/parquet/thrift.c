/* thrift.c - Thrift's compact protocol: a header for each field, numbers as varints. */
#include "convert/parquet/thrift.h"

void thrift_varint(struct buf *b, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        buf_byte(b, (uint8_t)(v | 0x80));
    buf_byte(b, (uint8_t)v);
}

void thrift_zigzag(struct buf *b, int64_t v)
{
    thrift_varint(b, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

static void put_field_header(struct thrift *t, int id, enum thrift_type type)
{
    buf_byte(t->b, (uint8_t)((id - t->last) << 4 | (int)type));
    t->last = id;
}

/* The value of a truth is in its type. */
void thrift_bool(struct thrift *t, int id, bool v)
{
    put_field_header(t, id, v ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_i32(struct thrift *t, int id, int32_t v)
{
    put_field_header(t, id, THRIFT_I32);
    thrift_zigzag(t->b, v);
}

void thrift_i64(struct thrift *t, int id, int64_t v)
{
    put_field_header(t, id, THRIFT_I64);
    thrift_zigzag(t->b, v);
}

void thrift_element(struct buf *b, const void *p, size_t n)
{
    thrift_varint(b, n);
    buf_bytes(b, p, n);
}

void thrift_binary(struct thrift *t, int id, const void *p, size_t n)
{
    put_field_header(t, id, THRIFT_BINARY);
    thrift_element(t->b, p, n);
}

void thrift_text(struct thrift *t, int id, const char *text)
{
    thrift_binary(t, id, text, strlen(text));
}

struct thrift thrift_struct(struct thrift *t, int id)
{
    put_field_header(t, id, THRIFT_STRUCT);
    return thrift_begin(t->b);
}

void thrift_list(struct thrift *t, int id, enum thrift_type type, size_t n)
{
    put_field_header(t, id, THRIFT_LIST);
    if (n < 15) {
        buf_byte(t->b, (uint8_t)(n << 4 | type));
        return;
    }
    buf_byte(t->b, (uint8_t)(0xf0 | type));
    thrift_varint(t->b, n);
}
