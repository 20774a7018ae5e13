#include "convert/context_internal.h"

#include "convert/run.h"

#include <stdlib.h>

struct context *context_new(void)
{
    return calloc(1, sizeof(struct context));
}

void context_free(struct context *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; i < c->n_keys; i++)
        free(c->keys[i]);
    free(c->keys);
    buf_free(&c->spills);
    buf_free(&c->spill_values);
    intern_free(&c->spill_texts);
    buf_free(&c->places);
    free(c);
}

uint32_t context_want(struct context *c, const char *key)
{
    char **keys;

    for (size_t i = 0; i < c->n_keys; i++)
        if (strcmp(c->keys[i], key) == 0)
            return (uint32_t)i;
    keys = realloc(c->keys, (c->n_keys + 1) * sizeof(*keys));
    if (keys == NULL)
        return CONTEXT_NONE;
    c->keys = keys;
    keys[c->n_keys] = strdup(key);
    return keys[c->n_keys] == NULL ? CONTEXT_NONE : (uint32_t)c->n_keys++;
}

void context_want_all(struct context *c)
{
    c->all = true;
}

bool context_is_wanted(const struct context *c)
{
    return c->all || c->n_keys > 0;
}

struct context_run *context_run_new(struct context *c)
{
    struct context_run *r = calloc(1, sizeof(*r));

    if (r != NULL)
        r->shared = c;
    return r;
}

void context_run_free(struct context_run *r)
{
    if (r == NULL)
        return;
    intern_free(&r->values);
    intern_free(&r->tuples);
    buf_free(&r->text);
    buf_free(&r->spans);
    buf_free(&r->segments);
    buf_free(&r->threads);
    free(r);
}

bool context_reaches(const struct context_spill *s, uint32_t file, const struct jfr_chunk_header *h)
{
    int64_t end_ns;

    if (s->file != file || s->chunk == h->offset || s->end_ns <= h->start_nanos)
        return false;
    if (__builtin_add_overflow(h->start_nanos, h->duration_nanos, &end_ns) ||
        end_ns < h->start_nanos)
        end_ns = INT64_MAX; /* it was never closed */
    return s->start_ns <= end_ns;
}

/* --- looking ahead ---------------------------------------------------------------------------- */

static bool spill(struct context *c, const struct context_run *r, const struct context_span *s,
                  uint32_t file)
{
    struct context_spill spill = {.file = file,
                                  .chunk = jfr_chunk_header(r->chunk)->offset,
                                  .thread = s->thread,
                                  .start_ns = s->start_ns,
                                  .end_ns = s->end_ns,
                                  .values = c->spill_values.n / sizeof(struct context_spill_value)};
    uint32_t values[CONTEXT_ATTRIBUTES];

    context_values(r, s->tuple, values);
    for (size_t i = 0; i < r->n_places; i++) {
        const struct context_attr *a = &r->attrs[r->places[i]];
        struct context_spill_value v;
        const char *text;
        size_t n;

        if (values[i] == 0)
            continue;
        text = intern_get(&r->values, values[i] - 1, &n);
        v = (struct context_spill_value){
            intern_add(&c->spill_texts, a->context, strlen(a->context)),
            intern_add(&c->spill_texts, a->name, strlen(a->name)),
            intern_add(&c->spill_texts, text, n)};
        if (v.context == INTERN_FAILED || v.name == INTERN_FAILED || v.text == INTERN_FAILED)
            return false;
        buf_bytes(&c->spill_values, &v, sizeof(v));
        spill.n_values++;
    }
    buf_bytes(&c->spills, &spill, sizeof(spill));
    return buf_ok(&c->spills) && buf_ok(&c->spill_values);
}

static struct context_place place_of(const struct jfr_chunk_header *h, uint32_t file)
{
    return (struct context_place){.start_nanos = h->start_nanos,
                                  .start_ticks = h->start_ticks,
                                  .offset = h->offset,
                                  .size = h->size,
                                  .file = file};
}

static void *look_new(void *shared)
{
    return context_run_new(shared);
}

static void look_free(void *worker)
{
    context_run_free(worker);
}

static int start_chunk(struct context_run *r, struct jfr_chunk *chunk, uint32_t file);

static int look_at(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct context_run *r = worker;
    int code = start_chunk(r, rc->chunk, UINT32_MAX);

    (void)out;
    return code == 0 && r->has_spans ? context_read_spans(r) : code;
}

static int look_merge(void *shared, void *worker, const struct run_chunk *rc)
{
    const struct context_run *r = worker;
    const struct jfr_chunk_header *h = jfr_chunk_header(rc->chunk);
    struct context_place place = place_of(h, rc->file);
    const struct context_span *spans = context_spans(r);
    struct context *c = shared;

    buf_bytes(&c->places, &place, sizeof(place));
    for (size_t i = 0; i < context_n_spans(r); i++)
        if (spans[i].start_ns < h->start_nanos && !spill(c, r, &spans[i], rc->file))
            return JFR_E_NOMEM;
    return buf_ok(&c->places) ? 0 : JFR_E_NOMEM;
}

