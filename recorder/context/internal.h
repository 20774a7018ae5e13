/*
 * internal.h - what the files of contexts share: a thread's record as it lies in memory.
 */
#ifndef RECORDER_CONTEXT_INTERNAL_H
#define RECORDER_CONTEXT_INTERNAL_H

#include "recorder/context/context.h"

#include <stdatomic.h>

#define AREAS (2 * (CONTEXT_DEPTH + 1))

struct scope {
    _Atomic int64_t start; /* ticks; 0: nobody cares */
    _Atomic uint32_t serial; /* of the change that opened it */
    _Atomic uint32_t n_read; /* of the record, then */
    _Atomic uint8_t type;
    _Atomic uint8_t before; /* the area that the type had */
    _Atomic uint16_t part; /* 0: its values are those that it was opened with */
    _Atomic uint32_t reported; /* by the drain thread: context_part() of when it was told of */
    _Atomic int64_t reported_until; /* ticks; written first */
};

/*
 * Where a thread's values are: of each type in one of the areas, and `where` names it. Areas 2 and
 * 3 belong to the first scope, 4 and 5 to the one inside it, and so on, 0 and 1 to what is set
 * outside of scopes. A change is made in the area that is not in use, and one store makes it the
 * one that is.
 *
 * Java code does the same in place (recorder/java/jfrkit/Record.java): whoever changes what stands
 * before `index` changes that, and CONTEXT_LAYOUT.
 */
struct context_record {
    _Alignas(64) _Atomic uint64_t where; /* a byte for each type */
    _Atomic uint32_t depth;
    _Atomic uint32_t changes; /* that were begun, ever */
    _Atomic uint32_t n_read; /* by handlers */
    uint32_t spare[11];
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

_Static_assert(sizeof(struct scope) == 32 && offsetof(struct context_record, scopes) == 64 &&
                   offsetof(struct context_record, areas) == 1088 &&
                   offsetof(struct context_record, text) == 7424,
               "Record.java");
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

/* The scope of a depth, or of depth 0, which each type has its own of. */
static inline struct scope *context_scope_at(struct context_record *r, uint32_t depth, size_t type)
{
    return depth == 0 ? &r->bases[type] : &r->scopes[depth - 1];
}

/* The scope and part that this is, as a number that others do not have. */
static inline uint32_t context_part(const struct context_scope *scope)
{
    return scope->serial + ((uint32_t)scope->part << 16);
}

/* Until when a part of a scope was told of; 0: it was not, or is not there any more. */
int64_t context_reported(struct context_record *r, const struct context_scope *scope);

/* A scope as it is; *where becomes what it was before the scope. */
struct context_scope context_copy_scope(struct context_record *r, uint32_t depth, uint64_t *where);

/* What is set of a type outside of scopes, as the scope of depth 0; false: nothing is. where: of
 * when all scopes have been closed. */
bool context_copy_base(struct context_record *r, size_t type, uint64_t where,
                       struct context_scope *scope);

/* Tells whoever cares that a scope, or a part of it, ends; whether it was wanted. */
bool context_report_end(const struct context_scope *scope, int64_t end);

/* What a type's new values are to what was there. */
enum context_change {
    CONTEXT_BEGINS, /* something else */
    CONTEXT_CHANGES, /* the same with another attribute */
    CONTEXT_CONTINUES /* what began elsewhere */
};

/* What is set of a type ends here, before the change of this serial comes into force, and another
 * part of the scope begins, or another scope. */
void context_next_part(struct context_record *r, size_t type, uint32_t serial,
                       enum context_change change);

/* All attributes, wherever they are: 0 if none is set. Signals: yes. */
uint32_t context_copy_out(const struct context_record *r, uint32_t out[CONTEXT_SLOTS]);

/* Every record that was ever made; the one of an index, which must have been. */
void context_each_record(void (*f)(struct context_record *r, void *arg), void *arg);
struct context_record *context_record_at(uint32_t index);

#endif
