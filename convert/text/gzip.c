/*
 * gzip.c - packs an output with zlib: the same input gives the same bytes.
 *
 * Bytes pass through in blocks of 64 kB; no file name and no time are written into the header.
 */
#include "convert/text/gzip.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#define ROOM ((size_t)64 << 10) /* bytes that are made room for at a time */
#define LEVEL 3 /* a fifth larger than 6 in a third of the time */
#define WITH_GZIP_HEADER 16 /* to window bits; without a name and a time */

struct gzip {
    z_stream stream;
    struct out *out;
    int rc;
};

struct gzip *gzip_new(struct out *out)
{
    struct gzip *z = calloc(1, sizeof(*z));

    if (z == NULL)
        return NULL;
    z->out = out;
    if (deflateInit2(&z->stream, LEVEL, Z_DEFLATED, 15 + WITH_GZIP_HEADER, 8, Z_DEFAULT_STRATEGY) ==
        Z_OK)
        return z;
    free(z);
    return NULL;
}

static void pack(struct gzip *z, int flush)
{
    struct buf *b = &z->out->b;
    int rc = Z_OK;

    while (z->rc == 0 && rc != Z_STREAM_END && (z->stream.avail_in > 0 || flush == Z_FINISH)) {
        if (!buf_reserve(b, ROOM)) {
            z->rc = JFR_E_NOMEM;
            return;
        }
        z->stream.next_out = b->p + b->n;
        z->stream.avail_out = (uInt)ROOM;
        rc = deflate(&z->stream, flush);
        b->n += ROOM - z->stream.avail_out;
        z->rc = out_check(z->out);
    }
}

int gzip_put(struct gzip *z, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;

    while (n > 0 && z->rc == 0) {
        uInt part = n > UINT_MAX ? UINT_MAX : (uInt)n;

        z->stream.next_in = (Bytef *)(uintptr_t)p;
        z->stream.avail_in = part;
        pack(z, Z_NO_FLUSH);
        p += part;
        n -= part;
    }
    return z->rc;
}

int gzip_end(struct gzip *z)
{
    int rc;

    if (z == NULL)
        return JFR_E_NOMEM;
    pack(z, Z_FINISH);
    rc = z->rc;
    deflateEnd(&z->stream);
    free(z);
    return rc;
}
