/*
 * functions.h - functions that queries of recordings need, beside those of SQLite.
 *
 *     p50(x) p90(x) p95(x) p99(x) p999(x)   percentiles of a group, between two values in
 *                                           proportion, as quantile_cont of DuckDB has them
 *     percentile(x, p)                      the same for any p from 0 to 100
 *     bucket(t, '10s')                      a time, or nanoseconds, rounded down to a multiple
 *     span_end(t, ns)                       a time and nanoseconds later: the end of an event
 *
 * Null in, null out. A text that is no time, or no width, is an error of the query.
 */
#ifndef CONVERT_SQL_FUNCTIONS_H
#define CONVERT_SQL_FUNCTIONS_H

#include "convert/sql/library.h"

/* SQLite's result code. */
int functions_register(sqlite3 *db);

#endif
