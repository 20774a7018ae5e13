/*
 * facets.h - the samples of a profile one by one: when each was taken, what it weighs, and its
 * value in every dimension by which one may want to look at it: thread, state, event type, input,
 * and whatever keys of context the recordings have.
 *
 *     struct facets *f = facets_new();
 *     struct profile_options opt = {.kind = -1, .facets = f};   the profile fills it
 *     ... run_all(), profile_finish(), profile_tree(p, &tree) ...
 *     facets_finish(f, p, &tree);
 *     for (size_t i = 0; i < facets_n(f); i++)
 *         ... facets_entries(f)[i], facets_value_of(f, i, dim), facets_weight(f, i, k) ...
 *
 * A dimension has a name and numbered values. Value 0 is "no value"; the others are in the order of
 * how many samples they have, most first. FACET_FIXED dimensions are always there, in the order of
 * the enum; the attributes of contexts (context.h) follow, sorted by name, where the profile's
 * `select` requests contexts, and those of facets_set_places().
 *
 * The same input gives the same samples in the same order, whatever the number of threads: they
 * stand thread by thread (by number of the value), in the order of time.
 *
 * The combinations of values that occur are tuples, of which there are far fewer than samples: what
 * depends on values alone is best found out once for each tuple.
 *
 * Ownership: facets_free() frees all; texts live as long. Threads: one at a time; a struct
 * facets_chunk belongs to its worker. Errors: lack of memory sticks, facets_finish() tells it.
 */
#ifndef CONVERT_PROFILE_FACETS_H
#define CONVERT_PROFILE_FACETS_H

#include "convert/scope/threads.h"
#include "convert/select/kind.h"
#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/intern.h"

struct facets;
struct profile;
struct tree;

enum facet_fixed {
    FACET_THREAD, /* name of the thread */
    FACET_STATE, /* its state, as the producer names it */
    FACET_EVENT, /* type of the event */
    FACET_INPUT, /* name of the file */
    FACET_FIXED,
};

#define FACETS_DIMS 64 /* at most; further ones are left out */
#define FACET_NONE 0 /* the value of samples that have none */

enum facet_weight { /* what an event type may weigh beside 1 */
    FACET_COUNT, /* samples that one event stands for */
    FACET_BYTES,
    FACET_DURATION, /* ns */
    FACET_CPU_TIME, /* ns */
    FACET_FIELD, /* the field that was requested, spans in ns */
    FACET_WEIGHTS,
};

struct facets *facets_new(void); /* NULL if out of memory */
void facets_free(struct facets *f); /* NULL is allowed */

/* Samples without a value of a context key get one where they are the JVM's own or an idle
 * thread's: "(JVM: GC)", as in unattributed.h. To be called before the run. */
void facets_split_rest(struct facets *f);

/* A further numeric field to be weighed by; borrowed. To be called before the run. */
void facets_set_field(struct facets *f, const char *field);
const char *facets_field(const struct facets *f); /* NULL: none */

/* "ns", "bytes"; the field's name where it has another unit, none, or several. */
const char *facets_field_unit(const struct facets *f);

/* Further dimensions, whose values the caller knows for a thread at a time: which of its requests
 * it was in, for example. A place stands for one value of each dimension. */
struct facets_places {
    const char *const *names; /* of the dimensions */
    size_t n;
    bool is_only; /* samples without a place are left out, of the profile, too */
    void *shared;
    /* The place of a time on the thread with this key; 0: none. On any number of threads at once.
     */
    uint32_t (*find)(void *shared, struct scope_threads *threads, const struct jfr_class *cls,
                     uint64_t key, int64_t ns);
    const char *(*text)(void *shared, uint32_t place, size_t dim); /* NULL: it has no value */
};

/* To be called before the run; what it points to is borrowed. */
void facets_set_places(struct facets *f, const struct facets_places *places);

/* --- while a chunk is merged --------------------------------------------------------------------
 */

/* The dimension of a name, made when first met. UINT32_MAX when there are too many or memory is
 * short. The name may hold anything. */
uint32_t facets_dim(struct facets *f, const char *name, size_t n);

/* The number of a value, until facets_finish(); 0 for an empty text or an impossible dimension. */
uint32_t facets_value(struct facets *f, uint32_t dim, const char *text, size_t n);

/* --- when all is read --------------------------------------------------------------------------
 */

/* Sorts samples and values. `p` is finished and filled f, `tree` is its tree. Samples of rows that
 * the profile left out go. 0 or JFR_E_NOMEM. */
int facets_finish(struct facets *f, const struct profile *p, const struct tree *tree);

size_t facets_n(const struct facets *f);
int64_t facets_first_ns(const struct facets *f); /* of the first sample; 0 when there is none */
int64_t facets_last_ns(const struct facets *f);

struct facets_entry {
    int64_t time_ns; /* since 1970 */
    uint32_t node; /* of the tree: where its stack ends */
    uint32_t tuple;
};
const struct facets_entry *facets_entries(const struct facets *f); /* facets_n() of them */

/* A weight of a sample (below facets_n()). If its event type does not have the weight: 1 for
 * FACET_COUNT, else 0. */
uint64_t facets_weight(const struct facets *f, size_t i, enum facet_weight weight);

/* The weights that a sample has: one for each bit of facets_tuple_weights() of its tuple, from the
 * lowest bit. NULL if no sample has weights. */
const uint64_t *facets_weights(const struct facets *f, size_t i);

size_t facets_n_dims(const struct facets *f);
const char *facets_dim_name(const struct facets *f, uint32_t dim, size_t *n);

/* Values of a dimension, the one without number 0 not counted: they are 1..n. */
uint32_t facets_n_values(const struct facets *f, uint32_t dim);
const char *facets_value_text(const struct facets *f, uint32_t dim, uint32_t value, size_t *n);

/* How many samples have the value (0: none). */
uint64_t facets_value_n(const struct facets *f, uint32_t dim, uint32_t value);

uint32_t facets_value_of(const struct facets *f, size_t sample, uint32_t dim);

/* Of tuples, which are 0..n-1: the value in a dimension, the weights that the samples have (bits
 * 1 << enum facet_weight), and how many samples. */
size_t facets_n_tuples(const struct facets *f);
uint32_t facets_tuple_value(const struct facets *f, uint32_t tuple, uint32_t dim);
uint32_t facets_tuple_weights(const struct facets *f, uint32_t tuple);
uint64_t facets_tuple_n(const struct facets *f, uint32_t tuple);

/* How events of a type (a value of FACET_EVENT) count for the kinds, and which weights they have,
 * as bits 1 << enum facet_weight. */
struct facets_event {
    struct kind_use kinds[N_KINDS];
    uint32_t weights;
};
const struct facets_event *facets_event(const struct facets *f, uint32_t value);

#endif
