/* parquet_internal.h - a file that is being written, for the files that parquet.h consists of. */
#ifndef CONVERT_PARQUET_PARQUET_INTERNAL_H
#define CONVERT_PARQUET_PARQUET_INTERNAL_H

#include "convert/parquet/column.h"
#include "convert/parquet/parquet.h"
#include "convert/parquet/thrift.h"
#include "jfrfmt/base/arena.h"

struct parquet {
    struct arena arena; /* of nodes and names */
    struct parquet_node root;
    struct parquet_column **columns; /* in the order in which they were made */
    size_t n_columns;
    uint64_t *groups; /* rows of each row group */
    size_t n_groups;
    uint64_t rows; /* that wait */
    uint64_t rows_total;
    uint64_t generation;
    struct buf notes; /* keys and values, each with a NUL */
    size_t n_notes;
    struct column_out out;
    bool failed;
};

/* Appends the elements of the schema, the root first, each node before its children. */
void schema_put(const struct parquet_node *root, struct buf *b);

/* How many elements these are. */
size_t schema_n(const struct parquet_node *root);

/* Calls `take` for each leaf, in the order of the schema. */
void schema_leaves(const struct parquet_node *node,
                   void (*take)(void *ctx, const struct parquet_node *leaf), void *ctx);

/* Appends the end of the file. */
void footer_put(const struct parquet *p, struct buf *b);

#endif
