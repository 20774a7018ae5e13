/*
 * node.h - columns, and the structures and lists that they lie in.
 *
 * Part of parquet.h.
 */
#ifndef CONVERT_PARQUET_NODE_H
#define CONVERT_PARQUET_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a leaf's values are stored, and what they mean. */
enum parquet_type {
    PARQUET_BOOLEAN,
    PARQUET_INT8,
    PARQUET_INT16,
    PARQUET_INT32,
    PARQUET_INT64,
    PARQUET_UINT8,
    PARQUET_UINT16,
    PARQUET_UINT32,
    PARQUET_UINT64,
    PARQUET_FLOAT,
    PARQUET_DOUBLE,
    PARQUET_TIME, /* microseconds since 1970, UTC */
    PARQUET_STRING, /* UTF-8 */
    PARQUET_ID, /* 16 bytes */
    PARQUET_N_TYPES,
};

#define PARQUET_ID_BYTES 16

enum parquet_kind {
    PARQUET_GROUP, /* a structure */
    PARQUET_LIST, /* has one child, its element */
    PARQUET_LEAF,
};

struct parquet_column;

/* A node of the schema. Read-only for callers. */
struct parquet_node {
    const char *name;
    enum parquet_kind kind;
    uint8_t def, rep; /* levels of a value that is there; rep of a list: of its further elements */
    struct parquet_node *parent; /* NULL: the root */
    struct parquet_node **children;
    size_t n_children;
    struct parquet_column *column; /* of a leaf */
    enum parquet_type type; /* the same */
    bool has_dictionary;
};

/* How values are stored, by the numbers of parquet.thrift. */
enum parquet_physical {
    PHYSICAL_BOOLEAN = 0,
    PHYSICAL_INT32 = 1,
    PHYSICAL_INT64 = 2,
    PHYSICAL_FLOAT = 4,
    PHYSICAL_DOUBLE = 5,
    PHYSICAL_BYTE_ARRAY = 6,
    PHYSICAL_FIXED_LEN_BYTE_ARRAY = 7
};
enum parquet_physical parquet_physical(enum parquet_type type);

/* Bytes of a stored number: 4 or 8. */
unsigned parquet_number_bytes(enum parquet_type type);

/* Where the first half of a surrogate pair is, or NULL. Texts of recordings may have such halves,
 * three bytes each, which are no UTF-8. Readers refuse a file with one, so it becomes U+FFFD, which
 * has three bytes, too. */
const uint8_t *parquet_find_half(const uint8_t *p, const uint8_t *end);
void parquet_mend(uint8_t *p, size_t n);

#endif
