/*
 * model.h - a 0.9 chunk as it describes itself, and the classes it is shown with in 2.1.
 *
 * Private to jfrfmt/v0. Data flows parse.c (bytes -> types) -> types.c (types -> classes
 * and layouts) -> metadata.c (classes -> metadata event); pools.c (bytes -> constants) ->
 * links.c -> values.c and v0.c (constants and events, by the layouts).
 */
#ifndef JFRFMT_V0_MODEL_H
#define JFRFMT_V0_MODEL_H

#include "jfrfmt/base/arena.h"
#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/cursor.h"
#include "jfrfmt/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct v0_text { /* borrowed, not terminated */
    const char *p;
    size_t n;
};

enum v0_type { /* as numbered in the file */
    V0_BOOLEAN,
    V0_S8,
    V0_U8,
    V0_S16,
    V0_U16,
    V0_S32,
    V0_U32,
    V0_S64,
    V0_U64,
    V0_FLOAT,
    V0_DOUBLE,
    V0_UTF8, /* u16 byte count, bytes */
    V0_STRING, /* s32 unit count, UTF-16BE */
    V0_ARRAY, /* s32 count, primitives */
    V0_STRUCT,
    V0_STRUCTS, /* s32 count, structures */
};

enum v0_content_id { /* the numbers that mean the same in every file */
    V0_CONTENT_BYTES = 1,
    V0_CONTENT_EPOCH_MS,
    V0_CONTENT_MS,
    V0_CONTENT_NS,
    V0_CONTENT_TICKS,
    V0_CONTENT_ADDRESS,
    V0_CONTENT_THREAD,
    V0_CONTENT_JAVA_THREAD,
    V0_CONTENT_STACK,
    V0_CONTENT_PERCENT = 11,
};

struct v0_struct;

struct v0_field {
    struct v0_text name, label, description;
    struct v0_struct *sub; /* of V0_STRUCT and V0_STRUCTS, never empty */
    int32_t content;
    uint8_t type; /* enum v0_type */
    uint8_t element; /* primitive type of V0_ARRAY; else like `type` */
};

/* How one class of the output takes its values from a structure of the chunk. */
struct v0_layout {
    const struct v0_struct *source;
    const struct v0_col *cols;
    size_t n_cols;
    uint32_t cls; /* number of the class */
};

struct v0_struct {
    struct v0_field *fields;
    size_t n_fields;
    uint64_t min_size; /* fewest bytes a value takes */
    unsigned depth; /* levels of structures, itself included; 0 not yet known */
    /* Made when first needed: as the class of an inline value, and as jdk.types.StackFrame. */
    const struct v0_layout *shown, *frame;
};

struct v0_event_type {
    struct v0_text uri, path, label, description;
    const struct v0_struct *body;
    struct v0_layout layout;
    int32_t id;
    bool has_start, has_thread, has_stack;
};

struct v0_content { /* a constant pool */
    struct v0_text name, label;
    const struct v0_struct *value;
    struct v0_layout layout; /* no columns: its keys are shown as numbers */
    size_t first, n_entries; /* its part of v0_chunk.entries */
    int32_t id;
    uint8_t key_type; /* an integer type */
};

struct v0_entry {
    uint64_t key;
    int64_t time; /* of the checkpoint, ticks */
    const uint8_t *value; /* known to be complete */
    uint32_t content; /* index into v0_chunk.contents */
};

/* Columns and classes of the output. */
enum v0_unit {
    V0_UNIT_NONE,
    V0_UNIT_BYTES,
    V0_UNIT_EPOCH_MS,
    V0_UNIT_EPOCH_TICKS,
    V0_UNIT_MS,
    V0_UNIT_NS,
    V0_UNIT_TICKS,
    V0_UNIT_ADDRESS,
    V0_UNIT_PERCENT,
};

struct v0_col {
    struct v0_text name, label, description;
    const struct v0_layout *sub; /* of inline structures */
    int64_t fallback; /* value where the chunk has none */
    uint32_t cls; /* number of the class */
    uint32_t source; /* 1 + number of the source's field; 0 = none */
    uint32_t content; /* 1 + index of the constant pool; 0 = none */
    uint32_t scale;
    uint8_t unit; /* enum v0_unit */
    bool is_pooled, is_array, is_unsigned;
};

enum v0_builtin { /* classes every output has, in this order */
    V0_C_BOOLEAN,
    V0_C_BYTE,
    V0_C_SHORT,
    V0_C_INT,
    V0_C_LONG,
    V0_C_FLOAT,
    V0_C_DOUBLE,
    V0_C_TEXT,
    V0_C_THREAD,
    V0_C_GROUP,
    V0_C_CLASS,
    V0_C_METHOD,
    V0_C_STACK,
    V0_C_FRAME,
    V0_C_FRAME_TYPE,
    V0_C_SYMBOL,
    V0_C_LABEL,
    V0_C_DESCRIPTION,
    V0_C_CATEGORY,
    V0_C_TIMESTAMP,
    V0_C_TIMESPAN,
    V0_C_DATA_AMOUNT,
    V0_C_ADDRESS,
    V0_C_PERCENTAGE,
    V0_C_UNSIGNED,
    V0_C_CONTENT_TYPE,
    V0_C_SETTING,
    V0_C_DATA_LOSS,
    /* What is read of a structure but not shown in this form: these have no name. */
    V0_C_JAVA_THREAD,
    V0_C_SETTINGS,
    V0_N_BUILTIN,
};

