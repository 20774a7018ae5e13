/*
 * encode.c - the encodings of Parquet for numbers: plain, runs and packed bits, differences,
 * levels.
 *
 * Each function appends to the body of a page. encode.h names the section of the specification.
 */
#include "convert/parquet/encode.h"

#include "convert/parquet/thrift.h"

#define BLOCK 128 /* differences that share a least one, */
#define MINIBLOCK 32 /* and those that share a width */
#define RUN_LEAST 8 /* a shorter one is packed with its neighbours */

unsigned encode_width(uint64_t most)
{
    return most == 0 ? 0 : 64 - (unsigned)__builtin_clzll(most);
}

static void put_low_bytes(struct buf *b, uint64_t v, unsigned n)
{
    uint8_t bytes[8];

    for (unsigned i = 0; i < n; i++)
        bytes[i] = (uint8_t)(v >> 8 * i);
    buf_bytes(b, bytes, n);
}

/* Collects bits; what is left of a byte at the end is zero. */
struct bits {
    struct buf *b;
    uint64_t held;
    unsigned n; /* below 8 between two calls */
};

/* At most 32 bits. */
static inline void push_some(struct bits *to, uint64_t v, unsigned width)
{
    to->held |= v << to->n;
    for (to->n += width; to->n >= 8; to->n -= 8, to->held >>= 8)
        buf_byte(to->b, (uint8_t)to->held);
}

static inline void push_bits(struct bits *to, uint64_t v, unsigned width)
{
    if (width > 32) {
        push_some(to, v & UINT32_MAX, 32);
        push_some(to, v >> 32, width - 32);
    } else {
        push_some(to, v, width);
    }
}

static void flush_bits(struct bits *to)
{
    if (to->n > 0)
        buf_byte(to->b, (uint8_t)to->held);
}

/* --- runs --- */

/* Only the last group of a page may lack some of its eight numbers. */
static void pack_groups(struct buf *b, const uint32_t *v, size_t n, unsigned width)
{
    size_t groups = (n + 7) / 8;
    struct bits to = {.b = b};

    if (n == 0)
        return;
    thrift_varint(b, groups << 1 | 1);
    buf_reserve(b, groups * width);
    for (size_t i = 0; i < groups * 8; i++)
        push_bits(&to, i < n ? v[i] : 0, width);
}

void encode_hybrid(struct buf *b, const uint32_t *v, size_t n, unsigned width)
{
    size_t waits = 0; /* from here to i is to be packed */

    for (size_t i = 0, run; i < n; i += run) {
        size_t fill = (8 - (i - waits) % 8) % 8; /* of the run, for the group in front of it */

        for (run = 1; i + run < n && v[i + run] == v[i]; run++) {
        }
        if (run < RUN_LEAST + fill)
            continue;
        pack_groups(b, v + waits, i + fill - waits, width);
        thrift_varint(b, (uint64_t)(run - fill) << 1);
        put_low_bytes(b, v[i], (width + 7) / 8);
        waits = i + run;
    }
    pack_groups(b, v + waits, n - waits, width);
}

/* How many bytes are as the first. */
static size_t run_length(const uint8_t *v, size_t n)
{
    uint64_t all = v[0] * UINT64_C(0x0101010101010101), word = all;
    size_t i = 1;

    for (; i + sizeof(word) <= n && word == all; i += sizeof(word))
        memcpy(&word, v + i, sizeof(word));
    if (word != all)
        i -= sizeof(word);
    while (i < n && v[i] == v[0])
        i++;
    return i;
}

/* As encode_hybrid(), of bytes: nearly always one run. */
static void put_level_runs(struct buf *b, const uint8_t *v, size_t n, unsigned width)
{
    uint32_t part[1024];
    size_t i = 0;

    while (i < n) {
        size_t run = run_length(v + i, n - i), m;

        if (run >= RUN_LEAST) {
            thrift_varint(b, (uint64_t)run << 1);
            put_low_bytes(b, v[i], (width + 7) / 8);
            i += run;
            continue;
        }
        /* Whole groups of eight, so that runs may follow. */
        m = n - i < sizeof(part) / sizeof(*part) ? n - i : sizeof(part) / sizeof(*part);
        for (run = 8; run + 16 <= m && memcmp(v + i + run, v + i + run + 1, 15) != 0; run += 8) {
        }
        run = run < m ? run : m;
        for (size_t k = 0; k < run; k++)
            part[k] = v[i + k];
        pack_groups(b, part, run, width);
        i += run;
    }
}

void encode_levels(struct buf *b, const uint8_t *v, size_t n, uint8_t most)
{
    size_t at = b->n;
    uint32_t length;

    put_low_bytes(b, 0, 4);
    put_level_runs(b, v, n, encode_width(most));
    if (!buf_ok(b))
        return;
    length = (uint32_t)(b->n - at - 4);
    for (unsigned i = 0; i < 4; i++)
        b->p[at + i] = (uint8_t)(length >> 8 * i);
}

/* --- differences --- */

static void put_miniblock(struct buf *b, const uint64_t *v, unsigned width)
{
    struct bits to = {.b = b};

    buf_reserve(b, MINIBLOCK / 8 * width);
    for (size_t i = 0; i < MINIBLOCK; i++)
        push_bits(&to, v[i], width);
}

/* Miniblocks without a difference have a width, but no bytes; a begun one is whole. */
static void put_block(struct buf *b, const int64_t *v, size_t n)
{
    uint64_t d[BLOCK] = {0};
    uint8_t widths[BLOCK / MINIBLOCK] = {0};
    int64_t least = INT64_MAX;

    for (size_t i = 0; i < n; i++) {
        d[i] = (uint64_t)v[i] - (uint64_t)v[(ptrdiff_t)i - 1];
        if ((int64_t)d[i] < least)
            least = (int64_t)d[i];
    }
    for (size_t i = 0; i < n; i++) {
        unsigned width = encode_width(d[i] -= (uint64_t)least);

        if (width > widths[i / MINIBLOCK])
            widths[i / MINIBLOCK] = (uint8_t)width;
    }
    thrift_zigzag(b, least);
    buf_bytes(b, widths, sizeof(widths));
    for (size_t i = 0; i < n; i += MINIBLOCK)
        put_miniblock(b, d + i, widths[i / MINIBLOCK]);
}

void encode_delta(struct buf *b, const int64_t *v, size_t n)
{
    thrift_varint(b, BLOCK);
    thrift_varint(b, BLOCK / MINIBLOCK);
    thrift_varint(b, n);
    thrift_zigzag(b, n == 0 ? 0 : v[0]);
    for (size_t i = 1; i < n; i += BLOCK)
        put_block(b, v + i, n - i < BLOCK ? n - i : BLOCK);
}

/* --- plain --- */

void encode_bits(struct buf *b, const int64_t *v, size_t n)
{
    struct bits to = {.b = b};

    for (size_t i = 0; i < n; i++)
        push_bits(&to, (uint64_t)v[i] & 1, 1);
    flush_bits(&to);
}

void encode_plain(struct buf *b, const int64_t *v, size_t n, size_t size)
{
    buf_reserve(b, n * size);
    for (size_t i = 0; i < n; i++)
        put_low_bytes(b, (uint64_t)v[i], (unsigned)size);
}
