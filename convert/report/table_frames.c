/*
 * table_frames.c - sums a profile by method, line, package or stack, for each group of users,
 * threads ...
 *
 * A method counts once for each stack that it is in (total), and once more if it is at the top
 * (self).
 */
#include "convert/report/table_frames.h"

#include "convert/profile/stackset.h"
#include "convert/profile/sums.h"
#include "jfrfmt/base/intern.h"

#include <math.h>
#include <stdlib.h>

#define OTHERS UINT32_MAX /* in place of a group */

struct frames {
    const struct profile *p;
    enum table_frames how;
    const int *dims;
    size_t n_dims;
    bool has_weight; /* of its own, beside the number of samples */
    const struct min_group *min_group; /* NULL: no group is small */
    struct intern groups; /* of uint32_t[n_dims] */
    struct sums sizes; /* by group, where some may be small */
    struct sums total, self; /* by group << 32 | name; or by row of the profile */
    uint32_t *met; /* by name: row + 1 that met it last */
};

static uint32_t group_of(struct frames *f, const struct profile_row *row)
{
    uint32_t values[PROFILE_ENDS] = {0};

    for (size_t i = 0; i < f->n_dims; i++)
        values[i] = row->ends[f->dims[i]];
    return intern_add(&f->groups, values, f->n_dims * sizeof(*values));
}

/* The samples of every group, which numbers them. */
static bool read_sizes(struct frames *f)
{
    for (uint32_t i = 0; i < profile_n(f->p); i++) {
        struct profile_row row = profile_row(f->p, i);
        uint32_t group = group_of(f, &row);

        if (group == INTERN_FAILED || !sums_add(&f->sizes, group, row.samples, 0))
            return false;
    }
    return true;
}

static bool is_small(const struct frames *f, const struct sums_row *size)
{
    return min_group_is_small(f->min_group, size->samples, profile_facts(f->p).samples);
}

static size_t n_small(const struct frames *f)
{
    size_t n = 0;

    for (size_t i = 0; i < f->sizes.n; i++)
        n += is_small(f, &f->sizes.rows[i]);
    return n;
}

static bool add(struct sums *sums, uint64_t key, const struct profile_row *row)
{
    return sums_merge(sums, &(struct sums_row){key, row->samples, row->weight, row->squares}, NULL);
}

static bool add_frame_row(struct frames *f, uint32_t i)
{
    struct profile_row row = profile_row(f->p, i);
    uint32_t group = group_of(f, &row), name = 0;
    uint64_t key = (uint64_t)group << 32;

    if (group == INTERN_FAILED)
        return false;
    if (f->min_group != NULL && is_small(f, &f->sizes.rows[sums_find(&f->sizes, group)]))
        key = (uint64_t)OTHERS << 32;
    if (f->how == TABLE_STACKS)
        return add(&f->total, key | i, &row);
    for (uint32_t k = 0; k < row.n; k++) {
        name = frame_name_id(row.frames[k]);
        if (f->met[name] == i + 1)
            continue;
        f->met[name] = i + 1;
        if (!add(&f->total, key | name, &row) || !sums_add(&f->self, key | name, 0, 0))
            return false;
    }
    return row.n == 0 || add(&f->self, key | name, &row);
}

static void put_frame_name(struct table *t, const struct frames *f, uint32_t name)
{
    size_t n = 0;
    const char *text = name == UINT32_MAX ? "" : profile_name(f->p, name, &n);

    if (n == 0)
        table_put_none(t);
    else
        table_put_text(t, text, n);
}

static void put_stack(struct table *t, const struct frames *f, uint32_t i)
{
    struct profile_row row = profile_row(f->p, i);
    struct buf b = {0};

    for (uint32_t k = 0; k < row.n; k++) {
        size_t n;
        const char *text = profile_name(f->p, frame_name_id(row.frames[k]), &n);

        if (k > 0)
            buf_byte(&b, ';');
        buf_bytes(&b, text, n);
    }
    table_put_text(t, buf_ok(&b) && b.n > 0 ? (const char *)b.p : "", buf_ok(&b) ? b.n : 0);
    buf_free(&b);
}

static double part(uint64_t a, uint64_t total)
{
    return total == 0 ? 0 : (double)a / (double)total;
}

/* The standard error of a share of the weight, see diff.h. */
static double weight_error(const struct sums_row *row, const struct profile_facts *facts)
{
    double share = part(row->weight, facts->weight);
    double variance = (1 - 2 * share) * row->squares + share * share * facts->squares;

    return facts->weight == 0 || variance < 0 ? 0 : sqrt(variance) / (double)facts->weight;
}

