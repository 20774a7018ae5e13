/*
 * jsonw.c - writes strings and numbers as JSON.
 *
 * Two flavours of strings: as the JDK's tool escapes them, and UTF-8 for our own layouts;
 * jsonw_script() also escapes what would end a script element. Whatever the bytes are, the result
 * is valid JSON.
 */
#include "convert/text/jsonw.h"
#include "convert/text/javatext.h"
#include "jfrfmt/base/utf8.h"

#include <endian.h>
#include <math.h>

#define BLOCK ((size_t)4096) /* bytes of text for which room is made at a time */
#define ESCAPE_MAX 12 /* \ud83d\ude00 */
#define EVERY_BYTE(c) (0x0101010101010101u * (uint64_t)(c))

/* What is escaped, and how characters beyond ASCII are written. Passed as a constant to functions
 * that are always inlined, so that each flavour gets code of its own. */
enum flavour {
    JDK, /* \uxxxx; '/' escaped */
    PLAIN, /* UTF-8 */
    SCRIPT, /* UTF-8; < > & escaped */
};

#define INLINE static inline __attribute__((always_inline))

static bool is_special_byte(uint8_t c, enum flavour f)
{
    return c < 0x20 || c >= 0x80 || c == '"' || c == '\\' || (f == JDK && c == '/') ||
           (f == SCRIPT && (c == '<' || c == '>' || c == '&'));
}

/* Sets the high bit of each byte of w that equals c. A borrow may also set bits of bytes after the
 * first such byte, so only the lowest bit is reliable. */
INLINE uint64_t find_byte(uint64_t w, uint8_t c)
{
    uint64_t x = w ^ EVERY_BYTE(c);

    return (x - EVERY_BYTE(1)) & ~x;
}

/* Finds special bytes: the lowest bit that is set belongs to the first one. 0 if there is none. */
INLINE uint64_t find_special(uint64_t w, enum flavour f)
{
    uint64_t found = w | ((w - EVERY_BYTE(0x20)) & ~w) | find_byte(w, '"') | find_byte(w, '\\');

    if (f == JDK)
        found |= find_byte(w, '/');
    if (f == SCRIPT)
        found |= find_byte(w, '<') | find_byte(w, '>') | find_byte(w, '&');
    return found & EVERY_BYTE(0x80);
}

/* The n < 8 bytes at p as the low bytes of a word; the others are 0. */
INLINE uint64_t load_few(const uint8_t *p, size_t n)
{
    uint32_t low, high;

    if (n >= 4) {
        memcpy(&low, p, 4);
        memcpy(&high, p + n - 4, 4);
        return le32toh(low) | (uint64_t)le32toh(high) << 8 * (n - 4);
    }
    return n == 0 ? 0
                  : p[0] | (uint64_t)p[n / 2] << 8 * (n / 2) | (uint64_t)p[n - 1] << 8 * (n - 1);
}

/* Copies up to the first special byte or `end`; returns how many. May write eight bytes more. The
 * zeros after the last bytes are special, so they end the copy. */
INLINE size_t copy_plain(uint8_t *to, const uint8_t *from, const uint8_t *end, enum flavour f)
{
    const uint8_t *p = from;

    for (;;) {
        size_t left = (size_t)(end - p);
        uint64_t w, found;

        if (left >= 8) {
            memcpy(&w, p, 8);
            w = le64toh(w);
        } else {
            w = load_few(p, left);
        }
        found = find_special(w, f);
        w = htole64(w);
        memcpy(to, &w, 8);
        if (found != 0)
            return (size_t)(p - from) + (size_t)__builtin_ctzll(found) / 8;
        p += 8;
        to += 8;
    }
}

static uint8_t *put_unit(uint8_t *to, uint32_t unit)
{
    static const char hex[] = "0123456789abcdef";

    *to++ = '\\';
    *to++ = 'u';
    for (int shift = 12; shift >= 0; shift -= 4)
        *to++ = (uint8_t)hex[unit >> shift & 15];
    return to;
}

/* A special character of ASCII. */
INLINE uint8_t *put_ascii(uint8_t *to, uint8_t c)
{
    static const char letters[128] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['\b'] = 'b',
                                      ['\f'] = 'f', ['\n'] = 'n',  ['\r'] = 'r', ['\t'] = 't'};

    if (letters[c] == '\0')
        return put_unit(to, c);
    to[0] = '\\';
    to[1] = (uint8_t)letters[c];
    return to + 2;
}

