/*
 * context.c - the contexts of events: which keys are wanted, and the tuple of values of each event.
 *
 * select.c and the rewriters call it for every chunk and event. Attributes come from attr.c, events
 * that last from span.c, those of other chunks from carried.c.
 */
#include "convert/context/internal.h"
#include "convert/context/trace_link.h"

#include "convert/driver/run.h"
#include "jfrfmt/base/array.h"
#include "jfrfmt/base/hash.h"

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
    free(c->is_known);
    context_carried_free(&c->carried);
    buf_free(&c->damages);
    free(c);
}

uint32_t context_want(struct context *c, const char *key)
{
    for (size_t i = 0; i < c->n_keys; i++)
        if (strcmp(c->keys[i], key) == 0)
            return (uint32_t)i;
    if (!array_add(&c->keys, c->n_keys, sizeof(*c->keys)) ||
        !array_add(&c->is_known, c->n_keys, sizeof(*c->is_known)))
        return CONTEXT_NONE;
    c->is_known[c->n_keys] = false;
    c->keys[c->n_keys] = strdup(key);
    return c->keys[c->n_keys] == NULL ? CONTEXT_NONE : (uint32_t)c->n_keys++;
}

void context_want_all(struct context *c)
{
    c->all = true;
}

const char *context_unknown_key(const struct context *c)
{
    for (size_t i = 0; i < c->n_keys && c->has_chunk; i++)
        if (!c->is_known[i])
            return c->keys[i];
    return NULL;
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
    buf_free(&r->carried_in);
    intern_free(&r->thread_ids);
    buf_free(&r->thread_keys);
    free(r);
}

/* --- looking ahead ---------------------------------------------------------------------------- */

static void *look_new(void *shared)
{
    return context_run_new(shared);
}

static void look_free(void *worker)
{
    context_run_free(worker);
}

static int start_chunk(struct context_run *r, struct jfr_chunk *chunk);

static int look_at(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct context_run *r = worker;
    int code = start_chunk(r, rc->chunk);

    (void)out;
    return code == 0 && r->has_spans ? context_read_spans(r) : code;
}

static int look_merge(void *shared, void *worker, const struct run_chunk *rc)
{
    return context_carried_chunk(shared, worker, rc->file);
}

struct look {
    struct context *context;
    const char *const *paths;
};

/* Files with events are read again, and their damage is reported then. */
static void note_damage(void *ctx, const char *path, const struct jfr_error *err)
{
    struct look *look = ctx;
    struct context *c = look->context;
    size_t n_files = c->carried.n_files;

    for (size_t i = 0; i < n_files; i++)
        if (strcmp(look->paths[i], path) == 0)
            return;
    if (n_files > 0)
        buf_bytes(&c->damages, &(struct context_damage){path, *err}, sizeof(struct context_damage));
}

int context_look_ahead(struct context *c, const char *const *paths, size_t n_paths,
                       struct jfr_error *err, const char **err_path)
{
    struct look look = {c, paths};
    struct run_options opt = {
        .paths = paths, .n_paths = n_paths, .on_damage = note_damage, .ctx = &look};
    struct run_job job = {.shared = c,
                          .worker_new = look_new,
                          .worker_free = look_free,
                          .chunk = look_at,
                          .merge = look_merge};
    struct run_result result;

    int rc;

    *err_path = NULL;
    if (!context_is_wanted(c))
        return 0;
    do {
        buf_reset(&c->damages);
        rc = run_all(&opt, &job, NULL, &result, err, err_path);
    } while (rc == 0 && context_carried_again(c));
    if (rc == 0 && (context_carried_ready(c) != 0 || !buf_ok(&c->damages)))
        rc = jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    return rc;
}

void context_from(struct context *c, size_t n_files)
{
    c->carried.n_files = n_files;
}

const struct jfr_error *context_damage(const struct context *c, size_t i, const char **path)
{
    const struct context_damage *d = (const struct context_damage *)(const void *)c->damages.p;

    if (i >= c->damages.n / sizeof(*d))
        return NULL;
    *path = d[i].path;
    return &d[i].err;
}

uint64_t context_n_lost(const struct context *c)
{
    return c->carried.n_lost;
}

/* --- a chunk ---------------------------------------------------------------------------------- */

