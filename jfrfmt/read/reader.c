/*
 * reader.c - the loop over chunks and events that most programs need.
 *
 * In: a source. Out: one event for each call of jfr_reader_next(), or one error. It holds one chunk
 * at a time; damage ends the event or the chunk at hand, and the next call continues after it.
 * Converters that use several threads do not use it: they take chunks from source.h themselves.
 */
#include "jfrfmt/read/reader.h"

#include "jfrfmt/base/arena.h"

#include <stdlib.h>

struct jfr_reader {
    struct jfr_source *source;
    struct jfr_chunk *chunk;
    struct jfr_raw raw;
    struct jfr_error err;
    size_t errors_reported; /* of the chunk's errors */
    bool in_chunk;
    bool is_over; /* end or a final error: r->err.code says which */
};

struct jfr_reader *jfr_reader_open_source_take(struct jfr_source *src, struct jfr_error *err)
{
    struct jfr_reader *r = calloc(1, sizeof(*r));
    struct jfr_chunk *chunk = jfr_chunk_new();

    if (r == NULL || chunk == NULL) {
        jfr_fail(err, JFR_E_NOMEM, 0, "out of memory");
        jfr_chunk_free(chunk);
        jfr_source_close(src);
        free(r);
        return NULL;
    }
    r->source = src;
    r->chunk = chunk;
    return r;
}

struct jfr_reader *jfr_reader_open(const char *path, struct jfr_error *err)
{
    struct jfr_source *src = jfr_source_open(path, err);

    return src == NULL ? NULL : jfr_reader_open_source_take(src, err);
}

static void leave_chunk(struct jfr_reader *r)
{
    if (r->in_chunk)
        jfr_source_release(r->source, &r->raw);
    r->in_chunk = false;
}

/* 1: a chunk is open; 0: end; negative: damage, or a final error. */
static int enter_chunk(struct jfr_reader *r)
{
    int rc;

    r->err = (struct jfr_error){0};
    rc = jfr_source_next(r->source, &r->raw, &r->err);
    if (rc <= 0) {
        r->is_over = rc == 0 || jfr_source_done(r->source);
        return rc;
    }
    r->in_chunk = true;
    r->errors_reported = 0;
    rc = jfr_chunk_load(r->chunk, &r->raw, &r->err);
    if (rc == 0)
        return 1;
    r->is_over = rc == JFR_E_NOMEM;
    leave_chunk(r);
    return rc;
}

int jfr_reader_next(struct jfr_reader *r, struct jfr_event *ev)
{
    for (;;) {
        int rc;

        if (r->is_over && !r->in_chunk)
            return r->err.code == JFR_E_IO || r->err.code == JFR_E_NOMEM ? r->err.code : 0;
        if (!r->in_chunk) {
            rc = enter_chunk(r);
            if (rc <= 0)
                return rc;
        }
        if (jfr_chunk_next(r->chunk, ev) > 0)
            return 1;
        if (r->errors_reported < jfr_chunk_n_errors(r->chunk)) {
            r->err = *jfr_chunk_error(r->chunk, r->errors_reported++);
            return r->err.code;
        }
        r->err = (struct jfr_error){0};
        if (!arena_ok(jfr_chunk_arena(r->chunk))) {
            jfr_fail(&r->err, JFR_E_NOMEM, 0, "out of memory");
            r->is_over = true;
        }
        leave_chunk(r);
    }
}

struct jfr_chunk *jfr_reader_chunk(struct jfr_reader *r)
{
    return r->chunk;
}

const struct jfr_error *jfr_reader_error(const struct jfr_reader *r)
{
    return &r->err;
}

void jfr_reader_close(struct jfr_reader *r)
{
    if (r == NULL)
        return;
    leave_chunk(r);
    jfr_chunk_free(r->chunk);
    jfr_source_close(r->source);
    free(r);
}
