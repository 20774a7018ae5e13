/*
 * prune.h - the part of a stack tree that is worth drawing.
 *
 * Threads: a pruned tree belongs to one thread at a time.
 */
#ifndef CONVERT_FLAME_PRUNE_H
#define CONVERT_FLAME_PRUNE_H

#include "convert/profile/tree.h"

struct pruned {
    struct tree tree; /* its names' texts are those of the tree it was made from */
    const uint64_t *hidden; /* per node, the weight of what was left out directly below it */
    const uint32_t *map; /* new node by old node: itself, or the one above that stayed */
    void *memory; /* private */
};

/* Makes *p the nodes of t that hold at least `share` (0..1) of its total, and the names they use.
 * The root always stays. Samples left out count for the node above. 0 or JFR_E_NOMEM, after which
 * *p need not be freed. */
int prune_tree(const struct tree *t, double share, struct pruned *p);

void prune_free(struct pruned *p);

#endif
