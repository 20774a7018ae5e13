/* internal.h - what the parts of a profile share: the chunk at hand (chunk.c), all
 * chunks together (profile.c), and what comes of them (finish.c). */
#ifndef CONVERT_PROFILE_INTERNAL_H
#define CONVERT_PROFILE_INTERNAL_H

#include "convert/profile/profile.h"
#include "convert/profile/stackset.h"
#include "convert/profile/stack_memo.h"
#include "convert/profile/sums.h"
#include "jfrfmt/base/intern.h"

#include <stdlib.h>

#define NO_NAME UINT32_MAX

/* What rows of one group have in common. Hashed as bytes: no padding. */
struct group {
    uint32_t kind, rank;
    uint32_t ends[PROFILE_ENDS]; /* names; NO_NAME */
    uint32_t labels; /* the same */
};

/* The sums of one chunk, on numbers that mean something in this worker only, until the next one.
 * Frames never get such: they are looked at in the worker's turn, by the profile's numbers. */
struct chunk_sums {
    struct intern groups; /* of struct group, names local */
    struct intern names; /* local name ids */
    struct sums rows; /* group << 32 | stack */
    struct buf firsts; /* of struct sums_row: more rows, each key once */
    struct buf firsts_more; /* of uint64_t: their further weights */
    struct buf stacks; /* of uint32_t: the profile's number of a stack; a stack that no event
                          had has none */
    struct buf without_stack; /* of uint64_t by group */
    const char *unit; /* of the weight field; "": none, or several; NULL: not met */
};

/* A row of the finished profile. */
struct final_row {
    uint32_t stack, group;
    uint64_t samples, weight;
    double squares;
    uint32_t number; /* of the row of `rows` */
};

struct profile {
    struct profile_options opt;
    struct intern names, groups; /* groups: of struct group */
    struct stackset stacks;
    struct stack_memo memo;
    struct sums rows; /* group << 32 | stack */
    struct buf without_stack; /* of uint64_t by group */
    struct final_row *final;
    size_t n_final, n_numbers;
    uint64_t *more; /* further weights by number of a row, n_more each */
    uint32_t *by_rank; /* name ids in the order of their texts */
    uint32_t no_stack; /* the stack of events without one; STACK_UNKNOWN: there are none */
    uint32_t others; /* name of small groups together; NO_NAME: there are none */
    struct profile_facts facts;
    bool is_mixed; /* a chunk has KIND_SAMPLES_BOTH */
    const char *unit; /* see struct chunk_sums */
    struct buf map; /* of uint32_t: for the merge at hand */
    struct buf frames, methods; /* of uint32_t: of the stack at hand */
};

/* Gives an array room for exactly n elements, so that AddressSanitizer notices a read of element n.
 * `old` is the array, or NULL for a new one. Returns NULL if out of memory, and `old` is as it was;
 * for n = 0, one byte. To be freed with free(). */
static inline void *profile_array(void *old, size_t n, size_t size)
{
    return n == 0 ? realloc(old, 1) : reallocarray(old, n, size);
}

/* Forgets the uint32_t that b holds and makes room for n. Returns NULL if out of memory. */
static inline uint32_t *profile_numbers(struct buf *b, size_t n)
{
    buf_reset(b);
    return buf_reserve(b, n * sizeof(uint32_t)) ? (uint32_t *)(void *)b->p : NULL;
}

/* Of what was interned, whose bytes are not aligned. */
static inline struct group profile_group(const struct intern *groups, uint32_t id)
{
    struct group g;

    memcpy(&g, intern_get(groups, id, NULL), sizeof(g));
    return g;
}

/* The unit of sums over numbers of these two units. */
static inline const char *profile_unit_of_both(const char *a, const char *b)
{
    return a == NULL ? b : b == NULL || strcmp(a, b) == 0 ? a : "";
}

static inline void profile_no_ends(uint32_t *ends)
{
    for (int i = 0; i < PROFILE_ENDS; i++)
        ends[i] = NO_NAME;
}

struct profile_worker;

struct profile_worker *profile_worker_new(const struct profile_options *opt);
void profile_worker_free(struct profile_worker *w);

/* Sums up the events of a chunk. 0 or JFR_E_NOMEM. */
int profile_worker_chunk(struct profile_worker *w, struct jfr_chunk *chunk);

/* In the worker's turn, the chunk still loaded: adds the stacks that were met to the profile, but
 * for those that an earlier chunk had, and makes rows of what stands with them. 0 or JFR_E_NOMEM.
 */
int profile_stacks_finish(struct profile_worker *w, struct profile *p);

struct chunk_sums *profile_worker_sums(struct profile_worker *w);
enum kind_samples profile_worker_samples(const struct profile_worker *w); /* of the chunk */

/* Once the names are final: gives the rows of small groups one root. False if out of memory. */
bool profile_join_small(struct profile *p);

/* Takes over the samples that the worker has, in its turn (facets_merge.c). `row`: number of a row
 * by its key in the chunk. False if out of memory. */
bool facets_merge(struct facets *f, struct profile_worker *w, const struct run_chunk *rc,
                  uint32_t (*row)(void *ctx, uint64_t key), void *ctx);

#endif