struct v0_class {
    struct v0_text name; /* empty: not declared */
    struct v0_text id;
    struct v0_text label, description;
    struct v0_text path; /* of events: the category, then a last segment */
    const char *super; /* NULL for values */
    const struct v0_col *cols;
    size_t n_cols;
    bool is_simple, is_content_type;
};

#define V0_CLASS_ID(index) ((uint32_t)(index) + 10) /* 0 and 1 are taken, the rest is free */

struct v0_chunk {
    struct v0_chunk_input {
        const uint8_t *bytes;
        size_t n;
        uint64_t base;
    } in;
    size_t metadata; /* offset of the metadata event, which ends the chunk */
    int64_t start_ms, end_ms, start_ticks, ticks_per_second;
    uint64_t last_checkpoint;
    struct v0_text locale;
    int32_t gmt_offset_ms;

    struct v0_event_type *events; /* by id */
    struct v0_content *contents; /* by id */
    struct v0_entry *entries; /* by content, key, time */
    /* For each entry: of a thread 1 + the number of its Java thread's entry, of a Java thread 1 +
     * that of its thread, of a symbol or class 1 when it names a class of the recorder; else 0. */
    uint32_t *links;
    size_t n_events, n_contents, n_entries;
    struct buf classes; /* of struct v0_class, the built-in ones first */

    struct buf event_room, content_room, entry_room; /* what the arrays above lie in */
    struct arena arena;
    struct jfr_error *err;
    int rc; /* of the first damage */
};

static inline struct v0_class *v0_class(const struct v0_chunk *ch, size_t i)
{
    return (struct v0_class *)(void *)ch->classes.p + i;
}

static inline size_t v0_n_classes(const struct v0_chunk *ch)
{
    return ch->classes.n / sizeof(struct v0_class);
}

#define V0_TEXT(literal) ((struct v0_text){literal, sizeof(literal) - 1})

bool v0_text_is(struct v0_text t, const char *s);

static inline bool v0_is_integer(uint8_t type)
{
    return type >= V0_S8 && type <= V0_U64;
}

/* Records damage at `where` and carries on; answers the code. */
int v0_damage(struct v0_chunk *ch, enum jfr_errc code, const uint8_t *where, const char *what);

/* An integer of type V0_S8..V0_U64, sign- or zero-extended. */
uint64_t v0_read_integer(struct cursor *c, uint8_t type);

/* A count of things that take at least min_size bytes each; fails when they cannot be there. */
size_t v0_read_count(struct cursor *c, uint64_t min_size);

/* Bytes of a primitive; of the others the fewest. */
unsigned v0_size(uint8_t type);

/* Fewest bytes of one element of an array, or of the value itself. */
uint64_t v0_element_size(const struct v0_field *f);

/* Steps over one value. */
void v0_skip(struct cursor *c, const struct v0_field *f);

/* Reads the metadata. 0, or negative: then nothing of the chunk can be read. */
int v0_parse_metadata(struct v0_chunk *ch);

/* Makes classes and layouts of all types. False if out of memory. */
bool v0_make_types(struct v0_chunk *ch);

/* Collects the constants of all checkpoints; damage is recorded. */
void v0_load_constants(struct v0_chunk *ch);

/* The constant `key` of contents[content] that holds at `time`; NULL when there is none. */
const struct v0_entry *v0_find(const struct v0_chunk *ch, uint32_t content, uint64_t key,
                               int64_t time);

/* 1 + index of the content type with this id; 0 = none. */
uint32_t v0_content_of(const struct v0_chunk *ch, int32_t id);

/* The event type with this id, or NULL. */
const struct v0_event_type *v0_event_type_of(const struct v0_chunk *ch, int32_t id);

/* The bytes of a constant, and whatever follows it. */
static inline struct cursor v0_value(const struct v0_chunk *ch, const struct v0_entry *e)
{
    return cur_over(e->value, (size_t)(ch->in.bytes + ch->in.n - e->value));
}

/* The key of a constant in the output: its place in the list of all constants, moved so that the
 * chunks of one file share none. */
uint64_t v0_key(const struct v0_chunk *ch, const struct v0_entry *e);

/* The key in the output for the constant that `key` names at `time`; 0 when there is none. 2.1 has
 * one class of threads: a Java thread is shown as the thread that runs it. */
uint64_t v0_shown_key(const struct v0_chunk *ch, uint32_t content, uint64_t key, int64_t time);

/* Fills v0_chunk.links. False if out of memory. */
bool v0_link_constants(struct v0_chunk *ch);

/* The Java thread of a thread, the thread of a Java thread, or NULL. */
static inline const struct v0_entry *v0_linked(const struct v0_chunk *ch, const struct v0_entry *e)
{
    uint32_t link = ch->links[e - ch->entries];

    return link == 0 ? NULL : &ch->entries[link - 1];
}

/* The key, in the output, of a Java thread's group. */
uint64_t v0_group_key(const struct v0_chunk *ch, const struct v0_entry *java_thread);

/* Whether methods of the class with this key, in the output, are to be hidden. */
bool v0_is_hidden(const struct v0_chunk *ch, uint64_t class_key);

/* Writes columns first_col.. of a layout, from the structure at the cursor, and leaves the cursor
 * behind it. `time` decides which constants are meant. Fails with the cursor. */
void v0_put_cols(const struct v0_chunk *ch, struct buf *out, const struct v0_layout *l,
                 size_t first_col, struct cursor *c, int64_t time);

/* Appends the metadata event. */
void v0_put_metadata(struct v0_chunk *ch, struct buf *out);

/* Room for the size of an event that begins here; v0_end_event() fills it in. */
size_t v0_begin_event(struct buf *out, uint64_t type);
void v0_end_event(struct buf *out, size_t at);

#endif