/* A character that may not be copied; at most ESCAPE_MAX bytes. */
static uint8_t *put_special(uint8_t *to, uint32_t cp, enum flavour f)
{
    if (cp < 0x80)
        return put_ascii(to, (uint8_t)cp);
    if (f == JDK && cp >= 0x10000) {
        to = put_unit(to, 0xd800 + ((cp - 0x10000) >> 10));
        cp = 0xdc00 + ((cp - 0x10000) & 0x3ff);
    }
    if (f == JDK || (f == SCRIPT && (cp | 1) == 0x2029))
        return put_unit(to, cp);
    if (cp >= 0xd800 && cp < 0xe000)
        cp = 0xfffd; /* half of a surrogate pair: jq refuses its escape */
    return to + utf8_put(to, cp);
}

INLINE uint32_t next_char(const uint8_t **p, const uint8_t *end, enum flavour f, bool latin1)
{
    if (latin1)
        return *(*p)++;
    return f == JDK ? utf8_next(p, end) : utf8_next_jvm(p, end);
}

INLINE void append_bytes(struct buf *b, const uint8_t *p, const uint8_t *end, enum flavour f,
                         bool latin1)
{
    while (p < end) {
        size_t n = (size_t)(end - p) < BLOCK ? (size_t)(end - p) : BLOCK, copied;

        if (!buf_reserve(b, n + ESCAPE_MAX))
            return;
        copied = copy_plain(b->p + b->n, p, p + n, f);
        b->n += copied;
        p += copied;
        if (copied < n) {
            uint8_t *to = b->p + b->n;

            if (*p < 0x80)
                b->n += (size_t)(put_ascii(to, *p++) - to);
            else
                b->n += (size_t)(put_special(to, next_char(&p, end, f, latin1), f) - to);
        }
    }
}

static void append_units(struct buf *b, struct cursor c, enum flavour f)
{
    while (c.p < c.end) {
        uint32_t cp = (uint16_t)cur_varint(&c);

        if (f != JDK && cp >= 0xd800 && cp < 0xdc00 && c.p < c.end) {
            struct cursor ahead = c;
            uint32_t low = (uint16_t)cur_varint(&ahead);

            if (low >= 0xdc00 && low < 0xe000) {
                cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
                c = ahead;
            }
        }
        if (!buf_reserve(b, ESCAPE_MAX))
            return;
        if (cp < 0x80 && !is_special_byte((uint8_t)cp, f)) {
            b->p[b->n++] = (uint8_t)cp;
        } else {
            uint8_t *to = b->p + b->n;

            b->n += (size_t)(put_special(to, cp, f) - to);
        }
    }
}

INLINE void append_jfr(struct buf *b, struct jfr_str s, enum flavour f)
{
    if (s.encoding == JFR_STR_NULL || s.encoding == JFR_STR_CONSTANT) {
        buf_bytes(b, "null", 4);
        return;
    }
    buf_byte(b, '"');
    if (s.encoding == JFR_STR_UTF8)
        append_bytes(b, s.p, s.p + s.n_bytes, f, false);
    else if (s.encoding == JFR_STR_LATIN1)
        append_bytes(b, s.p, s.p + s.n_bytes, f, true);
    else if (s.encoding == JFR_STR_UTF16)
        append_units(b, cur_over(s.p, s.n_bytes), f);
    buf_byte(b, '"');
}

void jsonw_jfr_str(struct buf *b, struct jfr_str s)
{
    append_jfr(b, s, JDK);
}

void jsonw_jfr_plain(struct buf *b, struct jfr_str s)
{
    append_jfr(b, s, PLAIN);
}

void jsonw_str(struct buf *b, const char *s, size_t n)
{
    buf_byte(b, '"');
    append_bytes(b, (const uint8_t *)s, (const uint8_t *)s + n, PLAIN, false);
    buf_byte(b, '"');
}

void jsonw_script(struct buf *b, const char *s, size_t n)
{
    buf_byte(b, '"');
    append_bytes(b, (const uint8_t *)s, (const uint8_t *)s + n, SCRIPT, false);
    buf_byte(b, '"');
}

static void append_decimal(struct buf *b, uint64_t v, bool negative)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    char text[20], *p = text + sizeof(text);

    while (v >= 10) {
        p -= 2;
        memcpy(p, pairs + v % 100 * 2, 2);
        v /= 100;
    }
    if (v > 0 || p == text + sizeof(text))
        *--p = (char)('0' + v);
    if (negative)
        *--p = '-';
    buf_bytes(b, p, (size_t)(text + sizeof(text) - p));
}

void jsonw_u64(struct buf *b, uint64_t v)
{
    append_decimal(b, v, false);
}

void jsonw_i64(struct buf *b, int64_t v)
{
    append_decimal(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, v < 0);
}

void jsonw_double(struct buf *b, double v)
{
    if (isfinite(v))
        javatext_double(b, v);
    else
        buf_bytes(b, "null", 4);
}

void jsonw_float(struct buf *b, float v)
{
    if (isfinite(v))
        javatext_float(b, v);
    else
        buf_bytes(b, "null", 4);
}
