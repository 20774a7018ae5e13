/*
 * samples.c - writes the single samples of a page as columns.
 *
 * facets.h has the layout: samples thread by thread in the order of time, equal neighbours as runs.
 * The script of the page reads the columns back.
 */
#include "convert/flame/facets_internal.h"

#include <stdlib.h>

struct run {
    uint32_t tuple, stack;
};

struct group { /* the samples of a thread */
    size_t end; /* of its samples; those of the group before end where they begin */
    uint32_t thread; /* value of FACET_THREAD */
};

struct columns {
    const struct flame_facets *ff;
    const struct facets_entry *entries;
    const struct facets_shape *shapes;
    size_t n, n_shapes;
    struct pack *pack;
    uint32_t *stack; /* number of a stack by its place */
    uint32_t *code; /* by tuple: the value of the dimension that is being written */
    struct buf groups; /* of struct group */
    struct buf runs; /* of struct run */
};

/* The number of a value on the page. Values whose names the page does not keep share one. */
static uint32_t flame_kept_value(const struct flame_dim *d, uint32_t v)
{
    return v <= d->most ? v : d->most + 1;
}

/* Stores the value of a dimension for each tuple in c->code. */
static void find_codes(struct columns *c, const struct flame_dim *d)
{
    for (uint32_t t = 0; t < facets_n_tuples(c->ff->f); t++)
        c->code[t] = flame_kept_value(d, facets_tuple_value(c->ff->f, t, d->number));
}

/* Finds the samples of each thread. Returns false if out of memory. */
static bool find_groups(struct columns *c)
{
    struct group g = {.end = 0};

    for (g.thread = 0; g.thread <= facets_n_values(c->ff->f, FACET_THREAD); g.thread++) {
        uint64_t n = facets_value_n(c->ff->f, FACET_THREAD, g.thread);

        g.end += n;
        if (n > 0)
            buf_bytes(&c->groups, &g, sizeof(g));
    }
    return buf_ok(&c->groups);
}

static size_t n_groups(const struct columns *c)
{
    return c->groups.n / sizeof(struct group);
}

static const struct group *group_at(const struct columns *c, size_t group)
{
    return (const struct group *)(const void *)c->groups.p + group;
}

static void put_texts(struct columns *c, bool sizes)
{
    const struct flame_facets *ff = c->ff;
    struct buf *raw = &c->pack->raw;

    for (size_t i = 0; i < ff->n_dims; i++)
        for (uint32_t v = 1; v <= ff->dims[i].most; v++, pack_check(c->pack)) {
            size_t n;
            const char *text = facets_value_text(ff->f, ff->dims[i].number, v, &n);

            if (sizes)
                buf_varint(raw, n);
            else
                buf_bytes(raw, text, n);
        }
}

static void put_groups(struct columns *c)
{
    const struct flame_dim *thread = &c->ff->dims[FACET_THREAD];

    pack_section(c->pack, "s.group");
    for (size_t g = 0, from = 0; g < n_groups(c); g++, pack_check(c->pack)) {
        buf_varint(&c->pack->raw, group_at(c, g)->end - from);
        from = group_at(c, g)->end;
    }
    pack_section(c->pack, "s.0");
    for (size_t g = 0; g < n_groups(c); g++, pack_check(c->pack))
        buf_varint(&c->pack->raw, flame_kept_value(thread, group_at(c, g)->thread));
}

static void put_times(struct columns *c)
{
    uint64_t first = (uint64_t)c->ff->first_ns, tick_ns = c->ff->tick_ns;

    pack_section(c->pack, "s.time");
    for (size_t g = 0, i = 0; g < n_groups(c); g++) {
        uint64_t start = 0; /* of the tick of the sample before */
        uint32_t before = 0;

        for (size_t end = group_at(c, g)->end; i < end; i++, pack_check(c->pack)) {
            uint64_t since = (uint64_t)c->entries[i].time_ns - first;
            uint32_t tick = before;

            if (since - start >= tick_ns) { /* most samples are in the tick of the one before */
                tick = (uint32_t)(since / tick_ns);
                start = since - since % tick_ns;
            }
            buf_varint(&c->pack->raw, tick - before);
            before = tick;
        }
    }
}

/* Finds the first group that has each stack. Threads are numbered by their number of samples, so
 * that only 0, "no thread", may be without a group before one that has it. */
static void find_first_groups(const struct columns *c, uint32_t *first)
{
    for (size_t k = 0; k < c->ff->n_leaves; k++)
        first[k] = UINT32_MAX;
    for (uint32_t i = 0; i < c->n_shapes; i++)
        if (c->shapes[i].n > 0) {
            uint32_t *mine = &first[flame_leaf(c->ff, &c->shapes[i])],
                     thread = facets_value_of(c->ff->f, i, FACET_THREAD);

            *mine = thread < *mine ? thread : *mine;
        }
    for (size_t k = 0; k < c->ff->n_leaves; k++)
        first[k] -= group_at(c, 0)->thread;
}

