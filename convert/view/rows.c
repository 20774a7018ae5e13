/*
 * rows.c - makes a table of what a view has gathered.
 *
 * In: the tallies of view.c, by row and column. It computes what needs all values (percentiles,
 * shares, sets), sorts, and cuts to the limit of the view.
 */
#include "convert/view/internal.h"
#include "jfrfmt/base/sorted.h"

#include <math.h>
#include <stdlib.h>

static int compare_samples(const void *a, const void *b)
{
    const struct view_sample *x = a, *y = b;

    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->v.kind == VIEW_TEXT && y->v.kind == VIEW_TEXT) /* in the order in which they came */
        return (x->v.text > y->v.text) - (x->v.text < y->v.text);
    return view_is_less(&x->v, &y->v) ? -1 : view_is_less(&y->v, &x->v);
}

static double as_number(const struct view_value *v)
{
    return v->is_real || v->is_unsigned ? v->d : (double)v->i;
}

/* The nearest whole number that there is. */
static int64_t as_integer(double d)
{
    return d >= 9223372036854775807.   ? INT64_MAX
           : d > -9223372036854775807. ? (int64_t)d
           : isnan(d)                  ? 0
                                       : INT64_MIN;
}

/* The values of a row, sorted. */
static const struct view_sample *samples_of(const struct view_run *r, size_t column, uint32_t row,
                                            size_t *count)
{
    const struct view_sample *all = (const struct view_sample *)(const void *)r->samples[column].p;
    size_t n = r->samples[column].n / sizeof(*all);
    size_t from = SORTED_FIRST(n, i, all[i].row >= row);

    for (*count = 0; from + *count < n && all[from + *count].row == row;)
        ++*count;
    return all + from;
}

/* Of the n sorted values of a row, value k goes into the percentile: a share of the values is below
 * it. A percentile between two values is as far from them as the share says. */
static void add_to_percentile(struct view_value *to, const struct view_value *v, uint64_t k,
                              uint64_t n, double share)
{
    double place = share * (double)(n + 1); /* counted from 1 */
    uint64_t at = place < 1 ? 0 : place >= (double)n ? n - 1 : (uint64_t)place - 1;
    double low;

    if (k == at)
        *to = *v;
    if (k != at + 1 || place < 1)
        return;
    low = as_number(to);
    to->d = low + (place - floor(place)) * (as_number(v) - low);
    to->i = as_integer(to->d);
}

/* Puts a value, the k-th of its row, into all percentiles that are made of the values of a column.
 */
static void add_to_percentiles(const struct view_run *r, size_t column,
                               const struct sorted_value *v, uint64_t k, struct view_value *cells)
{
    static const double shares[] = {.5, .9, .95, .99, .999};
    struct view_value value = sorted_values_get(v);
    uint64_t n = *view_count(&r->tallies[column], v->row);

    for (size_t i = column; i < r->n_columns; i++)
        if (view_is_percentile(r->v->columns[i].sum) && r->store[i] == column)
            add_to_percentile(&cells[v->row * r->n_columns + i], &value, k, n,
                              shares[r->v->columns[i].sum - VIEW_MEDIAN]);
}

/* Fills the cells of all percentiles that are made of the values of a column. */
static void put_percentiles(struct view_run *r, size_t column, struct view_value *cells)
{
    struct sorted_values *values = &r->values_of[column];
    int rc = sorted_values_begin(values, &r->err);
    struct sorted_value v;
    uint32_t row = UINT32_MAX;
    uint64_t k = 0;

    while (rc >= 0 && (rc = sorted_values_next(values, &v, &r->err)) > 0) {
        k = v.row == row ? k + 1 : 0;
        row = v.row;
        add_to_percentiles(r, column, &v, k, cells);
    }
    r->failed |= rc < 0;
}

/* The values of a row, one after the other. */
static struct view_value set_of(struct view_run *r, size_t column, uint32_t row)
{
    size_t count;
    const struct view_sample *all = samples_of(r, column, row, &count);
    uint32_t id;

    buf_reset(&r->shown);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_str(&r->shown, ", ");
        view_show(&r->shown, &all[i].v, &r->groups.texts);
    }
    id = buf_ok(&r->shown) ? intern_add(&r->groups.texts, r->shown.p, r->shown.n) : INTERN_FAILED;
    r->failed |= id == INTERN_FAILED;
    return count == 0 ? (struct view_value){.kind = VIEW_NONE}
                      : (struct view_value){.kind = VIEW_TEXT, .text = id};
}

