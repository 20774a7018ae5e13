/*
 * fill.h - the values of a recording's classes, put into the columns of a Parquet file.
 *
 *     fill_load(&fill, values, file);                       once for each chunk and file
 *     struct filler *f = fill_class(&fill, shape, root, extras, n_extras);
 *     fill_object(&fill, f, &cursor);
 *
 * A field becomes a column of its name. Which column a type makes is in tools/docs/columns.md:
 * numbers, truths and texts are themselves; a time stamp is two columns, NAME in microseconds and
 * NAME_ns; a span is a number of nanoseconds; a structure is a structure, an array a list. What
 * lies inside a value of its own class, or too deep, is a text of JSON. Where a file has a column
 * of that name already but of another type, the column is called NAME_TYPE.
 *
 * Constants are read once: their values are kept as cells. Whatever the bytes are, every column
 * gets a value or a null for each row; what cannot be read is null, and values->bad says where.
 *
 * Memory: the arena of the chunk; cells up to FILL_CELLS bytes. Errors: lack of memory is
 * values->failed, or that of the file. Threads: as the file.
 */
#ifndef CONVERT_COLUMNS_FILL_H
#define CONVERT_COLUMNS_FILL_H

#include "convert/json/value.h"
#include "convert/parquet/parquet.h"

#define FILL_LEAVES 2000 /* columns of a file at most */
#define FILL_CELLS ((size_t)8 << 20)

struct fill_cell { /* a value of a leaf */
    struct parquet_node *leaf;
    int64_t value;
    uint8_t def, rep;
};

struct fill_range { /* of cells; n = 0: not known yet */
    uint32_t at, n;
};

struct filler; /* how the values of a class or field are put; of a chunk and a file */
struct fill;

/* What is done with a constant of a stack trace in place of showing it, entry i of the pool of the
 * field's class: puts values into columns that are made by `open`, called once for each field,
 * false: it is shown as any other. */
struct fill_stacks {
    bool (*open)(void *ctx, struct fill *fill, struct parquet_node *parent,
                 const struct jfr_field *field, struct parquet_node **nodes /* FILL_STACK_NODES */);
    void (*put)(void *ctx, struct fill *fill, struct parquet_node *const *nodes,
                struct json_shape *shape, size_t i);
    void *ctx;
};

#define FILL_STACK_NODES 4

/* Which columns are wanted, for readers of some of them. */
struct fill_choice {
    /* Is the column of this path wanted ("eventThread.javaName"), or with is_inside anything of a
     * field of this path? */
    bool (*wants)(void *ctx, const char *path, bool is_inside);
    void *ctx;
    bool has_json_lists; /* an array is a text of JSON */
};

struct fill {
    struct json_values *values; /* of the chunk */
    struct parquet *file;
    const struct fill_stacks *stacks; /* NULL: they are as other structures */
    const struct fill_choice *choice; /* NULL: every column */
    bool is_limited; /* a class has more columns than there may be */
    /* private */
    struct buf cells; /* of struct fill_cell */
    uint64_t generation; /* of the file, when the cells were made */
    size_t n_keeping; /* values around the one at hand that are kept */
    struct buf text;
};

void fill_load(struct fill *fill, struct json_values *values, struct parquet *file);
void fill_free(struct fill *fill);

/* Makes the columns of a compiled shape's fields below a group. `extras` are children of the group
 * that the caller puts itself. NULL if out of memory. */
struct filler *fill_class(struct fill *fill, struct json_shape *shape, struct parquet_node *group,
                          struct parquet_node *const *extras, size_t n_extras);

/* Is the filler still right, or are there more columns now? */
bool fill_is_current(const struct fill *fill, const struct filler *filler);

/* Puts the fields of an object, at the cursor, into the columns. */
void fill_object(struct fill *fill, struct filler *filler, struct cursor *c);

/* The column of this name and type below a group or list, made if there is none. NULL when memory
 * is short. */
struct parquet_node *fill_leaf(struct fill *fill, struct parquet_node *parent, const char *name,
                               enum parquet_type type, bool has_dictionary);
struct parquet_node *fill_list(struct fill *fill, struct parquet_node *parent, const char *name);
struct parquet_node *fill_group(struct fill *fill, struct parquet_node *parent, const char *name);

/* How a type is called after a column's name. */
const char *fill_type_name(enum parquet_type type);

/* Does the choice want the column "parent.name", or with `inner` "parent.name.inner"? */
bool fill_wants(struct fill *fill, const struct parquet_node *parent, const char *name,
                const char *inner);

/* A value; kept if the value at hand is. */
void fill_put(struct fill *fill, struct parquet_node *leaf, uint8_t def, uint8_t rep,
              int64_t value);
void fill_null(struct fill *fill, struct parquet_node *node, uint8_t rep);

/* The elements of a list, as parquet_put_list(), n = 0: it is empty. Kept as above. */
void fill_put_list(struct fill *fill, struct parquet_node *list, const uint32_t *numbers, size_t n);

/* Puts what is kept of an entry. False: nothing is; then it is put between fill_keep() and
 * fill_kept(), which fills in the range. */
bool fill_again(struct fill *fill, const struct fill_range *range);
size_t fill_keep(struct fill *fill);
void fill_kept(struct fill *fill, size_t begin, struct fill_range *range);

/* Drops cells of a row group that was written; true if there are none any more, so that ranges are
 * void. */
bool fill_expire(struct fill *fill);

#endif
