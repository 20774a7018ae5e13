/* unwrap_testing.h - for tests: the same bytes in every wrapper that is understood. */
#ifndef JFRFMT_TEST_UNWRAP_TESTING_H
#define JFRFMT_TEST_UNWRAP_TESTING_H

#include "jfrfmt/base/buf.h"
#include "jfrfmt/test/testing.h"

#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

typedef void wrap_fn(struct buf *to, const uint8_t *p, size_t n);

static inline void deflate_all(struct buf *to, const uint8_t *p, size_t n, int window_bits)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)p, .avail_in = (uInt)n};

    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_true(buf_reserve(to, deflateBound(&z, n)));
    z.next_out = to->p + to->n;
    z.avail_out = (uInt)(to->room - to->n);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    to->n += z.total_out;
    deflateEnd(&z);
}

static inline void wrap_gzip(struct buf *to, const uint8_t *p, size_t n)
{
    deflate_all(to, p, n, 16 + MAX_WBITS);
}

/* Members of a third each, cut where chunks do not end; one is empty. */
static inline void wrap_gzip_members(struct buf *to, const uint8_t *p, size_t n)
{
    wrap_gzip(to, p, n / 3);
    wrap_gzip(to, p, 0);
    wrap_gzip(to, p + n / 3, n / 3);
    wrap_gzip(to, p + n / 3 * 2, n - n / 3 * 2);
}

static inline void wrap_zstd(struct buf *to, const uint8_t *p, size_t n)
{
    ZSTD_CCtx *c = ZSTD_createCCtx();
    size_t room = ZSTD_compressBound(n), got;

    ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    assert_true(buf_reserve(to, room));
    got = ZSTD_compress2(c, to->p + to->n, room, p, n);
    assert_false(ZSTD_isError(got));
    to->n += got;
    ZSTD_freeCCtx(c);
}

static inline void put_skippable(struct buf *to, const char *text)
{
    size_t n = strlen(text);

    buf_bytes(to, "\x5f\x2a\x4d\x18", 4);
    buf_bytes(to, (uint8_t[]){(uint8_t)n, 0, 0, 0}, 4);
    buf_str(to, text);
}

static inline void wrap_zstd_frames(struct buf *to, const uint8_t *p, size_t n)
{
    put_skippable(to, "seek table of somebody");
    wrap_zstd(to, p, n / 2);
    put_skippable(to, "");
    wrap_zstd(to, p + n / 2, n - n / 2);
    put_skippable(to, "the end");
}

static inline void wrap_lz4(struct buf *to, const uint8_t *p, size_t n)
{
    LZ4F_preferences_t prefs = {.frameInfo = {.blockSizeID = LZ4F_max64KB,
                                              .contentChecksumFlag = LZ4F_contentChecksumEnabled,
                                              .blockChecksumFlag = LZ4F_blockChecksumEnabled}};
    size_t room = LZ4F_compressFrameBound(n, &prefs), got;

    assert_true(buf_reserve(to, room));
    got = LZ4F_compressFrame(to->p + to->n, room, p, n, &prefs);
    assert_false(LZ4F_isError(got));
    to->n += got;
}

static inline void wrap_lz4_frames(struct buf *to, const uint8_t *p, size_t n)
{
    wrap_lz4(to, p, n / 2);
    put_skippable(to, "between");
    wrap_lz4(to, p + n / 2, n - n / 2);
}

/* How an entry of a zip is written. Zero: stored, sizes in front. */
struct zip_style {
    bool deflated, descriptor, no_signature, zip64;
    int method, flags; /* or-ed to what the above ask for */
};

static inline void put_le(struct buf *to, uint64_t v, unsigned n)
{
    for (; n > 0; n--, v >>= 8)
        buf_byte(to, (uint8_t)v);
}

static inline void put_entry(struct buf *to, const char *name, const uint8_t *p, size_t n,
                             struct zip_style s)
{
    uint32_t crc = (uint32_t)crc32_z(0, p, n), wide = s.zip64 && !s.descriptor;
    struct buf data = {0};

