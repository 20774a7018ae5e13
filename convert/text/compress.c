/*
 * compress.c - packs what is written by the ending of its name: gzip, zstd, lz4.
 *
 * The rewriters put it between a recording and its file.
 */
#include "convert/text/compress.h"

#include "convert/text/gzip.h"

#include <lz4frame.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define PIECE ((size_t)64 << 10) /* bytes that are packed at a time */

enum how {
    GZIP,
    ZSTD,
    LZ4,
    PLAIN,
};

struct compress {
    enum how how;
    struct out *out;
    struct gzip *gzip;
    ZSTD_CCtx *zstd;
    LZ4F_cctx *lz4;
    int rc;
};

static enum how how_of(const char *name)
{
    static const char *const endings[] = {[GZIP] = ".gz", [ZSTD] = ".zst", [LZ4] = ".lz4"};
    size_t n = name == NULL ? 0 : strlen(name);

    for (size_t i = 0; i < PLAIN; i++)
        if (n > strlen(endings[i]) && strcmp(name + n - strlen(endings[i]), endings[i]) == 0)
            return (enum how)i;
    return PLAIN;
}

bool compress_is_name(const char *name)
{
    return how_of(name) != PLAIN;
}

/* Makes the n bytes that were written after the output's a part of it. */
static void took(struct compress *p, size_t n, bool is_error)
{
    if (is_error && p->rc == 0)
        p->rc = JFR_E_NOMEM; /* what both libraries fail of, given room and whole arguments */
    if (p->rc == 0) {
        p->out->b.n += n;
        p->rc = out_check(p->out);
    }
}

static bool make_room(struct compress *p, size_t n)
{
    if (p->rc == 0 && !buf_reserve(&p->out->b, n))
        p->rc = JFR_E_NOMEM;
    return p->rc == 0;
}

static void begin_lz4(struct compress *p)
{
    size_t n;

    if (!make_room(p, LZ4F_HEADER_SIZE_MAX))
        return;
    n = LZ4F_compressBegin(p->lz4, p->out->b.p + p->out->b.n, LZ4F_HEADER_SIZE_MAX, NULL);
    took(p, n, LZ4F_isError(n));
}

struct compress *compress_new(const char *name, struct out *out)
{
    struct compress *p = calloc(1, sizeof(*p));

    if (p == NULL)
        return NULL;
    p->how = how_of(name);
    p->out = out;
    if (p->how == GZIP)
        p->gzip = gzip_new(out);
    else if (p->how == ZSTD)
        p->zstd = ZSTD_createCCtx();
    else if (LZ4F_isError(LZ4F_createCompressionContext(&p->lz4, LZ4F_VERSION)))
        p->lz4 = NULL;
    if (p->gzip == NULL && p->zstd == NULL && p->lz4 == NULL)
        p->rc = JFR_E_NOMEM;
    else if (p->how == LZ4)
        begin_lz4(p);
    return p;
}

/* All of the bytes, and with `end` the end of the stream. */
static void put_zstd(struct compress *p, const void *bytes, size_t n, bool end)
{
    ZSTD_inBuffer in = {bytes, n, 0};
    size_t left = 1;

    while (p->rc == 0 && (in.pos < in.size || (end && left > 0))) {
        ZSTD_outBuffer out;

        if (!make_room(p, PIECE))
            return;
        out = (ZSTD_outBuffer){p->out->b.p + p->out->b.n, PIECE, 0};
        left = ZSTD_compressStream2(p->zstd, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
        took(p, out.pos, ZSTD_isError(left));
    }
}

static void put_lz4(struct compress *p, const uint8_t *bytes, size_t n)
{
    const size_t room = LZ4F_compressBound(PIECE, NULL);

    for (size_t piece; n > 0 && make_room(p, room); bytes += piece, n -= piece) {
        size_t got;

        piece = n < PIECE ? n : PIECE;
        got = LZ4F_compressUpdate(p->lz4, p->out->b.p + p->out->b.n, room, bytes, piece, NULL);
        took(p, got, LZ4F_isError(got));
    }
}

int compress_put(struct compress *p, const void *bytes, size_t n)
{
    if (p->rc != 0 || n == 0)
        return p->rc;
    if (p->how == GZIP)
        p->rc = gzip_put(p->gzip, bytes, n);
    else if (p->how == ZSTD)
        put_zstd(p, bytes, n, false);
    else
        put_lz4(p, bytes, n);
    return p->rc;
}

static void end_lz4(struct compress *p)
{
    const size_t room = LZ4F_compressBound(0, NULL);
    size_t n;

    if (!make_room(p, room))
        return;
    n = LZ4F_compressEnd(p->lz4, p->out->b.p + p->out->b.n, room, NULL);
    took(p, n, LZ4F_isError(n));
}

int compress_end(struct compress *p)
{
    int rc;

    if (p == NULL)
        return JFR_E_NOMEM;
    if (p->how == GZIP) {
        rc = gzip_end(p->gzip);
        p->rc = p->rc == 0 ? rc : p->rc;
    } else if (p->how == ZSTD) {
        put_zstd(p, NULL, 0, true);
    } else {
        end_lz4(p);
    }
    ZSTD_freeCCtx(p->zstd);
    LZ4F_freeCompressionContext(p->lz4);
    rc = p->rc;
    free(p);
    return rc;
}
