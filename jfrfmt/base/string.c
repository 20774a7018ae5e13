/*
 * string.c - decodes the text of a field in each of the encodings of the format (jfr-format §3.3).
 *
 * jfr_str_read() only finds where the text lies; decoding happens when a caller appends it as
 * UTF-8. Declared lengths are checked against the bytes that are there before anything is read.
 */
#include "jfrfmt/base/string.h"

#include "jfrfmt/base/utf8.h"

struct jfr_str jfr_str_read(struct cursor *c)
{
    struct jfr_str s = {0};
    const uint8_t *start = cur_bytes(c, 1);
    unsigned encoding;

    if (start == NULL)
        return s;
    encoding = *start;
    switch (encoding) {
    case JFR_STR_NULL:
    case JFR_STR_EMPTY:
        break;
    case JFR_STR_CONSTANT:
        s.n = cur_varint(c);
        break;
    case JFR_STR_UTF8:
    case JFR_STR_LATIN1:
        s.n = cur_varint(c);
        s.p = cur_bytes(c, s.n);
        s.n_bytes = (size_t)s.n;
        break;
    case JFR_STR_UTF16:
        s.n = cur_varint(c);
        s.p = c->p;
        cur_skip_varints(c, s.n);
        s.n_bytes = (size_t)(c->p - s.p);
        break;
    default:
        c->p = start;
        cur_fail(c);
        return s;
    }
    if (!cur_ok(c))
        return (struct jfr_str){0};
    s.encoding = encoding;
    return s;
}

void jfr_str_skip(struct cursor *c)
{
    (void)jfr_str_read(c);
}

static void append_code_point(struct buf *b, uint32_t cp)
{
    if (buf_reserve(b, 4))
        b->n += utf8_put(b->p + b->n, cp);
}

/* Joins surrogate pairs: `*high` is one that waits for its partner, 0 = none. */
static void append_unit(struct buf *b, uint32_t *high, uint32_t unit)
{
    uint32_t cp = unit;

    if (*high != 0 && unit >= 0xdc00 && unit < 0xe000) {
        cp = 0x10000 + ((*high - 0xd800) << 10) + (unit - 0xdc00);
        *high = 0;
    }
    if (*high != 0)
        append_code_point(b, *high);
    *high = unit >= 0xd800 && unit < 0xdc00 ? unit : 0;
    if (*high == 0)
        append_code_point(b, cp);
}

static void append_utf8(struct buf *b, const uint8_t *p, const uint8_t *end)
{
    while (p < end) {
        const uint8_t *ascii = p;

        while (p < end && *p < 0x80)
            p++;
        buf_bytes(b, ascii, (size_t)(p - ascii));
        if (p < end)
            append_code_point(b, utf8_next_jvm(&p, end));
    }
}

void jfr_str_append_utf8(struct buf *b, struct jfr_str s)
{
    struct cursor c = cur_over(s.p, s.n_bytes);
    uint32_t high = 0;

    switch (s.encoding) {
    case JFR_STR_UTF8:
        append_utf8(b, c.p, c.end);
        break;
    case JFR_STR_LATIN1:
        while (c.p < c.end)
            append_code_point(b, *c.p++);
        break;
    case JFR_STR_UTF16:
        while (c.p < c.end)
            append_unit(b, &high, (uint16_t)cur_varint(&c));
        if (high != 0)
            append_code_point(b, high);
        break;
    default:
        break;
    }
}

bool jfr_str_equals(struct jfr_str s, const char *text)
{
    struct buf b = {0};
    size_t n = strlen(text);
    bool equal;

    switch (s.encoding) {
    case JFR_STR_NULL:
    case JFR_STR_CONSTANT:
        return false;
    case JFR_STR_EMPTY:
        return n == 0;
    default:
        break;
    }
    if (s.encoding == JFR_STR_UTF8 && s.n_bytes == n && memcmp(s.p, text, n) == 0)
        return true;
    jfr_str_append_utf8(&b, s);
    equal = buf_ok(&b) && b.n == n && (n == 0 || memcmp(b.p, text, n) == 0);
    buf_free(&b);
    return equal;
}
