/* chunk.c - the events of one chunk, summed up by stack. */
#include "convert/profile/worker.h"

#include <stdlib.h>

struct profile_worker *profile_worker_new(const struct profile_options *opt)
{
    struct profile_worker *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return NULL;
    w->opt = opt;
    w->names_by_more = opt->names.lines || opt->names.bci || opt->names.tiers;
    if (opt->select != NULL)
        w->select = select_run_new(opt->select);
    if (opt->facets != NULL)
        w->facets = facets_chunk_new(opt->facets);
    if ((w->select == NULL && opt->select != NULL) || (w->facets == NULL && opt->facets != NULL)) {
        profile_worker_free(w);
        return NULL;
    }
    if (w->select != NULL && (opt->n_keys > 0 || opt->labels || opt->facets != NULL))
        w->contexts = select_run_context(w->select);
    return w;
}

void profile_worker_free(struct profile_worker *w)
{
    if (w == NULL)
        return;
    select_run_free(w->select);
    facets_chunk_free(w->facets);
    intern_free(&w->sums.groups);
    intern_free(&w->sums.names);
    sums_free(&w->sums.rows);
    buf_free(&w->sums.firsts);
    buf_free(&w->sums.stacks);
    buf_free(&w->sums.without_stack);
    intern_free(&w->end_keys);
    buf_free(&w->end_names);
    intern_free(&w->frame_keys);
    buf_free(&w->frame_names);
    buf_free(&w->decoded);
    buf_free(&w->key_names);
    buf_free(&w->label_names);
    buf_free(&w->text);
    free(w);
}

enum kind_samples profile_worker_samples(const struct profile_worker *w)
{
    return w->samples;
}

struct chunk_sums *profile_worker_sums(struct profile_worker *w)
{
    return &w->sums;
}

int profile_worker_begin(struct profile_worker *w, struct jfr_chunk *chunk,
                         enum kind_samples samples)
{
    size_t n = jfr_chunk_metadata(chunk)->n_classes;

    w->chunk = chunk;
    w->samples = samples;
    w->layouts = NULL;
    w->uses = arena_array(jfr_chunk_arena(chunk), n, sizeof(*w->uses));
    intern_reset(&w->sums.groups);
    intern_reset(&w->sums.names);
    intern_reset(&w->end_keys);
    intern_reset(&w->frame_keys);
    sums_reset(&w->sums.rows);
    w->uses_memo = false;
    buf_reset(&w->sums.firsts);
    buf_reset(&w->sums.stacks);
    buf_reset(&w->sums.without_stack);
    buf_reset(&w->end_names);
    buf_reset(&w->frame_names);
    buf_reset(&w->key_names);
    buf_reset(&w->label_names);
    memset(w->group_text_memo, 0, sizeof(w->group_text_memo));
    w->last_group = (struct group){.kind = UINT32_MAX};
    w->sums.unit = NULL;
    if (w->uses == NULL || (w->select != NULL && select_run_load(w->select, chunk) != 0) ||
        (w->facets != NULL && !facets_chunk_begin(w->facets, w)))
        return JFR_E_NOMEM;
    return 0;
}

static uint32_t group_id(struct profile_worker *w, const struct group *g)
{
    if (memcmp(g, &w->last_group, sizeof(*g)) != 0) {
        uint64_t zero = 0;

        w->last_group_id = intern_add(&w->sums.groups, g, sizeof(*g));
        w->last_group = *g;
        if (w->last_group_id == w->sums.without_stack.n / sizeof(zero))
            buf_bytes(&w->sums.without_stack, &zero, sizeof(zero));
    }
    return w->last_group_id;
}

static uint64_t non_negative(int64_t v)
{
    return v < 0 ? 0 : (uint64_t)v;
}

static uint64_t scaled(int64_t v, uint64_t factor)
{
    uint64_t n = non_negative(v);

    return n > UINT64_MAX / factor ? UINT64_MAX : n * factor;
}

uint64_t profile_number(struct jfr_chunk *chunk, const struct jfr_field *f, union jfr_value v)
{
    switch (f->type->kind) {
    case JFR_FLOAT:
    case JFR_DOUBLE:
        return v.f >= 0x1p63 ? INT64_MAX : v.f >= 0 ? (uint64_t)v.f : 0;
    default:
        break;
    }
    switch (f->unit) {
    case JFR_UNIT_TICKS:
        return non_negative(jfr_span_ns(jfr_chunk_header(chunk), v.i));
    case JFR_UNIT_US:
        return scaled(v.i, 1000);
    case JFR_UNIT_MS:
        return scaled(v.i, 1000000);
    case JFR_UNIT_S:
        return scaled(v.i, 1000000000);
    default:
        return non_negative(v.i);
    }
}

