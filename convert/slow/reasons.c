/*
 * reasons.c - ranks what slow scopes do more than those around the median, by the time of theirs
 * that it explains.
 *
 * For waits, pauses and running that time is a difference: the mean of the slow scopes less the
 * mean of the others. Its error follows from the single events and samples, taken as independent.
 * For a value (a user) it is the share of the excess time that the scopes of this value have beyond
 * their share of the ordinary scopes: 0 if the value is as frequent among the slow ones as among
 * the others, 1 if all slow ones have it and no other.
 */
#include "convert/slow/slow_internal.h"
#include "convert/slow/stacks.h"

#include "jfrfmt/base/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SHARE_LEAST 0.01 /* smaller reasons are none */
#define CERTAIN_LEAST 2.0 /* how many times its error a reason from samples must be, or a value */
#define EXACT_LEAST 1.0 /* the same of a reason from events: it took so long, if only once */
#define VALUE_FIRST 0.6 /* a value that explains so much comes before what its scopes do */
#define WAIT_FOR_COMPUTING 1.5 /* waiting for a processor that goes with more computing */
#define FRAMES_SHOWN 3
#define FRAME_SHARE 0.7 /* of the time of all samples that a shown frame has */

struct ranking {
    struct slow *s;
    double n; /* slow scopes that are compared */
    double excess; /* ns, of all of them */
    double n_effective; /* as many scopes of equal excess would have the same error */
    double *group_means; /* of the others, by group */
    double explained, explained_squares; /* ns, by parts; what is left is unknown */
    bool failed;
};

static double excess_of(const struct factor *f)
{
    return f->slow - f->other;
}

static double error_of_difference(const struct factor *f)
{
    return sqrt(f->slow_squares + f->other_squares);
}

static const char *keep_reason_text(struct ranking *r, const char *text)
{
    const char *kept = arena_strndup(&r->s->texts, text, strlen(text));

    r->failed |= kept == NULL;
    return kept == NULL ? "" : kept;
}

/* Does so much time explain anything? least: how many times its error it must be. */
static bool is_reason(const struct ranking *r, double ns, double error, double least)
{
    return ns >= SHARE_LEAST * r->excess && ns >= least * error;
}

static void add_reason(struct ranking *r, const struct slow_reason *reason, double ns, double error)
{
    struct slow *s = r->s;
    bool is_exact = !reason->is_estimated && reason->part != SLOW_PARTS;
    struct slow_reason *to;

    if (!is_reason(r, ns, error, is_exact ? EXACT_LEAST : CERTAIN_LEAST))
        return;
    if (!array_add(&s->reasons, s->n_reasons, sizeof(*s->reasons))) {
        r->failed = true;
        return;
    }
    to = &s->reasons[s->n_reasons++];
    *to = *reason;
    to->ns = ns / r->n;
    to->error_ns = error / r->n;
    to->share = ns < r->excess ? ns / r->excess : 1;
}

/* --- what they do --- */

/* The text beside a part and what of it that has the most time, "" if there is none. It looks
 * through all factors, so it is for reasons alone. */
static const char *largest_detail(const struct factors *f, enum factor_kind kind,
                                  enum slow_part part, const char *what)
{
    const char *best = "";
    double most = 0;

    for (size_t i = 0; i < factors_n(f); i++) {
        struct factor_key k = factors_key(f, i);

        if (k.kind != kind || k.part != part || strcmp(k.what, what) != 0 ||
            excess_of(factors_get(f, i)) <= most)
            continue;
        most = excess_of(factors_get(f, i));
        best = k.more;
    }
    return best;
}

/* The sum of a kind for a part; all zero if there is none. */
static struct factor factor_total(const struct factors *f, enum factor_kind kind,
                                  enum slow_part part)
{
    for (size_t i = 0; i < factors_n(f); i++) {
        struct factor_key k = factors_key(f, i);

        if (k.kind == kind && k.part == part)
            return *factors_get(f, i);
    }
    return (struct factor){0};
}

