/* fill_internal.h - how the fields of a class are put, for the files that fill.h consists of. */
#ifndef CONVERT_COLUMNS_FILL_INTERNAL_H
#define CONVERT_COLUMNS_FILL_INTERNAL_H

#include "convert/columns/fill.h"

enum how {
    FILL_SKIP, /* of two fields of one name, the first */
    FILL_WHOLE, /* a number */
    FILL_REAL,
    FILL_TRUTH,
    FILL_CHARACTER,
    FILL_TEXT,
    FILL_TIME,
    FILL_SPAN,
    FILL_GROUP,
    FILL_LIST,
    FILL_STACK,
    FILL_JSON,
};

struct filler {
    enum how how;
    struct json_member *member; /* NULL: the class of a file's rows */
    const struct jfr_field
        *field; /* that tells what the number means: the innermost of simple classes */
    enum jfr_kind kind;
    struct parquet_node *node, *ns; /* ns: of a time stamp */
    struct parquet_node *stack[FILL_STACK_NODES];
    struct filler *inner; /* of a group: its fields; of a list: its element */
    size_t n_inner;
    struct parquet_node **absent; /* children of the node that the class has no field for */
    size_t n_absent;
    size_t n_leaves; /* of the file, when it was made */
    struct fill_range *kept; /* by entry of the pool; NULL: not requested yet */
    uint64_t generation; /* of what is kept */
};

#endif
