/*
 * facets_chunk.c - collects the samples of one chunk, with numbers that are valid in this chunk.
 *
 * A page that can be filtered needs each sample with its time and its shape: its row (group and
 * stack), its weights and its values: thread, state, type, context, place. The values are interned
 * together, so that a shape has one number for them. Events that differ from an earlier one in
 * their time only (repeats.h) have its shape; each other event gets one of its own. Worker threads
 * run this; facets_merge.c replaces the numbers by those of all chunks.
 */
#include "convert/profile/facets_internal.h"
#include "convert/profile/worker.h"

#include <stdlib.h>

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
    buf_free(&c->shapes);
    buf_free(&c->rows);
    buf_free(&c->weights);
    buf_free(&c->rests);
    free(c);
}

bool facets_chunk_begin(struct facets_chunk *c, struct profile_worker *w)
{
    intern_reset(&c->locals);
    buf_reset(&c->samples);
    buf_reset(&c->shapes);
    buf_reset(&c->rows);
    buf_reset(&c->weights);
    buf_reset(&c->rests);
    c->unit = NULL;
    memset(c->memo, 0, sizeof(c->memo));
    c->classes = arena_array(jfr_chunk_arena(w->chunk), jfr_chunk_metadata(w->chunk)->n_classes,
                             sizeof(*c->classes));
    return c->classes != NULL &&
           (c->facets->places.n == 0 || scope_threads_load(&c->threads, w->chunk) == 0);
}

void facets_chunk_paths(const struct facets_chunk *c, const struct jfr_class *cls,
                        const char **paths)
{
    struct kind_use how = kind_use_of(KIND_ALL, cls, KIND_SAMPLES_CPU);

    paths[FACETS_START] = "startTime";
    paths[FACETS_THREAD] =
        jfr_class_field(cls, "eventThread") != NULL ? "eventThread" : "sampledThread";
    paths[FACETS_STATE] = "state";
    paths[FACETS_WEIGHTS + FACET_COUNT] = how.count_field;
    paths[FACETS_WEIGHTS + FACET_BYTES] = how.bytes_field;
    paths[FACETS_WEIGHTS + FACET_DURATION] = "duration";
    paths[FACETS_WEIGHTS + FACET_CPU_TIME] = "samplingPeriod";
    paths[FACETS_WEIGHTS + FACET_FIELD] = c->facets->field;
}

static void prepare(struct facets_chunk *c, struct facets_class *u, const struct jfr_class *cls,
                    const struct jfr_plan *plan)
{
    *u = (struct facets_class){.is_ready = true};
    u->thread = profile_key_field(plan, SLOT_FACETS + FACETS_THREAD);
    u->state = profile_key_field(plan, SLOT_FACETS + FACETS_STATE);
    u->stack = profile_key_field(plan, SLOT_STACK);
    u->is_park = kind_is_event(cls, "jdk.ThreadPark");
    for (int k = 0; k < FACET_WEIGHTS; k++) {
        const struct jfr_field *f =
            profile_number_field(plan, SLOT_FACETS + FACETS_WEIGHTS + (size_t)k);

        if (f == NULL || (k == FACET_COUNT && profile_is_real(f)))
            continue;
        u->weights[k] = f;
        u->has |= 1u << k;
        if (k == FACET_FIELD)
            c->unit = profile_unit_of_both(c->unit, profile_field_unit(f));
    }
}

/* Is the stack of an event one with which idle threads wait? */
static bool has_idle_stack(struct facets_class *u, const struct profile_worker *w, uint64_t stack)
{
    return u->stack != NULL && (u->is_park || u->state != NULL) &&
           unattributed_is_idle(&u->stacks, w->chunk, u->stack, stack);
}

/* What a sample is if it has no value of a key. */
static enum unattributed rest_of(struct facets_chunk *c, const struct profile_worker *w,
                                 const struct facets_key *key, const struct facets_local *local)
{
    enum unattributed what = UNATTRIBUTED;
    bool sleeps = key->cls->is_park;

    if (!c->facets->splits_rest)
        return what;
    if (local->thread != NO_NAME)
        what = unattributed_name(&c->rests, &w->sums.names, local->thread);
    if (!sleeps && local->state != NO_NAME)
        sleeps = kind_state_sleeps(intern_get(&w->sums.names, local->state, NULL));
    return what == UNATTRIBUTED && sleeps && key->is_idle ? UNATTRIBUTED_IDLE : what;
}

static size_t slot_of_facets_key(const struct facets_key *key)
{
    uint64_t h = ((uintptr_t)key->cls >> 4) + key->thread * 0x9e3779b97f4a7c15u +
                 key->state * 0xa0761d6478bd642fu + key->context * 0xc2b2ae3d27d4eb4fu +
                 key->place * 0xd6e8feb86659fd93u + key->is_idle;

    return (h >> 32) % VALUES_MEMO;
}