static int64_t whole(uint64_t v)
{
    return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static void put_group(struct table *t, const struct frames *f, uint32_t group)
{
    uint32_t values[PROFILE_ENDS];

    if (group == OTHERS) {
        table_put_others(t, f->n_dims);
        return;
    }
    memcpy(values, intern_get(&f->groups, group, NULL), f->n_dims * sizeof(*values));
    for (size_t k = 0; k < f->n_dims; k++)
        put_frame_name(t, f, values[k]);
}

static void put_frames_row(struct table *t, const struct frames *f, size_t i)
{
    struct profile_facts facts = profile_facts(f->p);
    const struct sums_row *total = &f->total.rows[i];
    double share = part(total->samples, facts.samples);

    put_group(t, f, (uint32_t)(total->key >> 32));
    if (f->how == TABLE_STACKS)
        put_stack(t, f, (uint32_t)total->key);
    else
        put_frame_name(t, f, (uint32_t)total->key);
    table_put_int(t, whole(total->samples));
    table_put_real(t, share);
    table_put_real(t, facts.samples == 0 ? 0 : sqrt(share * (1 - share) / (double)facts.samples));
    if (f->how == TABLE_FRAMES) {
        table_put_int(t, whole(f->self.rows[i].samples));
        table_put_real(t, part(f->self.rows[i].samples, facts.samples));
    }
    if (!f->has_weight)
        return;
    table_put_int(t, whole(total->weight));
    table_put_real(t, part(total->weight, facts.weight));
    table_put_real(t, weight_error(total, &facts));
    if (f->how == TABLE_FRAMES) {
        table_put_int(t, whole(f->self.rows[i].weight));
        table_put_real(t, part(f->self.rows[i].weight, facts.weight));
    }
}

static void put_frame_columns(struct table *t, const struct frames *f, const char *what,
                              const char *const *names)
{
    const char *unit = profile_unit(f->p);
    enum table_type type = strcmp(unit, "bytes") == 0 ? TABLE_BYTES
                           : strcmp(unit, "ns") == 0  ? TABLE_NS
                                                      : TABLE_COUNT;

    for (size_t i = 0; i < f->n_dims; i++)
        table_column(t, names[i], names[i], TABLE_TEXT);
    table_column(t, what, what, TABLE_TEXT);
    table_column(t, "samples", "Samples", TABLE_COUNT);
    table_column(t, "share", "Share", TABLE_SHARE);
    table_column(t, "error", "+-", TABLE_ERROR);
    if (f->how == TABLE_FRAMES) {
        table_column(t, "top", "Self", TABLE_COUNT);
        table_column(t, "top_share", "Share", TABLE_SHARE);
    }
    if (!f->has_weight)
        return;
    table_column(t, "weight", unit, type);
    table_column(t, "weight_share", "Share", TABLE_SHARE);
    table_column(t, "weight_error", "+-", TABLE_ERROR);
    if (f->how == TABLE_FRAMES) {
        table_column(t, "top_weight", "Self", type);
        table_column(t, "top_weight_share", "Share", TABLE_SHARE);
    }
}

/* The column to sort by, counted from that of names: lines are sorted by their own cost.
 */
static size_t order_of(const struct frames *f, const char *what)
{
    bool top = f->how == TABLE_FRAMES && strcmp(what, "line") == 0;

    if (!f->has_weight)
        return top ? 4 : 1;
    return f->how == TABLE_STACKS ? 4 : top ? 9 : 6;
}

static struct table *make(struct frames *f, const char *what, const char *const *names)
{
    struct profile_facts facts = profile_facts(f->p);
    struct buf title = {0};
    struct table *t = NULL;
    bool good = f->min_group == NULL || read_sizes(f);

    f->met = calloc(profile_n_names(f->p) + 1, sizeof(*f->met));
    f->has_weight = strcmp(profile_unit(f->p), "samples") != 0;
    for (uint32_t i = 0; i < profile_n(f->p) && f->met != NULL && good; i++)
        good = add_frame_row(f, i);
    buf_printf(&title, "%s by", kind_title(facts.kind));
    for (size_t i = 0; i < f->n_dims; i++)
        buf_printf(&title, " %s,", names[i]);
    buf_printf(&title, " %s", what);
    buf_byte(&title, 0);
    if (good && f->met != NULL && buf_ok(&title))
        t = table_new((const char *)title.p);
    buf_free(&title);
    if (t == NULL)
        return NULL;
    put_frame_columns(t, f, what, names);
    for (size_t i = 0; i < f->total.n; i++)
        put_frames_row(t, f, i);
    table_note_others(t, f->min_group == NULL ? 0 : n_small(f));
    for (size_t i = f->n_dims + 1; i-- > 0;)
        table_sort(t, i, false);
    table_sort(t, f->n_dims + order_of(f, what), true);
    return t;
}

struct table *table_frames(const struct profile *p, enum table_frames how, const char *what,
                           const char *const *names, const int *dims, size_t n_dims,
                           const struct min_group *min_group)
{
    struct frames f = {.p = p, .how = how, .dims = dims, .n_dims = n_dims, .min_group = min_group};
    struct table *t = make(&f, what, names);

    intern_free(&f.groups);
    sums_free(&f.sizes);
    sums_free(&f.total);
    sums_free(&f.self);
    free(f.met);
    return t;
}
