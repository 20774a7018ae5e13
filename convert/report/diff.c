/*
 * diff.c - sums the frames of two profiles by name and computes how sure each change is.
 *
 * The tests of significance are described in diff.h. The rows become a table or collapsed stacks
 * here; diff_gate.c compares them with limits.
 */
#include "convert/report/diff.h"

#include "convert/text/jsonw.h"
#include "convert/profile/stackset.h"
#include "convert/profile/sums.h"

#include <math.h>
#include <stdlib.h>

struct counts { /* by name of one profile */
    struct diff_sum total, self;
};

struct diff {
    struct diff_row *rows;
    size_t n;
    enum diff_norm norm;
    const char *unit; /* of the weights */
    struct diff_sum sums[DIFF_SIDES];
    double seconds[DIFF_SIDES];
};

int diff_norm_named(const char *name)
{
    static const char *const names[] = {"total", "duration", "none"};

    for (int i = 0; i < (int)(sizeof(names) / sizeof(names[0])); i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static void add_sum(struct diff_sum *sum, const struct profile_row *row)
{
    sum->samples = sums_plus(sum->samples, row->samples);
    sum->weight = sums_plus(sum->weight, row->weight);
    sum->squares += row->squares;
}

static struct counts *count(const struct profile *p)
{
    size_t n = profile_n_names(p);
    struct counts *c = calloc(n + 1, sizeof(*c));
    uint32_t *met = calloc(n + 1, sizeof(*met));

    for (uint32_t i = 0; i < profile_n(p) && c != NULL && met != NULL; i++) {
        struct profile_row row = profile_row(p, i);

        for (uint32_t k = 0; k < row.n; k++) {
            uint32_t name = frame_name_id(row.frames[k]);

            if (met[name] != i + 1)
                add_sum(&c[name].total, &row);
            met[name] = i + 1;
            if (k + 1 == row.n)
                add_sum(&c[name].self, &row);
        }
    }
    free(met);
    if (met != NULL)
        return c;
    free(c);
    return NULL;
}

static int compare(const char *a, size_t na, const char *b, size_t nb)
{
    int order = memcmp(a, b, na < nb ? na : nb);

    return order != 0 ? order : (na > nb) - (na < nb);
}

static void add(struct diff *d, const char *name, size_t n, const struct counts *base,
                const struct counts *fresh)
{
    struct diff_row *row = &d->rows[d->n];

    *row = (struct diff_row){.name = name, .n = n};
    if (base != NULL) {
        row->sums[DIFF_TOTAL][DIFF_BASE] = base->total;
        row->sums[DIFF_SELF][DIFF_BASE] = base->self;
    }
    if (fresh != NULL) {
        row->sums[DIFF_TOTAL][DIFF_NEW] = fresh->total;
        row->sums[DIFF_SELF][DIFF_NEW] = fresh->self;
    }
    d->n +=
        row->sums[DIFF_TOTAL][DIFF_BASE].samples > 0 || row->sums[DIFF_TOTAL][DIFF_NEW].samples > 0;
}

/* Names of a profile are in the order of their texts. */
static void join(struct diff *d, const struct profile *p, const struct counts *a,
                 const struct profile *q, const struct counts *b)
{
    uint32_t i = 0, k = 0;

    while (i < profile_n_names(p) || k < profile_n_names(q)) {
        size_t na = 0, nb = 0;
        const char *x = i < profile_n_names(p) ? profile_name(p, i, &na) : NULL;
        const char *y = k < profile_n_names(q) ? profile_name(q, k, &nb) : NULL;
        int order = x == NULL ? 1 : y == NULL ? -1 : compare(x, na, y, nb);

        add(d, order <= 0 ? x : y, order <= 0 ? na : nb, order <= 0 ? &a[i] : NULL,
            order >= 0 ? &b[k] : NULL);
        i += order <= 0;
        k += order >= 0;
    }
}

static void set_side(struct diff *d, enum diff_side side, const struct profile *p)
{
    struct profile_facts f = profile_facts(p);

    d->sums[side] = (struct diff_sum){f.samples, f.weight, f.squares};
    d->seconds[side] = f.last_ns > f.first_ns ? (double)(f.last_ns - f.first_ns) / 1e9 : 0;
}

struct diff *diff_new(const struct profile *base, const struct profile *fresh, enum diff_norm norm)
{
    struct counts *a = count(base), *b = count(fresh);
    struct diff *d = calloc(1, sizeof(*d));

    if (d != NULL)
        d->rows = calloc(profile_n_names(base) + profile_n_names(fresh) + 1, sizeof(*d->rows));
    if (a == NULL || b == NULL || d == NULL || d->rows == NULL) {
        diff_free(d);
        d = NULL;
    } else {
        d->norm = norm;
        d->unit = profile_unit(base);
        set_side(d, DIFF_BASE, base);
        set_side(d, DIFF_NEW, fresh);
        join(d, base, a, fresh, b);
    }
    free(a);
    free(b);
    return d;
}

void diff_free(struct diff *d)
{
    if (d == NULL)
        return;
    free(d->rows);
    free(d);
}

size_t diff_n(const struct diff *d)
{
    return d->n;
}

const struct diff_row *diff_row(const struct diff *d, size_t i)
{
    return &d->rows[i];
}

uint64_t diff_samples(const struct diff *d, enum diff_side side)
{
    return d->sums[side].samples;
}

/* --- statistics ------------------------------------------------------------------------------- */

static double log_choose(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* Fisher's exact test, two-sided: the sum of the probabilities of all tables with these margins
 * that are not more likely than this one. The loop is over the smallest margin. */
static double fisher(double x, double n, double y, double m)
{
    double k = x + y, low = k > m ? k - m : 0, high = k < n ? k : n;
    double all = log_choose(n + m, k), here = log_choose(n, x) + log_choose(m, k - x) - all;
    double p = 0;

    for (double i = low; i <= high; i++) {
        double there = log_choose(n, i) + log_choose(m, k - i) - all;

        if (there <= here + 1e-7)
            p += exp(there);
    }
    return p > 1 ? 1 : p;
}

double diff_p(uint64_t x, uint64_t n, uint64_t y, uint64_t m)
{
    double a = (double)x, b = (double)y, na = (double)n, nb = (double)m, share, z;
    uint64_t few = 10;

    if (n == 0 || m == 0 || x > n || y > m)
        return 1;
    if (x + y == 0 || x + y == n + m)
        return 1;
    if ((x < few || y < few || n - x < few || m - y < few) &&
        fmin(fmin(na, nb), fmin(a + b, na + nb - a - b)) < 10000)
        return fisher(a, na, b, nb);
    share = (a + b) / (na + nb);
    z = (b / nb - a / na) / sqrt(share * (1 - share) * (1 / na + 1 / nb));
    return erfc(fabs(z) / sqrt(2));
}

/* Compares two rates, x events in `seconds` and y in `other`: the probability, two-sided, of x of x
 * + y events if the rates are equal. */
static double rates_p(double x, double seconds, double y, double other)
{
    double n = x + y, q = seconds / (seconds + other), p = 0, here;

    if (n == 0)
        return 1;
    if (n >= 1000)
        return erfc(fabs(x - n * q) / sqrt(n * q * (1 - q)) / sqrt(2));
    here = log_choose(n, x) + x * log(q) + y * log1p(-q);
    for (double i = 0; i <= n; i++) {
        double there = log_choose(n, i) + i * log(q) + (n - i) * log1p(-q);

        if (there <= here + 1e-7)
            p += exp(there);
    }
    return p > 1 ? 1 : p;
}

static bool is_counts(const struct diff *d)
{
    return strcmp(d->unit, "samples") == 0;
}

/* The number by which the amounts of a side are divided. */
static double scale_of(const struct diff *d, enum diff_side side)
{
    return d->norm == DIFF_BY_DURATION ? d->seconds[side] : 1;
}

/* The variance of the compared value of one side. */
static double variance_of(const struct diff *d, enum diff_side side, const struct diff_sum *sum,
                          double share)
{
    const struct diff_sum *all = &d->sums[side];
    double scale = d->norm == DIFF_BY_TOTAL ? (double)all->weight : scale_of(d, side);

    if (scale == 0)
        return 0;
    if (d->norm != DIFF_BY_TOTAL)
        return sum->squares / scale / scale;
    return fmax(0, (1 - 2 * share) * sum->squares + share * share * all->squares) / scale / scale;
}

static double chance(const struct diff *d, const struct diff_sum *sums, const struct diff_change *c)
{
    if (c->difference == 0 || scale_of(d, DIFF_BASE) == 0 || scale_of(d, DIFF_NEW) == 0)
        return 1;
    if (is_counts(d) && d->norm == DIFF_BY_TOTAL)
        return diff_p(sums[DIFF_BASE].samples, d->sums[DIFF_BASE].samples, sums[DIFF_NEW].samples,
                      d->sums[DIFF_NEW].samples);
    if (is_counts(d))
        return rates_p((double)sums[DIFF_BASE].samples, scale_of(d, DIFF_BASE),
                       (double)sums[DIFF_NEW].samples, scale_of(d, DIFF_NEW));
    return c->error == 0 ? 1 : erfc(fabs(c->difference) / c->error / sqrt(2));
}

struct diff_change diff_change(const struct diff *d, const struct diff_row *row, enum diff_of of)
{
    const struct diff_sum *sums = row->sums[of];
    struct diff_change c;
    double variance = 0;

    for (int i = 0; i < DIFF_SIDES; i++) {
        double weight = (double)sums[i].weight, scale = scale_of(d, i);

        c.share[i] = d->sums[i].weight == 0 ? 0 : weight / (double)d->sums[i].weight;
        c.value[i] = d->norm == DIFF_BY_TOTAL ? c.share[i] : scale == 0 ? 0 : weight / scale;
        variance += variance_of(d, i, &sums[i], c.share[i]);
    }
    c.difference = c.value[DIFF_NEW] - c.value[DIFF_BASE];
    c.error = sqrt(variance);
    c.relative = c.difference == 0         ? 0
                 : c.value[DIFF_BASE] == 0 ? (double)INFINITY
                                           : c.difference / c.value[DIFF_BASE];
    c.p = chance(d, sums, &c);
    return c;
}

/* --- output ----------------------------------------------------------------------------------- */

struct ranked {
    const struct diff_row *row;
    double weight;
};

static int by_weight(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* How amounts are shown. */
static enum table_type amount_type(const struct diff *d)
{
    return strcmp(d->unit, "bytes") == 0 ? TABLE_BYTES
           : strcmp(d->unit, "ns") == 0  ? TABLE_NS
                                         : TABLE_COUNT;
}

/* Samples per second are fractions. */
static enum table_type rate_type(const struct diff *d)
{
    return amount_type(d) == TABLE_COUNT ? TABLE_REAL : amount_type(d);
}

void diff_put_value(struct buf *b, const struct diff *d, double value)
{
    if (d->norm == DIFF_BY_TOTAL)
        table_format(b, TABLE_SHARE, 0, value);
    else
        table_format(b, rate_type(d), llround(value), value);
    if (d->norm == DIFF_BY_DURATION)
        buf_str(b, "/s");
}

static void put_value(struct table *t, enum table_type type, double v)
{
    if (type == TABLE_BYTES || type == TABLE_NS || type == TABLE_COUNT)
        table_put_int(t, llround(fmax(fmin(v, 9e18), -9e18)));
    else
        table_put_real(t, v);
}

static void put_diff_row(struct table *t, const struct diff *d, const struct diff_row *row,
                         enum diff_of of)
{
    struct diff_change c = diff_change(d, row, of);
    size_t column = 1;

    table_put_text(t, row->name, row->n);
    for (int i = 0; i < DIFF_SIDES; i++, column++) {
        put_value(t, amount_type(d), (double)row->sums[of][i].weight);
        if (d->norm != DIFF_BY_NOTHING)
            put_value(t, table_column_type(t, ++column), c.value[i]);
    }
    put_value(t, table_column_type(t, column), c.difference);
    put_value(t, table_column_type(t, column + 1), c.error);
    if (isinf(c.relative))
        table_put_none(t);
    else
        table_put_real(t, c.relative);
    table_put_real(t, c.p);
}

static void put_columns(struct table *t, const struct diff *d)
{
    enum table_type amount = amount_type(d), rate = rate_type(d);

    table_column(t, "method", "method", TABLE_TEXT);
    table_column(t, "base", "Base", amount);
    if (d->norm == DIFF_BY_TOTAL)
        table_column(t, "base_share", "Share", TABLE_SHARE);
    else if (d->norm == DIFF_BY_DURATION)
        table_column(t, "base_rate", "per s", rate);
    table_column(t, "new", "New", amount);
    if (d->norm == DIFF_BY_TOTAL)
        table_column(t, "new_share", "Share", TABLE_SHARE);
    else if (d->norm == DIFF_BY_DURATION)
        table_column(t, "new_rate", "per s", rate);
    table_column(t, "difference", "Difference", d->norm == DIFF_BY_TOTAL ? TABLE_POINTS : rate);
    table_column(t, "error", "+-", d->norm == DIFF_BY_TOTAL ? TABLE_ERROR : rate);
    table_column(t, "change", "Change", TABLE_CHANGE);
    table_column(t, "p", "p", TABLE_P);
}

struct table *diff_table(const struct diff *d, enum diff_of of)
{
    struct ranked *ranked = calloc(d->n + 1, sizeof(*ranked));
    struct table *t = table_new(of == DIFF_SELF ? "On top, compared" : "Compared");
    size_t n = 0;

    if (ranked == NULL || t == NULL) {
        free(ranked);
        table_free(t);
        return NULL;
    }
    put_columns(t, d);
    for (size_t i = 0; i < d->n; i++) {
        const struct diff_row *row = &d->rows[i];

        if (row->sums[of][DIFF_BASE].samples > 0 || row->sums[of][DIFF_NEW].samples > 0)
            ranked[n++] = (struct ranked){row, fabs(diff_change(d, row, of).difference)};
    }
    qsort(ranked, n, sizeof(*ranked), by_weight);
    for (size_t i = 0; i < n; i++)
        put_diff_row(t, d, ranked[i].row, of);
    free(ranked);
    return t;
}

/* The texts of two paths in the order of their profiles' rows. */
static int compare_diff_paths(const struct profile *p, const struct profile_row *a,
                              const struct profile *q, const struct profile_row *b)
{
    uint32_t na = profile_path_n(a), nb = profile_path_n(b);

    for (uint32_t i = 0; i < na && i < nb; i++) {
        size_t n, m;
        const char *x = profile_name(p, frame_name_id(profile_path_frame(a, i)), &n);
        const char *y = profile_name(q, frame_name_id(profile_path_frame(b, i)), &m);
        int order = compare(x, n, y, m);

        if (order != 0)
            return order;
    }
    return (na > nb) - (na < nb);
}

static void put_path(struct buf *b, const struct profile *p, const struct profile_row *row)
{
    uint32_t n = profile_path_n(row);

    for (uint32_t i = 0; i < n; i++) {
        size_t len;
        const char *text = profile_name(p, frame_name_id(profile_path_frame(row, i)), &len);

        if (i > 0)
            buf_byte(b, ';');
        buf_bytes(b, text, len);
    }
    if (n == 0)
        buf_str(b, "[no frames]");
}

int diff_write_collapsed(const struct profile *base, const struct profile *fresh, struct out *out)
{
    size_t i = 0, k = 0;
    int rc = 0;

    while ((i < profile_n(base) || k < profile_n(fresh)) && rc == 0) {
        struct profile_row a = {.n = 0}, b = {.n = 0};
        int order = 0;

        if (i < profile_n(base))
            a = profile_row(base, i);
        if (k < profile_n(fresh))
            b = profile_row(fresh, k);
        order = i == profile_n(base)    ? 1
                : k == profile_n(fresh) ? -1
                                        : compare_diff_paths(base, &a, fresh, &b);
        put_path(&out->b, order <= 0 ? base : fresh, order <= 0 ? &a : &b);
        buf_byte(&out->b, ' ');
        jsonw_u64(&out->b, order <= 0 ? a.weight : 0);
        buf_byte(&out->b, ' ');
        jsonw_u64(&out->b, order >= 0 ? b.weight : 0);
        buf_byte(&out->b, '\n');
        i += order <= 0;
        k += order >= 0;
        rc = out_check(out);
    }
    return rc;
}
