/*
 * writer_reading.h - reads back what the writer wrote, with our own reader. For tests.
 *
 * Every event must be of a declared type and every key in it, and in the constants it leads to,
 * must have a constant in its chunk.
 */
#ifndef JFRFMT_TEST_WRITER_READING_H
#define JFRFMT_TEST_WRITER_READING_H

#include "jfrfmt/jfr.h"
#include "jfrfmt/test/testing.h"

#include <stdbool.h>

#define READING_DEPTH 12 /* from an event to the symbol of a package, and around no cycle twice */

static inline void reading_fields(struct jfr_chunk *chunk, const struct jfr_class *cls,
                                  struct cursor *c, int depth);

static inline void reading_key(struct jfr_chunk *chunk, const struct jfr_class *cls, uint64_t key,
                               int depth)
{
    const struct jfr_pool *pool = jfr_chunk_pool(chunk, cls);
    int64_t i = jfr_pool_find(pool, key);
    struct cursor c;

    if (i < 0 && key == 0)
        return;
    if (i < 0)
        fail_msg("no constant %s %llu", cls->name, (unsigned long long)key);
    if (depth == 0)
        return;
    c = jfr_pool_value(pool, (size_t)i);
    reading_fields(chunk, cls, &c, depth - 1);
    assert_true(cur_ok(&c));
}

static inline void reading_one(struct jfr_chunk *chunk, const struct jfr_class *cls, bool is_pooled,
                               struct cursor *c, int depth)
{
    if (is_pooled)
        reading_key(chunk, cls, cur_varint(c), depth);
    else if (cls->kind == JFR_STRUCT)
        reading_fields(chunk, cls, c, depth);
    else if (cls->kind == JFR_STRING)
        jfr_str_skip(c);
    else if (cls->kind == JFR_BOOLEAN || cls->kind == JFR_BYTE)
        cur_bytes(c, 1);
    else if (cls->kind == JFR_FLOAT || cls->kind == JFR_DOUBLE)
        cur_bytes(c, cls->kind == JFR_FLOAT ? 4 : 8);
    else
        cur_varint(c);
}

static inline void reading_fields(struct jfr_chunk *chunk, const struct jfr_class *cls,
                                  struct cursor *c, int depth)
{
    if (cls->kind != JFR_STRUCT) {
        reading_one(chunk, cls, false, c, depth);
        return;
    }
    for (size_t i = 0; i < cls->n_fields; i++) {
        const struct jfr_field *f = &cls->fields[i];
        uint64_t n = f->is_array ? cur_varint(c) : 1;

        while (n-- > 0 && cur_ok(c))
            reading_one(chunk, f->type, f->is_pooled, c, depth);
    }
}

/* Calls each() for every event; ctx is its own. Returns the number of events. */
static inline uint64_t
reading(const void *bytes, size_t n,
        void (*each)(void *ctx, struct jfr_chunk *, const struct jfr_event *), void *ctx)
{
    struct jfr_error err = {0};
    struct jfr_source *src = jfr_source_open_mem(bytes, n, &err);
    struct jfr_reader *r = src == NULL ? NULL : jfr_reader_open_source_take(src, &err);
    struct jfr_event ev;
    uint64_t n_events = 0;
    int rc;

    if (r == NULL)
        fail_msg("our reader: %s", err.text);
    while ((rc = jfr_reader_next(r, &ev)) != 0) {
        struct cursor c = ev.body;

        if (rc < 0)
            fail_msg("our reader: %s", jfr_reader_error(r)->text);
        if (ev.type_id == 76) /* the head of a chunk, for one moment */
            continue;
        assert_non_null(ev.type);
        reading_fields(jfr_reader_chunk(r), ev.type, &c, READING_DEPTH);
        assert_true(cur_ok(&c));
        assert_int_equal(cur_left(&c), 0);
        n_events++;
        if (each != NULL)
            each(ctx, jfr_reader_chunk(r), &ev);
    }
    jfr_reader_close(r);
    return n_events;
}

#endif
