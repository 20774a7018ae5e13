/*
 * parquet.h - a Parquet file: columns, which may lie in structures and lists, with a value or none
 * in each row.
 *
 *     struct parquet *p = parquet_new(write, ctx);
 *     struct parquet_node *root = parquet_root(p), *user = parquet_leaf(p, root, "user",
 * PARQUET_STRING, true), *bytes = parquet_leaf(p, root, "bytes", PARQUET_INT64, false);
 *     parquet_put(user, user->def, 0, parquet_id_of_text(user, "alice", 5));
 *     parquet_put(bytes, 0, 0, 0);                          null
 *     parquet_end_row(p);
 *     rc = parquet_flush(p); ... rc = parquet_close(p); parquet_free(p);
 *
 * Every node but the root may be null. A value comes with two levels, as in Dremel: `def` says how
 * many of the nodes on its way that may be null or empty are there (node->def: all), `rep` at which
 * list it is repeated (0: it begins a row; list->rep: it is a further element of that list). In
 * each row every leaf gets a value or a null, those in lists one for each element, or one null for
 * a list that is empty or null.
 *
 * Rows are kept in memory until parquet_flush() writes them as a row group. The caller decides
 * when, by parquet_bytes(). Columns may be added at any time; in rows before that they are null.
 * The file is written from its beginning to its end. Its rules are those of parquet.thrift and
 * Encodings.md of Apache Parquet: pages of version 1, zstd, dictionaries, statistics, and the
 * indexes of pages.
 *
 * Errors: lack of memory and failed writes stick; parquet_flush() and parquet_close() return them
 * (JFR_E_NOMEM, or what write() returned). Threads: a file belongs to one thread at a time.
 */
#ifndef CONVERT_PARQUET_PARQUET_H
#define CONVERT_PARQUET_PARQUET_H

#include "convert/parquet/node.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct parquet;

/* `write` appends n bytes to the file: 0, or a negative code. NULL if out of memory. */
struct parquet *parquet_new(int (*write)(void *ctx, const void *bytes, size_t n), void *ctx);
void parquet_free(struct parquet *p); /* NULL is allowed */

struct parquet_node *parquet_root(struct parquet *p);

/* Adds a node to a group or, as its only child, to a list, where the name is that of all elements.
 * At most PARQUET_DEPTH nodes stand inside one another. The name is copied. NULL when memory is
 * short or it lies too deep; parquet_failed() then is true. Strings and ids always have a
 * dictionary, truths, floats and doubles never. */
struct parquet_node *parquet_group(struct parquet *p, struct parquet_node *parent,
                                   const char *name);
struct parquet_node *parquet_list(struct parquet *p, struct parquet_node *parent, const char *name);
struct parquet_node *parquet_leaf(struct parquet *p, struct parquet_node *parent, const char *name,
                                  enum parquet_type type, bool has_dictionary);

#define PARQUET_DEPTH 40

/* The child with this name, or NULL. */
struct parquet_node *parquet_child(const struct parquet_node *parent, const char *name);

/* Number of leaves. */
size_t parquet_n_leaves(const struct parquet *p);

/* The number that stands for a value in a leaf with a dictionary, until the next flush: then
 * `generation` changes. For ids the text has PARQUET_ID_BYTES. */
uint32_t parquet_id_of_text(struct parquet_node *leaf, const void *bytes, size_t n);
uint32_t parquet_id_of_number(struct parquet_node *leaf, int64_t number);
uint64_t parquet_generation(const struct parquet *p);

/* A value: the number that stands for it, or itself: 0 or 1, a number, or the bits of a float or
 * double. With def < leaf->def it is null, and `value` is ignored. */
void parquet_put(struct parquet_node *leaf, uint8_t def, uint8_t rep, int64_t value);

#define PARQUET_NULL (UINT32_MAX - 1) /* in place of a number: a null */

/* The n > 0 elements of a list that begins a row: `leaf` is the list's only child and has a
 * dictionary, and numbers[i] stands for the value of element i. */
void parquet_put_list(struct parquet_node *leaf, const uint32_t *numbers, size_t n);

void parquet_end_row(struct parquet *p);

/* Rows and bytes that wait for parquet_flush(). */
uint64_t parquet_rows(const struct parquet *p);
size_t parquet_bytes(const struct parquet *p);

/* All rows so far. */
uint64_t parquet_rows_total(const struct parquet *p);

bool parquet_failed(const struct parquet *p);

/* A line of the file's own metadata, before parquet_close(). Copied. */
void parquet_note(struct parquet *p, const char *key, const char *value);

/* What waits of a leaf outside of lists, for callers that read it: the levels of each row, and the
 * values of those rows whose level is leaf->def: numbers of the dictionary, or else `numbers`. For
 * as long as nothing is put. */
struct parquet_held {
    const uint8_t *def;
    size_t n;
    const uint32_t *ids;
    const int64_t *numbers;
    size_t n_values;
};

struct parquet_held parquet_held(const struct parquet_node *leaf);

/* The bytes of a number of the leaf's dictionary, the number of a text or UINT32_MAX, and how many
 * numbers there are. */
const void *parquet_text(const struct parquet_node *leaf, uint32_t id, size_t *n);
uint32_t parquet_find_text(const struct parquet_node *leaf, const void *bytes, size_t n);
size_t parquet_n_texts(const struct parquet_node *leaf);

int parquet_flush(struct parquet *p);

/* Flushes and writes the end of the file. Nothing may be put after that. */
int parquet_close(struct parquet *p);

#endif
