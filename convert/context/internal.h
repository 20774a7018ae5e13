/* internal.h - what the parts of the context model share: attributes (attr.c),
 * events that last (span.c), those of other chunks (carried.c), the rest (context.c).
 */
#ifndef CONVERT_CONTEXT_INTERNAL_H
#define CONVERT_CONTEXT_INTERNAL_H

#include "convert/context/context.h"
#include "jfrfmt/base/arena.h"
#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/intern.h"

enum { /* places in the plan of a class */
    CONTEXT_START,
    CONTEXT_DURATION,
    CONTEXT_THREAD,
    CONTEXT_CONTINUATION,
    CONTEXT_FIELDS,
};

/* A span that other chunks than its own may need: carried.c. */
struct carried_span {
    uint32_t place; /* of the chunk that has it */
    uint32_t thread, tuple, cls; /* numbers in struct carried_spans */
    bool is_continuation;
    int64_t start_ns, end_ns;
};

struct context_place { /* identifies a chunk that is read again */
    int64_t start_nanos, start_ticks, end_nanos;
    uint64_t offset, size;
    uint32_t file;
    uint32_t twin; /* of a source's chunk: 1 + the file with events that has it as well; 0: none */
    bool is_without_spans; /* it is finished, and has no event that is a context of others */
};

struct carried_spans {
    struct buf all; /* of struct carried_span; from context_carried_ready() on by start */
    struct buf last_ends; /* int64_t: what is in the middle of a range has the range's last end */
    struct buf pending; /* of a file's newest chunk: whether they are needed shows the next one */
    struct buf places; /* of struct context_place, in the order of the input */
    struct buf sorted; /* the same by place */
    struct intern texts, threads, tuples;
    uint32_t file; /* that `pending` is of */
    int64_t file_end, last_start; /* of its chunks so far */
    bool is_mixed; /* a chunk came that begins before the one in front of it */
    bool keeps_all; /* which is why all spans are kept */
    uint64_t n_lost; /* there was no room for them */
    size_t n_files; /* that have events; those after have contexts for them. 0: all have */
};

struct context_damage {
    const char *path;
    struct jfr_error err;
};

struct context {
    char **keys;
    _Atomic bool *is_known; /* by key: some chunk has an attribute that is called so */
    _Atomic bool has_chunk;
    size_t n_keys;
    bool all;
    struct carried_spans carried;
    struct buf damages; /* of struct context_damage: in files that have contexts only */
};

struct context_attr {
    const char *context; /* "tracer-context", "Request"; "" for numbers of spans */
    const char *name; /* "user" */
    const char *full; /* both, as its producer joins them */
    bool is_unique; /* no other context has an attribute of this name */
    bool is_active; /* requested; only then it has a place */
    uint32_t place; /* in tuples */
};

/* Where a class has an attribute. */
struct context_field {
    const struct jfr_field *field;
    uint32_t place; /* of the attribute; not for a reference */
    struct context_pooled *pooled; /* contextId: the attributes are in the pool */
};

/* A class of constants that are contexts. */
struct context_pooled {
    const struct context_pooled *next;
    const struct jfr_class *cls;
    const struct jfr_pool *pool;
    const struct jfr_plan *plan;
    struct context_field *fields;
    size_t n_fields;
    uint32_t *tuples; /* by pool index: tuple + 1 */
};

struct context_class {
    bool is_ready;
    bool is_span; /* its contextual fields hold for others */
    const struct jfr_class *cls;
    struct context_field *fields;
    size_t n_fields;
    bool has_pooled; /* some field refers to a constant that is a context */
    const struct jfr_field *duration, *thread;
    const struct jfr_plan *plan;
};

struct context_span {
    uint64_t thread;
    int64_t start_ns, end_ns;
    uint32_t tuple, number;
    uint32_t cls; /* index; not of carried ones */
    bool is_continuation; /* a further part of one that began before */
};

struct context_segment { /* from start_ns to the next one's */
    int64_t start_ns;
    uint32_t tuple;
};

struct context_thread {
    uint64_t thread;
    size_t first, n; /* segments */
};

/* A pool of texts, each of which is decoded once. */
struct context_texts {
    const struct jfr_class *cls; /* java.lang.String, or a simple type over it; NULL: not used */
    const struct jfr_pool *pool;
    uint32_t *memo; /* value id + 1 by index in the pool; NULL: no memory */
};

#define CONTEXT_TEXT_POOLS 4

