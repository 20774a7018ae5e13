#include "convert/diff.h"

#include "convert/jsonw.h"
#include "convert/stackset.h"
#include "convert/sums.h"

#include <math.h>
#include <stdlib.h>

struct counts { /* by name of one profile */
    uint64_t total, self;
};

struct diff {
    struct diff_row *rows;
    size_t n;
    uint64_t samples[DIFF_SIDES];
};

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
                c[name].total = sums_plus(c[name].total, row.samples);
            met[name] = i + 1;
            if (k + 1 == row.n)
                c[name].self = sums_plus(c[name].self, row.samples);
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
        row->samples[DIFF_TOTAL][DIFF_BASE] = base->total;
        row->samples[DIFF_SELF][DIFF_BASE] = base->self;
    }
    if (fresh != NULL) {
        row->samples[DIFF_TOTAL][DIFF_NEW] = fresh->total;
        row->samples[DIFF_SELF][DIFF_NEW] = fresh->self;
    }
    d->n += row->samples[DIFF_TOTAL][DIFF_BASE] + row->samples[DIFF_TOTAL][DIFF_NEW] > 0;
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

struct diff *diff_new(const struct profile *base, const struct profile *fresh)
{
    struct counts *a = count(base), *b = count(fresh);
    struct diff *d = calloc(1, sizeof(*d));

    if (d != NULL)
        d->rows = calloc(profile_n_names(base) + profile_n_names(fresh) + 1, sizeof(*d->rows));
    if (a == NULL || b == NULL || d == NULL || d->rows == NULL) {
        diff_free(d);
        d = NULL;
    } else {
        d->samples[DIFF_BASE] = profile_facts(base).samples;
        d->samples[DIFF_NEW] = profile_facts(fresh).samples;
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
    return d->samples[side];
}

/* --- statistics ------------------------------------------------------------------------------- */

static double log_choose(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* Fisher's exact test, two-sided: the tables that are no more likely than this one. There are no
 * more of them than the smallest margin says. */
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

static double part(uint64_t x, uint64_t n)
{
    return n == 0 ? 0 : (double)x / (double)n;
}

struct diff_change diff_change(const struct diff *d, const struct diff_row *row, enum diff_of of)
{
    struct diff_change c;
    double variance = 0;

    for (int i = 0; i < DIFF_SIDES; i++) {
        c.share[i] = part(row->samples[of][i], d->samples[i]);
        if (d->samples[i] > 0)
            variance += c.share[i] * (1 - c.share[i]) / (double)d->samples[i];
    }
    c.difference = c.share[DIFF_NEW] - c.share[DIFF_BASE];
    c.error = sqrt(variance);
    c.relative = c.difference == 0         ? 0
                 : c.share[DIFF_BASE] == 0 ? (double)INFINITY
                                           : c.difference / c.share[DIFF_BASE];
    c.p = diff_p(row->samples[of][DIFF_BASE], d->samples[DIFF_BASE], row->samples[of][DIFF_NEW],
                 d->samples[DIFF_NEW]);
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

static void put_row(struct table *t, const struct diff *d, const struct diff_row *row,
                    enum diff_of of)
{
    struct diff_change c = diff_change(d, row, of);

    table_put_text(t, row->name, row->n);
    for (int i = 0; i < DIFF_SIDES; i++) {
        table_put_int(t, (int64_t)row->samples[of][i]);
        table_put_real(t, c.share[i]);
    }
    table_put_real(t, c.difference);
    table_put_real(t, c.error);
    if (isinf(c.relative))
        table_put_none(t);
    else
        table_put_real(t, c.relative);
    table_put_real(t, c.p);
}

struct table *diff_table(const struct diff *d, enum diff_of of)
{
    struct ranked *ranked = calloc(d->n + 1, sizeof(*ranked));
    struct table *t = table_new(of == DIFF_SELF ? "Samples on top, compared" : "Samples, compared");
    size_t n = 0;

    if (ranked == NULL || t == NULL) {
        free(ranked);
        table_free(t);
        return NULL;
    }
    table_column(t, "method", "method", TABLE_TEXT);
    table_column(t, "base", "Base", TABLE_COUNT);
    table_column(t, "base_share", "Share", TABLE_SHARE);
    table_column(t, "new", "New", TABLE_COUNT);
    table_column(t, "new_share", "Share", TABLE_SHARE);
    table_column(t, "difference", "Difference", TABLE_POINTS);
    table_column(t, "error", "+-", TABLE_ERROR);
    table_column(t, "change", "Change", TABLE_CHANGE);
    table_column(t, "p", "p", TABLE_P);
    for (size_t i = 0; i < d->n; i++) {
        const struct diff_row *row = &d->rows[i];

        if (row->samples[of][DIFF_BASE] + row->samples[of][DIFF_NEW] > 0)
            ranked[n++] = (struct ranked){row, fabs(diff_change(d, row, of).difference)};
    }
    qsort(ranked, n, sizeof(*ranked), by_weight);
    for (size_t i = 0; i < n; i++)
        put_row(t, d, ranked[i].row, of);
    free(ranked);
    return t;
}

/* The texts of two paths in the order of their profiles' rows. */
static int compare_paths(const struct profile *p, const struct profile_row *a,
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
                                        : compare_paths(base, &a, fresh, &b);
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