static struct view_value count_value(uint64_t n)
{
    return (struct view_value){.kind = VIEW_NUMBER, .i = (int64_t)n, .d = (double)n};
}

/* A total in the format of the values. */
static struct view_value total_of(const struct view_tallies *t, uint32_t row, bool average)
{
    struct view_value v = view_last(t, row)->v;
    const struct view_total *total = view_total(t, row);
    double n = average ? (double)*view_count(t, row) : 1;

    v.is_unsigned = false;
    if (v.is_real) {
        v.d = total->real / n;
        return v;
    }
    v.d = (double)total->whole;
    v.i = total->whole > INT64_MAX   ? INT64_MAX
          : total->whole < INT64_MIN ? INT64_MIN
                                     : (int64_t)total->whole;
    if (!average)
        return v;
    v.d /= n;
    v.i = as_integer(round(v.d));
    v.is_real = v.format == VIEW_INTEGER;
    return v;
}

static struct view_value difference(const struct view_value *last, const struct view_value *first)
{
    struct view_value v = *last;

    if (v.kind != VIEW_NUMBER)
        return (struct view_value){.kind = VIEW_NONE};
    if (__builtin_sub_overflow(last->i, first->i, &v.i))
        v.i = last->i < 0 ? INT64_MIN : INT64_MAX;
    v.d = last->is_real || last->is_unsigned ? last->d - first->d : (double)v.i;
    if (v.format == VIEW_TIME)
        v.format = VIEW_SPAN;
    return v;
}

static struct view_value value_of(struct view_run *r, uint32_t row, size_t column)
{
    const struct view_tallies *t = &r->tallies[column];
    enum view_sum sum = r->v->columns[column].sum;

    if (sum < VIEW_COUNT)
        return view_groups_values(&r->groups, row)[sum - VIEW_KEY];
    if (sum == VIEW_COUNT || sum == VIEW_UNIQUE || sum == VIEW_SHARE_COUNT)
        return count_value(*view_count(t, row));
    if (*view_count(t, row) == 0)
        return (struct view_value){.kind = VIEW_NONE};
    switch (sum) {
    case VIEW_SUM:
    case VIEW_SHARE_SUM:
        return total_of(t, row, false);
    case VIEW_AVERAGE:
        return total_of(t, row, true);
    case VIEW_MIN:
        return *view_least(t, row);
    case VIEW_MAX:
        return *view_most(t, row);
    case VIEW_FIRST:
        return view_first(t, row)->v;
    case VIEW_LAST:
    case VIEW_BATCH:
    case VIEW_SHARE_LAST:
        return view_last(t, row)->v;
    case VIEW_DIFF:
        if (*view_count(t, row) < 2)
            return (struct view_value){.kind = VIEW_NONE};
        return difference(&view_last(t, row)->v, &view_first(t, row)->v);
    case VIEW_SPREAD:
        return difference(view_most(t, row), view_least(t, row));
    default:
        return set_of(r, column, row);
    }
}

static bool is_share(enum view_sum sum)
{
    return sum >= VIEW_SHARE_COUNT;
}

/* Every cell, row by row; shares of the sum of their column. NULL if out of memory. */
static struct view_value *all_values(struct view_run *r, size_t n)
{
    struct view_value *cells = calloc(n * r->n_columns + 1, sizeof(*cells));

    for (size_t i = 0; i < r->n_columns; i++)
        if (r->samples[i].n > 0)
            qsort(r->samples[i].p, r->samples[i].n / sizeof(struct view_sample),
                  sizeof(struct view_sample), compare_samples);
    for (size_t i = 0; i < r->n_columns && cells != NULL; i++) {
        double total = 0;

        if (view_is_percentile(r->v->columns[i].sum)) {
            if (r->store[i] == i)
                put_percentiles(r, i, cells);
            continue;
        }
        for (uint32_t row = 0; row < n; row++) {
            cells[row * r->n_columns + i] = value_of(r, row, i);
            total += as_number(&cells[row * r->n_columns + i]);
        }
        for (uint32_t row = 0; row < n && is_share(r->v->columns[i].sum); row++) {
            struct view_value *v = &cells[row * r->n_columns + i];

            v->d = total == 0 ? 0 : as_number(v) / total;
            v->is_real = true;
            v->format = VIEW_PERCENT;
        }
    }
    return cells;
}

