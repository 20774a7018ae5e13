/* facets_chunk.c - the samples of one chunk, on numbers that mean something in it only. */
#include "convert/facets_internal.h"
#include "convert/profile_worker.h"

#include <stdlib.h>

enum {
    AT_START,
    AT_THREAD,
    AT_STATE,
    AT_WEIGHTS,
    N_AT = AT_WEIGHTS + FACET_WEIGHTS,
};

struct facets_chunk *facets_chunk_new(const struct facets *f)
{
    struct facets_chunk *c = calloc(1, sizeof(*c));

    if (c != NULL)
        c->facets = f;
    return c;
}

void facets_chunk_free(struct facets_chunk *c)
{
    if (c == NULL)
        return;
    intern_free(&c->locals);
    buf_free(&c->samples);
    buf_free(&c->weights);
    free(c);
}

bool facets_chunk_begin(struct facets_chunk *c, struct profile_worker *w)
{
    intern_reset(&c->locals);
    buf_reset(&c->samples);
    buf_reset(&c->weights);
    c->unit = NULL;
    c->classes = arena_array(jfr_chunk_arena(w->chunk), jfr_chunk_metadata(w->chunk)->n_classes,
                             sizeof(*c->classes));
    return c->classes != NULL;
}

static const struct jfr_field *pooled(const struct jfr_field *f)
{
    return f != NULL && f->is_pooled && !f->is_array ? f : NULL;
}

static void prepare(struct facets_chunk *c, struct profile_worker *w, struct facets_class *u,
                    const struct jfr_class *cls)
{
    struct kind_use how = kind_use_of(KIND_ALL, cls);
    const char *paths[N_AT] = {
        [AT_START] = "startTime",
        [AT_THREAD] = jfr_class_field(cls, "eventThread") != NULL ? "eventThread" : "sampledThread",
        [AT_STATE] = "state",
        [AT_WEIGHTS + FACET_COUNT] = how.count_field,
        [AT_WEIGHTS + FACET_BYTES] = how.bytes_field,
        [AT_WEIGHTS + FACET_DURATION] = "duration",
        [AT_WEIGHTS + FACET_CPU_TIME] = "samplingPeriod",
        [AT_WEIGHTS + FACET_FIELD] = c->facets->field,
    };

    *u = (struct facets_class){.is_ready = true};
    u->plan = jfr_plan_new(w->chunk, cls, paths, N_AT);
    if (u->plan == NULL)
        return;
    u->thread = pooled(jfr_plan_field(u->plan, AT_THREAD));
    u->state = pooled(jfr_plan_field(u->plan, AT_STATE));
    for (int k = 0; k < FACET_WEIGHTS; k++) {
        const struct jfr_field *f = jfr_plan_field(u->plan, (size_t)AT_WEIGHTS + k);

        if (!profile_is_number(f) || (k == FACET_COUNT && profile_is_real(f)))
            continue;
        u->weights[k] = f;
        u->has |= 1u << k;
        if (k == FACET_FIELD)
            c->unit = profile_unit_of_both(c->unit, profile_field_unit(f));
    }
}

bool facets_chunk_add(struct facets_chunk *c, struct profile_worker *w, const struct jfr_event *ev,
                      uint64_t row)
{
    struct facets_class *u = &c->classes[ev->type->index];
    uint32_t context = w->contexts == NULL ? 0 : context_event(w->contexts, ev);
    struct facets_local local = {NO_NAME, NO_NAME, (uint32_t)ev->type->index, context};
    struct facets_raw raw = {.row = row};
    union jfr_value v[N_AT];

    if (!u->is_ready)
        prepare(c, w, u, ev->type);
    if (u->plan == NULL || jfr_plan_run(u->plan, ev->body, v, NULL) != 0)
        return arena_ok(jfr_chunk_arena(w->chunk));
    if (u->thread != NULL)
        local.thread = profile_end_name(w, PROFILE_THREAD, u->thread, v[AT_THREAD].key);
    if (u->state != NULL)
        local.state = profile_end_name(w, PROFILE_STATE, u->state, v[AT_STATE].key);
    raw.time_ns = jfr_epoch_ns(jfr_chunk_header(w->chunk), v[AT_START].i);
    raw.values = intern_add(&c->locals, &local, sizeof(local));
    buf_bytes(&c->samples, &raw, sizeof(raw));
    for (int k = 0; k < FACET_WEIGHTS; k++)
        if (u->weights[k] != NULL) {
            uint64_t n = profile_number(w->chunk, u->weights[k], v[AT_WEIGHTS + k]);
            buf_bytes(&c->weights, &n, sizeof(n));
        }
    return context != CONTEXT_NONE && raw.values != INTERN_FAILED && buf_ok(&c->samples) &&
           buf_ok(&c->weights);
}
