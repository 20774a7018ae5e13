/*
 * metadata_memo.c - parses metadata, or finds that they are those of the chunk before.
 *
 * chunk.c calls it in place of jfr_metadata_parse(). Cut metadata are parsed, but not kept: what is
 * missing of them may be another class.
 */
#include "jfrfmt/read/metadata_memo.h"

#include "jfrfmt/read/metadata_internal.h"

int metadata_memo_parse(struct metadata_memo *m, struct jfr_metadata *md, struct cursor event,
                        uint64_t base, struct jfr_error *err)
{
    struct cursor rest = event;
    uint64_t size = 0;
    int64_t id = 0;
    bool is_whole =
        metadata_read_head(&rest, &size, &id) && size == cur_left(&event) && cur_left(&rest) > 0;
    int rc;

    if (is_whole && m->bytes.n == cur_left(&rest) && memcmp(m->bytes.p, rest.p, m->bytes.n) == 0) {
        *md = m->metadata;
        md->id = id;
        return 0;
    }
    buf_reset(&m->bytes);
    arena_reset(&m->arena);
    rc = jfr_metadata_parse(md, event, base, &m->arena, err);
    if (rc != 0 || !is_whole)
        return rc;
    m->metadata = *md;
    buf_bytes(&m->bytes, rest.p, cur_left(&rest));
    if (buf_ok(&m->bytes))
        return 0;
    buf_reset(&m->bytes);
    return jfr_fail(err, JFR_E_NOMEM, base, "out of memory");
}

void metadata_memo_free(struct metadata_memo *m)
{
    buf_free(&m->bytes);
    arena_free(&m->arena);
}