    if (s.deflated)
        deflate_all(&data, p, n, -MAX_WBITS);
    else
        buf_bytes(&data, p, n);
    buf_bytes(to, "PK\x03\x04", 4);
    put_le(to, 45, 2);
    put_le(to, (uint64_t)((s.descriptor ? 8 : 0) | s.flags), 2);
    put_le(to, (uint64_t)((s.deflated ? 8 : 0) | s.method), 2);
    put_le(to, 0, 4);
    put_le(to, s.descriptor ? 0 : crc, 4);
    put_le(to, wide ? UINT32_MAX : s.descriptor ? 0 : data.n, 4);
    put_le(to, wide ? UINT32_MAX : s.descriptor ? 0 : n, 4);
    put_le(to, strlen(name), 2);
    put_le(to, wide ? 8 + 20 : 8, 2);
    buf_str(to, name);
    put_le(to, 0x4444, 2); /* somebody's extra field */
    put_le(to, 4, 2);
    put_le(to, 0x01010101, 4);
    if (wide) {
        put_le(to, 1, 2);
        put_le(to, 16, 2);
        put_le(to, n, 8);
        put_le(to, data.n, 8);
    }
    buf_bytes(to, data.p, data.n);
    if (s.descriptor) {
        if (!s.no_signature)
            buf_bytes(to, "PK\x07\x08", 4);
        put_le(to, crc, 4);
        put_le(to, data.n, s.zip64 ? 8 : 4);
        put_le(to, n, s.zip64 ? 8 : 4);
    }
    buf_free(&data);
}

static inline void put_directory(struct buf *to)
{
    buf_bytes(to, "PK\x01\x02", 4);
    for (int i = 0; i < 60; i++)
        buf_byte(to, (uint8_t)i);
}

/* The recording between a read-me and an empty folder. */
static inline void wrap_zip(struct buf *to, const uint8_t *p, size_t n, struct zip_style s)
{
    put_entry(to, "README", (const uint8_t *)"FLIGHT", 6, (struct zip_style){.descriptor = true});
    put_entry(to, "a.jfr", p, n, s);
    put_entry(to, "folder/", NULL, 0, (struct zip_style){0});
    put_directory(to);
}

#define ZIP_WRAPPER(NAME, ...)                                          \
    static inline void NAME(struct buf *to, const uint8_t *p, size_t n) \
    {                                                                   \
        wrap_zip(to, p, n, (struct zip_style){__VA_ARGS__});            \
    }
ZIP_WRAPPER(wrap_zip_stored, .deflated = false)
ZIP_WRAPPER(wrap_zip_stored64, .zip64 = true)
ZIP_WRAPPER(wrap_zip_stored_descriptor, .descriptor = true)
ZIP_WRAPPER(wrap_zip_stored_descriptor64, .descriptor = true, .zip64 = true)
ZIP_WRAPPER(wrap_zip_deflated, .deflated = true)
ZIP_WRAPPER(wrap_zip_deflated64, .deflated = true, .zip64 = true)
ZIP_WRAPPER(wrap_zip_deflated_descriptor, .deflated = true, .descriptor = true)
ZIP_WRAPPER(wrap_zip_deflated_bare, .deflated = true, .descriptor = true, .no_signature = true)
ZIP_WRAPPER(wrap_zip_deflated_descriptor64, .deflated = true, .descriptor = true, .zip64 = true)

struct wrapper {
    const char *name;
    wrap_fn *wrap;
    const char *says; /* what messages about it begin with */
};

static const struct wrapper wrappers[] = {
    {"gzip", wrap_gzip, "gzip: "},
    {"gzip members", wrap_gzip_members, "gzip: "},
    {"zstd", wrap_zstd, "zstd: "},
    {"zstd frames", wrap_zstd_frames, "zstd: "},
    {"lz4", wrap_lz4, "lz4: "},
    {"lz4 frames", wrap_lz4_frames, ""}, /* a skippable frame is taken for zstd's */
    {"zip, stored", wrap_zip_stored, "zip: "},
    {"zip, stored, 64-bit sizes", wrap_zip_stored64, "zip: "},
    {"zip, stored, descriptor", wrap_zip_stored_descriptor, "zip: "},
    {"zip, stored, 64-bit descriptor", wrap_zip_stored_descriptor64, "zip: "},
    {"zip, deflated", wrap_zip_deflated, "zip: "},
    {"zip, deflated, 64-bit sizes", wrap_zip_deflated64, "zip: "},
    {"zip, deflated, descriptor", wrap_zip_deflated_descriptor, "zip: "},
    {"zip, deflated, bare descriptor", wrap_zip_deflated_bare, "zip: "},
    {"zip, deflated, 64-bit descriptor", wrap_zip_deflated_descriptor64, "zip: "},
};
#define N_WRAPPERS (sizeof(wrappers) / sizeof(wrappers[0]))

/* n bytes that begin with a chunk's magic and compress neither well nor badly. */
static inline struct buf some_bytes(size_t n)
{
    struct buf b = {0};
    uint32_t x = 1;

    buf_bytes(&b, "FLR", 4);
    while (b.n < n) {
        x = x * 1664525 + 1013904223;
        buf_byte(&b, x >> 30 ? (uint8_t)(x >> 24) : 'a');
    }
    return b;
}

#endif
