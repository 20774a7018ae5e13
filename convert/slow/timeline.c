/*
 * timeline.c - the time line of each scope in a chunk: which event each stretch of it is due to,
 * and what samples say of the rest.
 *
 * Where events overlap, that of the highest order counts, so that no time is counted twice:
 *
 *     scope   [--------------------------------)
 *     lock        [------)
 *     pause            [-----)                    a pause counts before a lock, not before a sleep
 *     parts   ....LLLLLGGGGGG..................   samples count where no event is under way
 */
#include "convert/slow/timeline.h"

#include "jfrfmt/base/sorted.h"

#include <math.h>
#include <stdlib.h>

#define OPEN_MOST 32 /* events of a thread around one another */
#define PAUSES_MOST 2000000 /* in all scopes of a chunk together */

static int by_scope_and_start(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;

    if (x->scope != y->scope)
        return x->scope < y->scope ? -1 : 1;
    if (x->is_task != y->is_task)
        return x->is_task ? 1 : -1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1;
    return x->kind < y->kind ? -1 : x->kind > y->kind;
}

static int by_start_of_pause(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;

    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

/* Pauses take their names from the collections that they are parts of: "SerialOld, System.gc()".
 * All are sorted by start. */
static void name_pauses(struct piece *p, size_t n)
{
    const struct piece *collection = NULL;

    for (size_t i = 0, next = 0; i < n; i++) {
        if (p[i].part != SLOW_GC || p[i].amount == 0)
            continue;
        for (; next < n && p[next].start_ns <= p[i].start_ns; next++)
            if (p[next].part == SLOW_GC && p[next].amount == 0)
                collection = &p[next];
        if (collection != NULL && collection->what != 0 && p[i].start_ns < collection->end_ns)
            p[i].what = collection->what;
    }
}

/* Sorts the pauses. Collections are left out where their pauses are recorded one by one. */
static void tidy_pauses(struct slow_worker *w)
{
    struct piece *p = (struct piece *)(void *)w->pauses.p;
    size_t n = w->pauses.n / sizeof(*p), kept = 0;
    bool has_phases = false;

    if (n > 0)
        qsort(p, n, sizeof(*p), by_start_of_pause);
    for (size_t i = 0; i < n; i++)
        has_phases |= p[i].part == SLOW_GC && p[i].amount != 0;
    name_pauses(p, n);
    for (size_t i = 0; i < n; i++)
        if (p[i].part != SLOW_GC || !has_phases || p[i].amount != 0)
            p[kept++] = p[i];
    w->pauses.n = kept * sizeof(*p);
}

/* Adds those of n pauses, sorted by start, that stop a scope. */
static void place_pauses_of_scope(struct slow_worker *w, const struct slow_interval *v,
                                  const struct piece *p, size_t n)
{
    for (size_t i = 0; i < n && p[i].start_ns < v->end_ns; i++) {
        struct piece own = p[i];

        if (own.end_ns <= v->start_ns)
            continue;
        own.scope = v->scope;
        own.start_ns = own.start_ns > v->start_ns ? own.start_ns : v->start_ns;
        own.end_ns = own.end_ns < v->end_ns ? own.end_ns : v->end_ns;
        buf_bytes(&w->pieces, &own, sizeof(own));
    }
}

/* Adds the pauses of the chunk to the scopes that they stop. */
static void place_pauses(struct slow_worker *w)
{
    const struct piece *p = (const void *)w->pauses.p;
    size_t n = w->pauses.n / sizeof(*p), most = w->pieces.n + PAUSES_MOST * sizeof(*p);
    int64_t first = n == 0 ? INT64_MAX : p[0].start_ns, last = 0, longest = 0;

    for (size_t i = 0; i < n; i++) {
        last = p[i].end_ns > last ? p[i].end_ns : last;
        longest = p[i].end_ns - p[i].start_ns > longest ? p[i].end_ns - p[i].start_ns : longest;
    }
    for (size_t k = 0; k < w->s->n_intervals && n > 0; k++) {
        const struct slow_interval *v = &w->s->intervals[k];
        size_t from;

        if (v->is_task || v->start_ns >= last || v->end_ns <= first)
            continue;
        if (w->pieces.n >= most) {
            w->has_too_many_pauses = true;
            return;
        }
        from = SORTED_FIRST(n, i, p[i].start_ns > v->start_ns - longest);
        place_pauses_of_scope(w, v, p + from, n - from);
    }
}

/* Which of two events that overlap counts. */
static int overlap_order(const struct piece *p)
{
    static const int order[SLOW_PARTS] = {[SLOW_PARKED] = 5,    [SLOW_ASLEEP] = 6, [SLOW_GC] = 4,
                                          [SLOW_SAFEPOINT] = 1, [SLOW_LOCK] = 3,   [SLOW_IO] = 2};

    return order[p->part];
}

static bool is_span(const struct piece *p)
{
    return p->kind == SLOW_EVENT_WAIT || p->kind == SLOW_EVENT_PAUSE;
}

/* Adds a stretch of a scope's time line to the sums of what it is due to. */
static bool add_exact(struct slow_worker *w, const struct slow_scope *scope, const struct piece *p,
                      double ns)
{
    const char *what = slow_kept_text(w, p->what), *holder = slow_kept_text(w, p->holder);
    const char *where = slow_stacks_where(&w->stacks, p->stack);
    struct factors *f = &w->factors;

    return factors_add(f, FACTOR_PART, p->part, "", "", scope, ns) &&
           factors_add(f, FACTOR_WHAT, p->part, what, "", scope, ns) &&
           (*where == '\0' || factors_add(f, FACTOR_WHERE, p->part, what, where, scope, ns)) &&
           (*holder == '\0' || factors_add(f, FACTOR_HOLDER, p->part, what, holder, scope, ns));
}

/* Adds a sample: its state, and the methods on its stack. */
static bool add_sample_to_factors(struct slow_worker *w, const struct slow_scope *scope,
                                  const struct piece *p, double ns)
{
    bool is_cpu = p->kind == SLOW_EVENT_CPU;
    const char *where;

    if (!factors_add(&w->factors, is_cpu ? FACTOR_CPU : FACTOR_SAMPLED, p->part, "", "", scope, ns))
        return false;
    if (p->part == SLOW_RUNNING) {
        slow_stacks_add(&w->stacks, p->stack, is_cpu, scope, ns);
        return true;
    }
    where = slow_stacks_where(&w->stacks, p->stack);
    return *where == '\0' || factors_add(&w->factors, FACTOR_WHERE, p->part, "", where, scope, ns);
}

/* The part of the scope that lies in the chunk. */
static int64_t time_in_chunk(const struct slow_worker *w, const struct slow_scope *scope)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(w->chunk);
    int64_t from = scope->start_ns > h->start_nanos ? scope->start_ns : h->start_nanos;
    int64_t end, to = scope->end_ns;

    if (h->duration_nanos > 0 && !__builtin_add_overflow(h->start_nanos, h->duration_nanos, &end) &&
        end < to)
        to = end;
    return to > from ? to - from : 0;
}

