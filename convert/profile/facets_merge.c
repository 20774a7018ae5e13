/*
 * facets_merge.c - adds the samples and shapes of a chunk to those of all chunks, with final
 * numbers of values and rows.
 *
 * Called in the order of the chunks, one at a time, after profile.c has numbered the rows of the
 * chunk. facets_finish.c sorts the samples after the last chunk.
 */
#include "convert/profile/worker.h"

#include <stdlib.h>
#include <string.h>

static uint32_t local_value(struct facets *f, uint32_t dim, const struct chunk_sums *sums,
                            uint32_t name)
{
    size_t n;
    const char *text;

    if (name == NO_NAME)
        return FACET_NONE;
    text = intern_get(&sums->names, name, &n);
    return facets_value(f, dim, text, n);
}

/* The value of an event type. The first class of a name decides how its events count; later classes
 * of that name may add weights. */
static uint32_t event_value(struct facets *f, const struct jfr_class *cls,
                            enum kind_samples samples, uint32_t weights)
{
    const char *prefix, *rest = kind_event_name(cls, &prefix);
    struct buf text = {0};
    uint32_t value;

    buf_printf(&text, "%s%s", prefix, rest);
    value = facets_value(f, FACET_EVENT, (const char *)text.p, text.n);
    f->failed |= !buf_ok(&text);
    buf_free(&text);
    while (f->events.n / sizeof(struct facets_event) <= value && buf_ok(&f->events)) {
        struct facets_event e = {.weights = 0};

        for (int k = 0; k < N_KINDS; k++)
            e.kinds[k] = kind_use_of((enum kind)k, cls, samples);
        buf_bytes(&f->events, &e, sizeof(e));
    }
    if (buf_ok(&f->events)) {
        struct facets_event *e = (struct facets_event *)(void *)f->events.p + value;

        e->weights |= weights;
        if (samples != KIND_SAMPLES_CPU) /* one chunk with samples of all threads is enough */
            e->kinds[KIND_WALL] = kind_use_of(KIND_WALL, cls, samples);
    }
    return value;
}

/* The file's name without folders, with a number if another file has the same name. */
static uint32_t input_value(struct facets *f, const struct run_chunk *rc)
{
    const char *slash = strrchr(rc->path, '/'), *name = slash == NULL ? rc->path : slash + 1;
    size_t known = f->inputs.n / sizeof(uint32_t);
    struct buf text = {0};
    uint32_t value;

    if (strcmp(name, "-") == 0)
        name = "standard input";
    buf_str(&text, name);
    while (known <= rc->file && buf_ok(&f->inputs)) { /* files without samples have no value */
        size_t values = intern_n(&f->dims[FACET_INPUT].texts);

        value = known < rc->file ? FACET_NONE
                                 : facets_value(f, FACET_INPUT, (const char *)text.p, text.n);
        if (known == rc->file && value < values) {
            buf_printf(&text, " (%u)", rc->file + 1);
            value = facets_value(f, FACET_INPUT, (const char *)text.p, text.n);
        }
        buf_bytes(&f->inputs, &value, sizeof(value));
        known++;
    }
    f->failed |= !buf_ok(&text) || !buf_ok(&f->inputs);
    buf_free(&text);
    return f->failed ? FACET_NONE : ((const uint32_t *)(const void *)f->inputs.p)[rc->file];
}

/* Stores the attributes of a context: each is a dimension. */
static void merge_context_values(struct facets *f, const struct context_run *contexts,
                                 uint32_t tuple, uint32_t *values)
{
    for (size_t i = 0; i < context_n_attributes(contexts); i++) {
        const char *name = context_attribute(contexts, i);
        size_t n;
        const char *text = context_attribute_text(contexts, tuple, i, &n);
        uint32_t dim = text == NULL ? UINT32_MAX : facets_dim(f, name, strlen(name));

        if (dim < FACETS_DIMS && dim >= FACET_FIXED)
            values[dim] =
                n > 0 ? facets_value(f, dim, text, n) : facets_value(f, dim, "(empty)", 7);
    }
}

