/*
 * unwrap_zip.c - unpacks the recordings in a zip file, one after the other.
 *
 * unwrap.c calls it for inputs that begin like a zip file. The entries are read in their order; the
 * directory at the end is not needed, so a pipe can be read.
 */
#include "jfrfmt/read/unwrap_internal.h"

#include <string.h>

#define LOCAL_HEADER 30 /* bytes, without name and extra fields */
#define SIGNATURE 4
#define DESCRIPTOR_MAX 24 /* signature, checksum, two sizes of 8 bytes */

enum {
    STORED = 0,
    DEFLATED = 8,
    ENCRYPTED = 1, /* flag bits */
    DESCRIPTOR = 8, /* checksum and sizes follow the data */
};

struct zip {
    struct unwrap base;
    z_stream z;
    bool can_inflate; /* z has been set up */
    bool in_entry;
    bool is_new; /* nothing of the entry has been read */
    bool is_wanted; /* it is a recording */
    enum {
        NOTHING,
        PLAIN,
        WRAPPED,
    } holds; /* what the recordings so far are; the layer above can read one kind */
    uint16_t flags, method;
    uint32_t crc, want_crc; /* of what was read, by the header */
    uint64_t n_in, n_out; /* bytes of the entry read and produced */
    uint64_t want_in, want_out; /* by the header */
};

/* ---- little-endian numbers ---- */

static uint64_t le(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;

    while (n-- > 0)
        v = v << 8 | p[n];
    return v;
}

static bool is_signature(const uint8_t *p, size_t n, char a, char b)
{
    return n >= SIGNATURE && p[0] == 'P' && p[1] == 'K' && p[2] == a && p[3] == b;
}

bool unwrap_is_zip(const uint8_t *bytes, size_t n)
{
    return is_signature(bytes, n, 3, 4) || is_signature(bytes, n, 5, 6);
}

static bool bad(struct zip *z, enum jfr_errc code, const char *what)
{
    unwrap_damaged(&z->base, code, what);
    return false;
}

static bool is_short(struct zip *z)
{
    return bad(z, JFR_E_SHORT, "data ends early");
}

/* ---- the header of an entry ---- */

static bool take(struct zip *z, size_t n)
{
    size_t have;

    for (; n > 0; n -= have) {
        have = unwrap_peek(z->base.inner, 1);
        if (have == 0)
            return is_short(z);
        if (have > n)
            have = n;
        unwrap_take(z->base.inner, have);
    }
    return true;
}

/* Sizes that do not fit in 32 bits are in an extra field, the unpacked one first. */
static void read_zip64(struct zip *z, const uint8_t *p, size_t n)
{
    while (n >= 4) {
        uint64_t id = le(p, 2);
        size_t size = (size_t)le(p + 2, 2), at = 4;

        if (size > n - 4)
            return;
        if (id == 1) {
            if (z->want_out == UINT32_MAX && at + 8 <= size + 4) {
                z->want_out = le(p + at, 8);
                at += 8;
            }
            if (z->want_in == UINT32_MAX && at + 8 <= size + 4)
                z->want_in = le(p + at, 8);
            return;
        }
        p += 4 + size;
        n -= 4 + size;
    }
}

static bool read_names(struct zip *z, size_t n_name, size_t n_extra)
{
    struct unwrap *in = z->base.inner;

    if (!take(z, n_name))
        return false;
    if (unwrap_peek(in, n_extra) < n_extra)
        return is_short(z);
    read_zip64(z, in->p, n_extra);
    unwrap_take(in, n_extra);
    return true;
}

static bool check_method(struct zip *z)
{
    if (z->flags & ENCRYPTED)
        return bad(z, JFR_E_UNSUPPORTED, "an entry is encrypted");
    if (z->method != STORED && z->method != DEFLATED)
        return bad(z, JFR_E_UNSUPPORTED, "an entry's compression method is not supported");
    if (z->method == STORED)
        return true;
    if (z->can_inflate)
        return inflateReset(&z->z) == Z_OK;
    z->can_inflate = inflateInit2(&z->z, -MAX_WBITS) == Z_OK;
    return z->can_inflate || bad(z, JFR_E_NOMEM, "out of memory");
}

/* Everything that may follow the last entry; the directory is the usual thing. */
static bool is_directory(const uint8_t *p, size_t n)
{
    return is_signature(p, n, 1, 2) || is_signature(p, n, 5, 6) || is_signature(p, n, 6, 6) ||
           is_signature(p, n, 6, 8);
}

/* False at the end of the entries, and when something is wrong. */
static bool open_entry(struct zip *z)
{
    struct unwrap *in = z->base.inner;
    size_t have = unwrap_peek(in, LOCAL_HEADER), n_name, n_extra;

    if (is_directory(in->p, have))
        return z->holds == NOTHING && bad(z, JFR_E_FORMAT, "no recording in it");
    if (have < LOCAL_HEADER)
        return is_short(z);
    if (!is_signature(in->p, have, 3, 4))
        return bad(z, JFR_E_FORMAT, "neither an entry nor the directory");
    z->flags = (uint16_t)le(in->p + 6, 2);
    z->method = (uint16_t)le(in->p + 8, 2);
    z->want_crc = (uint32_t)le(in->p + 14, 4);
    z->want_in = le(in->p + 18, 4);
    z->want_out = le(in->p + 22, 4);
    n_name = (size_t)le(in->p + 26, 2);
    n_extra = (size_t)le(in->p + 28, 2);
    unwrap_take(in, LOCAL_HEADER);
    z->crc = 0;
    z->n_in = z->n_out = 0;
    z->in_entry = z->is_new = true;
    return read_names(z, n_name, n_extra) && check_method(z);
}

