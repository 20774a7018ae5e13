#include "convert/flame_pack.h"

#include <inttypes.h>
#include <stdlib.h>

#define AS_GZIP 16 /* to window bits; the header has no name and no time */

struct pack *pack_new(struct out *out)
{
    struct pack *p = calloc(1, sizeof(*p));

    if (p == NULL)
        return NULL;
    p->out = out;
    /* 60 000 stacks take 0.25 s and 5.36 MB at level 4, 0.5 s and 5.30 MB at 6, 1.5 s and 5.24 MB
     * at 9: as much as reading the recording. */
    if (deflateInit2(&p->z, 4, Z_DEFLATED, MAX_WBITS + AS_GZIP, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        free(p);
        return NULL;
    }
    p->z.next_out = p->packed;
    p->z.avail_out = PACK_ROOM;
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

static void write_packed(struct pack *p)
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

/* Deflates n bytes, or with Z_FINISH completes the stream. */
static void deflate_bytes(struct pack *p, uint8_t *bytes, size_t n, int flush)
{
    int rc;

    p->z.next_in = bytes;
    p->z.avail_in = (uInt)n;
    do {
        rc = deflate(&p->z, flush);
        if (p->z.avail_out == 0)
            write_packed(p);
    } while (p->rc == 0 && (p->z.avail_in > 0 || (flush == Z_FINISH && rc == Z_OK)));
}

void pack_flush(struct pack *p)
{
    const size_t step = (size_t)1 << 30; /* avail_in has 32 bits */

    if (!buf_ok(&p->raw))
        fail(p, JFR_E_NOMEM);
    if (p->raw.n == 0)
        return;
    if (p->n_sections > 0)
        p->sections[p->n_sections - 1].bytes += p->raw.n;
    for (size_t at = 0; at < p->raw.n && p->rc == 0; at += step)
        deflate_bytes(p, p->raw.p + at, p->raw.n - at < step ? p->raw.n - at : step, Z_NO_FLUSH);
    buf_reset(&p->raw);
}

void pack_section(struct pack *p, const char *name)
{
    pack_flush(p);
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
        write_packed(p);
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
