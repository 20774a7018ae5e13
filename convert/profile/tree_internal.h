/* tree_internal.h - the arrays of a tree while it is built. */
#ifndef CONVERT_PROFILE_TREE_INTERNAL_H
#define CONVERT_PROFILE_TREE_INTERNAL_H

#include "convert/profile/tree.h"
#include "jfrfmt/base/intern.h"

struct tree_columns {
    struct tree_name *names;
    uint32_t *depth, *name, *leaf;
    uint8_t *type;
    uint64_t *self, *samples; /* samples: NULL where they are the weights */
    size_t n, n_names;
    struct intern texts; /* of names that the tree owns */
};

/* Lets the tree show the arrays; `leaf` and the sums are left to the caller. */
void tree_open(struct tree *tree, const struct tree_columns *c);

#endif
