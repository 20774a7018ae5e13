/* facets_internal.h - data that the files of the facets share: those of the current chunk
 * (facets_chunk.c, facets_merge.c) and of all chunks (facets.c, facets_finish.c, facets_order.c).
 */
#ifndef CONVERT_PROFILE_FACETS_INTERNAL_H
#define CONVERT_PROFILE_FACETS_INTERNAL_H

#include "convert/profile/facets.h"
#include "convert/profile/unattributed.h"
#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/intern.h"

/* Values that samples have in common. Hashed as bytes: no padding. */
struct facets_local {
    uint32_t thread, state; /* local names, NO_NAME */
    uint32_t event; /* index of the class in the chunk */
    uint32_t context; /* tuple of its context; 0: none */
    uint32_t rest; /* enum unattributed: what the sample is if it has no value of a key */
    uint32_t place; /* see struct facets_places; 0: none */
};

struct facets_class;

#define VALUES_MEMO 256
#define FACETS_REST 8 /* bits, more than there are weights */

/* What the values of an event depend on, as keys of the chunk's constants. */
struct facets_key {
    const struct facets_class *cls; /* NULL: the slot of the memo is free */
    uint64_t thread, state;
    uint32_t context, place;
    bool is_idle; /* its stack is one of idle threads */
};

/* Keys that occurred recently, with the id of their values. */
struct facets_memo {
    struct facets_key key;
    uint32_t id;
};

/* The samples of one chunk, which a worker collects. */
struct facets_chunk {
    struct intern locals; /* of struct facets_local */
    struct facets_memo memo[VALUES_MEMO];
    struct buf samples; /* of struct facets_entry */
    struct buf shapes; /* of struct facets_shape; tuple: id of its struct facets_local; no node */
    struct buf rows; /* of uint64_t: by shape, the key of its sums */
    struct buf weights; /* of uint64_t */
    struct facets_class *classes; /* by index, in the arena of the chunk */
    struct buf rests; /* by local name of a thread, bytes: 1 + its enum unattributed; 0: not set */
    const struct facets *facets;
    struct scope_threads threads; /* only with places */
    uint32_t place; /* of the current event */
    const char *unit; /* of the field */
};

struct facets_class { /* how events of a class are read */
    bool is_ready;
    const struct jfr_field *thread, *state, *count, *weights[FACET_WEIGHTS];
    uint32_t has; /* bits of its weights */
    bool is_park;
    const struct jfr_field *stack;
    struct unattributed_stacks stacks;
};

struct facets_dim {
    struct intern texts; /* 0 is "" */
    uint32_t *rank; /* after facets_finish(): place of a value; value by place */
    uint32_t *by_rank;
    uint64_t *count; /* samples by place */
};

struct facets {
    const char *field, *unit; /* see struct chunk_sums */
    struct facets_places places;
    struct intern dim_names;
    struct facets_dim dims[FACETS_DIMS];
    struct intern tuples; /* of uint32_t: bits of the weights and, from bit FACETS_REST on, an enum
                             unattributed; then values by dimension without the zeros at the end */
    struct buf inputs; /* of uint32_t: value of FACET_INPUT by file */
    struct buf events; /* of struct facets_event by value of FACET_EVENT */
    struct buf samples; /* of struct facets_entry */
    struct buf shapes; /* of struct facets_shape; node: number of a row of all chunks until
                          facets_finish() */
    struct buf weights; /* of uint64_t */
    /* after facets_finish() */
    int64_t first_ns, last_ns;
    struct facets_entry *sorted; /* in their final order */
    uint64_t *by_tuple; /* number of samples */
    uint32_t *has; /* by tuple: bits of its weights */
    size_t n;
    uint32_t rests[FACETS_DIMS][N_UNATTRIBUTED]; /* values of samples without one; 0: none */
    uint32_t by_name[FACETS_DIMS]; /* dimensions as they are numbered outside */
    bool splits_rest, failed;
};

static inline struct facets_shape *facets_all_shapes(const struct facets *f)
{
    return (struct facets_shape *)(void *)f->shapes.p;
}

/* Puts n samples of one thread in the order of time; those of the same time stay as they are. False
 * if out of memory. */
bool facets_sort(struct facets_entry *samples, size_t n);

#endif
