/* facets_finish.c - samples and values in their final order, and what one can ask about them. */
#include "convert/facets_internal.h"
#include "convert/tree.h"

#include <stdlib.h>

static const struct facets_raw *raw_at(const struct facets *f, size_t i)
{
    return (const struct facets_raw *)(const void *)f->samples.p + i;
}

static uint32_t tuple_value(const struct facets *f, uint32_t tuple, uint32_t dim)
{
    size_t n;
    const char *values = intern_get(&f->tuples, tuple, &n);
    uint32_t v = 0;

    if ((dim + 1) * sizeof(v) <= n)
        memcpy(&v, values + dim * sizeof(v), sizeof(v));
    return v;
}

/* --- order ------------------------------------------------------------------------------------ */

struct ranking {
    const struct intern *texts;
    const uint64_t *count;
};

static int by_count(const void *a, const void *b, void *ctx)
{
    const struct ranking *r = ctx;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    size_t nx, ny;
    const char *tx, *ty;
    int order;

    if (r->count[x] != r->count[y])
        return r->count[x] > r->count[y] ? -1 : 1;
    tx = intern_get(r->texts, x, &nx);
    ty = intern_get(r->texts, y, &ny);
    order = memcmp(tx, ty, nx < ny ? nx : ny);
    return order != 0 ? order : (nx > ny) - (nx < ny);
}

/* Value 0 stays where it is, the others by how often they occur. */
static bool rank_values(struct facets *f, uint32_t dim, const uint64_t *by_tuple)
{
    struct facets_dim *d = &f->dims[dim];
    size_t n = intern_n(&d->texts);
    uint64_t *count = calloc(n + 1, sizeof(*count));
    struct ranking r = {&d->texts, count};

    d->rank = malloc((n + 1) * sizeof(*d->rank));
    d->by_rank = malloc((n + 1) * sizeof(*d->by_rank));
    d->count = malloc((n + 1) * sizeof(*d->count));
    if (count == NULL || d->rank == NULL || d->by_rank == NULL || d->count == NULL)
        return free(count), false;
    for (uint32_t i = 0; i < intern_n(&f->tuples); i++)
        count[tuple_value(f, i, dim)] += by_tuple[i];
    for (uint32_t i = 0; i < n; i++)
        d->by_rank[i] = i;
    if (n > 1)
        qsort_r(d->by_rank + 1, n - 1, sizeof(*d->by_rank), by_count, &r);
    for (uint32_t i = 0; i < n; i++) {
        d->rank[d->by_rank[i]] = i;
        d->count[i] = count[d->by_rank[i]];
    }
    free(count);
    return true;
}

static bool rank_all(struct facets *f)
{
    uint64_t *by_tuple = calloc(intern_n(&f->tuples) + 1, sizeof(*by_tuple));
    bool ok = by_tuple != NULL;

    for (size_t i = 0; i < f->n && ok; i++)
        by_tuple[raw_at(f, f->order[i])->values]++;
    for (uint32_t dim = 0; dim < intern_n(&f->dim_names) && ok; dim++)
        ok = rank_values(f, dim, by_tuple);
    free(by_tuple);
    return ok;
}

/* The names of further dimensions may come in any order; so they are sorted. */
static int by_name(const void *a, const void *b, void *ctx)
{
    const struct facets *f = ctx;

    return strcmp(intern_get(&f->dim_names, *(const uint32_t *)a, NULL),
                  intern_get(&f->dim_names, *(const uint32_t *)b, NULL));
}

/* Neighbours that are alike compress well: so samples of one tick stand by thread, state, type,
 * stack. */
static int by_likeness(const void *a, const void *b, void *ctx)
{
    const struct facets *f = ctx;
    uint32_t ix = *(const uint32_t *)a, iy = *(const uint32_t *)b;
    const struct facets_raw *x = raw_at(f, ix), *y = raw_at(f, iy);
    uint32_t vx, vy;

    for (uint32_t dim = 0; dim <= FACET_EVENT && x->values != y->values; dim++) {
        vx = tuple_value(f, x->values, dim);
        vy = tuple_value(f, y->values, dim);
        if (vx != vy)
            return vx < vy ? -1 : 1;
    }
    if (x->row != y->row && f->node[x->row] != f->node[y->row])
        return f->node[x->row] < f->node[y->row] ? -1 : 1;
    return ix < iy ? -1 : 1;
}

static uint32_t tick_of(const struct facets *f, uint32_t i)
{
    return (uint32_t)(((uint64_t)raw_at(f, i)->time_ns - (uint64_t)f->first_ns) / f->tick_ns);
}

/* Ticks are a millisecond, shorter where the whole lasts less than a second, longer where their
 * number would need more than 31 bits. */
static void choose_tick(struct facets *f)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    uint64_t span;

    for (size_t i = 0; i < f->n; i++) {
        int64_t t = raw_at(f, f->order[i])->time_ns;

        first = t < first ? t : first;
        last = t > last ? t : last;
    }
    span = f->n == 0 ? 0 : (uint64_t)last - (uint64_t)first;
    f->first_ns = f->n == 0 ? 0 : first;
    f->tick_ns = span < 1000000000 ? 10000 : 1000000;
    if (span / f->tick_ns >= INT32_MAX - 1)
        f->tick_ns = span / (INT32_MAX - 1) + 1;
    if (f->first_ns > 0)
        f->first_ns -= f->first_ns % (int64_t)f->tick_ns; /* so that ticks are round times */
}

