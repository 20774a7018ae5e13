/*
 * rewrite.h - what queries may say that SQLite does not read.
 *
 *     eventThread.javaName     a column with a dot in its name, as structures have them in Parquet,
 *                              also after a table's name; becomes "eventThread.javaName"
 *     during(t, start, ns)     is the time t inside of an event; becomes
 *                              (t >= start and t < span_end(start, ns)), so that SQLite sees which
 *                              rows it needs
 *
 * So the same query runs in DuckDB, where structures have such names and `during` is a macro.
 * Texts, quoted names and comments stay as they are. Threads: any.
 */
#ifndef CONVERT_SQL_REWRITE_H
#define CONVERT_SQL_REWRITE_H

#include "jfrfmt/base/buf.h"

/* Appends the query of n bytes. is_column says whether there is a column of this name. Lack of
 * memory is that of b. */
void rewrite_query(const char *query, size_t n, bool (*is_column)(void *ctx, const char *name),
                   void *ctx, struct buf *b);

#endif