/* Numbers the stacks by the first thread that has them, then by place. */
static bool number_stacks(struct columns *c)
{
    size_t n = c->ff->n_leaves, *at = calloc(n_groups(c) + 1, sizeof(*at));
    uint32_t *first = c->stack;

    if (at == NULL)
        return false;
    find_first_groups(c, first);
    pack_section(c->pack, "s.first");
    for (size_t k = 0; k < n; k++, pack_check(c->pack)) {
        buf_varint(&c->pack->raw, first[k]);
        at[first[k] + 1]++;
    }
    for (size_t g = 1; g < n_groups(c); g++)
        at[g] += at[g - 1];
    for (size_t k = 0; k < n; k++)
        c->stack[k] = (uint32_t)at[first[k]]++;
    free(at);
    return true;
}

/* Finds the runs and writes how long they are. Returns false if out of memory. */
static bool find_runs(struct columns *c)
{
    struct run *of_shape = malloc((c->n_shapes + 1) * sizeof(*of_shape)), before = {0, 0};
    size_t from = 0;

    if (of_shape == NULL)
        return false;
    for (size_t i = 0; i < c->n_shapes; i++)
        if (c->shapes[i].n > 0)
            of_shape[i] =
                (struct run){c->shapes[i].tuple, c->stack[flame_leaf(c->ff, &c->shapes[i])]};
    pack_section(c->pack, "s.run");
    for (size_t i = 0; i < c->n; i++) {
        struct run r = of_shape[c->entries[i].shape];

        if (i > 0 && r.tuple == before.tuple && r.stack == before.stack)
            continue;
        if (i > 0)
            buf_varint(&c->pack->raw, i - from);
        pack_check(c->pack);
        from = i;
        before = r;
        buf_bytes(&c->runs, &r, sizeof(r));
    }
    if (c->n > 0)
        buf_varint(&c->pack->raw, c->n - from);
    free(of_shape);
    return buf_ok(&c->runs);
}

/* The stacks of the runs, or what the code makes of their tuples. */
static void put_column(struct columns *c, const char *section, unsigned width, bool stacks)
{
    const struct run *runs = (const struct run *)(const void *)c->runs.p;
    size_t n_runs = c->runs.n / sizeof(*runs);

    pack_section(c->pack, section);
    for (unsigned shift = 0; shift < 8 * width; shift += 8) {
        uint32_t before = UINT32_MAX;

        for (size_t i = 0; i < n_runs; i++, pack_check(c->pack)) {
            uint32_t v = stacks ? runs[i].stack : c->code[runs[i].tuple];

            buf_byte(&c->pack->raw, v == before ? 0 : (uint8_t)((v + 1) >> shift));
            before = v;
        }
    }
}

struct shape_weight {
    uint64_t value;
    bool is_there; /* the event type of the shape has the weight */
};

static bool put_weights(struct columns *c)
{
    static const char *const sections[FACET_WEIGHTS] = {"w.count", "w.bytes", "w.duration",
                                                        "w.cpu-time", "w.field"};
    const struct facets *f = c->ff->f;
    struct shape_weight *weights = malloc((c->n_shapes + 1) * sizeof(*weights)); /* by shape */

    if (weights == NULL)
        return false;
    for (int k = 0; k < FACET_WEIGHTS; k++) {
        if ((c->ff->weights >> k & 1) == 0)
            continue;
        pack_section(c->pack, sections[k]);
        for (uint32_t t = 0; t < facets_n_tuples(f); t++)
            c->code[t] = facets_event(f, facets_tuple_value(f, t, FACET_EVENT))->weights >> k & 1;
        for (uint32_t i = 0; i < c->n_shapes; i++)
            weights[i] = (struct shape_weight){facets_weight(f, i, (enum facet_weight)k),
                                               c->code[c->shapes[i].tuple] != 0};
        for (size_t i = 0; i < c->n; i++, pack_check(c->pack)) {
            const struct shape_weight *w = &weights[c->entries[i].shape];

            if (w->is_there)
                buf_varint(&c->pack->raw, w->value);
        }
    }
    free(weights);
    return true;
}

static bool put_all(struct columns *c)
{
    const struct flame_facets *ff = c->ff;

    pack_section(c->pack, "dim.size");
    put_texts(c, true);
    pack_section(c->pack, "dim.text");
    put_texts(c, false);
    if (!find_groups(c))
        return false;
    put_groups(c);
    put_times(c);
    if (!number_stacks(c) || !find_runs(c))
        return false;
    put_column(c, "s.stack", flame_width((uint64_t)ff->n_leaves + 1), true);
    for (size_t k = 0; k < ff->n_dims; k++)
        if (k != FACET_THREAD && !ff->dims[k].is_constant) {
            find_codes(c, &ff->dims[k]);
            put_column(c, ff->dims[k].section, ff->dims[k].width, false);
        }
    return put_weights(c) && buf_ok(&c->pack->raw);
}

int flame_facets_samples(struct flame_facets *ff, struct pack *pack)
{
    struct columns c = {.ff = ff,
                        .entries = facets_entries(ff->f),
                        .shapes = facets_shapes(ff->f),
                        .n = facets_n(ff->f),
                        .n_shapes = facets_n_shapes(ff->f),
                        .pack = pack};
    bool ok;

    c.stack = malloc((ff->n_leaves + 1) * sizeof(*c.stack));
    c.code = malloc((facets_n_tuples(ff->f) + 1) * sizeof(*c.code));
    ok = c.stack != NULL && c.code != NULL && put_all(&c);
    free(c.stack);
    free(c.code);
    buf_free(&c.groups);
    buf_free(&c.runs);
    return ok ? 0 : JFR_E_NOMEM;
}
