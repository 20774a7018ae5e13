/* walk.h - decodes everything a chunk has, and checks what holds for any bytes. For fuzz
 * targets and for tests that spoil or starve a chunk. */
#ifndef JFRFMT_TEST_WALK_H
#define JFRFMT_TEST_WALK_H

#include "jfrfmt/jfr.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define WALK_ENTRIES 200 /* of a pool that are looked at closely */
#define WALK_CLASSES 200

struct walk {
    struct jfr_chunk *chunk;
    struct buf text;
    uint64_t n_events, n_decoded, n_texts;
    bool starved; /* the walk itself found memory short */
};

static inline void walk_text(struct walk *w, struct jfr_str s)
{
    s = jfr_chunk_resolve(w->chunk, s);
    assert(s.encoding != JFR_STR_CONSTANT);
    buf_reset(&w->text);
    jfr_str_append_utf8(&w->text, s);
    w->starved |= !buf_ok(&w->text);
    w->n_texts += !jfr_str_is_null(s);
}

static inline void walk_frames(struct walk *w, const struct jfr_stacks *st, size_t index)
{
    struct jfr_frame frames[7];
    struct jfr_frames it;
    size_t n, seen = 0;

    if (jfr_stacks_open(st, index, &it) != 0)
        return;
    do {
        n = jfr_frames_read(&it, frames, 7);
        seen += n;
        for (size_t i = 0; i < n && seen < 1000; i++) {
            struct jfr_method m;

            if (jfr_method_get(st, frames[i].method_key, &m)) {
                walk_text(w, m.class_name);
                walk_text(w, m.name);
                walk_text(w, m.descriptor);
            } else {
                assert(jfr_str_is_null(m.name) && m.class_key == 0);
            }
            if (st->type_class != NULL)
                walk_text(w, jfr_simple_text(w->chunk, st->type_class, frames[i].type_key));
        }
    } while (n == 7);
    assert(!jfr_frames_next(&it, frames));
}

static inline void walk_stacks(struct walk *w, const struct jfr_field *field)
{
    struct jfr_stacks st;

    if (jfr_stacks_init(&st, w->chunk, field) != 0)
        return;
    for (size_t i = 0; i < jfr_pool_n(st.traces) && i < WALK_ENTRIES; i++)
        walk_frames(w, &st, i);
}

static inline void walk_pool(struct walk *w, const struct jfr_class *cls)
{
    const struct jfr_pool *pool = jfr_chunk_pool(w->chunk, cls);
    const struct jfr_plan *skip = jfr_plan_for_skipping(w->chunk, cls);
    struct jfr_thread thread;

    for (size_t i = 0; i < jfr_pool_n(pool) && i < WALK_ENTRIES; i++) {
        uint64_t key = jfr_pool_key(pool, i);
        struct cursor c = jfr_pool_value(pool, i);
        int64_t found = jfr_pool_find(pool, key);

        assert(found >= 0 && jfr_pool_key(pool, (size_t)found) == key);
        if (skip != NULL) {
            jfr_plan_skip(skip, &c);
            assert(cur_ok(&c)); /* it could be stepped over once */
        }
        walk_text(w, jfr_simple_text(w->chunk, cls, key));
        walk_text(w, jfr_class_name(w->chunk, cls, key));
        if (jfr_thread_get(w->chunk, cls, key, &thread)) {
            walk_text(w, thread.os_name);
            walk_text(w, thread.java_name);
        }
    }
}

/* The plan for all fields (the first 64), made once per class. */
static inline const struct jfr_plan *walk_plan(struct walk *w, const struct jfr_class *cls)
{
    const char *names[JFR_PLAN_WANTS_MAX];
    size_t n = cls->n_fields < JFR_PLAN_WANTS_MAX ? cls->n_fields : JFR_PLAN_WANTS_MAX;

    for (size_t i = 0; i < n; i++)
        names[i] = cls->fields[i].name;
    return jfr_plan_new(w->chunk, cls, names, n);
}

static inline void walk_event(struct walk *w, const struct jfr_event *ev,
                              const struct jfr_plan *plan)
{
    union jfr_value v[JFR_PLAN_WANTS_MAX];
    const uint8_t *where = NULL;

    if (plan == NULL)
        return;
    if (jfr_plan_run(plan, ev->body, v, &where) != 0) {
        assert(where != NULL);
        return;
    }
    w->n_decoded++;
    for (size_t i = 0; i < JFR_PLAN_WANTS_MAX && i < ev->type->n_fields; i++) {
        const struct jfr_field *f = jfr_plan_field(plan, i);

        if (f != NULL && !f->is_array && !f->is_pooled && f->type->kind == JFR_STRING) {
            struct cursor c = {.p = v[i].at, .end = ev->body.end};

            walk_text(w, jfr_str_read(&c));
        }
    }
}

static inline void walk_classes(struct walk *w)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(w->chunk);

    for (size_t i = 0; i < md->n_classes; i++) {
        const struct jfr_class *cls = &md->classes[i];

        assert(cls->index == i && cls->name != NULL && cls->simple != NULL);
        assert(jfr_class_shown(cls) != NULL);
        if (i > WALK_CLASSES)
            continue;
        walk_pool(w, cls);
        for (size_t j = 0; j < cls->n_fields && j < WALK_CLASSES; j++) {
            assert(cls->fields[j].index == j);
            if (cls->fields[j].is_pooled && strcmp(cls->fields[j].name, "stackTrace") == 0)
                walk_stacks(w, &cls->fields[j]);
        }
    }
}

/* All of a loaded chunk. */
static inline void walk_chunk(struct walk *w, struct jfr_chunk *chunk)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(chunk);
    const struct jfr_plan **plans = calloc(md->n_classes + 1, sizeof(*plans));
    uint64_t at = 0;
    struct jfr_event ev;

    w->chunk = chunk;
    w->starved |= plans == NULL;
    while (jfr_chunk_next(chunk, &ev) > 0) {
        assert(ev.offset > at && ev.size > 0 && ev.type_id != 0 && ev.type_id != 1);
        at = ev.offset;
        assert(jfr_chunk_event_at(chunk, at).body.end == ev.body.end);
        w->n_events++;
        if (ev.type == NULL || plans == NULL)
            continue;
        if (plans[ev.type->index] == NULL)
            plans[ev.type->index] = walk_plan(w, ev.type);
        walk_event(w, &ev, plans[ev.type->index]);
    }
    assert(jfr_chunk_next(chunk, &ev) == 0);
    walk_classes(w);
    for (size_t i = 0; i < jfr_chunk_n_errors(chunk); i++)
        assert(jfr_chunk_error(chunk, i)->code < 0 && jfr_chunk_error(chunk, i)->text[0] != '\0');
    free(plans);
    buf_free(&w->text);
}

#endif
