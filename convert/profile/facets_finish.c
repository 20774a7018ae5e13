/*
 * facets_finish.c - puts samples and values in their final order, and reads the result.
 *
 * Values are ranked by their number of samples, so that frequent ones have small numbers, which the
 * page packs into few characters. Samples are sorted by thread and time. Samples whose row the
 * profile left out, because its group was too small, are removed. After facets_finish() nothing
 * changes: the functions of facets.h only read.
 */
#include "convert/profile/facets_internal.h"
#include "convert/profile/profile.h"
#include "convert/profile/tree.h"

#include <stdlib.h>

static size_t n_all_samples(const struct facets *f)
{
    return f->samples.n / sizeof(struct facets_entry);
}

/* The number of bits of `has`, which are few. __builtin_popcount() is a call of the compiler's
 * library where the processor may lack the instruction: a flame page took a tenth more
 * instructions. */
static unsigned n_weights(uint32_t has)
{
    unsigned n = 0;

    for (; has != 0; has &= has - 1)
        n++;
    return n;
}

/* A member of a tuple: 0 the bits of its weights, 1 + dimension a value. */
static uint32_t tuple_member(const struct facets *f, uint32_t tuple, uint32_t k)
{
    size_t n;
    const char *members = intern_get(&f->tuples, tuple, &n);
    uint32_t v = 0;

    if ((k + 1) * sizeof(v) <= n)
        memcpy(&v, members + k * sizeof(v), sizeof(v));
    return v;
}

static uint32_t tuple_value(const struct facets *f, uint32_t tuple, uint32_t dim)
{
    uint32_t v = tuple_member(f, tuple, 1 + dim);

    return v != FACET_NONE ? v : f->rests[dim][tuple_member(f, tuple, 0) >> FACETS_REST];
}

/* Is it a dimension of facets_set_places()? Samples without a place have no value in it. */
static bool is_of_places(const struct facets *f, uint32_t dim)
{
    for (size_t i = 0; i < f->places.n; i++)
        if (strcmp(intern_get(&f->dim_names, dim, NULL), f->places.names[i]) == 0)
            return true;
    return false;
}

