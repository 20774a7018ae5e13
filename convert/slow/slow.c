/*
 * slow.c - makes the answer to "why are these scopes slow?": reads the scopes, and splits the time
 * of each that was looked into.
 *
 * A scope's exact parts come from events. What is left is shared by its samples, if there are
 * enough of them, and else unknown; so the parts always add up to the whole.
 */
#include "convert/slow/slow_internal.h"

#include "convert/context/context.h"
#include "jfrfmt/base/sorted.h"

#include <math.h>
#include <stdlib.h>

const char *slow_part_name(enum slow_part part)
{
    static const char *const names[SLOW_PARTS] = {
        [SLOW_RUNNING] = "running", [SLOW_RUNNABLE] = "runnable",   [SLOW_LOCK] = "lock",
        [SLOW_IO] = "I/O",          [SLOW_PARKED] = "parked",       [SLOW_ASLEEP] = "asleep",
        [SLOW_GC] = "GC pause",     [SLOW_SAFEPOINT] = "safepoint", [SLOW_UNKNOWN] = "unknown"};

    return names[part];
}

const char *slow_part_word(enum slow_part part)
{
    return part == SLOW_IO ? "io" : part == SLOW_GC ? "gc" : slow_part_name(part);
}

struct slow *slow_new(const struct slow_options *options)
{
    const struct scopes_options how = {.types = options->types,
                                       .n_types = options->n_types,
                                       .keys = options->keys,
                                       .n_keys = options->n_keys};
    struct slow *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return NULL;
    s->options = *options;
    s->facts.lock_threshold_ns = s->facts.io_threshold_ns = -1;
    s->scopes = scopes_new(&how);
    s->context = context_new();
    if (s->scopes != NULL && s->context != NULL) {
        context_want_all(s->context);
        return s;
    }
    slow_free(s);
    return NULL;
}

void slow_free(struct slow *s)
{
    if (s == NULL)
        return;
    scopes_free(s->scopes);
    context_free(s->context);
    factors_free(&s->factors);
    intern_free(&s->values);
    buf_free(&s->labels);
    buf_free(&s->lines);
    intern_free(&s->line_texts);
    arena_free(&s->texts);
    free(s->groups);
    free(s->chosen);
    free(s->intervals);
    free(s->first_intervals);
    free(s->slowest);
    free(s->reasons);
    free(s);
}

static void find_time(struct slow *s)
{
    for (size_t i = 0; i < s->scopes->n; i++) {
        const struct scope *p = &s->scopes->parts[i];

        if (i == 0 || p->start_ns < s->facts.first_ns)
            s->facts.first_ns = p->start_ns;
        if (p->end_ns > s->facts.last_ns)
            s->facts.last_ns = p->end_ns;
    }
}

int slow_read(struct slow *s, const char *const *paths, size_t n_paths, struct jfr_error *err,
              const char **err_path)
{
    int rc = scopes_read(s->scopes, paths, n_paths, err, err_path);

    if (rc == 0 && s->options.filter != NULL)
        rc = scopes_mark(s->scopes, s->options.filter, paths, n_paths, err, err_path);
    s->facts.n_events = s->scopes->n_events;
    find_time(s);
    s->facts.n_tasks = s->scopes->n_tasks;
    s->facts.n_unlinked_tasks = s->scopes->n_unlinked;
    if (s->scopes->key_rank < s->options.n_keys)
        s->facts.key = s->options.keys[s->scopes->key_rank];
    if (rc == 0 && slow_choose(s) != 0)
        rc = jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
    scopes_forget_parts(s->scopes);
    return rc;
}

/* --- the time of a scope --- */

/* Shares `left` ns among the wall-clock samples of a scope. What was able to run is split into
 * running, by the CPU samples, and runnable. */
static void share_by_wall(struct slow_scope *c, int64_t left, bool has_cpu)
{
    int64_t given = 0;
    double n = (double)c->n_wall;

    c->n_samples = c->n_wall;
    for (int i = 0; i < SLOW_PARTS; i++) {
        double share = (double)c->wall[i] / n;

        c->estimated[i] = (int64_t)(share * (double)left);
        c->error[i] = (int64_t)((double)left * sqrt(share * (1 - share) / n));
        given += c->estimated[i];
    }
    c->estimated[SLOW_UNKNOWN] += left - given;
    if (has_cpu && c->gap_cpu_ns < c->estimated[SLOW_RUNNING]) {
        double n_cpu = c->n_cpu > 0 ? (double)c->n_cpu : 1;

        c->estimated[SLOW_RUNNABLE] = c->estimated[SLOW_RUNNING] - c->gap_cpu_ns;
        c->estimated[SLOW_RUNNING] = c->gap_cpu_ns;
        c->error[SLOW_RUNNABLE] =
            (int64_t)hypot((double)c->error[SLOW_RUNNING], (double)c->gap_cpu_ns / sqrt(n_cpu));
        c->error[SLOW_RUNNING] = (int64_t)((double)c->gap_cpu_ns / sqrt(n_cpu));
    }
}

