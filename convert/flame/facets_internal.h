/* facets_internal.h - what is kept of the samples (facets.c), and how it is packed
 * (samples.c). */
#ifndef CONVERT_FLAME_FACETS_INTERNAL_H
#define CONVERT_FLAME_FACETS_INTERNAL_H

#include "convert/flame/facets.h"

struct flame_dim {
    uint32_t number; /* among the facets' dimensions */
    uint32_t most; /* values kept; all others are one value: most + 1 */
    bool is_constant;
    unsigned width; /* bytes of a number of its column; 0: no column */
    char section[8];
};

struct flame_facets {
    const struct flame_options *opt;
    const struct facets *f;
    uint32_t *leaf; /* by node: its place among the stacks + 1, or 0 */
    const uint32_t *map;
    size_t n_nodes, n_leaves;
    uint64_t tick_ns;
    int64_t first_ns; /* of the first tick: a multiple of the tick, so that ticks are round times */
    struct flame_dim dims[FACETS_DIMS];
    size_t n_dims;
    uint64_t totals[N_KINDS][FACET_WEIGHTS]; /* what samples of the best rank weigh */
    int ranks[N_KINDS], start;
    bool *sleeps; /* by value of FACET_STATE */
    enum facet_weight weight; /* that the page opens with */
    uint32_t weights; /* bits of those that any event type has */
};

/* The node of the page at which the stack of a shape ends. The shape must have samples. */
static inline uint32_t flame_node(const struct flame_facets *ff, const struct facets_shape *s)
{
    return ff->map == NULL ? s->node : ff->map[s->node];
}

/* The place of that stack among the stacks. */
static inline uint32_t flame_leaf(const struct flame_facets *ff, const struct facets_shape *s)
{
    return ff->leaf[flame_node(ff, s)] - 1;
}

/* The bytes that a number up to `most` takes. */
unsigned flame_width(uint64_t most);

#endif
