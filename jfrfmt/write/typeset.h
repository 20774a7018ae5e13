/*
 * typeset.h - the types of a recording being written: declared, checked, compiled, serialised.
 *
 * Each class is compiled to a layout, a flat list of the primitive values it consists of, so that
 * the writer can check every value it is given and find the constants a value refers to.
 * A type that is declared JFR_ON_USE is written into the metadata when it is first used: types are
 * most of a short recording.
 * Internal to the writer.
 */
#ifndef JFRFMT_WRITE_TYPESET_H
#define JFRFMT_WRITE_TYPESET_H

#include "jfrfmt/base/arena.h"
#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/cursor.h"
#include "jfrfmt/base/error.h"
#include "jfrfmt/read/types.h"

#include <stdbool.h>
#include <stdint.h>

enum leaf_op { /* first the values of enum jfr_kind but JFR_STRUCT */
    LEAF_KEY = JFR_STRING + 1, /* varint, a key into the pool of `cls` */
    LEAF_ARRAY, /* varint count, then the next `span` leaves so many times */
};

struct leaf {
    uint8_t op;
    bool is_event_id; /* must be the id of a declared event type */
    uint8_t unit; /* enum jfr_unit */
    uint16_t span;
    uint32_t cls; /* index of a class */
};

struct layout {
    const struct leaf *leaves;
    size_t n;
    size_t n_late; /* texts at the end that typeset_extend() added; left out, they are null */
    size_t n_pending; /* of those: what events in finished chunks lack */
    bool is_absent; /* from the metadata, until it is used */
    uint64_t n_events, n_flushed; /* events that were not lost; of these, in the file */
};

struct typeset {
    struct arena arena;
    struct jfr_class **classes; /* by index */
    struct layout *layouts; /* beside them */
    size_t n, room;
    int64_t first_id; /* of the class at 0 */
};

enum typeset_option {
    TYPESET_MODULES = 1 << 0, /* jdk.types.Module, and Package with its fields */
    TYPESET_VIRTUAL = 1 << 1, /* java.lang.Thread says whether it is virtual */
};

#define TYPESET_FIRST_ID 20 /* ids 0 and 1 are metadata and checkpoint */
#define TYPESET_SKIPPED_ID 76 /* 'L': see live.c, how a chunk is hidden in a chunk */

/* Class id of an index, and back (SIZE_MAX when there is no such class). */
static inline int64_t typeset_id(const struct typeset *t, size_t index)
{
    int64_t id = t->first_id + (int64_t)index;

    return id < TYPESET_SKIPPED_ID || t->first_id > TYPESET_SKIPPED_ID ? id : id + 1;
}

static inline size_t typeset_index(const struct typeset *t, int64_t id)
{
    bool has_gap = t->first_id <= TYPESET_SKIPPED_ID;
    size_t i = (size_t)(id - t->first_id - (has_gap && id > TYPESET_SKIPPED_ID));

    return i < t->n && id != TYPESET_SKIPPED_ID ? i : SIZE_MAX;
}

/* Declares the types every recording has, into a set of zeros but for first_id: from there on ids
 * are given, 0 is TYPESET_FIRST_ID. 0 or negative and *err. */
int typeset_init(struct typeset *t, unsigned options, struct jfr_error *err);

/* Is this one of the value types that HotSpot writes into every recording, used or not: primitives,
 * java.lang.String, Thread and Class, and what stack traces are made of? */
bool typeset_is_standard(const char *name);

/* Declares n types, which may refer to each other. Nothing is declared when one is wrong. A type
 * that is declared already is left alone if its fields are the same, else it is an error. */
int typeset_add(struct typeset *t, const struct jfr_type_def *defs, size_t n,
                struct jfr_error *err);

/* Adds n texts to the end of an event class. 0; JFR_E_FORMAT: they are no texts, the names are not
 * unique; then nothing has changed. */
int typeset_extend(struct typeset *t, size_t index, const struct jfr_field_def *fields, size_t n,
                   struct jfr_error *err);

/* Puts a class into the metadata, with all that it refers to. */
void typeset_use(struct typeset *t, size_t index);

/* The class with this name, or NULL. */
const struct jfr_class *typeset_find(const struct typeset *t, const char *name);

/* What typeset_add() checks about class `cls`, whose fields are resolved. Separate for its size. */
int typeset_check(const struct jfr_class *cls, struct jfr_error *err);

/* Makes the layout of a class. JFR_E_FORMAT when it contains itself or is too deep. */
int typeset_compile(struct typeset *t, size_t index, struct jfr_error *err);

/* Called for every pooled value met: class index and key. */
typedef void (*typeset_ref_fn)(void *ctx, uint32_t cls, uint64_t key);

/* Steps over one value of this layout. False when the bytes do not hold one. */
bool typeset_walk(const struct layout *layout, struct cursor *c, typeset_ref_fn fn, void *ctx);

/* What metadata says beside the types. */
struct typeset_region {
    const char *locale;
    int64_t gmt_offset_ms;
};

/* Appends a whole metadata event with the types in use. False if out of memory. */
bool typeset_write(const struct typeset *t, struct buf *out, int64_t ticks, int64_t metadata_id,
                   const struct typeset_region *region);

/* The same for classes from anywhere. */
struct metadata_out {
    const struct jfr_class *const *classes;
    size_t n;
    const int64_t *ids; /* by class index; NULL: the classes' own */
    int64_t id, ticks; /* of the event */
    const char *locale, *gmt_offset, *dst; /* attributes of the region; NULL: left out */
};

bool metadata_write(const struct metadata_out *md, struct buf *out);

void typeset_free(struct typeset *t);

#endif
