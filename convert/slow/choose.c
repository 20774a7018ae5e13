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

struct candidate { /* a scope that counts */
    uint32_t key, place; /* of its first part */
    int64_t ns;
};

static int by_key_and_length(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Scopes that are wanted, and are in no other such scope. *n of them; NULL if out of memory. */
static struct candidate *find_candidates(struct slow *s, size_t *n)
{
    const struct scopes *all = s->scopes;
    struct candidate *found = malloc((all->n_scopes + 1) * sizeof(*found));
    uint32_t thread = SCOPES_NONE;
    bool needs_key = intern_n(&all->keys) > 0;
    int64_t open_until = 0;

    *n = 0;
    for (uint32_t i = 0; found != NULL && i < all->n; i++) {
        const struct scope *p = &all->parts[i];

        if (p->thread != thread)
            open_until = INT64_MIN;
        thread = p->thread;
        if (!scopes_is_head(all, i) || p->start_ns < open_until || (needs_key && p->key == 0) ||
            (s->options.filter != NULL && (p->flags & SCOPE_MARKED) == 0))
            continue;
        open_until = p->end_ns;
        found[(*n)++] = (struct candidate){p->key, i, p->end_ns - p->start_ns};
    }
    if (*n > 0)
        qsort(found, *n, sizeof(*found), by_key_and_length);
    return found;
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

static struct slow_group *add_group(struct slow *s, const struct candidate *c, size_t n)
{
    struct slow_group *g;

    if (!array_add(&s->groups, s->n_groups, sizeof(*s->groups)))
        return NULL;
    g = &s->groups[s->n_groups++];
    *g = (struct slow_group){.key = c[0].key,
                             .n = n,
                             .n_slow = n - n_quick(s, c, n),
                             .p50_ns = quantile_of(c, n, 0.5),
                             .p90_ns = quantile_of(c, n, 0.9),
                             .p99_ns = quantile_of(c, n, 0.99),
                             .max_ns = c[n - 1].ns};
    for (size_t i = 0; i < n; i++)
        g->total_ns += c[i].ns;
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

/* Every step-th of a group's slow scopes, from the slowest on, and as many around the median. */
static bool choose_of_group(struct slow *s, const struct candidate *c, size_t n, uint32_t group,
                            size_t step)
{
    size_t quick = n - s->groups[group].n_slow, from = (size_t)(MEDIAN_FROM * (double)n);
    size_t to = (size_t)ceil(MEDIAN_TO * (double)n), first = s->n_chosen, n_slow, n_median, skip;

    for (size_t i = n; i-- > quick;)
        if ((n - 1 - i) % step == 0 && !choose_scope(s, &c[i], group, true))
            return false;
    n_slow = s->n_chosen - first;
    to = to > quick ? quick : to;
    from = from < to ? from : 0;
    /* Ten times as many as there are slow ones make the comparison about as good as it can be. */
    skip = (to - from) / (10 * n_slow + 100) + 1;
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

        if (!add_slow_interval(s, &(struct slow_interval){c->start_ns, c->end_ns, c->thread,
                                                          (uint32_t)i, c->type, false}))
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
        s->chosen[scope].elsewhere.wall_ns += t->end_ns - t->start_ns;
        if (!add_slow_interval(s, &(struct slow_interval){t->start_ns, t->end_ns, t->thread,
                                                          (uint32_t)scope, t->type, true}))
            return false;
    }
    if (s->n_intervals > 0)
        qsort(s->intervals, s->n_intervals, sizeof(*s->intervals), by_interval);
    return true;
}

const struct slow_interval *slow_interval_at(const struct slow *s, uint32_t thread, int64_t ns)
{
    const struct slow_interval *v = s->intervals;
    size_t after = SORTED_FIRST(
        s->n_intervals, i, v[i].thread > thread || (v[i].thread == thread && v[i].start_ns > ns));

    /* A task may run inside of another scope's interval, but these are few. */
    for (size_t most = 8; after > 0 && v[after - 1].thread == thread && most > 0; most--, after--)
        if (ns < v[after - 1].end_ns)
            return &v[after - 1];
    return NULL;
}

int slow_choose(struct slow *s)
{
    size_t n, step;
    struct candidate *c = find_candidates(s, &n);
    bool good = c != NULL;

    for (size_t i = 0, from = 0; i < n && good; i++)
        if (i + 1 == n || c[i + 1].key != c[from].key) {
            const struct slow_group *g = add_group(s, c + from, i + 1 - from);

            good = g != NULL;
            s->facts.n_slow += good ? g->n_slow : 0;
            from = i + 1;
        }
    s->facts.n_scopes = n;
    step = s->facts.n_slow / SLOW_EXAMINED + 1;
    for (size_t g = 0, from = 0; g < s->n_groups && good; from += s->groups[g++].n)
        good = choose_of_group(s, c + from, s->groups[g].n, (uint32_t)g, step);
    free(c);
    if (good && s->n_chosen > 0)
        qsort(s->chosen, s->n_chosen, sizeof(*s->chosen), by_thread_and_start_of_scope);
    return good && make_intervals(s) ? 0 : JFR_E_NOMEM;
}