/* Stores the values of a place. */
static void merge_place_values(struct facets *f, uint32_t place, uint32_t *values)
{
    for (size_t i = 0; i < f->places.n; i++) {
        const char *text = f->places.text(f->places.shared, place, i), *name = f->places.names[i];
        uint32_t dim = text == NULL ? UINT32_MAX : facets_dim(f, name, strlen(name));

        if (dim < FACETS_DIMS && dim >= FACET_FIXED)
            values[dim] = facets_value(f, dim, text, strlen(text));
    }
}

/* The final tuple of a combination of values of the chunk. */
static uint32_t merged_tuple_of(struct facets *f, const struct profile_worker *w,
                                const struct jfr_class *cls, const struct facets_local *local,
                                uint32_t input)
{
    uint32_t has = w->facets->classes[local->event].has, tuple[1 + FACETS_DIMS] = {0};
    uint32_t *values = tuple + 1;
    size_t n = FACETS_DIMS;

    tuple[0] = has | local->rest << FACETS_REST;
    values[FACET_THREAD] = local_value(f, FACET_THREAD, &w->sums, local->thread);
    values[FACET_STATE] = local_value(f, FACET_STATE, &w->sums, local->state);
    values[FACET_EVENT] = event_value(f, cls, w->samples, has);
    values[FACET_INPUT] = input;
    if (local->context > 0)
        merge_context_values(f, w->contexts, local->context, values);
    if (local->place > 0)
        merge_place_values(f, local->place, values);
    while (n > 0 && values[n - 1] == 0)
        n--;
    return intern_add(&f->tuples, tuple, (1 + n) * sizeof(tuple[0]));
}

/* Appends a column of a chunk. The buffer of the first chunk is taken over, not copied: a recording
 * of one chunk would need twice the memory. */
static void take_column(struct facets *f, struct buf *to, struct buf *from)
{
    struct buf empty = *to;

    if (to->n == 0) {
        *to = *from;
        *from = empty;
    } else {
        buf_bytes(to, from->p, from->n);
    }
    f->failed |= !buf_ok(to);
}

/* Gives the shapes of the chunk their rows and their final tuples, and adds them. */
static void merge_shapes(struct facets *f, struct facets_chunk *c, const uint32_t *tuples,
                         uint32_t (*row)(void *ctx, uint64_t key), void *ctx)
{
    struct facets_shape *shapes = (struct facets_shape *)(void *)c->shapes.p;
    const uint64_t *rows = (const uint64_t *)(const void *)c->rows.p;
    size_t n = c->shapes.n / sizeof(*shapes), weights = f->weights.n / sizeof(uint64_t);

    for (size_t i = 0; i < n; i++) {
        shapes[i].node = row(ctx, rows[i]);
        shapes[i].tuple = tuples[shapes[i].tuple];
        shapes[i].weights += (uint32_t)weights;
    }
    take_column(f, &f->shapes, &c->shapes);
    take_column(f, &f->weights, &c->weights);
}

bool facets_merge(struct facets *f, struct profile_worker *w, const struct run_chunk *rc,
                  uint32_t (*row)(void *ctx, uint64_t key), void *ctx)
{
    struct facets_chunk *c = w->facets;
    struct facets_entry *samples = (struct facets_entry *)(void *)c->samples.p;
    const struct jfr_metadata *md = jfr_chunk_metadata(rc->chunk);
    size_t n = intern_n(&c->locals), n_samples = c->samples.n / sizeof(*samples),
           n_shapes = f->shapes.n / sizeof(struct facets_shape);
    uint32_t *tuples = malloc((n + 1) * sizeof(*tuples));

    f->unit = profile_unit_of_both(f->unit, c->unit);
    f->failed |= tuples == NULL;
    for (uint32_t i = 0; i < n && !f->failed; i++) {
        struct facets_local local;

        memcpy(&local, intern_get(&c->locals, i, NULL), sizeof(local));
        tuples[i] = merged_tuple_of(f, w, &md->classes[local.event], &local, input_value(f, rc));
        f->failed |= tuples[i] == INTERN_FAILED;
    }
    if (!f->failed)
        merge_shapes(f, c, tuples, row, ctx);
    for (size_t i = 0; i < n_samples && n_shapes > 0; i++)
        samples[i].shape += (uint32_t)n_shapes;
    take_column(f, &f->samples, &c->samples);
    free(tuples);
    return !f->failed;
}
