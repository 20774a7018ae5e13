/*
 * metadata.c - writes the metadata event of a chunk of the output.
 *
 * Only types that events and constants of the chunk use are declared, with the types and
 * annotations that those need.
 */
#include "convert/rewrite/internal.h"

struct uses { /* classes that are used, and whose own references were not looked at yet */
    struct rewrite *rw;
    uint32_t *waiting;
    size_t n;
    bool *is_seen;
};

static void use(struct uses *u, const struct jfr_class *cls)
{
    if (cls->is_unknown || u->is_seen[cls->index])
        return;
    u->is_seen[cls->index] = true;
    u->waiting[u->n++] = cls->index;
}

static void use_annotations(struct uses *u, const struct jfr_annotation *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        use(u, list[i].type);
}

static void use_parts(struct uses *u, const struct jfr_class *cls)
{
    use_annotations(u, cls->annotations, cls->n_annotations);
    for (size_t i = 0; i < cls->n_fields; i++) {
        use(u, cls->fields[i].type);
        use_annotations(u, cls->fields[i].annotations, cls->fields[i].n_annotations);
    }
    for (size_t i = 0; i < cls->n_settings; i++) {
        use(u, cls->settings[i].type);
        use_annotations(u, cls->settings[i].annotations, cls->settings[i].n_annotations);
    }
}

/* The classes to write. NULL: no memory. */
static const struct jfr_class **choose_types(struct rewrite *rw, size_t *n)
{
    struct arena *arena = jfr_chunk_arena(rw->chunk);
    const struct jfr_class **chosen = arena_array(arena, rw->n_in, sizeof(*chosen));
    struct uses u = {.rw = rw,
                     .waiting = arena_array(arena, rw->n_in, sizeof(*u.waiting)),
                     .is_seen = arena_array(arena, rw->n_in, sizeof(*u.is_seen))};

    *n = 0;
    if (chosen == NULL || u.waiting == NULL || u.is_seen == NULL)
        return NULL;
    for (size_t i = 0; i < rw->n_in; i++)
        if (!rw->options.trim || rw->in[i].is_used || typeset_is_standard(rw->edited[i].name))
            use(&u, &rw->edited[i]);
    while (u.n > 0)
        use_parts(&u, &rw->edited[u.waiting[--u.n]]);
    for (size_t i = 0; i < rw->n_in; i++)
        if (u.is_seen[i])
            chosen[(*n)++] = &rw->edited[i];
    return chosen;
}

int rewrite_metadata(struct rewrite *rw, struct buf *out, int64_t ticks, bool is_only)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(rw->chunk);
    struct metadata_out to = {.locale = md->locale, .gmt_offset = md->gmt_offset, .dst = md->dst};
    int64_t *ids = arena_array(jfr_chunk_arena(rw->chunk), rw->n_in, sizeof(*ids));
    struct known *known;

    to.classes = choose_types(rw, &to.n);
    if (to.classes == NULL || ids == NULL)
        return rw->rc = JFR_E_NOMEM;
    for (size_t i = 0; i < rw->n_in; i++)
        ids[i] = rw->classes[rw->in[i].out].id;
    to.ids = ids;
    buf_reset(out);
    to.id = is_only;
    to.ticks = is_only ? ticks : 0;
    if (!metadata_write(&to, out))
        return rw->rc = JFR_E_NOMEM;
    if (is_only)
        return 0;
    known = known_at(&rw->known, hash_of(HASH_METADATA, out->p, out->n));
    if (known == NULL)
        return rw->rc = JFR_E_NOMEM;
    if (known->value == 0)
        known->value = ++rw->n_metadata;
    to.id = (int64_t)known->value;
    to.ticks = ticks;
    buf_reset(out);
    return metadata_write(&to, out) ? 0 : (rw->rc = JFR_E_NOMEM);
}
