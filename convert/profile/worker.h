/*
 * worker.h - the data of one worker thread of a profile, which these files share: chunk.c (events),
 * use.c (how classes are read), groups.c (what events have beside their stacks), group_texts.c (its
 * names), stacks.c (frames), facets_chunk.c (single samples).
 */
#ifndef CONVERT_PROFILE_WORKER_H
#define CONVERT_PROFILE_WORKER_H

#include "convert/profile/facets_internal.h"
#include "convert/profile/internal.h"
#include "convert/profile/repeats.h"
#include "convert/profile/stack_memo.h"

/* What a sample of the facets is made of: fields that the worker decodes together with its own. */
enum {
    FACETS_START,
    FACETS_THREAD,
    FACETS_STATE,
    FACETS_WEIGHTS,
    FACETS_SLOTS = FACETS_WEIGHTS + FACET_WEIGHTS,
};

enum {
    SLOT_STACK = SELECT_SLOTS,
    SLOT_WEIGHT,
    SLOT_COUNT,
    SLOT_CLASS,
    SLOT_MORE, /* the further weights */
    SLOT_FACETS = SLOT_MORE + PROFILE_MORE, /* from here on, where facets are wanted */
    N_SLOTS = SLOT_FACETS + FACETS_SLOTS,
};

/* How the events of one class of the chunk are read. */
struct use {
    bool is_ready;
    struct kind_use how; /* how.rank 0: not at all */
    uint32_t kind;
    enum select_decision decision;
    const struct jfr_class *cls;
    const struct jfr_plan *plan;
    struct stack_layout *layout;
    const struct jfr_field *thread, *state, *leaf, *weight;
    bool has_main; /* events have what the first weight needs */
    bool has_context; /* events may have a context, and it is wanted */
    bool is_repeatable; /* events that differ only in their start time add the same sums */
    const struct jfr_field *more[PROFILE_MORE]; /* NULL: the class does not have it */
};

/* What one event adds to the row of its stack. */
struct event_sums {
    uint64_t samples, weight;
    double squares;
    uint64_t more[PROFILE_MORE];
};

/* An event that was read and is not added yet. */
struct waiting {
    struct stack_layout *layout;
    uint64_t trace; /* its key; then its index */
    uint32_t group;
    bool has_shape; /* a shape of samples was made for it, which gets its row */
    struct event_sums sums;
};

#define WAITING 32

/* An event that was read ahead. Its place in the table of repeated events has been prefetched. */
struct coming {
    struct jfr_event event;
    struct use *use; /* of its class */
    struct repeat repeat; /* what 0: the event is decoded in any case */
    struct repeat *place; /* of `repeat` */
};

#define COMING 32

#define GROUP_MEMO 256

/* All that the group of an event depends on: what it refers to, as numbers of the chunk. */
struct group_key {
    const struct use *use; /* of its class */
    uint64_t thread, state, cls; /* keys of constants; 0: the group does not depend on it */
    uint32_t tuple; /* of its context */
};

/* A group that a recent event had. */
struct group_memo {
    struct group_key key; /* use NULL: the slot is free */
    uint32_t group; /* PROFILE_NO_GROUP: events with this key do not count */
};

#define PROFILE_NO_GROUP (UINT32_MAX - 1)

/* A method of the chunk. */
struct name_memo {
    uint32_t name; /* the profile's number of its name + 1; 0: not requested yet */
    uint32_t method; /* its number in the stack memo + 1; 0: none */
};

/* A method of a recent frame: most methods occur again in the next stacks. */
struct recent_method {
    uint64_t key;
    struct name_memo *memo; /* NULL: the slot is free */
};

#define RECENT_METHODS 1024

/* The sums of a trace of the pool. Most traces occur with one group only: the sums of the first
 * group are here, one access away; those of other groups go to the table. */
struct trace_sums {
    uint32_t group;
    bool is_met;
    uint64_t samples, weight;
    double squares;
};

/* Stack traces of one class. The number of a trace is `base` and its index in the pool. */
struct stack_layout {
    struct stack_layout *next;
    const struct jfr_class *cls;
    struct jfr_stacks stacks;
    struct trace_sums *traces; /* by pool index; the last one is of events without a stack */
    uint64_t *more; /* n_more for each of them */
    size_t n_traces, base;
    struct name_memo *memo; /* by pool index; the last one is of a method that is not there */
    struct recent_method *recent; /* RECENT_METHODS, by a hash of the key */
    uint8_t types[32]; /* frame types of small keys; 255: look it up */
};

/* The key of the sums of a group and of the trace at a place of the layout. */
static inline uint64_t profile_row_key(const struct stack_layout *l, size_t index, uint32_t group)
{
    return (uint64_t)group << 32 | (l->base + index);
}

