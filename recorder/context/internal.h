/*
 * internal.h - the record of a thread in memory, which the files of contexts share.
 */
#ifndef RECORDER_CONTEXT_INTERNAL_H
#define RECORDER_CONTEXT_INTERNAL_H

#include "recorder/context/context.h"

#include <stdatomic.h>

#define AREAS (2 * (CONTEXT_DEPTH + 1))

struct scope {
    _Atomic int64_t start; /* ticks; 0: no listener was registered, or it has no values */
    _Atomic uint32_t serial; /* of the change that opened it */
    _Atomic uint32_t n_read; /* of the record, when the scope or part began */
    _Atomic uint8_t type;
    _Atomic uint8_t before; /* the area of the type before this scope */
    _Atomic uint16_t part; /* 0: its values are those that it was opened with */
    _Atomic uint32_t reported; /* by the drain thread: context_part() of the reported part */
    _Atomic int64_t reported_until; /* ticks, or CONTEXT_WRITTEN; written first */
};

/* The part has ended and its event is in the file. */
#define CONTEXT_WRITTEN INT64_MAX

/*
 * The values of a thread. Each type has its current values in one of the areas, whose number
 * `where` holds. Areas 0 and 1 are for what is set outside of scopes, 2 and 3 for the outermost
 * scope, 4 and 5 for the scope inside it, and so on:
 *
 *     depth 0      depth 1      depth 2
 *     [ 0 | 1 ]    [ 2 | 3 ]    [ 4 | 5 ] ...      where: one byte for each type, such as 3
 *
 * A change is written to the area of the pair that is not in use, then one store of `where` makes
 * it current.
 *
 * Java code does the same in place (recorder/java/jfrkit/Record.java). A change of the members
 * before `index`, or of a scope, needs the same change there, and another CONTEXT_LAYOUT. The
 * classes that the agent defines have it, too, and `bases`
 * (recorder/java/weave/jfrkit/weave/Record.java).
 */
struct context_record {
    _Alignas(64) _Atomic uint64_t where; /* a byte for each type */
    _Atomic uint32_t depth;
    _Atomic uint32_t changes; /* number of changes that were begun */
    _Atomic uint32_t n_read; /* number of times that handlers have read it */
    _Atomic uint32_t heads; /* odd while a part of a scope and its values do not fit together */
    uint32_t spare[10];
    struct scope scopes[CONTEXT_DEPTH];
    _Atomic uint32_t areas[AREAS][CONTEXT_SLOTS];
    char text[CONTEXT_TEXT]; /* on its way from Java to the table */
    uint32_t index; /* of this record */
    int32_t tid; /* of its thread, if that is one of the system's */
    _Atomic uint64_t thread_key; /* of its thread if that is virtual, else 0 */
    char thread_name[CONTEXT_THREAD_NAME]; /* of the virtual thread */
    struct scope bases[CONTEXT_TYPES]; /* of what is set outside of scopes */
    struct context_record *next; /* of the free ones */
};

_Static_assert(offsetof(struct scope, serial) == 8 && offsetof(struct scope, n_read) == 12 &&
                   offsetof(struct scope, type) == 16 && offsetof(struct scope, part) == 18 &&
                   offsetof(struct scope, reported) == 20,
               "both files Record.java");
_Static_assert(sizeof(struct scope) == 32 && offsetof(struct context_record, scopes) == 64 &&
                   offsetof(struct context_record, areas) == 1088 &&
                   offsetof(struct context_record, text) == 7424 &&
                   offsetof(struct context_record, heads) == 20 &&
                   offsetof(struct context_record, bases) == 7760,
               "both files Record.java");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the bytes of `where`");

#define READ(what) atomic_load_explicit(&(what), memory_order_relaxed)
#define WRITE(what, value) atomic_store_explicit(&(what), value, memory_order_relaxed)

/* Of `where`. */
static inline uint8_t context_area(uint64_t where, size_t type)
{
    return (uint8_t)(where >> 8 * type);
}

static inline uint64_t context_with_area(uint64_t where, size_t type, uint8_t area)
{
    return (where & ~(UINT64_C(0xff) << 8 * type)) | (uint64_t)area << 8 * type;
}

/* The scope at a depth. Of depth 0 each type has its own. */
static inline struct scope *context_scope_at(struct context_record *r, uint32_t depth, size_t type)
{
    return depth == 0 ? &r->bases[type] : &r->scopes[depth - 1];
}

/* A number that identifies a scope and its part. */
static inline uint32_t context_part(uint32_t serial, uint16_t part)
{
    return serial + ((uint32_t)part << 16);
}

/* Until when a part of a scope was reported; 0: it was not, or it has ended. part: its
 * context_part(). */
int64_t context_reported(const struct scope *s, uint32_t part);

/* Copies a scope. *where becomes the value it had before the scope. */
struct context_scope context_copy_scope(struct context_record *r, uint32_t depth, uint64_t *where);

/* Copies what is set of a type outside of scopes, as a scope of depth 0. Returns false if nothing
 * is set. where: the value it has when all scopes are closed. */
bool context_copy_base(struct context_record *r, size_t type, uint64_t where,
                       struct context_scope *scope);

/* Calls the listener for the end of a scope or of a part of it. Returns whether the listener wanted
 * it. */
bool context_report_end(const struct context_scope *scope, int64_t end);

/* How new values of a type relate to the values before. */
enum context_change {
    CONTEXT_BEGINS, /* a new scope, which has nothing to do with them */
    CONTEXT_CHANGES, /* the same scope with another attribute */
    CONTEXT_CONTINUES /* a scope that began on another thread */
};

/* Ends the current scope of a type, or its part, and begins the next one. Call it before the change
 * with this serial becomes visible, and context_end_part() after it. had_values: any value is set
 * before the change; has_values: the change sets any. A scope without values needs no start. */
void context_next_part(struct context_record *r, size_t type, uint32_t serial,
                       enum context_change change, bool had_values, bool has_values);
void context_end_part(struct context_record *r);

/* Copies all words. Returns 0 if none is set. Async-signal-safe. */
uint32_t context_copy_out(const struct context_record *r, uint32_t out[CONTEXT_SLOTS]);

/* Calls f for each record that was ever made; the record of an index that was made. */
void context_each_record(void (*f)(struct context_record *r, void *arg), void *arg);
struct context_record *context_record_at(uint32_t index);

#endif