/* Running is what CPU samples say, the rest is unknown. */
static void share_by_cpu(struct slow_scope *c, int64_t left)
{
    int64_t running = c->gap_cpu_ns < left ? c->gap_cpu_ns : left;

    c->n_samples = c->n_cpu;
    c->estimated[SLOW_RUNNING] = running;
    c->error[SLOW_RUNNING] = (int64_t)((double)c->gap_cpu_ns / sqrt((double)c->n_cpu));
    c->estimated[SLOW_UNKNOWN] = left - running;
}

/* Events that overlap over the end of a chunk may be more than the whole: all of them shrink. */
static int64_t fit_exact_parts(struct slow_scope *c, int64_t whole)
{
    int64_t sum = 0, fitted = 0;

    for (int i = 0; i < SLOW_PARTS; i++)
        slow_add(&sum, c->exact[i]);
    for (int i = 0; i < SLOW_PARTS && sum > whole; i++)
        c->exact[i] = (int64_t)((double)c->exact[i] / (double)sum * (double)whole);
    for (int i = 0; i < SLOW_PARTS; i++)
        fitted += c->exact[i];
    return whole - fitted;
}

static void split_scope(struct slow_scope *c, bool has_cpu)
{
    int64_t left = fit_exact_parts(c, c->end_ns - c->start_ns);

    if (c->n_wall >= SLOW_SAMPLES_LEAST)
        share_by_wall(c, left, has_cpu);
    else if (c->n_cpu >= SLOW_SAMPLES_LEAST)
        share_by_cpu(c, left);
    else
        c->estimated[SLOW_UNKNOWN] = left;
    for (int i = 0; i < SLOW_PARTS; i++)
        c->parts[i] = c->exact[i] + c->estimated[i];
}

static int by_scope_and_value(const void *a, const void *b)
{
    const struct slow_label *x = a, *y = b;

    if (x->scope != y->scope)
        return x->scope < y->scope ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* Each value once for each scope. */
static void tidy_labels(struct slow *s)
{
    struct slow_label *l = (struct slow_label *)(void *)s->labels.p;
    size_t n = s->labels.n / sizeof(*l), kept = 0;

    if (n > 0)
        qsort(l, n, sizeof(*l), by_scope_and_value);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || l[i].scope != l[kept - 1].scope || l[i].value != l[kept - 1].value)
            l[kept++] = l[i];
    s->labels.n = kept * sizeof(*l);
}

static int by_total_time(const void *a, const void *b)
{
    const struct slow_group *x = a, *y = b;

    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

int slow_finish(struct slow *s)
{
    int rc;

    for (size_t i = 0; i < s->n_chosen; i++)
        split_scope(&s->chosen[i], s->facts.has_cpu);
    tidy_labels(s);
    slow_sort_lines(s);
    rc = slow_rank(s);
    /* Scopes have numbers of groups as they were found: numbers of keys from now on. */
    for (size_t i = 0; i < s->n_chosen; i++)
        s->chosen[i].group = s->groups[s->chosen[i].group].key;
    if (s->n_groups > 0)
        qsort(s->groups, s->n_groups, sizeof(*s->groups), by_total_time);
    return rc;
}

/* --- what was found --- */

struct slow_facts slow_facts(const struct slow *s)
{
    return s->facts;
}

size_t slow_n_groups(const struct slow *s)
{
    return s->n_groups;
}

const struct slow_group *slow_group(const struct slow *s, size_t i)
{
    return &s->groups[i];
}

const char *slow_key_text(const struct slow *s, uint32_t key)
{
    return key == 0 ? "" : intern_get(&s->scopes->keys, key - 1, NULL);
}

struct slow_bucket slow_bucket(const struct slow *s, size_t i)
{
    return s->buckets[i];
}

const struct slow_scope *slow_scope(const struct slow *s, size_t i)
{
    return &s->chosen[i];
}

size_t slow_n_slowest(const struct slow *s)
{
    return s->n_slowest;
}

size_t slow_slowest(const struct slow *s, size_t i)
{
    return s->slowest[i];
}

const char *slow_scope_value(const struct slow *s, size_t scope, size_t k)
{
    const struct slow_label *l = (const void *)s->labels.p;
    size_t n = s->labels.n / sizeof(*l), i = SORTED_FIRST(n, at, l[at].scope >= scope);

    return i + k < n && l[i + k].scope == scope ? intern_get(&s->values, l[i + k].value, NULL)
                                                : NULL;
}

const char *slow_scope_type(const struct slow *s, size_t scope)
{
    return intern_get(&s->scopes->types, s->chosen[scope].type, NULL);
}

size_t slow_n_reasons(const struct slow *s)
{
    return s->n_reasons;
}

const struct slow_reason *slow_reason(const struct slow *s, size_t i)
{
    return &s->reasons[i];
}
