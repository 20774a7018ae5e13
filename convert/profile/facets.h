/*
 * facets.h - single samples of a profile: the time and the weights of each, and its value in every
 * dimension: thread, state, event type, input, and the keys of contexts that the recordings have.
 *
 *     struct facets *f = facets_new();
 *     struct profile_options opt = {.kind = -1, .facets = f};   the profile fills it
 *     ... run_all(), profile_finish(), profile_tree(p, &tree) ...
 *     facets_finish(f, p, &tree);
 *     for (size_t i = 0; i < facets_n(f); i++)
 *         ... e = facets_entries(f)[i], facets_shapes(f)[e.shape].node,
 *             facets_value_of(f, e.shape, dim), facets_weight(f, e.shape, k) ...
 *
 * A dimension has a name and numbered values. Value 0 is "no value"; the others are sorted by their
 * number of samples, the largest first. The first FACET_FIXED dimensions always exist, in the order
 * of the enum. The attributes of contexts (context.h) follow if the profile's `select` requests
 * contexts, and the dimensions of facets_set_places(), all of them sorted by name.
 *
 * The order of samples does not depend on the number of worker threads: they are sorted by thread
 * (by the number of its value), then by time.
 *
 * A tuple is a combination of values that occurs. A shape is all of a sample but for its time: its
 * tuple, its stack and its weights; two shapes may be equal. There are fewer shapes than samples,
 * and far fewer tuples, so a caller should compute what depends on them once for each:
 *
 *     sample: time, shape --> shape: node of the tree, weights, tuple --> tuple: values
 *
 * Ownership: facets_free() frees all, the texts too. Threads: one at a time; a struct facets_chunk
 * belongs to its worker. Errors: once memory is exhausted, facets_finish() returns an error.
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

enum facet_weight { /* the weights that an event type may have */
    FACET_COUNT, /* samples that one event stands for */
    FACET_BYTES,
    FACET_DURATION, /* ns */
    FACET_CPU_TIME, /* ns */
    FACET_FIELD, /* the field that was requested, spans in ns */
    FACET_WEIGHTS,
};

struct facets *facets_new(void); /* NULL if out of memory */
void facets_free(struct facets *f); /* NULL is allowed */

/* Gives samples of the JVM's own threads and of idle threads a value if they have none of a context
 * key: "(JVM: GC)", as in unattributed.h. Call it before the run. */
void facets_split_rest(struct facets *f);

/* Sets a numeric field as a further weight; the name is borrowed. Call it before the run. */
void facets_set_field(struct facets *f, const char *field);
const char *facets_field(const struct facets *f); /* NULL: none */

/* "ns", "bytes"; the field's name if it has another unit, none, or several. */
const char *facets_field_unit(const struct facets *f);

/* Further dimensions, whose values the caller finds by thread and time: the request that the thread
 * was in, for example. A place is one value of each of these dimensions. */
struct facets_places {
    const char *const *names; /* of the dimensions */
    size_t n;
    bool is_only; /* samples without a place are left out, also of the profile */
    void *shared;
    /* The place of a time on the thread with this key; 0: none. Called by several threads at once.
     */
    uint32_t (*find)(void *shared, struct scope_threads *threads, const struct jfr_class *cls,
                     uint64_t key, int64_t ns);
    const char *(*text)(void *shared, uint32_t place, size_t dim); /* NULL: no value */
};

/* Call it before the run. The struct and what it points to are borrowed. */
void facets_set_places(struct facets *f, const struct facets_places *places);

/* --- while a chunk is merged --------------------------------------------------------------------
 */

/* The dimension of a name, added if it is new. UINT32_MAX if there are too many or memory is
 * exhausted. The name may contain any bytes. */
uint32_t facets_dim(struct facets *f, const char *name, size_t n);

/* The number of a value, valid until facets_finish(); 0 for an empty text or a dimension that does
 * not exist. */
uint32_t facets_value(struct facets *f, uint32_t dim, const char *text, size_t n);

/* --- after the run -----------------------------------------------------------------------------
 */

/* Sorts samples and values. `p` is the finished profile that filled f, `tree` is its tree. Samples
 * of rows that the profile left out are removed. Returns 0 or JFR_E_NOMEM. */
int facets_finish(struct facets *f, const struct profile *p, const struct tree *tree);

size_t facets_n(const struct facets *f);
int64_t facets_first_ns(const struct facets *f); /* of the first sample; 0 if there is none */
int64_t facets_last_ns(const struct facets *f);

struct facets_entry {
    int64_t time_ns; /* since 1970 */
    uint32_t shape;
};
const struct facets_entry *facets_entries(const struct facets *f); /* facets_n() of them */

struct facets_shape {
    uint32_t node; /* of the tree: where its stack ends; not valid if n is 0 */
    uint32_t tuple;
    uint32_t weights; /* where its weights begin, for facets_weights() */
    uint32_t n; /* samples; 0 if they were removed */
};
size_t facets_n_shapes(const struct facets *f); /* also those whose samples were removed */
const struct facets_shape *facets_shapes(const struct facets *f); /* facets_n_shapes() of them */

/* A weight of samples of a shape. If their event type does not have the weight: 1 for FACET_COUNT,
 * else 0. */
uint64_t facets_weight(const struct facets *f, uint32_t shape, enum facet_weight weight);

/* The weights that samples of a shape have: one for each bit of facets_tuple_weights() of its
 * tuple, from the lowest bit. */
const uint64_t *facets_weights(const struct facets *f, uint32_t shape);

size_t facets_n_dims(const struct facets *f);
const char *facets_dim_name(const struct facets *f, uint32_t dim, size_t *n);

/* The number of values of a dimension, without value 0: they are 1..n. */
uint32_t facets_n_values(const struct facets *f, uint32_t dim);
const char *facets_value_text(const struct facets *f, uint32_t dim, uint32_t value, size_t *n);

/* The number of samples with a value; value 0: of samples without one. */
uint64_t facets_value_n(const struct facets *f, uint32_t dim, uint32_t value);

uint32_t facets_value_of(const struct facets *f, uint32_t shape, uint32_t dim);

/* Of tuples, which are 0..n-1: the value in a dimension, the weights that the samples have (bits
 * 1 << enum facet_weight), and the number of samples. */
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
