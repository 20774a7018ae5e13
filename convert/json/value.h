/*
 * value.h - one value of a recording, straight from its bytes: as JSON, or in another form of
 * shape.h for layouts that are no JSON.
 *
 *     struct json_values v = {.shapes.style = &style};
 *     json_values_load(&v, chunk, &clock);                  once per chunk
 *     json_values_begin(&v, &out->b);                       once per text that must stay small
 *     json_value_object(&v, shape, &cursor, &out->b);
 *     if (v.bad != NULL)
 *         jfr_chunk_damaged(chunk, &ev, v.bad, v.what);
 *
 * Whatever the bytes are, the text is well-formed: what cannot be read is null. Constants that hold
 * themselves are null as well; those that nest deeper than style->nesting, or whose text grows
 * beyond style->text_max, are a text that says so, and the event is reported.
 *
 * Threads: as the chunk. Memory: the chunk's arena, and a bounded store of pool entries' text; none
 * is allocated per event once the entries have been met.
 */
#ifndef CONVERT_JSON_VALUE_H
#define CONVERT_JSON_VALUE_H

#include "convert/json/shape.h"

#define JSON_NESTING 2000 /* pool entries inside one another: the default of --nesting */
/* A level takes about 300 bytes of the stack, of which threads have 2 MB or more. */
#define JSON_NESTING_MOST 4000

struct json_clock { /* what time stamps are computed from */
    struct jfr_chunk_header header;
    int32_t zone_s;
};

/* A span of time as nanoseconds; one that is too long for that is as long as can be. */
int64_t json_span_ns(const struct json_clock *clock, int64_t x, enum jfr_unit unit);

struct json_path {
    const struct jfr_class *cls;
    uint64_t key;
};

struct json_values {
    struct json_shapes shapes;
    struct json_clock clock;
    /* Writes what stands for a constant, entry `i` of its pool, and returns true, or false where
     * the constant itself is wanted. NULL: always. */
    bool (*put_entry)(void *ctx, struct json_shape *shape, size_t i, struct buf *b);
    void *ctx;
    const uint8_t *bad; /* where the first value was that could not be read; set it to NULL */
    const char *what; /* what was wrong with it */
    bool failed; /* memory ran out */
    /* private */
    bool is_null; /* the last value that was written */
    struct buf scratch;
    struct buf path; /* of struct json_path: the pool entries around the value */
    size_t n_deep; /* objects around it beyond JSON_DEEP */
    size_t start; /* of the text that must stay small */
    bool is_cut; /* something was left out that does not depend on the entry alone */
};

/* Starts with a chunk that was just loaded. False if out of memory. */
bool json_values_load(struct json_values *v, struct jfr_chunk *chunk,
                      const struct json_clock *clock);

/* Starts a text at the end of b. */
void json_values_begin(struct json_values *v, const struct buf *b);

/* An object of the shape's class: all its wanted fields; the cursor may be left inside. */
void json_value_object(struct json_values *v, struct json_shape *shape, struct cursor *c,
                       struct buf *b);

/* One field of an object that is read field by field: m is a member of a compiled shape. A field
 * that is not wanted is stepped over. */
void json_value_member(struct json_values *v, const struct json_member *m, struct cursor *c,
                       struct buf *b);

/* Where the entry of a key stands in the pool of the shape's class, or -1. */
int64_t json_value_find_entry(struct json_values *v, struct json_shape *shape, uint64_t key);

/* Entry i of the shape's pool, which was opened by the above or before a call of put_entry. */
void json_value_entry(struct json_values *v, struct json_shape *shape, size_t i, struct buf *b);

/* Compiles the shape if it is not yet. False if out of memory. */
bool json_value_compile(struct json_values *v, struct json_shape *shape);

void json_values_free(struct json_values *v);

#endif