static void add_waits(struct ranking *r)
{
    const struct factors *f = &r->s->factors;

    for (size_t i = 0; i < factors_n(f); i++) {
        struct factor_key k = factors_key(f, i);
        const struct factor *sum = factors_get(f, i);

        if (k.kind == FACTOR_PART) {
            r->explained += excess_of(sum);
            r->explained_squares += sum->slow_squares + sum->other_squares;
        }
        if (k.kind != FACTOR_WHAT ||
            !is_reason(r, excess_of(sum), error_of_difference(sum), EXACT_LEAST))
            continue;
        add_reason(
            r,
            &(struct slow_reason){
                .part = k.part,
                .what = keep_reason_text(r, k.what),
                .where = keep_reason_text(r, largest_detail(f, FACTOR_WHERE, k.part, k.what)),
                .holder = keep_reason_text(r, largest_detail(f, FACTOR_HOLDER, k.part, k.what)),
                .n = sum->n},
            excess_of(sum), error_of_difference(sum));
    }
}

/* Waits that only samples saw: they were too short for events, or the recording has none. */
static void add_sampled_waits(struct ranking *r)
{
    const struct factors *f = &r->s->factors;

    for (int part = 0; part < SLOW_UNKNOWN; part++) {
        struct factor sum = factor_total(f, FACTOR_SAMPLED, (enum slow_part)part);

        if (part == SLOW_RUNNING || sum.n == 0)
            continue;
        r->explained += excess_of(&sum);
        r->explained_squares += sum.slow_squares + sum.other_squares;
        add_reason(
            r,
            &(struct slow_reason){.part = (enum slow_part)part,
                                  .what = "",
                                  .where = keep_reason_text(
                                      r, largest_detail(f, FACTOR_WHERE, (enum slow_part)part, "")),
                                  .holder = "",
                                  .is_estimated = true,
                                  .n = sum.n},
            excess_of(&sum), error_of_difference(&sum));
    }
}

struct hot_frame {
    const char *name;
    double depth;
};

static int by_depth(const void *a, const void *b)
{
    const struct hot_frame *x = a, *y = b;

    if (x->depth != y->depth)
        return x->depth > y->depth ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* The frames that most of the time was spent in: the deepest one, and after it those of the program
 * alone, "deflate < Demo.pack < Demo.load". */
static const char *hot_path(struct ranking *r, enum factor_kind kind)
{
    const struct factors *f = &r->s->factors;
    struct hot_frame *frames = NULL;
    char text[1000] = "";
    size_t n = 0, length = 0;
    double most = 0;

    for (size_t i = 0; i < factors_n(f); i++)
        if (factors_key(f, i).kind == kind && excess_of(factors_get(f, i)) > most)
            most = excess_of(factors_get(f, i));
    for (size_t i = 0; i < factors_n(f) && most > 0; i++) {
        const struct factor *sum = factors_get(f, i);

        if (factors_key(f, i).kind != kind || excess_of(sum) < FRAME_SHARE * most ||
            strstr(factors_key(f, i).what, "$$Lambda") != NULL) /* glue of the JVM */
            continue;
        if (!array_add(&frames, n, sizeof(*frames)))
            break;
        frames[n++] = (struct hot_frame){factors_key(f, i).what, sum->depth / sum->slow};
    }
    if (n > 0)
        qsort(frames, n, sizeof(*frames), by_depth);
    for (size_t i = 0, shown = 0; i < n && shown < FRAMES_SHOWN && length < sizeof(text) - 1; i++) {
        if (i > 0 && slow_is_platform_method(frames[i].name))
            continue;
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s",
                                   shown++ == 0 ? "" : " < ", frames[i].name);
    }
    free(frames);
    return keep_reason_text(r, text);
}

/* How long slow scopes waited for a processor because they had more to compute. On a busy machine
 * more computing means more waiting; so long a wait is no reason of its own. */
static double wait_for_computing(const struct factor *cpu, const struct factor *wall)
{
    double waited = fmax(0, excess_of(wall) - excess_of(cpu));

    return fmin(waited, WAIT_FOR_COMPUTING * fmax(0, excess_of(cpu)));
}

