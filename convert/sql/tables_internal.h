/* tables_internal.h - what schema.c, load.c and tables.c share. */
#ifndef CONVERT_SQL_TABLES_INTERNAL_H
#define CONVERT_SQL_TABLES_INTERNAL_H

#include "convert/sql/tables.h"
#include "jfrfmt/base/array.h"
#include "jfrfmt/base/intern.h"
#include "jfrfmt/base/sorted.h"

#include <string.h>
#include <strings.h>

/* Forgets the values of a table; its columns stay. */
void tables_forget(struct sql_table *t);

/* The table of an event type, or NULL. */
struct sql_table *tables_of_event(const struct tables *t, const char *event);

/* Calls `take` with the path of each column of a file ("eventThread.javaName"). False once `take`
 * did. */
bool schema_walk(struct parquet_node *node, struct buf *path,
                 bool (*take)(void *ctx, const char *path, struct parquet_node *leaf), void *ctx);

#endif
