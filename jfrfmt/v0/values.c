/*
 * values.c - writes the values of 0.9 events and constants in the encodings of 2.1.
 *
 * A column gets the type that the JDK of today gives it; one that a 0.9 event does not have gets
 * its fallback. Keys of constants become places in one list over all pools: v0_key().
 */
#include "jfrfmt/v0/model.h"

uint64_t v0_key(const struct v0_chunk *ch, const struct v0_entry *e)
{
    return ch->in.base + 1 + (uint64_t)(e - ch->entries);
}

uint64_t v0_shown_key(const struct v0_chunk *ch, uint32_t content, uint64_t key, int64_t time)
{
    const struct v0_entry *e = v0_find(ch, content, key, time);

    if (e != NULL && ch->contents[content].layout.cls == V0_C_JAVA_THREAD)
        e = v0_linked(ch, e);
    return e == NULL ? 0 : v0_key(ch, e);
}

static void put_text(struct buf *out, struct cursor *c, uint8_t type)
{
    bool is_utf8 = type == V0_UTF8;
    size_t n = is_utf8 ? (size_t)cur_be(c, 2) : v0_read_count(c, 2);
    const uint8_t *p = cur_bytes(c, is_utf8 ? n : 2 * n);

    buf_byte(out, is_utf8 ? 3 : 4);
    buf_varint(out, n);
    if (is_utf8 && p != NULL)
        buf_bytes(out, p, n);
    for (size_t i = 0; !is_utf8 && p != NULL && i < n; i++)
        buf_varint(out, (uint64_t)p[2 * i] << 8 | p[2 * i + 1]);
}

/* An integer in the form of class `cls`; narrow ones are cut, not extended to 64 bits. */
static void put_v0_integer(struct buf *out, uint32_t cls, uint64_t v)
{
    switch (cls) {
    case V0_C_BOOLEAN:
    case V0_C_BYTE:
        buf_byte(out, (uint8_t)v);
        break;
    case V0_C_SHORT:
        buf_varint(out, (uint16_t)v);
        break;
    case V0_C_INT:
        buf_varint(out, (uint32_t)v);
        break;
    default:
        buf_varint(out, v);
    }
}

static void put_v0_element(const struct v0_chunk *ch, struct buf *out, const struct v0_col *col,
                           uint8_t type, struct cursor *c, int64_t time)
{
    unsigned width = col->cls == V0_C_DOUBLE ? 8 : 4;

    if (col->sub != NULL)
        v0_put_cols(ch, out, col->sub, 0, c, time);
    else if (col->is_pooled)
        buf_varint(out, v0_shown_key(ch, col->content - 1, v0_read_integer(c, type), time));
    else if (type == V0_UTF8 || type == V0_STRING)
        put_text(out, c, type);
    else if (type == V0_FLOAT || type == V0_DOUBLE)
        buf_be(out, cur_be(c, width), width);
    else if (type == V0_BOOLEAN)
        buf_byte(out, cur_be(c, 1) != 0);
    else
        put_v0_integer(out, col->cls, v0_read_integer(c, type) * col->scale);
}

static void put_value(const struct v0_chunk *ch, struct buf *out, const struct v0_col *col,
                      const struct v0_field *f, struct cursor *c, int64_t time)
{
    size_t n = 1;

    if (col->is_array) {
        n = v0_read_count(c, v0_element_size(f));
        buf_varint(out, n);
    }
    while (n-- > 0 && cur_ok(c))
        put_v0_element(ch, out, col, f->element, c, time);
}

/* A column that the chunk has nothing for. */
static void put_fallback(struct buf *out, const struct v0_col *col)
{
    put_v0_integer(out, col->is_pooled || col->is_array ? V0_C_INT : col->cls,
                   (uint64_t)col->fallback);
}

/* Columns are mostly in the order of the fields; for one that is not the structure is read again.
 */
void v0_put_cols(const struct v0_chunk *ch, struct buf *out, const struct v0_layout *l,
                 size_t first_col, struct cursor *c, int64_t time)
{
    const struct v0_field *fields = l->source->fields;
    const uint8_t *start = c->p;
    size_t at = 0;

    for (size_t i = first_col; i < l->n_cols && cur_ok(c); i++) {
        const struct v0_col *col = &l->cols[i];
        if (col->source == 0) {
            put_fallback(out, col);
            continue;
        }
        if (col->source <= at) {
            c->p = start;
            at = 0;
        }
        while (at + 1 < col->source)
            v0_skip(c, &fields[at++]);
        put_value(ch, out, col, &fields[at++], c, time);
    }
    while (at < l->source->n_fields && cur_ok(c))
        v0_skip(c, &fields[at++]);
}
