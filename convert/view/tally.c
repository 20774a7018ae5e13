/*
 * tally.c - what a column of a view gathers of the values of each row.
 *
 * view.c adds values, merge.c adds what a chunk has gathered, rows.c makes cells of it. A tally has
 * parts, of which each sum needs one or two: the parts are arrays by row of their own, so that a
 * count takes 8 bytes for a row and a maximum 56.
 */
#include "convert/view/internal.h"

enum { /* parts, beside the number of values that all have */
    TOTAL = 1,
    LEAST = 2,
    MOST = 4,
    FIRST = 8,
    LAST = 16,
};

static unsigned parts_of(enum view_sum sum)
{
    switch (sum) {
    case VIEW_SUM:
    case VIEW_AVERAGE:
    case VIEW_SHARE_SUM:
        return TOTAL | LAST; /* for its format */
    case VIEW_MIN:
        return LEAST;
    case VIEW_MAX:
        return MOST;
    case VIEW_SPREAD:
        return LEAST | MOST;
    case VIEW_FIRST:
        return FIRST;
    case VIEW_LAST:
    case VIEW_BATCH:
    case VIEW_SHARE_LAST:
        return LAST;
    case VIEW_DIFF:
        return FIRST | LAST;
    default:
        return 0;
    }
}

void view_tallies_init(struct view_tallies *t, enum view_sum sum)
{
    t->parts = parts_of(sum);
}

bool view_tallies_fill(struct view_tallies *t, size_t n)
{
    return buf_fill(&t->n, n * sizeof(uint64_t)) &&
           ((t->parts & TOTAL) == 0 || buf_fill(&t->total, n * sizeof(struct view_total))) &&
           ((t->parts & LEAST) == 0 || buf_fill(&t->least, n * sizeof(struct view_value))) &&
           ((t->parts & MOST) == 0 || buf_fill(&t->most, n * sizeof(struct view_value))) &&
           ((t->parts & FIRST) == 0 || buf_fill(&t->first, n * sizeof(struct view_timed))) &&
           ((t->parts & LAST) == 0 || buf_fill(&t->last, n * sizeof(struct view_timed)));
}

void view_tallies_reset(struct view_tallies *t)
{
    buf_reset(&t->n);
    buf_reset(&t->total);
    buf_reset(&t->least);
    buf_reset(&t->most);
    buf_reset(&t->first);
    buf_reset(&t->last);
}

void view_tallies_free(struct view_tallies *t)
{
    buf_free(&t->n);
    buf_free(&t->total);
    buf_free(&t->least);
    buf_free(&t->most);
    buf_free(&t->first);
    buf_free(&t->last);
}

/* Of two values of the same time, the one that was added first is the first, and the other the
 * last. */
static void keep_values(struct view_tallies *t, uint32_t row, bool is_new,
                        const struct view_value *v, int64_t ns)
{
    if ((t->parts & LEAST) != 0 && (is_new || view_is_less(v, view_least(t, row))))
        *view_least(t, row) = *v;
    if ((t->parts & MOST) != 0 && (is_new || view_is_less(view_most(t, row), v)))
        *view_most(t, row) = *v;
    if ((t->parts & FIRST) != 0 && (is_new || ns < view_first(t, row)->ns))
        *view_first(t, row) = (struct view_timed){*v, ns};
    if ((t->parts & LAST) != 0 && (is_new || ns >= view_last(t, row)->ns))
        *view_last(t, row) = (struct view_timed){*v, ns};
}

void view_tally_add(struct view_tallies *t, uint32_t row, const struct view_value *v, int64_t ns)
{
    keep_values(t, row, *view_count(t, row) == 0, v, ns);
    if ((t->parts & TOTAL) != 0) {
        view_total(t, row)->whole += v->is_unsigned ? (__int128)(uint64_t)v->i : (__int128)v->i;
        view_total(t, row)->real += v->d;
    }
    ++*view_count(t, row);
}

/* Keeps a value of another run; *is_new becomes false. */
static void keep_mapped(struct view_tallies *t, uint32_t row, bool *is_new,
                        const struct view_groups_map *map, const struct view_value *v, int64_t ns)
{
    struct view_value mapped = view_groups_mapped(map, v);

    keep_values(t, row, *is_new, &mapped, ns);
    *is_new = false;
}

void view_tally_take(struct view_tallies *t, uint32_t row, const struct view_tallies *from,
                     uint32_t from_row, const struct view_groups_map *map)
{
    bool is_new = *view_count(t, row) == 0;

    if (*view_count(from, from_row) == 0)
        return;
    if ((t->parts & LEAST) != 0)
        keep_mapped(t, row, &is_new, map, view_least(from, from_row), 0);
    if ((t->parts & MOST) != 0)
        keep_mapped(t, row, &is_new, map, view_most(from, from_row), 0);
    if ((t->parts & FIRST) != 0)
        keep_mapped(t, row, &is_new, map, &view_first(from, from_row)->v,
                    view_first(from, from_row)->ns);
    if ((t->parts & LAST) != 0)
        keep_mapped(t, row, &is_new, map, &view_last(from, from_row)->v,
                    view_last(from, from_row)->ns);
    if ((t->parts & TOTAL) != 0) {
        view_total(t, row)->whole += view_total(from, from_row)->whole;
        view_total(t, row)->real += view_total(from, from_row)->real;
    }
    *view_count(t, row) += *view_count(from, from_row);
}