static bool is_same_facets_key(const struct facets_key *a, const struct facets_key *b)
{
    return a->cls == b->cls && a->thread == b->thread && a->state == b->state &&
           a->context == b->context && a->place == b->place && a->is_idle == b->is_idle;
}

static uint32_t find_values(struct facets_chunk *c, struct profile_worker *w,
                            const struct facets_key *key, uint32_t event)
{
    const struct facets_class *u = key->cls;
    struct facets_local local = {NO_NAME, NO_NAME, event, key->context, 0, key->place};

    if (u->thread != NULL)
        local.thread = profile_group_text(w, PROFILE_THREAD, u->thread, key->thread);
    if (u->state != NULL)
        local.state = profile_group_text(w, PROFILE_STATE, u->state, key->state);
    local.rest = rest_of(c, w, key, &local);
    return intern_add(&c->locals, &local, sizeof(local));
}

/* The id of the values of an event. */
static uint32_t values_id(struct facets_chunk *c, struct profile_worker *w,
                          const struct facets_key *key, uint32_t event)
{
    struct facets_memo *m = &c->memo[slot_of_facets_key(key)];

    if (!is_same_facets_key(&m->key, key))
        *m = (struct facets_memo){*key, find_values(c, w, key, event)};
    return m->id;
}

bool facets_chunk_wants(struct facets_chunk *c, struct profile_worker *w,
                        const struct jfr_event *ev, const struct jfr_plan *plan,
                        const union jfr_value *v)
{
    const struct facets_places *places = &c->facets->places;
    struct facets_class *u = &c->classes[ev->type->index];

    if (!u->is_ready)
        prepare(c, u, ev->type, plan);
    c->place = 0;
    if (places->n > 0 && u->thread != NULL)
        c->place = places->find(
            places->shared, &c->threads, u->thread->type, v[SLOT_FACETS + FACETS_THREAD].key,
            jfr_epoch_ns(jfr_chunk_header(w->chunk), v[SLOT_FACETS + FACETS_START].i));
    return c->place > 0 || !places->is_only;
}

static bool add_facets_sample(struct facets_chunk *c, const struct jfr_chunk *chunk, int64_t ticks,
                              uint32_t shape)
{
    const struct facets_entry sample = {jfr_epoch_ns(jfr_chunk_header(chunk), ticks), shape};

    buf_bytes(&c->samples, &sample, sizeof(sample));
    return buf_ok(&c->samples);
}

bool facets_chunk_add(struct facets_chunk *c, struct profile_worker *w, const struct jfr_event *ev,
                      const union jfr_value *v, uint32_t *shape)
{
    struct facets_class *u = &c->classes[ev->type->index];
    uint32_t context = w->contexts == NULL ? 0 : context_event(w->contexts, ev);
    const union jfr_value *own = v + SLOT_FACETS;
    const struct facets_key key = {.cls = u,
                                   .thread = u->thread == NULL ? 0 : own[FACETS_THREAD].key,
                                   .state = u->state == NULL ? 0 : own[FACETS_STATE].key,
                                   .context = context,
                                   .place = c->place,
                                   .is_idle = c->facets->splits_rest &&
                                              has_idle_stack(u, w, v[SLOT_STACK].key)};
    const struct facets_shape made = {.tuple = values_id(c, w, &key, (uint32_t)ev->type->index),
                                      .weights = (uint32_t)(c->weights.n / sizeof(uint64_t)),
                                      .n = 1};

    *shape = (uint32_t)(c->shapes.n / sizeof(made));
    buf_bytes(&c->shapes, &made, sizeof(made));
    for (int k = 0; k < FACET_WEIGHTS && u->has >> k != 0; k++)
        if (u->weights[k] != NULL) {
            uint64_t n = profile_number(w->chunk, u->weights[k], own[FACETS_WEIGHTS + k]);
            buf_bytes(&c->weights, &n, sizeof(n));
        }
    return context != CONTEXT_NONE && made.tuple != INTERN_FAILED && buf_ok(&c->shapes) &&
           buf_ok(&c->weights) && add_facets_sample(c, w->chunk, own[FACETS_START].i, *shape);
}

bool facets_chunk_repeat(struct facets_chunk *c, const struct jfr_chunk *chunk,
                         const struct jfr_event *ev, uint32_t shape)
{
    struct cursor body = ev->body;

    return add_facets_sample(c, chunk, (int64_t)cur_varint(&body), shape);
}

void facets_chunk_count(struct facets_chunk *c, uint32_t shape, uint32_t n)
{
    ((struct facets_shape *)(void *)c->shapes.p)[shape].n += n;
}

bool facets_chunk_row(struct facets_chunk *c, uint64_t row)
{
    buf_bytes(&c->rows, &row, sizeof(row));
    return buf_ok(&c->rows);
}