/* The event of the highest order among those under way. */
static const struct piece *first_in_order(const struct piece *const *open, size_t n)
{
    const struct piece *best = NULL;

    for (size_t i = 0; i < n; i++)
        if (best == NULL || overlap_order(open[i]) > overlap_order(best))
            best = open[i];
    return best;
}

/* Leaves out the events that have ended; returns how many are left. */
static size_t close_spans(const struct piece **open, size_t n, int64_t at)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (open[i]->end_ns > at)
            open[kept++] = open[i];
    return kept;
}

/* When the next event begins or ends. */
static int64_t next_change(const struct piece *const *open, size_t n, const struct piece *next)
{
    int64_t at = next == NULL ? INT64_MAX : next->start_ns;

    for (size_t i = 0; i < n; i++)
        at = open[i]->end_ns < at ? open[i]->end_ns : at;
    return at;
}

/* Cuts the time line of a scope, whose events are sorted by start, into stretches that are each due
 * to one event, in w->stretches. */
static bool walk_spans(struct slow_worker *w, const struct slow_scope *scope, const struct piece *p,
                       size_t n, struct slow_scope *sum)
{
    const struct piece *open[OPEN_MOST];
    size_t n_open = 0, i = 0;
    int64_t at = INT64_MIN;

    buf_reset(&w->stretches);
    for (;;) {
        const struct piece *best = first_in_order(open, n_open);
        int64_t next;

        while (i < n && !is_span(&p[i]))
            i++;
        if (i == n && n_open == 0)
            return buf_ok(&w->stretches);
        next = next_change(open, n_open, i < n ? &p[i] : NULL);
        if (best != NULL && next > at) {
            buf_bytes(&w->stretches, &(struct stretch){at, next, best}, sizeof(struct stretch));
            sum->exact[best->part] += next - at;
            if (!add_exact(w, scope, best, (double)(next - at)))
                return false;
        }
        at = next;
        n_open = close_spans(open, n_open, at);
        if (i < n && p[i].start_ns <= at) {
            if (n_open < OPEN_MOST && p[i].end_ns > at)
                open[n_open++] = &p[i];
            i++;
        }
    }
}

/* Is some event under way at this time? */
static bool is_covered(const struct slow_worker *w, int64_t ns)
{
    const struct stretch *t = (const void *)w->stretches.p;
    size_t after = SORTED_FIRST(w->stretches.n / sizeof(*t), i, t[i].start_ns > ns);

    return after > 0 && ns < t[after - 1].end_ns;
}