struct profile_worker {
    const struct profile_options *opt;
    struct select_run *select;
    struct facets_chunk *facets; /* NULL: single samples are not wanted */
    struct jfr_chunk *chunk;
    enum kind_samples samples; /* of the chunk */
    struct use *uses; /* by class index */
    struct stack_layout *layouts;
    struct chunk_sums sums;
    struct intern end_keys; /* of struct group_text_key */
    struct buf end_names; /* of uint32_t by id of end_keys */
    struct intern frame_keys; /* where names depend on more: of struct frame_key */
    struct buf frame_names; /* of uint32_t by id of frame_keys */
    struct buf decoded; /* of struct jfr_frame */
    bool uses_memo; /* of the profile, for the current chunk */
    struct context_run *contexts; /* NULL: no keys are wanted */
    struct buf key_names; /* of uint32_t by tuple and key: name + 1, 0 not looked up */
    struct buf label_names; /* of uint32_t by tuple: the same */
    struct buf text;
    struct repeats repeats;
    struct coming coming[COMING];
    struct waiting waiting[WAITING];
    size_t n_waiting;
    struct group_memo group_memo[GROUP_MEMO]; /* by a hash: most events are of the same groups */
    bool names_by_more; /* a frame's name depends on more than the method */
};

/* Decides how events of cls are read. 0 or JFR_E_NOMEM; u->how.rank stays 0 when they do not count.
 */
int profile_use_prepare(struct profile_worker *w, struct use *u, const struct jfr_class *cls);

bool profile_is_real(const struct jfr_field *f);

/* The field at place i of a plan, if its value is a key of a pool, or a number; else NULL. */
const struct jfr_field *profile_key_field(const struct jfr_plan *plan, size_t i);
const struct jfr_field *profile_number_field(const struct jfr_plan *plan, size_t i);

/* What sums of a field count: spans are turned into ns. "" when it has no unit that we know. */
const char *profile_field_unit(const struct jfr_field *f);

/* A numeric field's value: spans in ns, 0 for what is negative. */
uint64_t profile_number(struct jfr_chunk *chunk, const struct jfr_field *f, union jfr_value v);

/* The group of an event, whose values were decoded: its number in w->sums.groups, PROFILE_NO_GROUP
 * if the event does not count, INTERN_FAILED if out of memory. */
uint32_t profile_group_of(struct profile_worker *w, const struct use *u, const struct jfr_event *ev,
                          const union jfr_value *v);

/* The names of a tuple's values of opt->keys, into ends. False if out of memory. */
bool profile_key_names(struct profile_worker *w, uint32_t tuple, uint32_t *ends);

/* The name that has all values of a tuple, NO_NAME when there are none. False if out of memory. */
bool profile_label_name(struct profile_worker *w, uint32_t tuple, uint32_t *name);

/* The local name of a thread, state or class, made when first requested. NO_NAME if out of memory.
 */
uint32_t profile_group_text(struct profile_worker *w, int end, const struct jfr_field *f,
                            uint64_t key);

/* --- the samples of the chunk, one by one: facets_chunk.c --- */

struct facets_chunk *facets_chunk_new(const struct facets *f); /* NULL if out of memory */
void facets_chunk_free(struct facets_chunk *c); /* NULL is allowed */

/* Begins with the chunk that `w` has begun. False if out of memory. */
bool facets_chunk_begin(struct facets_chunk *c, struct profile_worker *w);

void facets_chunk_paths(const struct facets_chunk *c, const struct jfr_class *cls,
                        const char **paths);

/* Is an event wanted, with the values that `plan` decoded? Call it before facets_chunk_add(). */
bool facets_chunk_wants(struct facets_chunk *c, struct profile_worker *w,
                        const struct jfr_event *ev, const struct jfr_plan *plan,
                        const union jfr_value *v);

/* Adds the event as a sample of a new shape, with the same values. False if out of memory. */
bool facets_chunk_add(struct facets_chunk *c, struct profile_worker *w, const struct jfr_event *ev,
                      const union jfr_value *v, uint32_t *shape);

/* Adds an event as a sample of a shape. Its class begins with the start time, and it differs in
 * nothing else from the event for which the shape was made. False if out of memory. */
bool facets_chunk_repeat(struct facets_chunk *c, const struct jfr_chunk *chunk,
                         const struct jfr_event *ev, uint32_t shape);

/* Counts n samples of a shape that facets_chunk_repeat() has added. */
void facets_chunk_count(struct facets_chunk *c, uint32_t shape, uint32_t n);

/* Adds the key of the sums of a shape, in the order in which shapes were added. False if out of
 * memory. */
bool facets_chunk_row(struct facets_chunk *c, uint64_t row);

#endif
