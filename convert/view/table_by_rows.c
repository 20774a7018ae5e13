/*
 * table_by_rows.c - the rows of table_by.c: a group of each with the sums of its events, and which
 * requests have been counted.
 */
#include "convert/view/table_by_internal.h"

void by_rows_reset(struct by_rows *rows)
{
    view_groups_reset(&rows->groups);
    intern_reset(&rows->requests);
    for (size_t i = 0; i < BY_SUMS; i++)
        buf_reset(&rows->sums[i]);
}

void by_rows_free(struct by_rows *rows)
{
    view_groups_free(&rows->groups);
    intern_free(&rows->requests);
    for (size_t i = 0; i < BY_SUMS; i++)
        buf_free(&rows->sums[i]);
}

bool by_rows_add(struct by_rows *rows, size_t sum, uint32_t row, uint64_t n)
{
    uint64_t *to;

    if (n == 0)
        return true;
    if (!buf_fill(&rows->sums[sum], (row + (size_t)1) * sizeof(*to)))
        return false;
    to = (uint64_t *)(void *)rows->sums[sum].p + row;
    *to = sums_plus(*to, n);
    return true;
}

uint64_t by_rows_get(const struct by_rows *rows, size_t sum, uint32_t row)
{
    const struct buf *b = &rows->sums[sum];

    return row < b->n / sizeof(uint64_t) ? ((const uint64_t *)(const void *)b->p)[row] : 0;
}

uint64_t by_rows_total(const struct by_rows *rows, size_t sum)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < rows->sums[sum].n / sizeof(total); i++)
        total = sums_plus(total, by_rows_get(rows, sum, i));
    return total;
}

/* --- requests --- */

void by_requests_reset(struct by_requests *r)
{
    intern_reset(&r->keys);
    buf_reset(&r->awaited);
}

void by_requests_free(struct by_requests *r)
{
    intern_free(&r->keys);
    buf_free(&r->awaited);
}

bool *by_request_awaited(struct by_requests *r, uint64_t thread, uint32_t type)
{
    uint64_t key[2] = {thread, type};
    uint32_t i = intern_add(&r->keys, key, sizeof(key));

    return i != INTERN_FAILED && buf_fill(&r->awaited, i + (size_t)1) ? (bool *)r->awaited.p + i
                                                                      : NULL;
}
