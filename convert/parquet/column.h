/*
 * column.h - the values of a leaf: kept until a row group is written, then written as pages.
 *
 * Internal to this folder. Levels and values are as parquet.h has them.
 */
#ifndef CONVERT_PARQUET_COLUMN_H
#define CONVERT_PARQUET_COLUMN_H

#include "convert/parquet/bounds.h"
#include "convert/parquet/node.h"
#include "jfrfmt/base/intern.h"

#include <zstd.h>

#define COLUMN_PAGE_ROWS 65536
#define COLUMN_PAGE_BYTES ((size_t)1 << 20)

struct column_page { /* of a row group, for the indexes */
    uint64_t offset, first_row;
    uint32_t bytes; /* with its header, compressed */
    uint64_t n_nulls, n_values; /* n_values without nulls */
    struct column_bounds bounds;
};

struct column_chunk { /* what was written of a row group */
    uint64_t dictionary_at, data_at; /* dictionary_at 0: none */
    uint64_t n_levels, n_nulls; /* values with nulls, and nulls */
    uint64_t raw, packed; /* bytes, headers included */
    int encoding; /* of the values */
    struct column_bounds bounds;
    struct column_page *pages;
    size_t n_pages;
    uint64_t columns_at, offsets_at; /* the indexes, */
    uint32_t columns_n, offsets_n; /* and their bytes; 0: there is none */
};

struct parquet_column {
    struct parquet_node *leaf;
    struct buf def, rep; /* a byte each; rep stays empty outside of lists */
    struct buf values; /* of uint32_t with a dictionary, else of int64_t */
    struct intern dictionary;
    struct buf mended; /* a text that was not UTF-8 */
    struct column_chunk *chunks; /* of each row group */
    size_t n_chunks;
};

/* Where pages go. */
struct column_out {
    int (*write)(void *ctx, const void *bytes, size_t n);
    void *ctx;
    uint64_t at; /* bytes written */
    int rc; /* sticky */
    ZSTD_CCtx *zstd;
    struct buf body, packed, head;
};

/* Bytes of memory that its values take. */
size_t column_bytes(const struct parquet_column *c);

/* Writes the values that are kept as the chunk of a row group, and forgets them. 0 or out->rc. */
int column_write(struct parquet_column *c, size_t group, struct column_out *out);

/* The same of a row group of n_rows before the column was made: all nulls. */
int column_write_nulls(struct parquet_column *c, size_t group, uint64_t n_rows,
                       struct column_out *out);

/* Writes the index of the pages' bounds of a chunk, where they are known, and that of their places.
 */
int column_write_bounds(struct column_chunk *chunk, struct column_out *out);
int column_write_places(struct column_chunk *chunk, struct column_out *out);

int column_put(struct column_out *out, const void *bytes, size_t n);

void column_free(struct parquet_column *c);

#endif
