#include "convert/profile/tree.h"

#include "convert/profile/sums.h"

#include <stdlib.h>

uint64_t *tree_totals(const struct tree *t)
{
    uint64_t *totals = malloc(t->n_nodes * sizeof(*totals));
    uint64_t *below = calloc(t->n_nodes + 1, sizeof(*below)); /* sum of children by depth */

    for (size_t i = t->n_nodes; i-- > 0 && totals != NULL && below != NULL;) {
        uint32_t d = t->depth[i];

        totals[i] = sums_plus(t->self[i], below[d + 1]);
        below[d + 1] = 0;
        below[d] = sums_plus(below[d], totals[i]);
    }
    if (below == NULL) {
        free(totals);
        totals = NULL;
    }
    free(below);
    return totals;
}
