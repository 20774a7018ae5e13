#include "jfrfmt/read/metadata_memo.h"

/* Reads the head of a whole metadata event. What follows is the same in each chunk. False if there
 * is no such event. */
static bool read_to_strings(struct cursor *c, int64_t *id)
{
    size_t n = cur_left(c);

    if (cur_varint(c) != n || cur_varint(c) != 0)
        return false;
    cur_varint(c); /* start */
    cur_varint(c); /* duration */
    *id = (int64_t)cur_varint(c);
    return cur_ok(c) && cur_left(c) > 0;
}

int metadata_memo_parse(struct metadata_memo *m, struct jfr_metadata *md, struct cursor event,
                        uint64_t base, struct jfr_error *err)
{
    struct cursor rest = event;
    int64_t id = 0;
    bool is_whole = read_to_strings(&rest, &id);
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
