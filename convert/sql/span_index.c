/* span_index.c - sorts the rows of a table once, and finds those of a value and a range by binary
 * search. */
#include "convert/sql/span_index.h"

#include "jfrfmt/base/sorted.h"

#include <stdlib.h>

struct span_place {
    int64_t key, value;
    uint32_t row;
};

struct span_index {
    struct span_index *next;
    size_t key, ordered; /* columns */
    size_t n;
    struct span_place *places;
    uint32_t *rows; /* of the places */
};

static int by_key_and_value(const void *a, const void *b)
{
    const struct span_place *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void gather_places(struct span_index *index, const struct sql_table *t)
{
    const struct sql_column *key = index->key == TABLE_NO_COLUMN ? NULL : &t->columns[index->key];
    const struct sql_column *ordered =
        index->ordered == TABLE_NO_COLUMN ? NULL : &t->columns[index->ordered];

    for (uint64_t row = 0; row < t->n_rows; row++)
        if ((key == NULL || column_has(key, row)) && (ordered == NULL || column_has(ordered, row)))
            index->places[index->n++] = (struct span_place){
                .key = key == NULL ? 0 : column_number(key, row),
                .value = ordered == NULL ? 0 : column_number(ordered, row),
                .row = (uint32_t)row,
            };
    qsort(index->places, index->n, sizeof(*index->places), by_key_and_value);
    for (size_t i = 0; i < index->n; i++)
        index->rows[i] = index->places[i].row;
}

static void free_index(struct span_index *index)
{
    free(index->places);
    free(index->rows);
    free(index);
}

static struct span_index *find_index(struct span_indexes *indexes, const struct sql_table *t,
                                     size_t key, size_t ordered)
{
    struct span_index *index;

    if (indexes->generation != t->generation)
        span_index_free(indexes);
    indexes->generation = t->generation;
    for (index = indexes->first; index != NULL; index = index->next)
        if (index->key == key && index->ordered == ordered)
            break;
    return index;
}

const struct span_index *span_index_get(struct span_indexes *indexes, const struct sql_table *t,
                                        size_t key, size_t ordered)
{
    struct span_index *index = find_index(indexes, t, key, ordered);

    if (index != NULL)
        return index;
    index = calloc(1, sizeof(*index));
    if (index == NULL)
        return NULL;
    index->key = key;
    index->ordered = ordered;
    index->places = malloc((t->n_rows + 1) * sizeof(*index->places));
    index->rows = malloc((t->n_rows + 1) * sizeof(*index->rows));
    if (index->places == NULL || index->rows == NULL) {
        free_index(index);
        return NULL;
    }
    gather_places(index, t);
    index->next = indexes->first;
    indexes->first = index;
    return index;
}

const uint32_t *span_index_find(const struct span_index *index, int64_t key, int64_t least,
                                int64_t most, size_t *n)
{
    const struct span_place *p = index->places;
    size_t first =
        SORTED_FIRST(index->n, i, p[i].key > key || (p[i].key == key && p[i].value >= least));
    size_t end =
        SORTED_FIRST(index->n, i, p[i].key > key || (p[i].key == key && p[i].value > most));

    *n = end > first ? end - first : 0;
    return index->rows + first;
}

void span_index_free(struct span_indexes *indexes)
{
    while (indexes->first != NULL) {
        struct span_index *next = indexes->first->next;

        free_index(indexes->first);
        indexes->first = next;
    }
}
