/*
 * order.h - rows in the order of some of their columns.
 *
 * The order is SQLite's: nulls before all else, texts by their bytes; backwards for a column that
 * is to descend. Rows that are equal in all of these keep their order. Threads: one.
 */
#ifndef CONVERT_SQL_ORDER_H
#define CONVERT_SQL_ORDER_H

#include "convert/sql/tables.h"

struct order {
    size_t column; /* order_is_possible() */
    bool descends;
};

/* Does the column have values that are sorted here? */
bool order_is_possible(const struct sql_table *t, size_t column);

/* Sorts n places of rows. False: memory is exhausted. */
bool sort_rows(struct sql_table *t, const struct order *by, size_t n_by, uint32_t *rows, size_t n);

/* The value of a FLOAT or DOUBLE whose bits these are. */
double column_real(const struct sql_column *c, int64_t number);

#endif