int context_look_ahead(struct context *c, const char *const *paths, size_t n_paths,
                       struct jfr_error *err, const char **err_path)
{
    struct run_options opt = {.paths = paths, .n_paths = n_paths};
    struct run_job job = {.shared = c,
                          .worker_new = look_new,
                          .worker_free = look_free,
                          .chunk = look_at,
                          .merge = look_merge};
    struct run_result result;

    *err_path = NULL;
    return context_is_wanted(c) ? run_all(&opt, &job, NULL, &result, err, err_path) : 0;
}

/* The input that the chunk is of; UINT32_MAX when it was not looked at. */
static uint32_t file_of(const struct context *c, const struct jfr_chunk_header *h)
{
    const struct context_place *p = (const struct context_place *)(const void *)c->places.p;

    if (c->spills.n == 0)
        return UINT32_MAX;
    for (size_t i = 0; i < c->places.n / sizeof(*p); i++)
        if (p[i].start_nanos == h->start_nanos && p[i].start_ticks == h->start_ticks &&
            p[i].offset == h->offset && p[i].size == h->size)
            return p[i].file;
    return UINT32_MAX;
}

/* --- a chunk ---------------------------------------------------------------------------------- */

/* For every key the places of the attributes that it may mean. */
static int resolve_keys(struct context_run *r)
{
    const struct context *c = r->shared;
    size_t width = r->n_places + 1;

    r->key_places =
        arena_array(jfr_chunk_arena(r->chunk), c->n_keys * width + 1, sizeof(*r->key_places));
    if (r->key_places == NULL)
        return JFR_E_NOMEM;
    for (size_t k = 0; k < c->n_keys; k++) {
        uint32_t *list = r->key_places + k * width;

        for (uint32_t i = 0; i < r->n_places; i++)
            if (context_is_called(&r->attrs[r->places[i]], c->keys[k]))
                *list++ = i;
        *list = CONTEXT_NONE;
    }
    return 0;
}

static int start_chunk(struct context_run *r, struct jfr_chunk *chunk, uint32_t file)
{
    struct arena *arena = jfr_chunk_arena(chunk);
    size_t n = jfr_chunk_metadata(chunk)->n_classes;
    uint32_t none[CONTEXT_ATTRIBUTES] = {0};
    int code;

    r->chunk = chunk;
    r->n_attrs = r->n_places = 0;
    r->pooled = NULL;
    r->strings = NULL;
    r->string_memo = NULL;
    r->has_last = r->has_spans = false;
    r->last_thread = 0;
    intern_reset(&r->values);
    intern_reset(&r->tuples);
    buf_reset(&r->spans);
    buf_reset(&r->segments);
    buf_reset(&r->threads);
    r->attrs = arena_array(arena, CONTEXT_ATTRIBUTES, sizeof(*r->attrs));
    r->places = arena_array(arena, CONTEXT_ATTRIBUTES, sizeof(*r->places));
    r->classes = arena_array(arena, n, sizeof(*r->classes));
    if (r->attrs == NULL || r->places == NULL || r->classes == NULL)
        return JFR_E_NOMEM;
    code = context_find_attributes(r, file);
    if (code == 0 && context_tuple(r, none) != 0)
        code = JFR_E_NOMEM;
    return code != 0 ? code : resolve_keys(r);
}

int context_run_load(struct context_run *r, struct jfr_chunk *chunk)
{
    uint32_t file = file_of(r->shared, jfr_chunk_header(chunk));
    int code = start_chunk(r, chunk, file);

    if (code == 0 && r->has_spans)
        code = context_read_spans(r);
    return code != 0 ? code : context_join_spans(r, file);
}

bool context_class(struct context_run *r, const struct jfr_class *cls)
{
    const struct context_class *k = &r->classes[cls->index];

    return cls->is_event && (k->n_fields > 0 || (k->thread != NULL && r->segments.n > 0));
}

bool context_is_span(const struct context_run *r, const struct jfr_class *cls)
{
    return r->classes[cls->index].is_span;
}

/* --- values ----------------------------------------------------------------------------------- */

uint32_t context_tuple(struct context_run *r, const uint32_t *values)
{
    uint32_t id = intern_add(&r->tuples, values, r->n_places * sizeof(*values));

    return id == INTERN_FAILED ? CONTEXT_NONE : id;
}