struct order {
    const struct view_run *r;
    const struct view_value *cells;
};

static int compare_view_texts(const struct intern *texts, uint32_t a, uint32_t b)
{
    size_t na, nb;
    const char *x = intern_get(texts, a, &na), *y = intern_get(texts, b, &nb);
    int order = memcmp(x, y, na < nb ? na : nb);

    return order != 0 ? order : (na > nb) - (na < nb);
}

static int compare_by(const struct order *o, int by, uint32_t x, uint32_t y)
{
    size_t column = (size_t)(by < 0 ? -by : by) - 1;
    const struct view_value *p = &o->cells[x * o->r->n_columns + column];
    const struct view_value *q = &o->cells[y * o->r->n_columns + column];
    int order;

    if (p->kind != q->kind)
        return (p->kind == VIEW_NONE) - (q->kind == VIEW_NONE);
    if (p->kind == VIEW_TEXT)
        order = compare_view_texts(&o->r->groups.texts, p->text, q->text);
    else
        order = view_is_less(p, q) ? -1 : view_is_less(q, p);
    return by < 0 ? -order : order;
}

static int compare_view_rows(const void *a, const void *b, void *ctx)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct order *o = ctx;
    int order = compare_by(o, o->r->v->order, x, y);

    if (order == 0 && o->r->v->order_2 != 0)
        order = compare_by(o, o->r->v->order_2, x, y);
    return order != 0 ? order : (x > y) - (x < y);
}

/* Does the last batch of events have the row? */
static bool is_in_batch(const struct view_run *r, uint32_t row)
{
    bool asked = false;

    for (size_t i = 0; i < r->n_columns; i++) {
        const struct view_tallies *t = &r->tallies[i];

        if (r->v->columns[i].sum != VIEW_BATCH)
            continue;
        if (*view_count(t, row) > 0 && view_last(t, row)->ns == r->batch_ns)
            return true;
        asked = true;
    }
    return !asked;
}

bool view_put(struct table *t, const struct view_value *v, const struct intern *texts,
              struct buf *room)
{
    buf_reset(room);
    if (v == NULL || v->kind == VIEW_NONE) {
        table_put_none(t);
        return true;
    }
    view_show(room, v, texts);
    if (v->kind == VIEW_TEXT)
        table_put_text(t, (const char *)room->p, room->n);
    else
        table_put_shown(t, v->is_real, v->i, v->d, (const char *)room->p, room->n);
    return buf_ok(room);
}

static void put_view_rows(struct table *t, struct view_run *r, const struct view_value *cells,
                          const uint32_t *rows, size_t n, bool turned)
{
    if (turned) {
        table_column(t, "what", "What", TABLE_TEXT);
        table_column(t, "value", "Value", TABLE_TEXT);
        for (size_t i = 0; i < r->n_columns && n > 0; i++) {
            const char *title = r->v->columns[i].title;

            table_put_text(t, title, strlen(title));
            r->failed |= !view_put(t, &cells[i], &r->groups.texts, &r->shown);
        }
        return;
    }
    for (size_t i = 0; i < r->n_columns; i++)
        table_column(t, r->v->columns[i].title, r->v->columns[i].title, TABLE_ANY);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < r->n_columns; i++)
            r->failed |=
                !view_put(t, &cells[rows[k] * r->n_columns + i], &r->groups.texts, &r->shown);
}

struct table *view_table(struct view_run *r, bool for_people, bool whole)
{
    size_t all = view_groups_n(&r->groups), n = 0;
    struct view_value *cells = all_values(r, all);
    uint32_t *rows = malloc((all + 1) * sizeof(*rows));
    struct order order = {r, cells};
    struct table *t = cells == NULL || rows == NULL ? NULL : table_new(r->v->title);

    for (uint32_t i = 0; i < all && t != NULL; i++)
        if (is_in_batch(r, i))
            rows[n++] = i;
    if (t != NULL && r->v->order != 0)
        qsort_r(rows, n, sizeof(*rows), compare_view_rows, &order);
    if (!whole && r->v->limit > 0 && n > r->v->limit)
        n = r->v->limit;
    if (t != NULL)
        put_view_rows(t, r, cells, rows, n, for_people && r->v->key == NULL);
    free(cells);
    free(rows);
    if (r->failed) {
        table_free(t);
        return NULL;
    }
    return t;
}
