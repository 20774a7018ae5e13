/*
 * bounds.h - the least and the greatest of a column's values.
 *
 * Internal to this folder. Threads: any.
 */
#ifndef CONVERT_PARQUET_BOUNDS_H
#define CONVERT_PARQUET_BOUNDS_H

#include "convert/parquet/node.h"

struct column_bounds { /* the least and the greatest of some values, as Parquet wants them */
    uint8_t least[64], most[64];
    uint8_t n_least, n_most;
    bool are_known; /* both are there */
    bool are_exact; /* they are values, not only bounds of them */
};

/* Of n numbers, or the bits of floats. Not a number counts for nothing. */
struct column_bounds bounds_of_numbers(enum parquet_type type, const int64_t *v, size_t n);

/* Texts or ids, compared byte by byte: of the two given. Long texts are cut, so that they are
 * bounds still. */
struct column_bounds bounds_of_texts(const void *least, size_t n_least, const void *most,
                                     size_t n_most);

/* Negative, 0 or positive, as two values of a leaf with a dictionary compare. */
int bounds_compare(enum parquet_type type, const void *a, size_t n_a, const void *b, size_t n_b);

#endif
