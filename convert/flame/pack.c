/*
 * pack.c - compresses the data of a page with zlib and writes it as text of 91 different
 * characters.
 */
#include "convert/flame/pack.h"

#include <inttypes.h>
#include <stdlib.h>

#define LEVEL 4
#define AS_GZIP 16 /* to window bits; the header has no name and no time */

struct pack *pack_new(struct out *out)
{
    struct pack *p = calloc(1, sizeof(*p));

    if (p == NULL)
        return NULL;
    p->out = out;
    /* 60 000 stacks take 0.25 s and 5.36 MB at level 4, 0.5 s and 5.30 MB at 6, 1.5 s and 5.24 MB
     * at 9: as much as reading the recording. */
    if (deflateInit2(&p->z, LEVEL, Z_DEFLATED, MAX_WBITS + AS_GZIP, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        free(p);
        return NULL;
    }
    p->z.next_out = p->packed;
    p->z.avail_out = PACK_ROOM;
    p->searches = true;
    return p;
}

static void as_text(struct buf *b, const uint8_t *p, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                 "!\"#$%'()*+,-./:;=?@[\\]^_`{|}~";
    uint32_t bits = 0;
    unsigned have = 0;
    uint8_t *to;

    _Static_assert(sizeof(digits) == 91 + 1, "two digits have room for 13 bits");
    if (!buf_reserve(b, n / 13 * 16 + 16 + n % 13 * 2))
        return;
    to = b->p + b->n;
    for (size_t i = 0; i < n; i++) {
        bits |= (uint32_t)p[i] << have;
        have += 8;
        if (have < 13)
            continue;
        *to++ = digits[(bits & 8191) % 91];
        *to++ = digits[(bits & 8191) / 91];
        bits >>= 13;
        have -= 13;
    }
    if (have > 0)
        *to++ = digits[bits % 91];
    if (have > 6)
        *to++ = digits[bits / 91];
    b->n = to - b->p;
}

static void fail(struct pack *p, int rc)
{
    if (p->rc == 0)
        p->rc = rc;
}

static void write_packed_bytes(struct pack *p)
{
    int rc;

    as_text(&p->out->b, p->packed, PACK_ROOM - p->z.avail_out);
    p->z.next_out = p->packed;
    p->z.avail_out = PACK_ROOM;
    if (!buf_ok(&p->out->b))
        fail(p, JFR_E_NOMEM);
    else if ((rc = out_check(p->out)) < 0)
        fail(p, rc);
}

/* Deflates n bytes; with Z_BLOCK they leave nothing behind, with Z_FINISH the stream is complete.
 */
static void deflate_bytes(struct pack *p, uint8_t *bytes, size_t n, int flush)
{
    int rc;

    p->z.next_in = bytes;
    p->z.avail_in = (uInt)n;
    do {
        bool is_full;

        rc = deflate(&p->z, flush);
        is_full = p->z.avail_out == 0;
        if (is_full)
            write_packed_bytes(p);
        else if (flush != Z_FINISH && p->z.avail_in == 0)
            break;
    } while (p->rc == 0 && (flush != Z_FINISH || rc == Z_OK || rc == Z_BUF_ERROR));
}

static void set_search(struct pack *p, bool searches)
{
    if (p->searches == searches)
        return;
    deflate_bytes(p, NULL, 0, Z_BLOCK);
    deflateParams(&p->z, LEVEL, searches ? Z_DEFAULT_STRATEGY : Z_RLE);
    p->searches = searches;
}

/* Packs in one of the two ways; returns how many bytes it becomes for each. */
static double try_bytes(struct pack *p, bool searches, uint8_t *bytes, size_t n)
{
    uLong before;

    set_search(p, searches);
    deflate_bytes(p, NULL, 0, Z_BLOCK);
    before = p->z.total_out;
    deflate_bytes(p, bytes, n, Z_BLOCK);
    return (double)(p->z.total_out - before) / (double)n;
}

/* What is tried is a quarter of a block each way: searching in vain is what costs most. */
static void deflate_block(struct pack *p, uint8_t *bytes, size_t n)
{
    size_t part = PACK_HIGH / 4;

    if (p->block++ % PACK_TRIAL == 0) {
        if (n < 2 * part) {
            set_search(p, true);
        } else {
            double searched = try_bytes(p, true, bytes, part);

            set_search(p, searched < try_bytes(p, false, bytes + part, part) * 0.98);
            bytes += 2 * part;
            n -= 2 * part;
        }
    }
    deflate_bytes(p, bytes, n, Z_NO_FLUSH);
}

void pack_flush(struct pack *p)
{
    if (!buf_ok(&p->raw))
        fail(p, JFR_E_NOMEM);
    if (p->raw.n == 0)
        return;
    if (p->n_sections > 0)
        p->sections[p->n_sections - 1].bytes += p->raw.n;
    for (size_t at = 0; at < p->raw.n && p->rc == 0; at += PACK_HIGH)
        deflate_block(p, p->raw.p + at, p->raw.n - at < PACK_HIGH ? p->raw.n - at : PACK_HIGH);
    buf_reset(&p->raw);
}

void pack_section(struct pack *p, const char *name)
{
    pack_flush(p);
    p->block = 0;
    if (p->n_sections == PACK_SECTIONS) {
        fail(p, JFR_E_LIMIT);
        return;
    }
    p->sections[p->n_sections++].name = name;
}

int pack_end(struct pack *p)
{
    pack_flush(p);
    if (p->rc == 0)
        deflate_bytes(p, NULL, 0, Z_FINISH);
    if (p->rc == 0)
        write_packed_bytes(p);
    return p->rc;
}

void pack_directory(const struct pack *p, struct buf *b)
{
    buf_byte(b, '[');
    for (size_t i = 0; i < p->n_sections; i++)
        buf_printf(b, "%s\n{\"name\":\"%s\",\"bytes\":%" PRIu64 "}", i > 0 ? "," : "",
                   p->sections[i].name, p->sections[i].bytes);
    buf_byte(b, ']');
}

void pack_free(struct pack *p)
{
    if (p == NULL)
        return;
    deflateEnd(&p->z);
    buf_free(&p->raw);
    free(p);
}