#define RADIX 2048

/* By tick, in three rounds of eleven bits; then each tick by itself. */
static bool sort_samples(struct facets *f)
{
    uint32_t *from = f->order, *to = malloc((f->n + 1) * sizeof(*to)), *other;
    size_t end;

    if (to == NULL)
        return false;
    for (int shift = 0; shift < 33; shift += 11) {
        size_t at[RADIX + 1] = {0};

        for (size_t i = 0; i < f->n; i++)
            at[(tick_of(f, from[i]) >> shift & (RADIX - 1)) + 1]++;
        for (int k = 0; k < RADIX; k++)
            at[k + 1] += at[k];
        for (size_t i = 0; i < f->n; i++)
            to[at[tick_of(f, from[i]) >> shift & (RADIX - 1)]++] = from[i];
        other = from;
        from = to;
        to = other;
    }
    f->order = from;
    free(to);
    for (size_t i = 0; i < f->n; i = end) {
        for (end = i + 1; end < f->n && tick_of(f, from[end]) == tick_of(f, from[i]);)
            end++;
        if (end - i > 1)
            qsort_r(from + i, end - i, sizeof(*from), by_likeness, f);
    }
    return true;
}

/* Where the stacks of the profile's rows end in the tree. */
static bool find_nodes(struct facets *f, const struct profile *p, const struct tree *tree)
{
    size_t n = profile_row_numbers(p);

    f->node = malloc((n + 1) * sizeof(*f->node));
    if (f->node == NULL)
        return false;
    profile_row_places(p, f->node);
    for (size_t i = 0; i < n; i++)
        if (f->node[i] != UINT32_MAX)
            f->node[i] = tree->leaf[f->node[i]];
    return true;
}

int facets_finish(struct facets *f, const struct profile *p, const struct tree *tree)
{
    size_t n = f->samples.n / sizeof(struct facets_raw);
    uint64_t at = 0;

    f->order = malloc((n + 1) * sizeof(*f->order));
    f->weight_at = malloc((n + 1) * sizeof(*f->weight_at));
    if (f->failed || f->order == NULL || f->weight_at == NULL || n >= UINT32_MAX ||
        !find_nodes(f, p, tree))
        return JFR_E_NOMEM;
    for (size_t i = 0; i < n; i++) {
        f->weight_at[i] = at;
        at += (unsigned)__builtin_popcount(raw_at(f, i)->has);
        if (f->node[raw_at(f, i)->row] != UINT32_MAX)
            f->order[f->n++] = (uint32_t)i;
    }
    for (uint32_t i = 0; i < FACETS_DIMS; i++)
        f->by_name[i] = i;
    if (intern_n(&f->dim_names) > FACET_FIXED)
        qsort_r(f->by_name + FACET_FIXED, intern_n(&f->dim_names) - FACET_FIXED,
                sizeof(f->by_name[0]), by_name, f);
    choose_tick(f);
    return sort_samples(f) && rank_all(f) ? 0 : JFR_E_NOMEM;
}

/* --- answers ---------------------------------------------------------------------------------- */

size_t facets_n(const struct facets *f)
{
    return f->n;
}

int64_t facets_first_ns(const struct facets *f)
{
    return f->first_ns;
}

uint64_t facets_tick_ns(const struct facets *f)
{
    return f->tick_ns;
}

struct facets_sample facets_sample(const struct facets *f, size_t i)
{
    const struct facets_raw *raw = raw_at(f, f->order[i]);
    const uint64_t *weight = (const uint64_t *)(const void *)f->weights.p;
    struct facets_sample s = {
        .time_ns = raw->time_ns, .tick = tick_of(f, f->order[i]), .node = f->node[raw->row]};

    s.weight[FACET_COUNT] = 1;
    for (size_t k = 0, at = f->weight_at[f->order[i]]; k < FACET_WEIGHTS; k++)
        if ((raw->has >> k & 1) != 0)
            s.weight[k] = weight[at++];
    return s;
}

size_t facets_n_dims(const struct facets *f)
{
    return intern_n(&f->dim_names);
}

const char *facets_dim_name(const struct facets *f, uint32_t dim, size_t *n)
{
    return intern_get(&f->dim_names, f->by_name[dim], n);
}

uint32_t facets_n_values(const struct facets *f, uint32_t dim)
{
    return (uint32_t)intern_n(&f->dims[f->by_name[dim]].texts) - 1;
}

const char *facets_value_text(const struct facets *f, uint32_t dim, uint32_t value, size_t *n)
{
    const struct facets_dim *d = &f->dims[f->by_name[dim]];

    return intern_get(&d->texts, d->by_rank[value], n);
}

uint64_t facets_value_n(const struct facets *f, uint32_t dim, uint32_t value)
{
    return f->dims[f->by_name[dim]].count[value];
}

uint32_t facets_value_of(const struct facets *f, size_t sample, uint32_t dim)
{
    const struct facets_raw *raw = raw_at(f, f->order[sample]);

    return f->dims[f->by_name[dim]].rank[tuple_value(f, raw->values, f->by_name[dim])];
}

const struct facets_event *facets_event(const struct facets *f, uint32_t value)
{
    return (const struct facets_event *)(const void *)f->events.p +
           f->dims[FACET_EVENT].by_rank[value];
}
