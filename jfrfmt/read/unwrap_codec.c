/*
 * unwrap_codec.c - unpacks gzip, zstd and lz4 frames, one after the other as `cat` joins them.
 *
 * Called by unwrap.c for bytes that begin with one of the three magics. A row of the table `codecs`
 * is all that a format needs: begin, one step over an input and an output buffer, restart for the
 * next member, end. Members may be of different formats.
 */
#include "jfrfmt/read/unwrap_internal.h"

#include <lz4frame.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define ZSTD_WINDOW_LOG 27 /* zstd's own default bound: 128 MiB */

struct codec {
    const char *name;
    bool (*is_magic)(const uint8_t *p); /* UNWRAP_MAGIC bytes */
    void *(*begin)(void); /* NULL if out of memory */
    bool (*restart)(void *state); /* for the next member */
    const char *(*step)(void *state, struct unwrap_step *st);
    void (*end)(void *state);
};

struct decoder {
    struct unwrap base;
    const struct codec *codec; /* of the current member, or of the one before */
    void *state;
    bool in_member;
};

/* ---- gzip ---- */

static bool is_gzip(const uint8_t *p)
{
    return p[0] == 0x1f && p[1] == 0x8b && p[2] == Z_DEFLATED;
}

static void *begin_gzip(void)
{
    z_stream *z = calloc(1, sizeof(*z));

    if (z != NULL && inflateInit2(z, 16 + MAX_WBITS) == Z_OK)
        return z;
    free(z);
    return NULL;
}

static bool restart_gzip(void *state)
{
    return inflateReset(state) == Z_OK;
}

const char *unwrap_inflate(z_stream *z, struct unwrap_step *st)
{
    uInt n_in = st->n_in < UINT32_MAX ? (uInt)st->n_in : UINT32_MAX;
    uInt n_out = st->n_out < UINT32_MAX ? (uInt)st->n_out : UINT32_MAX;
    int rc;

    z->next_in = (Bytef *)(uintptr_t)st->in; /* zlib does not write there */
    z->avail_in = n_in;
    z->next_out = st->out;
    z->avail_out = n_out;
    rc = inflate(z, Z_NO_FLUSH);
    st->in += n_in - z->avail_in;
    st->n_in -= n_in - z->avail_in;
    st->out += n_out - z->avail_out;
    st->n_out -= n_out - z->avail_out;
    st->ended = rc == Z_STREAM_END;
    if (rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR)
        return NULL;
    return z->msg != NULL ? z->msg : zError(rc);
}

static const char *step_gzip(void *state, struct unwrap_step *st)
{
    return unwrap_inflate(state, st);
}

static void end_gzip(void *state)
{
    inflateEnd(state);
    free(state);
}

/* ---- zstd and lz4 ----
 * Where these two fail they do not say what they have written before. So a step gets no more input
 * than they ask for, which is a block: then what comes before a damaged block is delivered. */

struct zstd {
    ZSTD_DCtx *ctx;
    size_t hint;
};

static bool is_zstd(const uint8_t *p)
{
    bool is_skippable = (p[0] & 0xf0) == 0x50 && memcmp(p + 1, "\x2a\x4d\x18", 3) == 0;

    return is_skippable || memcmp(p, "\x28\xb5\x2f\xfd", 4) == 0;
}

static bool restart_zstd(void *state)
{
    struct zstd *z = state;

    z->hint = 1;
    return !ZSTD_isError(ZSTD_DCtx_reset(z->ctx, ZSTD_reset_session_only));
}

static void end_zstd(void *state)
{
    ZSTD_freeDCtx(((struct zstd *)state)->ctx);
    free(state);
}

static void *begin_zstd(void)
{
    struct zstd *z = calloc(1, sizeof(*z));

    if (z == NULL)
        return NULL;
    z->hint = 1;
    z->ctx = ZSTD_createDCtx();
    if (z->ctx != NULL &&
        !ZSTD_isError(ZSTD_DCtx_setParameter(z->ctx, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG)))
        return z;
    end_zstd(z);
    return NULL;
}

static const char *step_zstd(void *state, struct unwrap_step *st)
{
    struct zstd *z = state;
    ZSTD_inBuffer in = {st->in, st->n_in < z->hint ? st->n_in : z->hint, 0};
    ZSTD_outBuffer out = {st->out, st->n_out, 0};
    size_t rc = ZSTD_decompressStream(z->ctx, &out, &in);

    if (ZSTD_isError(rc))
        return ZSTD_getErrorName(rc);
    st->in += in.pos;
    st->n_in -= in.pos;
    st->out += out.pos;
    st->n_out -= out.pos;
    st->ended = rc == 0;
    z->hint = rc;
    return NULL;
}

struct lz4 {
    LZ4F_dctx *ctx;
    size_t hint;
};

static bool is_lz4(const uint8_t *p)
{
    return memcmp(p, "\x04\x22\x4d\x18", 4) == 0;
}

