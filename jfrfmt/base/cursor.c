/*
 * cursor.c - the parts of cursor.h that are too large to be inlined.
 *
 * A read that does not fit sets `fail` once and moves the cursor to its end, so a caller checks
 * after a series of reads, not after each. cur_skip_varints(), which steps over fields that nothing
 * reads, counts the bytes without a high bit: 64 or 16 at a time with SSE2, else 8.
 */
#include "jfrfmt/base/cursor.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A cursor over nothing may be NULL everywhere, which is no place to remember. */
static void fail_cursor_at(struct cursor *c, const uint8_t *where)
{
    if (c->fail == NULL)
        c->fail = where != NULL ? where : (const uint8_t *)"";
    c->p = c->end;
}

void cur_fail(struct cursor *c)
{
    fail_cursor_at(c, c->p);
}

const uint8_t *cur_bytes(struct cursor *c, uint64_t n)
{
    const uint8_t *p = c->p;

    if (c->fail != NULL || (uint64_t)(c->end - p) < n) {
        fail_cursor_at(c, p);
        return NULL;
    }
    c->p = p + n;
    return p;
}

uint64_t cur_be(struct cursor *c, unsigned n)
{
    const uint8_t *p = cur_bytes(c, n);
    uint64_t v = 0;

    for (unsigned i = 0; p != NULL && i < n; i++)
        v = v << 8 | p[i];
    return v;
}

/* Byte by byte: near the end of the cursor, and values of nine bytes. */
uint64_t cur_varint_slow(struct cursor *c)
{
    const uint8_t *start = c->p;
    uint64_t v = 0;

    for (int shift = 0; c->p < c->end; shift += 7) {
        uint8_t b = *c->p++;
        v |= (uint64_t)(shift < 56 ? b & 0x7f : b) << shift;
        if (b < 0x80 || shift == 56)
            return v;
    }
    fail_cursor_at(c, start);
    return 0;
}

#ifdef __SSE2__
/* Without the instruction that not every processor has. */
static inline unsigned count_bits(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)(x * 0x0101010101010101u >> 56);
}

/* The high bits of sixteen bytes. */
static inline uint64_t high_bits(const uint8_t *p)
{
    return (uint64_t)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(const void *)p));
}

/* Is there a run of eight continuation bytes? It is a varint of nine, whose last byte says nothing
 * about its end: left to the caller. */
static inline bool has_long(uint64_t more)
{
    more &= more >> 1;
    more &= more >> 2;
    return (more & more >> 4) != 0;
}

/* Steps over varints by 64 and by sixteen bytes, while at least as many of them are left: then all
 * that end in these bytes may be stepped over. */
static uint64_t skip_by_blocks(const uint8_t **at, const uint8_t *end, uint64_t n)
{
    const uint8_t *p = *at;

    while (n >= 64 && end - p >= 64) {
        uint64_t more = high_bits(p) | high_bits(p + 16) << 16 | high_bits(p + 32) << 32 |
                        high_bits(p + 48) << 48;

        if (has_long(more))
            break;
        n -= count_bits(~more);
        p += 64 - __builtin_clzll(~more);
    }
    while (n >= 16 && end - p >= 16) {
        uint64_t more = high_bits(p), last = ~more & 0xffff;

        if (has_long(more) || last == 0)
            break;
        n -= count_bits(last);
        p += 64 - __builtin_clzll(last);
    }
    *at = p;
    return n;
}
#else
static uint64_t skip_by_blocks(const uint8_t **at, const uint8_t *end, uint64_t n)
{
    (void)at, (void)end;
    return n;
}
#endif

/* Every load starts where a varint starts, so a word without a last byte is a nine-byte one. */
void cur_skip_varints(struct cursor *c, uint64_t n)
{
    const uint8_t *p = c->p;

    while (n > 0 && c->end - p >= CUR_VARINT_MAX) {
        uint64_t last;
        unsigned k;

        n = skip_by_blocks(&p, c->end, n);
        if (n == 0 || c->end - p < CUR_VARINT_MAX)
            break;
        last = ~cur_word(p) & CUR_HIGH_BITS;
        k = (unsigned)((last >> 7) * 0x0101010101010101u >> 56); /* how many bytes are last ones */
        if (k == 0) {
            p += CUR_VARINT_MAX;
            n--;
        } else if (k <= n) {
            p += 8 - __builtin_clzll(last) / 8;
            n -= k;
        } else {
            while (--n > 0)
                last &= last - 1;
            p += __builtin_ctzll(last) / 8 + 1;
        }
    }
    c->p = p;
    for (; n > 0 && cur_left(c) > 0; n--)
        cur_varint(c);
    if (n > 0)
        cur_fail(c);
}