/* For every key the places of the attributes that it may mean. */
static int resolve_keys(struct context_run *r)
{
    const struct context *c = r->shared;
    size_t width = r->n_places + 1;

    r->key_places =
        arena_array(jfr_chunk_arena(r->chunk), c->n_keys * width + 1, sizeof(*r->key_places));
    r->is_key = arena_array(jfr_chunk_arena(r->chunk), width, sizeof(*r->is_key));
    r->is_trace = arena_array(jfr_chunk_arena(r->chunk), width, sizeof(*r->is_trace));
    if (r->key_places == NULL || r->is_key == NULL || r->is_trace == NULL)
        return JFR_E_NOMEM;
    for (uint32_t i = 0; i < r->n_places; i++)
        r->is_trace[i] = trace_link_is_trace(r->attrs[r->places[i]].name);
    for (size_t k = 0; k < c->n_keys; k++) {
        uint32_t *list = r->key_places + k * width;

        for (uint32_t i = 0; i < r->n_places; i++)
            if (context_is_called(&r->attrs[r->places[i]], c->keys[k])) {
                *list++ = i;
                r->is_key[i] = true;
            }
        *list = CONTEXT_NONE;
    }
    return 0;
}

static int start_chunk(struct context_run *r, struct jfr_chunk *chunk)
{
    struct arena *arena = jfr_chunk_arena(chunk);
    size_t n = jfr_chunk_metadata(chunk)->n_classes;
    uint32_t none[CONTEXT_ATTRIBUTES] = {0};
    int code;

    r->chunk = chunk;
    r->n_attrs = r->n_places = 0;
    r->pooled = NULL;
    memset(r->texts, 0, sizeof(r->texts));
    r->has_last = r->has_spans = r->has_span_events = r->is_without_spans = false;
    r->last_thread = 0;
    intern_reset(&r->values);
    intern_reset(&r->tuples);
    buf_reset(&r->spans);
    buf_reset(&r->segments);
    buf_reset(&r->threads);
    buf_reset(&r->carried_in);
    r->attrs = arena_array(arena, CONTEXT_ATTRIBUTES, sizeof(*r->attrs));
    r->places = arena_array(arena, CONTEXT_ATTRIBUTES, sizeof(*r->places));
    r->classes = arena_array(arena, n, sizeof(*r->classes));
    if (r->attrs == NULL || r->places == NULL || r->classes == NULL)
        return JFR_E_NOMEM;
    code = context_carried_find(r);
    if (code == 0)
        code = context_find_attributes(r);
    if (code == 0 && context_tuple(r, none) != 0)
        code = JFR_E_NOMEM;
    return code != 0 ? code : resolve_keys(r);
}

int context_run_load(struct context_run *r, struct jfr_chunk *chunk)
{
    int code = start_chunk(r, chunk);

    if (code == 0 && r->has_spans && !r->is_without_spans)
        code = context_read_spans(r);
    if (code == 0)
        code = context_carried_join(r);
    return code != 0 ? code : context_join_spans(r);
}

int context_run_load_own(struct context_run *r, struct jfr_chunk *chunk)
{
    return start_chunk(r, chunk);
}

bool context_depends_on_time(const struct context_run *r, const struct jfr_class *cls)
{
    return r->classes[cls->index].thread != NULL && r->segments.n > 0;
}

bool context_class(struct context_run *r, const struct jfr_class *cls)
{
    return cls->is_event &&
           (r->classes[cls->index].n_fields > 0 || context_depends_on_time(r, cls));
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

uint32_t context_own_tuple(struct context_run *r, const struct jfr_event *ev)
{
    const struct context_class *k = &r->classes[ev->type->index];
    union jfr_value v[CONTEXT_FIELDS + CONTEXT_ATTRIBUTES];
    uint32_t values[CONTEXT_ATTRIBUTES] = {0};
    int code;

    if (k->plan == NULL || k->n_fields == 0 || jfr_plan_run(k->plan, ev->body, v, NULL) != 0)
        return 0;
    code = context_own_values(r, k, v, ev->body.end, values);
    if (code != 0)
        return code == JFR_E_NOMEM ? CONTEXT_NONE : 0;
    return context_tuple(r, values);
}

bool context_has_own(struct context_run *r, const struct jfr_event *ev)
{
    uint32_t tuple = context_own_tuple(r, ev);

    return tuple != 0 && tuple != CONTEXT_NONE;
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
    uint32_t values[CONTEXT_ATTRIBUTES], value;

    if (tuple == 0 || tuple == CONTEXT_NONE)
        return NULL;
    context_values(r, tuple, values);
    value = context_value_of_key(r, key, values);
    return value == 0 ? NULL : intern_get(&r->values, value - 1, n);
}

size_t context_n_attributes(const struct context_run *r)
{
    return r->n_places;
}

bool context_attribute_is(const struct context_run *r, size_t i, const char *key)
{
    return context_is_called(&r->attrs[r->places[i]], key);
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
