/*
 * merge.c - takes over what a worker has gathered from a chunk into the run of all chunks.
 *
 * Chunks are taken over in their order, so rows are in the order in which they were met, as if one
 * thread had read all. Texts get the numbers of the run.
 */
#include "convert/view/internal.h"

struct taking { /* from one run into another */
    struct view_run *to;
    const struct view_run *from;
    struct view_groups_map map;
};

/* Different values count once over all chunks. */
static void add_unique(const struct taking *t, size_t column)
{
    bool is_set = t->from->v->columns[column].sum == VIEW_SET;
    struct view_unique u;

    for (uint32_t i = 0; i < intern_n(&t->from->unique) && !is_set; i++) {
        memcpy(&u, intern_get(&t->from->unique, i, NULL), sizeof(u));
        if (u.column != column)
            continue;
        if (u.same.kind == VIEW_TEXT)
            u.same.v = t->map.texts[u.same.v];
        u.row = t->map.groups[u.row];
        if (view_is_new(t->to, &u))
            ++*view_count(&t->to->tallies[column], (uint32_t)u.row);
    }
    for (size_t i = 0; i < t->from->samples[column].n / sizeof(struct view_sample) && is_set; i++) {
        struct view_sample s =
            ((const struct view_sample *)(const void *)t->from->samples[column].p)[i];

        s.row = t->map.groups[s.row];
        s.v = view_groups_mapped(&t->map, &s.v);
        u = (struct view_unique){s.row, column, view_same_of(&s.v)};
        if (!view_is_new(t->to, &u))
            continue;
        ++*view_count(&t->to->tallies[column], s.row);
        buf_bytes(&t->to->samples[column], &s, sizeof(s));
    }
    t->to->failed |= !buf_ok(&t->to->samples[column]);
}

static void add_column_of(const struct taking *t, size_t column)
{
    enum view_sum sum = t->from->v->columns[column].sum;
    int code;

    if (sum == VIEW_UNIQUE || sum == VIEW_SET) {
        add_unique(t, column);
        return;
    }
    for (uint32_t i = 0; i < view_groups_n(&t->from->groups); i++)
        view_tally_take(&t->to->tallies[column], t->map.groups[i], &t->from->tallies[column], i,
                        &t->map);
    code = sorted_values_take(&t->to->values_of[column], &t->from->values_of[column], t->map.groups,
                              &t->to->err);
    t->to->failed |= code != 0;
}

static bool add_view_facts(struct view_run *to, const struct view_run *from)
{
    for (size_t i = 0; i < to->n_columns; i++) {
        to->is_known[i] |= from->is_known[i];
        to->is_text[i] |= from->is_text[i];
        to->has_number[i] |= from->has_number[i];
    }
    if (from->has_batch && (!to->has_batch || to->batch_ns < from->batch_ns)) {
        to->has_batch = true;
        to->batch_ns = from->batch_ns;
    }
    return intern_add_all(&to->fields, &from->fields, NULL);
}

int view_merge(void *shared, void *worker, const struct run_chunk *rc)
{
    struct taking t = {.to = shared, .from = worker};
    bool ok;

    (void)rc;
    ok = view_groups_take(&t.to->groups, &t.from->groups, &t.map) && view_fill_tallies(t.to) &&
         add_view_facts(t.to, t.from);
    for (size_t i = 0; i < t.to->n_columns && ok; i++)
        add_column_of(&t, i);
    view_groups_map_free(&t.map);
    return ok && !t.to->failed ? 0 : t.to->err.code != 0 ? t.to->err.code : JFR_E_NOMEM;
}
