/*
 * span_index.h - rows by the value of one column, and in the order of another: for joins.
 *
 *     struct span_indexes indexes = {0};                    of a table
 *     const struct span_index *index = span_index_get(&indexes, table, thread, start_time);
 *     rows = span_index_find(index, thread_id, from, to, &n);
 *     span_index_free(&indexes);
 *
 * Either column may be missing (TABLE_NO_COLUMN): then all rows have one value, or the order is
 * that of the file. Rows that have no value in one of them are left out, since no condition on it
 * can be met there.
 *
 * Memory: 28 bytes for each row. Threads: one.
 */
#ifndef CONVERT_SQL_SPAN_INDEX_H
#define CONVERT_SQL_SPAN_INDEX_H

#include "convert/sql/tables.h"

struct span_index;

struct span_indexes { /* of one table */
    struct span_index *first;
    uint64_t generation; /* of the table's values */
};

/* Makes the index when it is first requested, or the table has other values than then. NULL: memory
 * is short. */
const struct span_index *span_index_get(struct span_indexes *indexes, const struct sql_table *t,
                                        size_t key, size_t ordered);

/* The rows whose key is this number of a text, or number, and whose other value is from least to
 * most. Borrowed from the index. */
const uint32_t *span_index_find(const struct span_index *index, int64_t key, int64_t least,
                                int64_t most, size_t *n);

void span_index_free(struct span_indexes *indexes);

#endif
