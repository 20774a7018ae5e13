/*
 * tree.h - a stack tree with weights, ready to be written: what flame graphs and top-down lists
 * share.
 *
 * Nodes stand in pre-order as parallel arrays; the children of a node are sorted by name, then
 * frame type, so the same samples give the same arrays. Node 0 is the root, whose name is empty.
 *
 * Ownership: tree_free() frees everything. Threads: read-only once built.
 */
#ifndef CONVERT_PROFILE_TREE_H
#define CONVERT_PROFILE_TREE_H

#include "convert/text/frame_name.h"

struct tree_name {
    const char *text; /* UTF-8, may hold anything a file can hold; not NUL-terminated */
    uint32_t n; /* bytes */
};

struct tree {
    size_t n_names;
    const struct tree_name *names; /* sorted by bytes, each once */
    size_t n_nodes; /* at least 1 */
    const uint32_t *depth; /* root 0 */
    const uint32_t *name; /* index into names */
    const uint8_t *type; /* enum frame_type */
    const uint64_t *self; /* weight of the samples that end here */
    const uint64_t *samples; /* number of samples that end here; NULL when self counts samples */
    uint64_t total; /* sum of self */
    uint64_t n_samples; /* sum of samples */
    const uint32_t *leaf; /* node where each row of the profile ends; NULL: not made of one */
    void *memory; /* private */
};

void tree_free(struct tree *t);

struct out;
struct profile;

/* Builds the tree of all rows of a finished profile; 0 or JFR_E_NOMEM. tree_free() frees it; the
 * tree borrows its names from the profile. */
int profile_tree(const struct profile *p, struct tree *tree);

/* Builds the tree of n bytes of lines, each a stack from the root on and its weight: "main;run;read
 * 12", or a tab before the weight. Frames are separated by semicolons; a weight is a number without
 * a sign, whose fraction counts for nothing; empty lines are skipped. 0; JFR_E_NOMEM; JFR_E_FORMAT
 * and *line, counted from 1, of the first line that is none. The tree has its own names. */
int tree_of_lines(const char *text, size_t n, struct tree *tree, size_t *line);

/* Builds the tree of a finished profile, has it written by `put`, which gets tree_totals() too, and
 * frees it. 0, JFR_E_NOMEM or what put() returns. */
int tree_write(const struct profile *p, struct out *out,
               int (*put)(const struct tree *t, const uint64_t *totals, struct out *out));

/* The weight of every node with all below it, by node; saturating. The caller frees it; NULL when
 * memory is exhausted. */
uint64_t *tree_totals(const struct tree *t);

#endif
