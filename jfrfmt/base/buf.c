/*
 * buf.c - the parts of buf.h that are too large to be inlined: growth, numbers, printf.
 *
 * A failure (out of memory, a fixed buffer that is full) sticks in the buffer, and later calls do
 * nothing, so a caller checks once with buf_ok().
 */
#include "jfrfmt/base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool buf_reserve_slow(struct buf *b, size_t more)
{
    size_t need, room = b->room < 256 ? 256 : b->room;
    uint8_t *p;

    if (b->failed)
        return false;
    if (b->fixed || __builtin_add_overflow(b->n, more, &need) || need > SIZE_MAX / 2) {
        b->failed = true;
        return false;
    }
    while (room < need)
        room *= 2;
    p = realloc(b->p, room);
    if (p == NULL) {
        b->failed = true;
        return false;
    }
    b->p = p;
    b->room = room;
    return true;
}

void buf_be(struct buf *b, uint64_t v, unsigned n)
{
    if (buf_reserve(b, n))
        while (n-- > 0)
            b->p[b->n++] = (uint8_t)(v >> 8 * n);
}

static size_t put_varint(uint8_t *at, uint64_t v)
{
    uint8_t *p = at;

    for (int i = 0; i < 8 && v >= 0x80; i++) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return (size_t)(p - at);
}

/* Near the end of a fixed room it counts how long the varint really is. */
void buf_varint_slow(struct buf *b, uint64_t v)
{
    uint8_t room[9];

    if (b->room - b->n >= sizeof(room) && !b->failed)
        b->n += put_varint(b->p + b->n, v);
    else
        buf_bytes(b, room, put_varint(room, v));
}

void buf_varint_at(uint8_t *at, uint64_t v, unsigned n)
{
    for (unsigned i = 0; i + 1 < n; i++) {
        at[i] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    at[n - 1] = (uint8_t)v;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0 || !buf_reserve(b, (size_t)n + 1)) {
        b->failed = true;
        return;
    }
    va_start(ap, fmt);
    vsnprintf((char *)b->p + b->n, (size_t)n + 1, fmt, ap);
    va_end(ap);
    b->n += (size_t)n;
}

void buf_free(struct buf *b)
{
    if (!b->fixed)
        free(b->p);
    *b = (struct buf){0};
}
