/*
 * choose.c - which scopes count, how long they take, and which ones are looked into.
 *
 * Quantiles are exact: the scopes of each group are sorted by length. Those looked into are the
 * slow ones and, from the middle fifth of their group, those around the median; if there are too
 * many, each k-th of them by length.
 */
#include "convert/slow/slow_internal.h"

#include "jfrfmt/base/array.h"
#include "jfrfmt/base/sorted.h"

#include <math.h>
#include <stdlib.h>

#define MEDIAN_FROM 0.4
#define MEDIAN_TO 0.6

struct candidate { /* a scope that counts; packed, since there may be millions of a group */
    int64_t ns;
    uint32_t place; /* of its first part */
} __attribute__((packed, aligned(4)));

static int by_scope_length(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Calls take() for each scope that is wanted, and is in no other such scope or its task. */
static void each_candidate(const struct slow *s, void (*take)(void *ctx, uint32_t place), void *ctx)
{
    const struct scopes *all = s->scopes;
    uint32_t thread = SCOPES_NONE;
    bool needs_key = all->key_rank < all->options.n_keys;
    int64_t open_until = 0;

    for (uint32_t i = 0; i < all->n; i++) {
        const struct scope *p = &all->parts[i];

        if (p->thread != thread)
            open_until = INT64_MIN;
        thread = p->thread;
        if ((p->flags & SCOPE_TASK) != 0 && p->head != i && p->end_ns > open_until)
            open_until = p->end_ns; /* what a task does is not a scope by itself */
        if (!scopes_is_head(all, i) || p->start_ns < open_until ||
            (needs_key && (p->key == 0 || p->key_rank != all->key_rank)) ||
            (s->options.filter != NULL && (p->flags & SCOPE_MARKED) == 0))
            continue;
        open_until = p->end_ns;
        take(ctx, i);
    }
}

/* The scopes that count, those of each key together. */
struct by_key {
    const struct scopes *scopes;
    size_t *starts; /* by key, and one more: where its scopes begin in `places` */
    uint32_t *places;
    size_t most; /* scopes of one key */
};

static void count_candidate(void *ctx, uint32_t place)
{
    struct by_key *k = ctx;

    k->starts[k->scopes->parts[place].key + 2]++;
}

static void place_candidate(void *ctx, uint32_t place)
{
    struct by_key *k = ctx;

    k->places[k->starts[k->scopes->parts[place].key + 1]++] = place;
}

/* Returns false if out of memory. */
static bool sort_by_key(const struct slow *s, struct by_key *k, size_t n_keys)
{
    *k = (struct by_key){.scopes = s->scopes, .starts = calloc(n_keys + 3, sizeof(*k->starts))};
    if (k->starts == NULL)
        return false;
    each_candidate(s, count_candidate, k);
    for (size_t i = 0; i <= n_keys; i++) {
        k->most = k->starts[i + 2] > k->most ? k->starts[i + 2] : k->most;
        k->starts[i + 2] += k->starts[i + 1];
    }
    k->places = malloc((k->starts[n_keys + 2] + 1) * sizeof(*k->places));
    if (k->places == NULL)
        return false;
    each_candidate(s, place_candidate, k); /* after which starts[i] is where those of i begin */
    return true;
}

/* The smallest length that so large a share of the group does not exceed. */
static int64_t quantile_of(const struct candidate *c, size_t n, double q)
{
    size_t i = (size_t)ceil(q * (double)n);

    return c[i == 0 ? 0 : i - 1].ns;
}

/* How many of a group's scopes, sorted by length, are not slow. Of a small group a quantile has too
 * few for a comparison: up to ten are slow then, but no more than a tenth. */
static size_t n_quick(const struct slow *s, const struct candidate *c, size_t n)
{
    size_t slow = (size_t)((double)n * (1 - s->options.quantile)), some = n / 10;

    if (s->options.slower_ns > 0)
        return SORTED_FIRST(n, i, c[i].ns >= s->options.slower_ns);
    some = some > 10 ? 10 : some;
    slow = slow > some ? slow : some;
    return n - (slow == 0 ? 1 : slow);
}

static size_t bucket_of(int64_t ns)
{
    unsigned octave;

    if (ns < 4)
        return ns < 0 ? 0 : (size_t)ns;
    octave = 63 - (unsigned)__builtin_clzll((uint64_t)ns);
    return (size_t)(octave - 1) * 4 + ((size_t)(ns >> (octave - 2)) & 3);
}

int64_t slow_bucket_from(size_t i)
{
    return i < 4 ? (int64_t)i : (int64_t)(4 + i % 4) << (i / 4 - 1);
}

static void count_lengths(struct slow *s, const struct candidate *c, size_t n, size_t n_slow)
{
    for (size_t i = 0; i < n; i++) {
        struct slow_bucket *b = &s->buckets[bucket_of(c[i].ns)];

        b->n++;
        b->n_slow += i >= n - n_slow;
    }
}

static struct slow_group *add_group(struct slow *s, const struct candidate *c, size_t n,
                                    uint32_t key)
{
    struct slow_group *g;

    if (!array_add(&s->groups, s->n_groups, sizeof(*s->groups)))
        return NULL;
    g = &s->groups[s->n_groups++];
    *g = (struct slow_group){.key = key,
                             .n = n,
                             .n_slow = n - n_quick(s, c, n),
                             .p50_ns = quantile_of(c, n, 0.5),
                             .p90_ns = quantile_of(c, n, 0.9),
                             .p99_ns = quantile_of(c, n, 0.99),
                             .max_ns = c[n - 1].ns};
    for (size_t i = 0; i < n; i++)
        slow_add(&g->total_ns, c[i].ns);
    count_lengths(s, c, n, g->n_slow);
    return g;
}

static bool choose_scope(struct slow *s, const struct candidate *c, uint32_t group, bool is_slow)
{
    const struct scope *p = &s->scopes->parts[c->place];

    if (!array_add(&s->chosen, s->n_chosen, sizeof(*s->chosen)))
        return false;
    s->chosen[s->n_chosen++] = (struct slow_scope){.start_ns = p->start_ns,
                                                   .end_ns = p->end_ns,
                                                   .thread = p->thread,
                                                   .type = p->type,
                                                   .group = group,
                                                   .is_slow = is_slow,
                                                   .weight = 1};
    s->facts.n_slow_examined += is_slow;
    s->facts.n_median_examined += !is_slow;
    return true;
}

/* Every step-th of a group's slow scopes, from the slowest on, and `others` times as many around
 * the median. */
static bool choose_of_group(struct slow *s, const struct candidate *c, size_t n, uint32_t group,
                            size_t step, size_t others)
{
    size_t quick = n - s->groups[group].n_slow, from = (size_t)(MEDIAN_FROM * (double)n);
    size_t to = (size_t)ceil(MEDIAN_TO * (double)n), first = s->n_chosen, n_slow, n_median, skip;

    for (size_t i = n; i-- > quick;)
        if ((n - 1 - i) % step == 0 && !choose_scope(s, &c[i], group, true))
            return false;
    n_slow = s->n_chosen - first;
    to = to > quick ? quick : to;
    from = from < to ? from : 0;
    skip = (to - from) / (others * n_slow + 10) + 1;
    skip = skip < step ? step : skip;
    for (size_t i = from; i < to && n_slow > 0; i += skip)
        if (!choose_scope(s, &c[i], group, false))
            return false;
    n_median = s->n_chosen - first - n_slow;
    for (size_t i = first + n_slow; i < s->n_chosen; i++)
        s->chosen[i].weight = (double)n_slow / (double)n_median;
    for (size_t i = first; i < first + n_slow && n_median == 0; i++)
        s->chosen[i].weight = 0; /* there is nothing to compare it with */
    return true;
}

static int by_thread_and_start_of_scope(const void *a, const void *b)
{
    const struct slow_scope *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static int by_interval(const void *a, const void *b)
{
    const struct slow_interval *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/* The number of the chosen scope with this first part; n_chosen if it was not chosen. */
static size_t chosen_of(const struct slow *s, const struct scope *head)
{
    const struct slow_scope *c = s->chosen;
    size_t i = SORTED_FIRST(s->n_chosen, k,
                            c[k].thread > head->thread ||
                                (c[k].thread == head->thread && c[k].start_ns >= head->start_ns));

    return i < s->n_chosen && c[i].thread == head->thread && c[i].start_ns == head->start_ns
               ? i
               : s->n_chosen;
}

static bool add_slow_interval(struct slow *s, const struct slow_interval *interval)
{
    if (!array_add(&s->intervals, s->n_intervals, sizeof(*s->intervals)))
        return false;
    s->intervals[s->n_intervals++] = *interval;
    return true;
}

static bool make_intervals(struct slow *s)
{
    const struct scopes *all = s->scopes;

    for (size_t i = 0; i < s->n_chosen; i++) {
        const struct slow_scope *c = &s->chosen[i];

        if (!add_slow_interval(s, &(struct slow_interval){c->start_ns, c->end_ns, 0, c->thread,
                                                          (uint32_t)i, false}))
            return false;
    }
    for (uint32_t i = 0; all->n_tasks > 0 && i < all->n; i++) {
        const struct scope *t = &all->parts[i];
        size_t scope;

        if ((t->flags & SCOPE_TASK) == 0 || t->head == i)
            continue;
        scope = chosen_of(s, &all->parts[scopes_head(all, i)]);
        if (scope == s->n_chosen)
            continue;
        s->chosen[scope].elsewhere.n++;
        slow_add(&s->chosen[scope].elsewhere.wall_ns, t->end_ns - t->start_ns);
        if (!add_slow_interval(s, &(struct slow_interval){t->start_ns, t->end_ns, 0, t->thread,
                                                          (uint32_t)scope, true}))
            return false;
    }
    if (s->n_intervals > 0)
        qsort(s->intervals, s->n_intervals, sizeof(*s->intervals), by_interval);
    return true;
}

/* Notes where the intervals of each thread begin. Returns false if out of memory. */
static bool find_first_intervals(struct slow *s)
{
    size_t n_threads = intern_n(&s->scopes->threads), at = 0;

    s->first_intervals = malloc((n_threads + 1) * sizeof(*s->first_intervals));
    for (size_t t = 0; s->first_intervals != NULL && t <= n_threads; t++) {
        for (; at < s->n_intervals && s->intervals[at].thread < t; at++) {
            struct slow_interval *v = &s->intervals[at];
            bool is_first = at == 0 || v[-1].thread != v->thread;

            v->all_end_ns = is_first || v[-1].all_end_ns < v->end_ns ? v->end_ns : v[-1].all_end_ns;
        }
        s->first_intervals[t] = at;
    }
    return s->first_intervals != NULL;
}

/* How many of n intervals, sorted by start, begin at a time or before. Events of a thread come
 * almost in their order, so it is mostly as many as for the last one, or one more. */
static size_t n_begun(const struct slow_interval *v, size_t n, int64_t ns, size_t *hint)
{
    size_t known = hint == NULL ? 0 : *hint;

    for (size_t i = known; i <= known + 1 && i <= n; i++)
        if ((i == 0 || v[i - 1].start_ns <= ns) && (i == n || v[i].start_ns > ns))
            return i;
    return SORTED_FIRST(n, i, v[i].start_ns > ns);
}

const struct slow_interval *slow_interval_at(const struct slow *s, uint32_t thread, int64_t ns,
                                             size_t *hint)
{
    const struct slow_interval *v = s->intervals + s->first_intervals[thread];
    size_t n = s->first_intervals[thread + 1] - s->first_intervals[thread];
    size_t after = n_begun(v, n, ns, hint);

    if (hint != NULL)
        *hint = after;
    /* A task may run inside of another scope's interval, but these are few. */
    for (size_t most = 8; after > 0 && most > 0 && ns < v[after - 1].all_end_ns; most--, after--)
        if (ns < v[after - 1].end_ns)
            return &v[after - 1];
    return NULL;
}

uint32_t slow_place(const struct slow *s, struct scope_threads *threads,
                    const struct jfr_class *cls, uint64_t key, int64_t ns)
{
    uint32_t thread = scope_threads_number(threads, s->scopes, cls, key);
    const struct slow_interval *v =
        thread == SCOPES_NONE ? NULL : slow_interval_at(s, thread, ns, NULL);
    const struct slow_scope *c = v == NULL ? NULL : &s->chosen[v->scope];

    if (c == NULL)
        return PLACE_NONE;
    return !c->is_slow ? PLACE_MEDIAN : c->rank == 0 ? PLACE_SLOW : PLACE_SLOWEST + c->rank - 1;
}

static int by_length(const void *a, const void *b, void *ctx)
{
    const struct slow_scope *all = ctx;
    const uint32_t *i = a, *k = b;
    int64_t x = all[*i].end_ns - all[*i].start_ns, y = all[*k].end_ns - all[*k].start_ns;

    if (x != y)
        return x > y ? -1 : 1;
    return *i < *k ? -1 : *i > *k;
}

/* Returns false if out of memory. */
static bool find_slowest(struct slow *s)
{
    s->slowest = malloc((s->n_chosen + 1) * sizeof(*s->slowest));
    for (size_t i = 0; s->slowest != NULL && i < s->n_chosen; i++)
        if (s->chosen[i].is_slow)
            s->slowest[s->n_slowest++] = (uint32_t)i;
    if (s->n_slowest > 0)
        qsort_r(s->slowest, s->n_slowest, sizeof(*s->slowest), by_length, s->chosen);
    if (s->n_slowest > s->options.n_slowest)
        s->n_slowest = s->options.n_slowest;
    for (size_t i = 0; i < s->n_slowest; i++)
        s->chosen[s->slowest[i]].rank = (uint32_t)i + 1;
    return s->slowest != NULL;
}

/* The scopes of a key, as many as are returned. */
static size_t scopes_of_key(const struct by_key *k, size_t key, struct candidate *c)
{
    size_t n = 0;

    for (size_t i = k->starts[key]; i < k->starts[key + 1]; i++) {
        const struct scope *p = &k->scopes->parts[k->places[i]];

        c[n++] = (struct candidate){p->end_ns - p->start_ns, k->places[i]};
    }
    return n;
}

/* The same by length, which is their order from now on. */
static size_t sort_group(const struct by_key *k, size_t key, struct candidate *c)
{
    size_t n = scopes_of_key(k, key, c);

    if (n > 0)
        qsort(c, n, sizeof(*c), by_scope_length);
    for (size_t i = 0; i < n; i++)
        k->places[k->starts[key] + i] = c[i].place;
    return n;
}

/* Quantiles of all groups, and then, as it is known how many are slow, those that are looked into.
 */
static bool choose_of_all_groups(struct slow *s, const struct by_key *k, size_t n_keys,
                                 struct candidate *c)
{
    size_t step, others;

    for (size_t key = 0; key <= n_keys; key++) {
        size_t n = sort_group(k, key, c);
        const struct slow_group *g = n == 0 ? NULL : add_group(s, c, n, (uint32_t)key);

        if (n > 0 && g == NULL)
            return false;
        s->facts.n_scopes += n;
        s->facts.n_slow += n == 0 ? 0 : g->n_slow;
    }
    step = s->facts.n_slow / SLOW_EXAMINED + 1;
    /* Ten times as many as there are slow ones make the comparison about as good as it can be. */
    others = SLOW_EXAMINED / (s->facts.n_slow / step + 1);
    others = others > 10 ? 10 : others < 1 ? 1 : others;
    for (size_t g = 0; g < s->n_groups; g++) {
        size_t n = scopes_of_key(k, s->groups[g].key, c);

        if (!choose_of_group(s, c, n, (uint32_t)g, step, others))
            return false;
    }
    return true;
}

int slow_choose(struct slow *s)
{
    size_t n_keys = intern_n(&s->scopes->keys);
    struct candidate *c = NULL;
    struct by_key k;
    bool good = sort_by_key(s, &k, n_keys);

    if (good)
        c = malloc((k.most + 1) * sizeof(*c));
    good = good && c != NULL && choose_of_all_groups(s, &k, n_keys, c);
    free(c);
    free(k.starts);
    free(k.places);
    if (good && s->n_chosen > 0)
        qsort(s->chosen, s->n_chosen, sizeof(*s->chosen), by_thread_and_start_of_scope);
    return good && find_slowest(s) && make_intervals(s) && find_first_intervals(s) ? 0
                                                                                   : JFR_E_NOMEM;
}
