/*
 * table_top.c - the table of jfrkit top: a table of methods (table_frames.h) with fewer columns, in
 * the order of the question "what costs most itself?", and with the method last, whose name may be
 * long.
 */
#include "convert/report/table_top.h"

#include <string.h>

#define COLUMNS 5
#define DIMS_MOST PROFILE_ENDS

static size_t column_named(const struct table *t, const char *name)
{
    size_t i = 0;

    while (i < table_n_columns(t) && strcmp(table_column_name(t, i), name) != 0)
        i++;
    return i;
}

struct table *table_top(const struct profile *p, const char *what, const char *const *names,
                        const int *dims, size_t n_dims, size_t limit)
{
    static const char *const counts[] = {"top", "top_share", "samples", "share"};
    static const char *const weights[] = {"top_weight", "top_weight_share", "weight",
                                          "weight_share"};
    struct table *t = table_frames(p, TABLE_FRAMES, what, names, dims, n_dims, NULL);
    const char *const *used = strcmp(profile_unit(p), "samples") == 0 ? counts : weights;
    const char *titles[DIMS_MOST + COLUMNS] = {NULL};
    size_t columns[DIMS_MOST + COLUMNS], n = 0;

    if (t == NULL)
        return NULL;
    table_limit_groups(t, n_dims, column_named(t, used[0]), limit);
    while (n < n_dims) {
        columns[n] = n;
        n++;
    }
    titles[n + 2] = "Total";
    for (size_t i = 0; i < 4; i++)
        columns[n++] = column_named(t, used[i]);
    columns[n++] = n_dims; /* the method */
    table_pick_columns(t, columns, titles, n);
    return t;
}
