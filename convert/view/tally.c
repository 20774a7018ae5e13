/*
 * tally.c - what a column of a view gathers of the values of each row.
 *
 * view.c adds values, merge.c adds what a chunk has gathered, rows.c makes cells of it. A tally has
 * parts, of which a sum needs a few: the parts are arrays by row of their own, so that a count
 * takes 8 bytes for a row and a maximum 56.
 */
#include "convert/view/internal.h"

#define BIT(part) (1u << VIEW_PART_##part)

/* Beside the count, which all have. */
static unsigned parts_of(enum view_sum sum)
{
    switch (sum) {
    case VIEW_SUM:
    case VIEW_AVERAGE:
    case VIEW_SHARE_SUM:
        return BIT(TOTAL) | BIT(LAST); /* the last one for its format */
    case VIEW_MIN:
        return BIT(LEAST);
    case VIEW_MAX:
        return BIT(MOST);
    case VIEW_SPREAD:
        return BIT(LEAST) | BIT(MOST);
    case VIEW_FIRST:
        return BIT(FIRST);
    case VIEW_LAST:
    case VIEW_BATCH:
    case VIEW_SHARE_LAST:
        return BIT(LAST);
    case VIEW_DIFF:
        return BIT(FIRST) | BIT(LAST);
    default:
        return 0;
    }
}

void view_tallies_init(struct view_tallies *t, enum view_sum sum)
{
    t->has = BIT(COUNT) | parts_of(sum);
}

bool view_tallies_fill(struct view_tallies *t, size_t n)
{
    static const size_t sizes[VIEW_PARTS] = {
        [VIEW_PART_COUNT] = sizeof(uint64_t),
        [VIEW_PART_TOTAL] = sizeof(struct view_total),
        [VIEW_PART_LEAST] = sizeof(struct view_value),
        [VIEW_PART_MOST] = sizeof(struct view_value),
        [VIEW_PART_FIRST] = sizeof(struct view_timed),
        [VIEW_PART_LAST] = sizeof(struct view_timed),
    };
    bool ok = true;

    for (int i = 0; i < VIEW_PARTS && ok; i++)
        ok = (t->has >> i & 1) == 0 || buf_fill(&t->parts[i], n * sizes[i]);
    return ok;
}

void view_tallies_reset(struct view_tallies *t)
{
    for (int i = 0; i < VIEW_PARTS; i++)
        buf_reset(&t->parts[i]);
}

void view_tallies_free(struct view_tallies *t)
{
    for (int i = 0; i < VIEW_PARTS; i++)
        buf_free(&t->parts[i]);
}

/* Of two values of the same time, the one that was added first is the first, and the other the
 * last. */
static void keep_values(struct view_tallies *t, uint32_t row, bool is_new,
                        const struct view_value *v, int64_t ns)
{
    if ((t->has & BIT(LEAST)) != 0 && (is_new || view_is_less(v, view_least(t, row))))
        *view_least(t, row) = *v;
    if ((t->has & BIT(MOST)) != 0 && (is_new || view_is_less(view_most(t, row), v)))
        *view_most(t, row) = *v;
    if ((t->has & BIT(FIRST)) != 0 && (is_new || ns < view_first(t, row)->ns))
        *view_first(t, row) = (struct view_timed){*v, ns};
    if ((t->has & BIT(LAST)) != 0 && (is_new || ns >= view_last(t, row)->ns))
        *view_last(t, row) = (struct view_timed){*v, ns};
}

void view_tally_add(struct view_tallies *t, uint32_t row, const struct view_value *v, int64_t ns)
{
    keep_values(t, row, *view_count(t, row) == 0, v, ns);
    if ((t->has & BIT(TOTAL)) != 0) {
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
    if ((t->has & BIT(LEAST)) != 0)
        keep_mapped(t, row, &is_new, map, view_least(from, from_row), 0);
    if ((t->has & BIT(MOST)) != 0)
        keep_mapped(t, row, &is_new, map, view_most(from, from_row), 0);
    if ((t->has & BIT(FIRST)) != 0)
        keep_mapped(t, row, &is_new, map, &view_first(from, from_row)->v,
                    view_first(from, from_row)->ns);
    if ((t->has & BIT(LAST)) != 0)
        keep_mapped(t, row, &is_new, map, &view_last(from, from_row)->v,
                    view_last(from, from_row)->ns);
    if ((t->has & BIT(TOTAL)) != 0) {
        view_total(t, row)->whole += view_total(from, from_row)->whole;
        view_total(t, row)->real += view_total(from, from_row)->real;
    }
    *view_count(t, row) += *view_count(from, from_row);
}