/* The attributes of a constant, read once. */
static int overlay_pooled(struct context_run *r, struct context_pooled *p, uint64_t key,
                          uint32_t *values)
{
    int64_t i = jfr_pool_find(p->pool, key);
    uint32_t own[CONTEXT_ATTRIBUTES] = {0};
    union jfr_value v[CONTEXT_ATTRIBUTES];
    struct cursor value;

    if (i < 0)
        return 0;
    if (p->tuples[i] == 0) {
        value = jfr_pool_value(p->pool, (size_t)i);
        if (jfr_plan_run(p->plan, value, v, NULL) != 0)
            return JFR_E_SHORT;
        for (size_t k = 0; k < p->n_fields; k++) {
            own[p->fields[k].place] = context_value_id(r, p->fields[k].field, v[k], value.end);
            if (own[p->fields[k].place] == CONTEXT_NONE)
                return JFR_E_NOMEM;
        }
        p->tuples[i] = context_tuple(r, own) + 1;
        if (p->tuples[i] == 0)
            return JFR_E_NOMEM;
    }
    context_values(r, p->tuples[i] - 1, own);
    for (size_t k = 0; k < r->n_places; k++)
        if (own[k] != 0)
            values[k] = own[k];
    return 0;
}

int context_own_values(struct context_run *r, const struct context_class *k,
                       const union jfr_value *v, const uint8_t *end, uint32_t *values)
{
    for (size_t i = k->n_fields; i-- > 0;) { /* the first one counts: it is written last */
        const struct context_field *f = &k->fields[i];
        uint32_t id = 0;
        int code = 0;

        if (f->pooled != NULL)
            code = overlay_pooled(r, f->pooled, v[CONTEXT_FIELDS + i].key, values);
        else
            id = context_value_id(r, f->field, v[CONTEXT_FIELDS + i], end);
        if (code != 0 || id == CONTEXT_NONE)
            return code != 0 ? code : JFR_E_NOMEM;
        if (id != 0)
            values[f->place] = id;
    }
    return 0;
}

static uint32_t read_event(struct context_run *r, const struct context_class *k,
                           const struct jfr_event *ev)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(r->chunk);
    union jfr_value v[CONTEXT_FIELDS + CONTEXT_ATTRIBUTES];
    uint32_t values[CONTEXT_ATTRIBUTES], tuple = 0;
    int64_t ticks;

    if (k->plan == NULL || jfr_plan_run(k->plan, ev->body, v, NULL) != 0)
        return 0;
    if (k->thread != NULL && r->segments.n > 0) {
        ticks = v[CONTEXT_START].i;
        if (k->duration != NULL && v[CONTEXT_DURATION].i > 0)
            ticks = (int64_t)((uint64_t)ticks + (uint64_t)v[CONTEXT_DURATION].i);
        tuple = context_at(r, v[CONTEXT_THREAD].key, jfr_epoch_ns(h, ticks));
    }
    if (k->n_fields == 0)
        return tuple;
    context_values(r, tuple, values);
    switch (context_own_values(r, k, v, ev->body.end, values)) {
    case 0:
        return context_tuple(r, values);
    case JFR_E_NOMEM:
        return CONTEXT_NONE;
    default:
        return tuple;
    }
}

uint32_t context_event(struct context_run *r, const struct jfr_event *ev)
{
    if (ev->type == NULL || !context_class(r, ev->type))
        return 0;
    if (r->has_last && r->last_offset == ev->offset)
        return r->last_tuple;
    r->last_tuple = read_event(r, &r->classes[ev->type->index], ev);
    r->last_offset = ev->offset;
    r->has_last = true;
    return r->last_tuple;
}

uint32_t context_n_tuples(const struct context_run *r)
{
    return (uint32_t)intern_n(&r->tuples);
}

const char *context_text(const struct context_run *r, uint32_t tuple, uint32_t key, size_t *n)
{
    uint32_t values[CONTEXT_ATTRIBUTES];

    if (tuple == 0 || tuple == CONTEXT_NONE)
        return NULL;
    context_values(r, tuple, values);
    for (const uint32_t *p = r->key_places + key * (r->n_places + 1); *p != CONTEXT_NONE; p++)
        if (values[*p] != 0)
            return intern_get(&r->values, values[*p] - 1, n);
    return NULL;
}

size_t context_n_attributes(const struct context_run *r)
{
    return r->n_places;
}

const char *context_attribute(const struct context_run *r, size_t i)
{
    const struct context_attr *a = &r->attrs[r->places[i]];

    return a->is_unique ? a->name : a->full;
}

const char *context_attribute_text(const struct context_run *r, uint32_t tuple, size_t i, size_t *n)
{
    uint32_t values[CONTEXT_ATTRIBUTES];

    if (tuple == 0 || tuple == CONTEXT_NONE)
        return NULL;
    context_values(r, tuple, values);
    return values[i] == 0 ? NULL : intern_get(&r->values, values[i] - 1, n);
}
