/*
 * pack.h - named sections, packed as one gzip stream and written as text.
 *
 * The text has 91 digits, all printable characters but < > and &, so it is safe in HTML of any
 * charset: 13 bits are two digits, low ones first, what is left over one (up to 6 bits) or two.
 * That is 1.23 bytes for one; base64 takes 1.33.
 *
 *     struct pack *p = pack_new(out);
 *     pack_section(p, "tree.up");
 *     for (...) {
 *         buf_varint(&p->raw, v);
 *         pack_check(p);
 *     }
 *     rc = pack_end(p);
 *     pack_directory(p, &out->b);
 *     pack_free(p);
 *
 * Where the bytes repeat nothing, deflate is not made to search them: it tries both ways on
 * parts of one of every PACK_TRIAL blocks, and takes the better one for what follows.
 *
 * Memory does not depend on how much is packed. Errors stick; pack_end() tells the first.
 */
#ifndef CONVERT_FLAME_PACK_H
#define CONVERT_FLAME_PACK_H

#include "convert/text/out.h"

#include <zlib.h>

#define PACK_SECTIONS 96
#define PACK_HIGH ((size_t)64 << 10) /* bytes gathered before they are deflated */
#define PACK_TRIAL 12
#define PACK_ROOM ((size_t)13 << 10) /* a multiple of 13: the text needs no carry in between */

struct pack {
    struct out *out;
    struct buf raw; /* what the caller appends to */
    struct {
        const char *name; /* the caller's */
        uint64_t bytes; /* unpacked */
    } sections[PACK_SECTIONS];
    size_t n_sections;
    unsigned block; /* of the section, counted from 0 */
    bool searches; /* for bytes that repeat; else for repeated bytes only */
    int rc;
    z_stream z;
    uint8_t packed[PACK_ROOM];
};

/* NULL if out of memory. */
struct pack *pack_new(struct out *out);

/* Starts the next section; at most PACK_SECTIONS. */
void pack_section(struct pack *p, const char *name);

/* Deflates what was gathered; pack_check() only when it is much. */
void pack_flush(struct pack *p);

static inline void pack_check(struct pack *p)
{
    if (p->raw.n >= PACK_HIGH)
        pack_flush(p);
}

/* Completes the stream. 0 or the first error. */
int pack_end(struct pack *p);

/* Appends the sections as a JSON array: [{"name":"tree.up","bytes":17}, ...], one a line. */
void pack_directory(const struct pack *p, struct buf *b);

void pack_free(struct pack *p);

#endif