static bool restart_lz4(void *state)
{
    struct lz4 *l = state;

    l->hint = LZ4F_HEADER_SIZE_MIN;
    LZ4F_resetDecompressionContext(l->ctx);
    return true;
}

static void *begin_unlz4(void)
{
    struct lz4 *l = calloc(1, sizeof(*l));

    if (l == NULL || LZ4F_isError(LZ4F_createDecompressionContext(&l->ctx, LZ4F_VERSION))) {
        free(l);
        return NULL;
    }
    l->hint = LZ4F_HEADER_SIZE_MIN;
    return l;
}

static const char *step_lz4(void *state, struct unwrap_step *st)
{
    struct lz4 *l = state;
    size_t n_in = st->n_in < l->hint ? st->n_in : l->hint, n_out = st->n_out;
    size_t rc = LZ4F_decompress(l->ctx, st->out, &n_out, st->in, &n_in, NULL);

    if (LZ4F_isError(rc))
        return LZ4F_getErrorName(rc);
    st->in += n_in;
    st->n_in -= n_in;
    st->out += n_out;
    st->n_out -= n_out;
    st->ended = rc == 0;
    l->hint = rc;
    return NULL;
}

static void end_unlz4(void *state)
{
    LZ4F_freeDecompressionContext(((struct lz4 *)state)->ctx);
    free(state);
}

static const struct codec codecs[] = {
    {"gzip", is_gzip, begin_gzip, restart_gzip, step_gzip, end_gzip},
    {"zstd", is_zstd, begin_zstd, restart_zstd, step_zstd, end_zstd},
    {"lz4", is_lz4, begin_unlz4, restart_lz4, step_lz4, end_unlz4},
};

/* ---- the layer ---- */

static const struct codec *codec_of(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; n >= UNWRAP_MAGIC && i < sizeof(codecs) / sizeof(codecs[0]); i++)
        if (codecs[i].is_magic(bytes))
            return &codecs[i];
    return NULL;
}

bool unwrap_is_codec(const uint8_t *bytes, size_t n)
{
    return codec_of(bytes, n) != NULL;
}

static bool begin_member(struct decoder *d, const struct codec *codec)
{
    if (d->codec == codec)
        return codec->restart(d->state);
    if (d->state != NULL)
        d->codec->end(d->state);
    d->codec = codec;
    d->state = codec->begin();
    d->base.name = codec->name;
    return d->state != NULL;
}

/* Zeros after the last member are padding (tape blocks, sparse copies), the rest is not. */
static bool is_padding(struct unwrap *in)
{
    while (unwrap_peek(in, 1) > 0) {
        if (*in->p != 0)
            return false;
        unwrap_take(in, 1);
    }
    return true;
}

static bool next_member(struct decoder *d)
{
    struct unwrap *in = d->base.inner;
    size_t have = unwrap_peek(in, UNWRAP_MAGIC);
    const struct codec *codec = codec_of(in->p, have);

    if (codec != NULL) {
        d->in_member = begin_member(d, codec);
        if (!d->in_member)
            unwrap_damaged(&d->base, JFR_E_NOMEM, "out of memory");
    } else if (!is_padding(in)) {
        unwrap_damaged(&d->base, JFR_E_FORMAT, "unknown bytes after the compressed data");
    }
    return d->in_member;
}

/* One step; false when nothing came of it and nothing will. */
static bool decode(struct decoder *d, struct unwrap_step *st)
{
    struct unwrap *in = d->base.inner;
    size_t have = unwrap_peek(in, 1), room = st->n_out;
    const char *why;

    st->in = in->p;
    st->n_in = have;
    why = d->codec->step(d->state, st);
    unwrap_take(in, have - st->n_in);
    d->in_member = !st->ended;
    if (why == NULL && !st->ended && st->n_in == have && st->n_out == room)
        why = have > 0 ? "no progress" : "data ends early";
    if (why != NULL)
        unwrap_damaged(&d->base, have > 0 ? JFR_E_FORMAT : JFR_E_SHORT, why);
    return why == NULL;
}

static size_t pull_codec(struct unwrap *u, uint8_t *to, size_t n)
{
    struct decoder *d = (struct decoder *)u;
    struct unwrap_step st = {.out = to, .n_out = n};

    while (st.n_out == n && (d->in_member || next_member(d)))
        if (!decode(d, &st))
            break;
    return n - st.n_out;
}

static void close_codec(struct unwrap *u)
{
    struct decoder *d = (struct decoder *)u;

    if (d->state != NULL)
        d->codec->end(d->state);
}

struct unwrap *unwrap_push_codec(struct unwrap *inner, struct jfr_error *err)
{
    static const struct unwrap_kind kind = {pull_codec, close_codec};

    return unwrap_push(inner, sizeof(struct decoder), &kind, err);
}
