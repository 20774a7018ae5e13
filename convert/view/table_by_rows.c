/*
 * table_by_rows.c - the rows of table_by.c: a group of each with the sums of its events, and which
 * requests have been counted.
 */
#include "convert/view/table_by_internal.h"

void by_rows_reset(struct by_rows *rows)
{
    view_groups_reset(&rows->groups);
    intern_reset(&rows->requests);
    buf_reset(&rows->sums);
}

void by_rows_free(struct by_rows *rows)
{
    view_groups_free(&rows->groups);
    intern_free(&rows->requests);
    buf_free(&rows->sums);
}

bool by_rows_fill(struct by_rows *rows)
{
    return buf_fill(&rows->sums, by_rows_n(rows) * sizeof(struct by_sums));
}

uint32_t by_rows_find(struct by_rows *rows, const struct view_value *keys)
{
    uint32_t row = view_groups_find(&rows->groups, keys);

    return by_rows_fill(rows) ? row : VIEW_GROUP_FAILED;
}

void by_sums_add(struct by_sums *to, const struct by_sums *from)
{
    for (int k = 0; k < N_KINDS; k++)
        for (int r = 0; r < RANKS; r++)
            by_plus(&to->samples[k][r], from->samples[k][r]);
    for (int r = 0; r < RANKS; r++)
        by_plus(&to->allocated[r], from->allocated[r]);
    by_plus(&to->cpu_ns, from->cpu_ns);
    by_plus(&to->read, from->read);
    by_plus(&to->written, from->written);
    by_plus(&to->lock_ns, from->lock_ns);
    by_plus(&to->io_ns, from->io_ns);
    for (int i = 0; i < REQUEST_TYPES; i++)
        by_plus(&to->requests[i], from->requests[i]);
    by_plus(&to->estimated_ns, from->estimated_ns);
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
