/*
 * flame_pack.h - named sections, deflated in one stream and written as base64.
 *
 *     struct pack *p = pack_new(out);
 *     pack_section(p, "tree.up");
 *     for (...) {
 *         buf_varint(&p->raw, v);
 *         pack_check(p);
 *     }
 *     rc = pack_end(p);                p->sections is the directory now
 *     pack_free(p);
 *
 * Memory does not depend on how much is packed. Errors stick; pack_end() tells the first.
 */
#ifndef CONVERT_FLAME_PACK_H
#define CONVERT_FLAME_PACK_H

#include "convert/out.h"

#include <zlib.h>

#define PACK_SECTIONS 96
#define PACK_HIGH ((size_t)64 << 10) /* bytes gathered before they are deflated */
#define PACK_ROOM ((size_t)3 << 12) /* a multiple of 3: base64 needs no carry in between */

struct pack {
    struct out *out;
    struct buf raw; /* what the caller appends to */
    struct {
        const char *name; /* the caller's */
        uint64_t bytes; /* before deflation */
        uint32_t crc; /* CRC-32 of them */
    } sections[PACK_SECTIONS];
    size_t n_sections;
    int rc;
    z_stream z;
    uint8_t packed[PACK_ROOM];
};

/* NULL when memory is short. */
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

void pack_free(struct pack *p);

#endif
