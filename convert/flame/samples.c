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

struct columns {
    const struct flame_facets *ff;
    const struct facets_entry *entries;
    size_t n;
    struct pack *pack;
    uint32_t *stack; /* number of a stack by its place */
    uint32_t *code; /* by tuple: the value of the dimension that is being written */
    struct buf ends; /* of size_t: where the samples of each thread end */
    struct run *runs;
    size_t n_runs;
};

/* Stores the value of a dimension for each tuple in c->code. Values whose names the page does not
 * keep share one number. */
static void find_codes(struct columns *c, const struct flame_dim *d)
{
    for (uint32_t t = 0; t < facets_n_tuples(c->ff->f); t++) {
        uint32_t v = facets_tuple_value(c->ff->f, t, d->number);

        c->code[t] = v <= d->most ? v : d->most + 1;
    }
}

/* Finds where the samples of each thread end. Returns false if out of memory. */
static bool find_groups(struct columns *c)
{
    for (uint32_t t = 0; t < facets_n_tuples(c->ff->f); t++)
        c->code[t] = facets_tuple_value(c->ff->f, t, FACET_THREAD);
    for (size_t i = 1; i <= c->n; i++)
        if (i == c->n || c->code[c->entries[i].tuple] != c->code[c->entries[i - 1].tuple])
            buf_bytes(&c->ends, &i, sizeof(i));
    return buf_ok(&c->ends);
}

static size_t n_groups(const struct columns *c)
{
    return c->ends.n / sizeof(size_t);
}

static size_t group_end(const struct columns *c, size_t group)
{
    return ((const size_t *)(const void *)c->ends.p)[group];
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
        buf_varint(&c->pack->raw, group_end(c, g) - from);
        from = group_end(c, g);
    }
    pack_section(c->pack, "s.0");
    find_codes(c, thread);
    for (size_t g = 0; g < n_groups(c); g++, pack_check(c->pack))
        buf_varint(&c->pack->raw, c->code[c->entries[group_end(c, g) - 1].tuple]);
}

static void put_times(struct columns *c)
{
    pack_section(c->pack, "s.time");
    for (size_t g = 0, i = 0; g < n_groups(c); g++) {
        uint32_t before = 0;

        for (size_t end = group_end(c, g); i < end; i++, pack_check(c->pack)) {
            uint32_t tick = flame_tick(c->ff, &c->entries[i]);

            buf_varint(&c->pack->raw, tick - before);
            before = tick;
        }
    }
}

/* Numbers the stacks by the first thread that has them, then by place. */
static bool number_stacks(struct columns *c)
{
    size_t n = c->ff->n_leaves, *at;
    uint32_t *first = c->stack;

    for (size_t k = 0; k < n; k++)
        first[k] = UINT32_MAX;
    for (size_t g = 0, i = 0; g < n_groups(c); g++)
        for (size_t end = group_end(c, g); i < end; i++) {
            uint32_t *mine = &first[flame_leaf(c->ff, &c->entries[i])];

            if (*mine == UINT32_MAX)
                *mine = (uint32_t)g;
        }
    at = calloc(n_groups(c) + 1, sizeof(*at));
    if (at == NULL)
        return false;
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

/* Finds the runs and writes how long they are. */
static bool find_runs(struct columns *c)
{
    size_t i, from = 0;

    for (i = 0; i < c->n; i++)
        c->n_runs += i == 0 || c->entries[i].tuple != c->entries[i - 1].tuple ||
                     c->entries[i].node != c->entries[i - 1].node;
    c->runs = malloc((c->n_runs + 1) * sizeof(*c->runs));
    if (c->runs == NULL)
        return false;
    pack_section(c->pack, "s.run");
    c->n_runs = 0;
    for (i = 0; i < c->n; i++) {
        const struct facets_entry *e = &c->entries[i];

        if (i > 0 && e->tuple == e[-1].tuple && e->node == e[-1].node)
            continue;
        if (i > 0)
            buf_varint(&c->pack->raw, i - from);
        pack_check(c->pack);
        from = i;
        c->runs[c->n_runs++] = (struct run){e->tuple, c->stack[flame_leaf(c->ff, e)]};
    }
    if (c->n > 0)
        buf_varint(&c->pack->raw, c->n - from);
    return true;
}

/* The stacks of the runs, or what the code makes of their tuples. */
static void put_column(struct columns *c, const char *section, unsigned width, bool stacks)
{
    pack_section(c->pack, section);
    for (unsigned shift = 0; shift < 8 * width; shift += 8) {
        uint32_t before = UINT32_MAX;

        for (size_t i = 0; i < c->n_runs; i++, pack_check(c->pack)) {
            uint32_t v = stacks ? c->runs[i].stack : c->code[c->runs[i].tuple];

            buf_byte(&c->pack->raw, v == before ? 0 : (uint8_t)((v + 1) >> shift));
            before = v;
        }
    }
}

static void put_weights(struct columns *c)
{
    static const char *const sections[FACET_WEIGHTS] = {"w.count", "w.bytes", "w.duration",
                                                        "w.cpu-time", "w.field"};
    const struct facets *f = c->ff->f;

    for (int k = 0; k < FACET_WEIGHTS; k++) {
        if ((c->ff->weights >> k & 1) == 0)
            continue;
        pack_section(c->pack, sections[k]);
        for (uint32_t t = 0; t < facets_n_tuples(f); t++)
            c->code[t] = facets_event(f, facets_tuple_value(f, t, FACET_EVENT))->weights >> k & 1;
        for (size_t i = 0; i < c->n; i++, pack_check(c->pack))
            if (c->code[c->entries[i].tuple] != 0)
                buf_varint(&c->pack->raw, facets_weight(f, i, (enum facet_weight)k));
    }
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
    put_weights(c);
    return buf_ok(&c->pack->raw);
}

int flame_facets_samples(struct flame_facets *ff, struct pack *pack)
{
    struct columns c = {
        .ff = ff, .entries = facets_entries(ff->f), .n = facets_n(ff->f), .pack = pack};
    bool ok;

    c.stack = malloc((ff->n_leaves + 1) * sizeof(*c.stack));
    c.code = malloc((facets_n_tuples(ff->f) + 1) * sizeof(*c.code));
    ok = c.stack != NULL && c.code != NULL && put_all(&c);
    free(c.stack);
    free(c.code);
    buf_free(&c.ends);
    free(c.runs);
    return ok ? 0 : JFR_E_NOMEM;
}