/* Gives samples without a value of a key the value that their thread suggests (unattributed.h). */
static bool name_rests(struct facets *f, uint32_t dim)
{
    bool has[N_UNATTRIBUTED] = {false};
    size_t n;

    for (uint32_t i = 0; i < intern_n(&f->tuples); i++)
        has[tuple_member(f, i, 0) >> FACETS_REST] |= tuple_member(f, i, 1 + dim) == FACET_NONE;
    for (int what = UNATTRIBUTED + 1; what < N_UNATTRIBUTED; what++) {
        struct buf text = {0};

        if (!has[what])
            continue;
        unattributed_put(&text, (enum unattributed)what, intern_get(&f->dim_names, dim, &n));
        f->failed |= !buf_ok(&text);
        if (buf_ok(&text))
            f->rests[dim][what] = facets_value(f, dim, (const char *)text.p, text.n);
        buf_free(&text);
    }
    return !f->failed;
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

/* Ranks values by their number of samples. Value 0 keeps its number. */
static bool rank_values(struct facets *f, uint32_t dim)
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
        count[tuple_value(f, i, dim)] += f->by_tuple[i];
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

/* Chunks name further dimensions in any order, so those are sorted. */
static int by_facet_name(const void *a, const void *b, void *ctx)
{
    const struct facets *f = ctx;

    return strcmp(intern_get(&f->dim_names, *(const uint32_t *)a, NULL),
                  intern_get(&f->dim_names, *(const uint32_t *)b, NULL));
}

/* Gives the shapes their nodes, and counts the samples that are kept, also by tuple. node: by row,
 * the node of the tree; UINT32_MAX: the profile left the row out. */
static void count_samples(struct facets *f, const uint32_t *node)
{
    struct facets_shape *shapes = facets_all_shapes(f);

    for (size_t i = 0; i < facets_n_shapes(f); i++) {
        shapes[i].node = node[shapes[i].node];
        if (shapes[i].node == UINT32_MAX)
            shapes[i].n = 0;
        f->by_tuple[shapes[i].tuple] += shapes[i].n;
        f->n += shapes[i].n;
    }
}

/* Copies the samples to `sorted`, thread by thread, in the order in which they were read. next: by
 * thread, the place of its next sample. */
static bool split_samples(struct facets *f, size_t *next)
{
    const struct facets_entry *samples = (const struct facets_entry *)(const void *)f->samples.p;
    size_t n_shapes = facets_n_shapes(f);
    uint32_t *threads = malloc((n_shapes + 1) * sizeof(*threads)); /* by shape */

    for (uint32_t i = 0; i < n_shapes && threads != NULL; i++)
        threads[i] =
            facets_all_shapes(f)[i].n == 0 ? UINT32_MAX : facets_value_of(f, i, FACET_THREAD);
    for (size_t i = 0, n = n_all_samples(f); i < n && threads != NULL; i++) {
        uint32_t thread = threads[samples[i].shape];

        if (thread != UINT32_MAX)
            f->sorted[next[thread]++] = samples[i];
    }
    buf_free(&f->samples);
    free(threads);
    return threads != NULL;
}

/* Puts the samples in their order, and finds their first and last time. */
static bool sort_samples(struct facets *f)
{
    size_t n_threads = intern_n(&f->dims[FACET_THREAD].texts);
    size_t *next = calloc(n_threads + 1, sizeof(*next));
    bool ok = next != NULL;

    for (uint32_t v = 1; v < n_threads && ok; v++)
        next[v] = next[v - 1] + f->dims[FACET_THREAD].count[v - 1];
    f->sorted = malloc((f->n + 1) * sizeof(*f->sorted));
    ok = ok && f->sorted != NULL && split_samples(f, next);
    for (uint32_t v = 0; v < n_threads && ok; v++) { /* next[v] is the end of thread v now */
        size_t n = f->dims[FACET_THREAD].count[v];
        const struct facets_entry *first, *last;

        ok = facets_sort(f->sorted + (next[v] - n), n);
        if (n == 0)
            continue;
        first = &f->sorted[next[v] - n];
        last = &f->sorted[next[v] - 1];
        if (first == f->sorted || first->time_ns < f->first_ns)
            f->first_ns = first->time_ns;
        if (first == f->sorted || last->time_ns > f->last_ns)
            f->last_ns = last->time_ns;
    }
    free(next);
    return ok;
}

/* By row of the profile, the node of the tree at which its stack ends. NULL if out of memory. */
static uint32_t *find_nodes(const struct profile *p, const struct tree *tree)
{
    size_t n = profile_row_numbers(p);
    uint32_t *node = malloc((n + 1) * sizeof(*node));

    if (node == NULL)
        return NULL;
    profile_row_places(p, node);
    for (size_t i = 0; i < n; i++)
        if (node[i] != UINT32_MAX)
            node[i] = tree->leaf[node[i]];
    return node;
}

int facets_finish(struct facets *f, const struct profile *p, const struct tree *tree)
{
    uint32_t *node = find_nodes(p, tree);
    bool ok = node != NULL && !f->failed && n_all_samples(f) < UINT32_MAX &&
              f->weights.n / sizeof(uint64_t) < UINT32_MAX;

    for (uint32_t i = 0; i < FACETS_DIMS; i++)
        f->by_name[i] = i;
    if (intern_n(&f->dim_names) > FACET_FIXED)
        qsort_r(f->by_name + FACET_FIXED, intern_n(&f->dim_names) - FACET_FIXED,
                sizeof(f->by_name[0]), by_facet_name, f);
    f->by_tuple = calloc(intern_n(&f->tuples) + 1, sizeof(*f->by_tuple));
    f->has = calloc(intern_n(&f->tuples) + 1, sizeof(*f->has));
    ok = ok && f->by_tuple != NULL && f->has != NULL;
    for (uint32_t i = 0; i < intern_n(&f->tuples) && ok; i++)
        f->has[i] = tuple_member(f, i, 0) & ((1U << FACETS_REST) - 1);
    if (ok)
        count_samples(f, node);
    for (uint32_t dim = FACET_FIXED; dim < intern_n(&f->dim_names) && ok; dim++)
        ok = is_of_places(f, dim) || name_rests(f, dim);
    for (uint32_t dim = 0; dim < intern_n(&f->dim_names) && ok; dim++)
        ok = rank_values(f, dim);
    ok = ok && sort_samples(f);
    free(node);
    return ok ? 0 : JFR_E_NOMEM;
}

/* --- the result ------------------------------------------------------------------------------- */

size_t facets_n(const struct facets *f)
{
    return f->n;
}

int64_t facets_first_ns(const struct facets *f)
{
    return f->first_ns;
}

int64_t facets_last_ns(const struct facets *f)
{
    return f->last_ns;
}

const struct facets_entry *facets_entries(const struct facets *f)
{
    return f->sorted;
}

size_t facets_n_shapes(const struct facets *f)
{
    return f->shapes.n / sizeof(struct facets_shape);
}

const struct facets_shape *facets_shapes(const struct facets *f)
{
    return facets_all_shapes(f);
}

const uint64_t *facets_weights(const struct facets *f, uint32_t shape)
{
    return (const uint64_t *)(const void *)f->weights.p + facets_all_shapes(f)[shape].weights;
}

uint64_t facets_weight(const struct facets *f, uint32_t shape, enum facet_weight weight)
{
    uint32_t has = f->has[facets_all_shapes(f)[shape].tuple], bit = 1U << weight;

    return (has & bit) == 0 ? weight == FACET_COUNT
                            : facets_weights(f, shape)[n_weights(has & (bit - 1))];
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

size_t facets_n_tuples(const struct facets *f)
{
    return intern_n(&f->tuples);
}

uint32_t facets_tuple_value(const struct facets *f, uint32_t tuple, uint32_t dim)
{
    return f->dims[f->by_name[dim]].rank[tuple_value(f, tuple, f->by_name[dim])];
}

uint32_t facets_tuple_weights(const struct facets *f, uint32_t tuple)
{
    return f->has[tuple];
}

uint64_t facets_tuple_n(const struct facets *f, uint32_t tuple)
{
    return f->by_tuple[tuple];
}

uint32_t facets_value_of(const struct facets *f, uint32_t shape, uint32_t dim)
{
    return facets_tuple_value(f, facets_all_shapes(f)[shape].tuple, dim);
}

const struct facets_event *facets_event(const struct facets *f, uint32_t value)
{
    return (const struct facets_event *)(const void *)f->events.p +
           f->dims[FACET_EVENT].by_rank[value];
}