/* Running, and being able to without a processor. */
static void add_running(struct ranking *r)
{
    const bool has_cpu = r->s->facts.has_cpu, has_both = has_cpu && r->s->facts.has_wall;
    struct factor cpu = factor_total(&r->s->factors, FACTOR_CPU, SLOW_RUNNING);
    struct factor wall = factor_total(&r->s->factors, FACTOR_SAMPLED, SLOW_RUNNING);
    const struct factor *running = has_cpu ? &cpu : &wall;
    double waited = has_both ? wait_for_computing(&cpu, &wall) : 0;

    r->explained_squares += running->slow_squares + running->other_squares;
    r->explained += has_both ? fmax(excess_of(&cpu), excess_of(&wall)) : excess_of(running);
    add_reason(
        r,
        &(struct slow_reason){.part = SLOW_RUNNING,
                              .what = "",
                              .where = hot_path(r, has_cpu ? FACTOR_FRAME : FACTOR_WALL_FRAME),
                              .holder = "",
                              .is_estimated = true,
                              .n = running->n},
        excess_of(running) + waited, error_of_difference(running));
    if (has_both)
        add_reason(r,
                   &(struct slow_reason){.part = SLOW_RUNNABLE,
                                         .what = "",
                                         .where = "",
                                         .holder = "",
                                         .is_estimated = true,
                                         .n = wall.n},
                   excess_of(&wall) - excess_of(&cpu) - waited,
                   hypot(error_of_difference(&cpu), error_of_difference(&wall)));
}

static void add_unknown(struct ranking *r)
{
    struct factor off = factor_total(&r->s->factors, FACTOR_SAMPLED, SLOW_UNKNOWN);

    add_reason(r,
               &(struct slow_reason){
                   .part = SLOW_UNKNOWN,
                   .what = "",
                   .where = keep_reason_text(
                       r, largest_detail(&r->s->factors, FACTOR_WHERE, SLOW_UNKNOWN, "")),
                   .holder = "",
                   .is_estimated = true,
                   .n = off.n},
               r->excess - r->explained, sqrt(r->explained_squares));
}

/* --- who they are --- */

struct value_sum {
    double excess; /* ns of slow scopes of this value, beyond the median ones of their groups */
    double others; /* weights of those around the median */
    uint64_t n; /* slow scopes */
};

/* Whether values of a key are those of a few: of an id each scope has its own. */
static bool is_shared_key(const struct slow *s, const struct value_sum *sums, const char *value)
{
    size_t n = strcspn(value, "=") + 1;
    uint64_t n_values = 0, n_scopes = 0;

    for (uint32_t i = 0; i < intern_n(&s->values); i++)
        if (sums[i].n > 0 && strncmp(intern_get(&s->values, i, NULL), value, n) == 0) {
            n_values++;
            n_scopes += sums[i].n;
        }
    return n_values * 2 <= n_scopes;
}

/* Is it the key by which scopes are grouped, or the thread? */
static bool is_other_key(const struct slow *s, const char *value)
{
    const char *key = s->facts.key == NULL ? "" : s->facts.key;
    size_t n = strcspn(value, "=");

    return (n == strlen(key) && strncmp(value, key, n) == 0) ||
           (n == strlen("thread") && strncmp(value, "thread", n) == 0);
}

