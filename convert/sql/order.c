/*
 * order.c - sorts rows by columns: a radix sort for each column, from the last to the first.
 *
 * A value becomes a number of 64 bits with the same order; texts are numbered by their order
 * before. Digits in which all rows are equal are passed over, so texts take one or two passes.
 */
#include "convert/sql/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS 11
#define N_BUCKETS (1u << DIGIT_BITS)

bool order_is_possible(const struct sql_table *t, size_t column)
{
    const struct sql_column *c = &t->columns[column];

    return !c->is_recording && c->type != PARQUET_UINT64;
}

static uint64_t key_of_real(double x)
{
    uint64_t bits;

    if (x == 0) /* of two zeros none comes first */
        x = 0;
    memcpy(&bits, &x, sizeof(bits));
    return bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
}

double column_real(const struct sql_column *c, int64_t number)
{
    double real;
    float small;
    uint32_t bits = (uint32_t)number;

    if (c->type == PARQUET_FLOAT) {
        memcpy(&small, &bits, sizeof(small));
        return small;
    }
    memcpy(&real, &number, sizeof(real));
    return real;
}

/* A number that orders rows as the column's values do, those that are not null. */
static uint64_t order_key(const struct sql_column *c, uint64_t row)
{
    if (c->ids != NULL)
        return c->ranks[c->ids[row]];
    if (c->type == PARQUET_FLOAT || c->type == PARQUET_DOUBLE)
        return key_of_real(column_real(c, c->numbers[row]));
    return (uint64_t)c->numbers[row] ^ UINT64_C(1) << 63;
}

struct item {
    uint64_t key;
    uint32_t row;
};

static void sort_digit(const struct item *from, struct item *to, size_t n, unsigned shift)
{
    size_t starts[N_BUCKETS] = {0}, sum = 0;

    for (size_t i = 0; i < n; i++)
        starts[from[i].key >> shift & (N_BUCKETS - 1)]++;
    for (size_t i = 0; i < N_BUCKETS; i++) {
        size_t count = starts[i];

        starts[i] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[starts[from[i].key >> shift & (N_BUCKETS - 1)]++] = from[i];
}

/* Sorts by key; the result is in one of both. */
static struct item *sort_items(struct item *items, struct item *other, size_t n)
{
    uint64_t differ = 0;

    for (size_t i = 1; i < n; i++)
        differ |= items[i].key ^ items[0].key;
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS)
        if ((differ >> shift & (N_BUCKETS - 1)) != 0) {
            struct item *from = items;

            sort_digit(items, other, n, shift);
            items = other;
            other = from;
        }
    return items;
}

/* NaN is null in SQLite. */
static bool is_null(const struct sql_column *c, uint64_t row)
{
    if (!column_has(c, row))
        return true;
    if (c->type != PARQUET_FLOAT && c->type != PARQUET_DOUBLE)
        return false;
    return isnan(column_real(c, c->numbers[row]));
}

static void sort_by(const struct sql_table *t, struct order by, uint32_t *rows, size_t n,
                    struct item *items, struct item *other, uint32_t *nulls)
{
    size_t n_items = 0, n_nulls = 0;
    const struct sql_column *c = &t->columns[by.column];
    const struct item *sorted;

    for (size_t i = 0; i < n; i++) {
        if (is_null(c, rows[i])) {
            nulls[n_nulls++] = rows[i];
        } else {
            uint64_t key = order_key(c, rows[i]);

            items[n_items++] = (struct item){by.descends ? ~key : key, rows[i]};
        }
    }
    sorted = sort_items(items, other, n_items);
    memcpy(rows + (by.descends ? n_items : 0), nulls, n_nulls * sizeof(*nulls));
    rows += by.descends ? 0 : n_nulls;
    for (size_t i = 0; i < n_items; i++)
        rows[i] = sorted[i].row;
}

static bool rank_texts(struct sql_table *t, size_t column)
{
    struct sql_column *c = &t->columns[column];

    return c->leaf == NULL || c->ids == NULL || parquet_n_texts(c->leaf) == 0 ||
           tables_ranks(c) != NULL;
}

bool sort_rows(struct sql_table *t, const struct order *by, size_t n_by, uint32_t *rows, size_t n)
{
    struct item *items = malloc((n + 1) * sizeof(*items)),
                *other = malloc((n + 1) * sizeof(*other));
    uint32_t *nulls = malloc((n + 1) * sizeof(*nulls));
    bool ok = items != NULL && other != NULL && nulls != NULL;

    for (size_t i = 0; i < n_by && ok; i++)
        ok = rank_texts(t, by[i].column);
    for (size_t i = n_by; i-- > 0 && ok;)
        sort_by(t, by[i], rows, n, items, other, nulls);
    free(items);
    free(other);
    free(nulls);
    return ok;
}