struct context_run {
    struct context *shared;
    struct jfr_chunk *chunk;
    struct context_attr *attrs; /* in the chunk's arena, room for CONTEXT_ATTRIBUTES */
    size_t n_attrs, n_places;
    uint32_t *places; /* attribute by place */
    bool *is_key, *is_trace; /* by place: some key has it in its list; it is the id of a trace */
    uint32_t *key_places; /* n_keys lists of places, n_places long, ended by CONTEXT_NONE */
    struct context_class *classes; /* by class index */
    struct context_pooled *pooled;
    struct intern values, tuples;
    struct context_texts texts[CONTEXT_TEXT_POOLS];
    struct buf text;
    struct buf spans, segments, threads; /* of the structs above */
    struct buf
        carried_in; /* of struct carried_span: those of other chunks that reach into this one */
    struct intern thread_ids;
    struct buf thread_keys; /* uint64_t by thread id */
    size_t last_thread;
    uint64_t last_offset; /* of the event last asked about, and its answer */
    uint32_t last_tuple;
    bool has_last;
    bool has_spans; /* classes of spans */
    bool has_span_events; /* the last context_read_spans() found events of them */
    bool is_without_spans; /* context_look_ahead() found none: they need not be read again */
};

static inline const struct context_span *context_spans(const struct context_run *r)
{
    return (const struct context_span *)(const void *)r->spans.p;
}

static inline size_t context_n_spans(const struct context_run *r)
{
    return r->spans.n / sizeof(struct context_span);
}

/* Finds the attributes of the chunk, those of `carried_in` among them, and where the classes have
 * them. 0 or JFR_E_NOMEM. */
int context_find_attributes(struct context_run *r);

/* Adds an attribute, unless it is there or there is no room. False if out of memory. */
bool context_add_attribute(struct context_run *r, const char *context, const char *name);

/* The attribute of these names; NULL when it is not there. */
const struct context_attr *context_find(const struct context_run *r, const char *context,
                                        const char *name);

/* Is the attribute meant by this key? */
bool context_is_called(const struct context_attr *a, const char *key);

/* The number + 1 of the text of a value whose bytes end before `end`; 0 when it is null;
 * CONTEXT_NONE if out of memory. */
uint32_t context_value_id(struct context_run *r, const struct jfr_field *f, union jfr_value v,
                          const uint8_t *end);

/* The same as a text of n bytes, which holds until the next call; NULL when it is null. Returns
 * false if out of memory. */
bool context_value_text(struct context_run *r, const struct jfr_field *f, union jfr_value v,
                        const uint8_t *end, const char **text, size_t *n);

/* Does the field hold for all events of the thread while an event of the class lasts? */
bool context_is_marked(const struct jfr_class *cls, const struct jfr_field *f);

/* Reads an event's own values over those in `values`. 0, JFR_E_NOMEM or JFR_E_SHORT. */
int context_own_values(struct context_run *r, const struct context_class *k,
                       const union jfr_value *v, const uint8_t *end, uint32_t *values);

/* The tuple of these values; CONTEXT_NONE if out of memory. */
uint32_t context_tuple(struct context_run *r, const uint32_t *values);

static inline void context_values(const struct context_run *r, uint32_t tuple, uint32_t *values)
{
    memcpy(values, intern_get(&r->tuples, tuple, NULL), r->n_places * sizeof(*values));
}

/* The value that a key has among those of a tuple; 0: none. */
static inline uint32_t context_value_of_key(const struct context_run *r, uint32_t key,
                                            const uint32_t *values)
{
    for (const uint32_t *p = r->key_places + key * (r->n_places + 1); *p != CONTEXT_NONE; p++)
        if (values[*p] != 0)
            return values[*p];
    return 0;
}

/* The chunk's events that are contexts of others. 0 or JFR_E_NOMEM. The chunk is rewound. */
int context_read_spans(struct context_run *r);

/* Adds a span, unless it is empty. 0 or JFR_E_NOMEM. */
int context_add_span(struct context_run *r, const struct context_span *span);

/* Makes segments of all spans. 0 or JFR_E_NOMEM. */
int context_join_spans(struct context_run *r);

/* The tuple that holds on a thread at a time. */
uint32_t context_at(struct context_run *r, uint64_t thread, int64_t ns);

/* --- spans of other chunks: carried.c --- */

/* Takes over what the spans of a chunk, just read, may mean to others; chunks of a file come in its
 * order. 0 or JFR_E_NOMEM. */
int context_carried_chunk(struct context *c, struct context_run *r, uint32_t file);

/* All chunks have come, but not in the order of time: forgets everything, and takes them again. */
bool context_carried_again(struct context *c);

/* All chunks have come. 0 or JFR_E_NOMEM. */
int context_carried_ready(struct context *c);

/* Finds the spans of other chunks that reach into the run's chunk. 0 or JFR_E_NOMEM. */
int context_carried_find(struct context_run *r);

/* Their attributes, and later themselves, into the run. 0 or JFR_E_NOMEM. */
int context_carried_attributes(struct context_run *r);
int context_carried_join(struct context_run *r);

void context_carried_free(struct carried_spans *s);

#endif