/* Counts the samples of a scope, and marks those at which no event is under way. */
static void count_scope_samples(struct slow_worker *w, const struct slow_scope *scope,
                                struct piece *p, size_t n, struct slow_scope *sum)
{
    struct samples_of_set *set = &w->sets[scope->is_slow];
    int64_t gap = time_in_chunk(w, scope);

    for (size_t k = 0; k < SLOW_PARTS; k++)
        gap -= sum->exact[k];
    for (size_t i = 0; i < n; i++) {
        slow_add(&sum->io_bytes, p[i].part == SLOW_IO ? p[i].amount : 0);
        slow_add(&sum->alloc_bytes, p[i].kind == SLOW_EVENT_ALLOC ? p[i].amount : 0);
        slow_add(&sum->cpu_ns, p[i].cpu_ns);
        p[i].counts = (p[i].kind == SLOW_EVENT_CPU || p[i].kind == SLOW_EVENT_WALL) &&
                      !is_covered(w, p[i].start_ns);
        if (p[i].counts && p[i].kind == SLOW_EVENT_CPU) {
            sum->n_cpu++;
            slow_add(&sum->gap_cpu_ns, p[i].cpu_ns);
        } else if (p[i].counts) {
            sum->wall[p[i].part] += (uint64_t)p[i].amount;
            sum->n_wall += (uint64_t)p[i].amount;
        }
    }
    set->gap_ns += gap > 0 ? (double)gap : 0;
    set->n_wall += (double)sum->n_wall;
}

/* Adds the samples of all scopes of the chunk to the factors. The time in which no event is under
 * way is shared by all wall-clock samples of slow scopes, or of the others: single scopes may have
 * none. */
static bool add_samples(struct slow_worker *w, const struct piece *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct slow_scope *scope = &w->s->chosen[p[i].scope];
        const struct samples_of_set *set = &w->sets[scope->is_slow];
        double ns = p[i].kind == SLOW_EVENT_CPU
                        ? (double)p[i].cpu_ns
                        : set->gap_ns / fmax(1, set->n_wall) * (double)p[i].amount;

        if (p[i].counts && !add_sample_to_factors(w, scope, &p[i], ns))
            return false;
    }
    return true;
}

static void add_work(struct slow_work *work, const struct piece *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        slow_add(&work->waits_ns, p[i].kind == SLOW_EVENT_WAIT ? p[i].end_ns - p[i].start_ns : 0);
        slow_add(&work->cpu_ns, p[i].cpu_ns);
        slow_add(&work->alloc_bytes, p[i].kind == SLOW_EVENT_ALLOC ? p[i].amount : 0);
    }
}

/* All pieces of one scope. */
static bool add_scope_sum(struct slow_worker *w, struct piece *p, size_t n)
{
    const struct slow_scope *scope = &w->s->chosen[p[0].scope];
    struct scope_sum sum = {.scope = p[0].scope};
    size_t own = 0;

    while (own < n && !p[own].is_task)
        own++;
    add_work(&sum.add.elsewhere, p + own, n - own);
    if (!walk_spans(w, scope, p, own, &sum.add))
        return false;
    count_scope_samples(w, scope, p, own, &sum.add);
    if (w->s->options.wants_lines && scope->rank > 0)
        waterfall_keep(w, scope, p, own, n);
    buf_bytes(&w->sums, &sum, sizeof(sum));
    return buf_ok(&w->sums) && buf_ok(&w->lines);
}

/* Of several types of samples of one kind only the highest counts. A sample without a context,
 * where others have one, was of the moment before the scope began or after it ended: its time is
 * that of the sampler. */
static size_t drop_foreign_samples(const struct slow_worker *w, struct piece *p, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (is_span(&p[i]) ||
            (p[i].rank == w->rank[p[i].kind] && (p[i].has_context || !w->has_contexts[p[i].kind])))
            p[kept++] = p[i];
    return kept;
}

bool timeline_sum(struct slow_worker *w)
{
    struct piece *p;
    size_t n;

    tidy_pauses(w);
    place_pauses(w);
    if (!buf_ok(&w->pieces) || !buf_ok(&w->pauses) || !buf_ok(&w->texts.text))
        return false;
    p = (struct piece *)(void *)w->pieces.p;
    n = drop_foreign_samples(w, p, w->pieces.n / sizeof(*p));
    if (n > 0)
        qsort(p, n, sizeof(*p), by_scope_and_start);
    for (size_t from = 0, i = 1; i <= n; i++)
        if (i == n || p[i].scope != p[from].scope) {
            if (!add_scope_sum(w, p + from, i - from))
                return false;
            from = i;
        }
    return add_samples(w, p, n) && slow_stacks_to_factors(&w->stacks, &w->factors);
}
