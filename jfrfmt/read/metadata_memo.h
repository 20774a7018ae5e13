/*
 * metadata_memo.h - the metadata of the chunk before, for chunks that repeat it.
 *
 * A JVM writes the same metadata into each chunk, 100 KB and more. Where the bytes are the same,
 * they are compared and not parsed: in 12 chunks of 4 MB, parsing was 12 % of all instructions.
 */
#ifndef JFRFMT_READ_METADATA_MEMO_H
#define JFRFMT_READ_METADATA_MEMO_H

#include "jfrfmt/base/arena.h"
#include "jfrfmt/base/buf.h"
#include "jfrfmt/read/metadata.h"

struct metadata_memo { /* all zero: nothing yet */
    struct buf bytes; /* of the event, from its strings on; n is 0 if nothing is known */
    struct jfr_metadata metadata;
    struct arena arena;
};

/* jfr_metadata_parse() with memory of the memo: *md holds until the next call. */
int metadata_memo_parse(struct metadata_memo *m, struct jfr_metadata *md, struct cursor event,
                        uint64_t base, struct jfr_error *err);

void metadata_memo_free(struct metadata_memo *m);

#endif