/* ---- its end ---- */

/* Bytes of the descriptor at p if it is the one of this entry, else 0. Its signature is optional
 * and so is the width of its sizes, so what it says has to agree with what was read. */
static size_t descriptor(const struct zip *z, const uint8_t *p, size_t n)
{
    size_t head = is_signature(p, n, 7, 8) ? SIGNATURE + 4 : 4;

    if (n < head + 8 || le(p + head - 4, 4) != z->crc)
        return 0;
    if (le(p + head, 4) == (uint32_t)z->n_in && le(p + head + 4, 4) == (uint32_t)z->n_out)
        return head + 8;
    if (n >= head + 16 && le(p + head, 8) == z->n_in && le(p + head + 8, 8) == z->n_out)
        return head + 16;
    return 0;
}

static bool close_entry(struct zip *z)
{
    struct unwrap *in = z->base.inner;
    size_t n, have;

    z->in_entry = false;
    if (z->flags & DESCRIPTOR) {
        have = unwrap_peek(in, DESCRIPTOR_MAX);
        n = descriptor(z, in->p, have);
        if (n > 0)
            unwrap_take(in, n);
        return n > 0 || bad(z, JFR_E_FORMAT, "an entry's checksum or size differs");
    }
    if (z->crc != z->want_crc || z->n_out != z->want_out)
        return bad(z, JFR_E_FORMAT, "an entry's checksum or size differs");
    return true;
}

/* ---- its bytes ---- */

/* How many of the `have` bytes in sight belong to a stored entry that only its descriptor ends. */
static size_t before_descriptor(const struct zip *z, const uint8_t *p, size_t have)
{
    const uint8_t *q = memmem(p, have, "PK\x07\x08", SIGNATURE);

    if (q == NULL)
        return have > SIGNATURE ? have - (SIGNATURE - 1) : have;
    if (q > p)
        return (size_t)(q - p);
    return descriptor(z, p, have) > 0 ? 0 : 1;
}

static size_t read_stored(struct zip *z, uint8_t *to, size_t n)
{
    struct unwrap *in = z->base.inner;
    size_t have = unwrap_peek(in, DESCRIPTOR_MAX);

    if (have == 0)
        return is_short(z);
    if ((z->flags & DESCRIPTOR) && z->want_in == 0)
        have = before_descriptor(z, in->p, have);
    else if (have > z->want_in - z->n_in)
        have = (size_t)(z->want_in - z->n_in);
    if (n > have)
        n = have;
    memcpy(to, in->p, n);
    unwrap_take(in, n);
    z->n_in += n;
    return n;
}

static size_t read_deflated(struct zip *z, uint8_t *to, size_t n, bool *ended)
{
    struct unwrap *in = z->base.inner;
    size_t have = unwrap_peek(in, 1);
    struct unwrap_step st = {.in = in->p, .n_in = have, .out = to, .n_out = n};
    const char *why = unwrap_inflate(&z->z, &st);

    unwrap_take(in, have - st.n_in);
    z->n_in += have - st.n_in;
    *ended = st.ended;
    if (why != NULL)
        bad(z, JFR_E_FORMAT, why);
    else if (have == 0 && st.n_out == n && !st.ended)
        is_short(z);
    return n - st.n_out;
}

static size_t read_entry(struct zip *z, uint8_t *to, size_t n)
{
    bool ended = false;
    size_t got;

    if (z->method == DEFLATED) {
        got = read_deflated(z, to, n, &ended);
    } else {
        got = read_stored(z, to, n);
        ended = got == 0 && !z->base.ended;
    }
    z->crc = (uint32_t)crc32_z(z->crc, to, got);
    z->n_out += got;
    if (ended)
        close_entry(z);
    return got;
}

/* Other things lie in archives too: read-me files, logs, directories. */
static bool is_recording_entry(struct zip *z, const uint8_t *p, size_t n)
{
    bool is_wrapped = unwrap_is_wrapped(p, n);

    if (n < UNWRAP_MAGIC || (!is_wrapped && memcmp(p, "FLR", UNWRAP_MAGIC) != 0))
        return false;
    if (z->holds == (is_wrapped ? PLAIN : WRAPPED))
        return bad(z, JFR_E_UNSUPPORTED, "plain and compressed recordings in one archive");
    z->holds = is_wrapped ? WRAPPED : PLAIN;
    return true;
}

static size_t begin_entry(struct zip *z, uint8_t *to, size_t n)
{
    size_t got = 0;

    while (got < UNWRAP_MAGIC && z->in_entry && !z->base.ended)
        got += read_entry(z, to + got, n - got);
    z->is_new = false;
    z->is_wanted = is_recording_entry(z, to, got);
    return got;
}

static size_t pull_zip(struct unwrap *u, uint8_t *to, size_t n)
{
    struct zip *z = (struct zip *)u;
    size_t got;

    while (!u->ended && (z->in_entry || open_entry(z))) {
        got = z->is_new ? begin_entry(z, to, n) : read_entry(z, to, n);
        if (got > 0 && z->is_wanted)
            return got;
    }
    return 0;
}

static void close_zip(struct unwrap *u)
{
    struct zip *z = (struct zip *)u;

    if (z->can_inflate)
        inflateEnd(&z->z);
}

struct unwrap *unwrap_push_zip(struct unwrap *inner, struct jfr_error *err)
{
    static const struct unwrap_kind kind = {pull_zip, close_zip};
    struct unwrap *u = unwrap_push(inner, sizeof(struct zip), &kind, err);

    if (u != NULL)
        u->name = "zip";
    return u;
}