static uint64_t weight_of_event(const struct profile_worker *w, const struct use *u,
                                union jfr_value v, uint64_t samples)
{
    return w->opt->weight == WEIGHT_SAMPLES ? samples : profile_number(w->chunk, u->weight, v);
}

/* 0 or JFR_E_NOMEM. */
static int add_sample(struct profile_worker *w, struct stack_layout *l, size_t index,
                      uint32_t group, uint64_t samples, uint64_t weight)
{
    struct trace_sums *t = &l->traces[index];
    double squares =
        w->opt->weight == WEIGHT_SAMPLES ? (double)samples : (double)weight * (double)weight;
    struct sums_row row = {(uint64_t)group << 32 | (l->base + index), samples, weight, squares};

    if (!t->is_met)
        *t = (struct trace_sums){.is_met = true, .group = group};
    if (t->group != group)
        return sums_merge(&w->sums.rows, &row) ? 0 : JFR_E_NOMEM;
    t->samples = sums_plus(t->samples, samples);
    t->weight = sums_plus(t->weight, weight);
    t->squares += squares;
    return 0;
}

/* Only where the weight is the duration, or none: a field of its own may be 0. */
static bool lasted(const struct profile_worker *w, union jfr_value v)
{
    return v.i > 0 || (w->opt->weight != WEIGHT_SAMPLES && w->opt->weight != WEIGHT_DURATION);
}

/* 0 or JFR_E_NOMEM. */
static int add_event(struct profile_worker *w, struct use *u, const struct jfr_event *ev)
{
    struct stack_layout *l = u->layout;
    struct group g = {.kind = u->kind, .rank = (uint32_t)u->how.rank};
    uint64_t samples = 1;
    union jfr_value v[N_SLOTS];
    const uint8_t *where;
    uint32_t group;
    int64_t index;

    if (jfr_plan_run(u->plan, ev->body, v, &where) != 0) {
        jfr_chunk_damaged(w->chunk, ev, where, "event ends inside a field");
        return 0;
    }
    if (u->decision == SELECT_TEST && !select_values(w->select, ev, v))
        return 0;
    if (u->how.needs_duration && !lasted(w, v[SLOT_WEIGHT]))
        return 0;
    profile_no_ends(g.ends);
    g.labels = NO_NAME;
    if (w->contexts != NULL && w->opt->labels && !profile_label_name(w, ev, &g.labels))
        return JFR_E_NOMEM;
    if (w->contexts != NULL && w->opt->n_keys > 0 && !profile_key_names(w, ev, g.ends))
        return JFR_E_NOMEM;
    if (u->state != NULL && (w->opt->states || u->how.skips_sleeping))
        g.ends[PROFILE_STATE] = profile_group_text(w, PROFILE_STATE, u->state, v[SELECT_STATE].key);
    if (u->how.skips_sleeping && g.ends[PROFILE_STATE] != NO_NAME &&
        kind_state_sleeps(intern_get(&w->sums.names, g.ends[PROFILE_STATE], NULL)))
        return 0;
    if (!w->opt->states)
        g.ends[PROFILE_STATE] = NO_NAME;
    if (u->thread != NULL)
        g.ends[PROFILE_THREAD] =
            profile_group_text(w, PROFILE_THREAD, u->thread, v[SELECT_THREAD].key);
    if (u->leaf != NULL)
        g.ends[PROFILE_CLASS] = profile_group_text(w, PROFILE_CLASS, u->leaf, v[SLOT_CLASS].key);
    if (u->how.count_field != NULL)
        samples = non_negative(v[SLOT_COUNT].i);
    group = group_id(w, &g);
    if (group == INTERN_FAILED || !buf_ok(&w->sums.without_stack))
        return JFR_E_NOMEM;
    index = jfr_pool_find(l->stacks.traces, v[SLOT_STACK].key);
    if (index < 0) {
        ((uint64_t *)(void *)w->sums.without_stack.p)[group] += samples;
        index = (int64_t)l->n_traces - 1;
    }
    if (w->facets != NULL && !facets_chunk_add(w->facets, w, ev, u->plan, v,
                                               (uint64_t)group << 32 | (l->base + (size_t)index)))
        return JFR_E_NOMEM;
    return add_sample(w, l, (size_t)index, group, samples,
                      weight_of_event(w, u, v[SLOT_WEIGHT], samples));
}

int profile_worker_event(struct profile_worker *w, const struct jfr_event *ev)
{
    struct use *u;
    int rc = 0;

    if (ev->type == NULL)
        return 0;
    u = &w->uses[ev->type->index];
    if (!u->is_ready)
        rc = profile_use_prepare(w, u, ev->type);
    return rc == 0 && u->how.rank > 0 ? add_event(w, u, ev) : rc;
}