static void add_value_reasons(struct ranking *r)
{
    struct slow *s = r->s;
    size_t n_values = intern_n(&s->values);
    struct value_sum *sums = calloc(n_values + 1, sizeof(*sums));
    const struct slow_label *l = (const void *)s->labels.p;

    for (size_t i = 0; sums != NULL && i < s->labels.n / sizeof(*l); i++) {
        const struct slow_scope *c = &s->chosen[l[i].scope];

        if (!c->is_slow)
            sums[l[i].value].others += c->weight;
        else if (c->weight > 0) {
            sums[l[i].value].n++;
            sums[l[i].value].excess += (double)(c->end_ns - c->start_ns) - r->group_means[c->group];
        }
    }
    for (uint32_t i = 0; sums != NULL && i < n_values; i++) {
        const char *value = intern_get(&s->values, i, NULL);
        double ordinary = sums[i].others / r->n, share, spread, error;

        if (sums[i].n < 3 || ordinary >= 1 || is_other_key(s, value) ||
            !is_shared_key(s, sums, value))
            continue;
        share = (sums[i].excess / r->excess - ordinary) / (1 - ordinary);
        spread = fmax(ordinary, 1 / r->n) * fmax(1 - ordinary, 1 / r->n);
        error = sqrt(spread / r->n_effective) / (1 - ordinary);
        add_reason(r,
                   &(struct slow_reason){.part = SLOW_PARTS,
                                         .what = keep_reason_text(r, value),
                                         .where = "",
                                         .holder = "",
                                         .n = sums[i].n},
                   share * r->excess, error * r->excess);
    }
    r->failed |= sums == NULL;
    free(sums);
}

/* --- ranking --- */

static int by_explained_time(const void *a, const void *b)
{
    const struct slow_reason *x = a, *y = b;
    bool x_first = x->part == SLOW_PARTS && x->share >= VALUE_FIRST;
    bool y_first = y->part == SLOW_PARTS && y->share >= VALUE_FIRST;

    if (x_first != y_first)
        return x_first ? -1 : 1;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return strcmp(x->what, y->what);
}

/* A few scopes that are much slower than the others make a share as uncertain as few scopes do. */
static double effective_number(const struct ranking *r)
{
    const struct slow *s = r->s;
    double sum = 0, squares = 0;

    for (size_t i = 0; i < s->n_chosen; i++) {
        const struct slow_scope *c = &s->chosen[i];
        double excess = (double)(c->end_ns - c->start_ns) - r->group_means[c->group];

        if (!c->is_slow || c->weight == 0)
            continue;
        sum += excess;
        squares += excess * excess;
    }
    return squares > 0 ? sum * sum / squares : 1;
}

/* Sums up the lengths of the scopes that are compared. Returns false if out of memory. */
static bool sum_lengths(struct ranking *r)
{
    struct slow *s = r->s;
    double *weights = calloc(s->n_groups + 1, sizeof(*weights)), slow = 0, others = 0;

    r->group_means = calloc(s->n_groups + 1, sizeof(*r->group_means));
    for (size_t i = 0; weights != NULL && r->group_means != NULL && i < s->n_chosen; i++) {
        const struct slow_scope *c = &s->chosen[i];
        double ns = (double)(c->end_ns - c->start_ns);

        if (c->is_slow) {
            r->n += c->weight;
            slow += ns * c->weight;
        } else {
            others += ns * c->weight;
            r->group_means[c->group] += ns * c->weight;
            weights[c->group] += c->weight;
        }
    }
    for (size_t i = 0; weights != NULL && r->group_means != NULL && i < s->n_groups; i++)
        r->group_means[i] = weights[i] > 0 ? r->group_means[i] / weights[i] : 0;
    free(weights);
    r->excess = slow - others;
    s->facts.slow_mean_ns = r->n > 0 ? (int64_t)(slow / r->n) : 0;
    s->facts.median_mean_ns = r->n > 0 ? (int64_t)(others / r->n) : 0;
    return weights != NULL && r->group_means != NULL;
}

int slow_rank(struct slow *s)
{
    struct ranking r = {.s = s};

    r.failed = !sum_lengths(&r);
    if (!r.failed && r.n > 0 && r.excess > 0) {
        r.n_effective = effective_number(&r);
        add_waits(&r);
        add_sampled_waits(&r);
        add_running(&r);
        add_unknown(&r);
        add_value_reasons(&r);
    }
    free(r.group_means);
    if (s->n_reasons > 0)
        qsort(s->reasons, s->n_reasons, sizeof(*s->reasons), by_explained_time);
    return r.failed ? JFR_E_NOMEM : 0;
}
