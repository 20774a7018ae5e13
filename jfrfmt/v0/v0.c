/*
 * v0.c - the values of a 0.9 chunk, written as events and constants of version 2.1.
 *
 * v0_rewrite() runs three steps: parse.c reads the old metadata, types.c makes the new classes, and
 * the functions here write constants, events, metadata and the header of a 2.1 chunk into a buffer.
 * The reader (read/chunk.c) then reads that buffer like any chunk. Damaged values are reported and
 * skipped.
 */
#include "jfrfmt/v0/v0.h"
#include "jfrfmt/v0/model.h"

#include <inttypes.h>
#include <stdio.h>

#define HEADER_SIZE 68
#define SIZE_BYTES 5 /* bytes of an event's size: enough for any chunk that 0.9 can hold */
#define NS_PER_MS 1000000

struct output {
    struct v0_chunk *ch;
    struct buf *out;
};

size_t v0_begin_event(struct buf *out, uint64_t type)
{
    size_t at = out->n;

    buf_bytes(out, (const uint8_t[SIZE_BYTES]){0}, SIZE_BYTES);
    buf_varint(out, type);
    return at;
}

void v0_end_event(struct buf *out, size_t at)
{
    if (buf_ok(out))
        buf_varint_at(out->p + at, out->n - at, SIZE_BYTES);
}

static void put_v0_thread(struct output *o, const struct v0_entry *e)
{
    const struct v0_entry *java = v0_linked(o->ch, e);
    const struct v0_layout *l = &o->ch->contents[e->content].layout;
    struct v0_layout name_only = {.source = l->source, .cols = l->cols, .n_cols = 1};
    struct cursor c = v0_value(o->ch, e), again = c;

    v0_put_cols(o->ch, o->out, &name_only, 0, &c, e->time);
    buf_varint(o->out, e->key);
    if (java == NULL) {
        buf_bytes(o->out, (const uint8_t[3]){0}, 3); /* no name, no id, no group */
        return;
    }
    v0_put_cols(o->ch, o->out, &name_only, 0, &again, e->time);
    buf_varint(o->out, java->key);
    buf_varint(o->out, v0_group_key(o->ch, java));
}

/* The first column of a method is its class, the last says whether it is hidden. */
static void hide_method(struct output *o, size_t at)
{
    struct cursor c = cur_over(o->out->p + at, o->out->n - at);

    if (buf_ok(o->out) && v0_is_hidden(o->ch, cur_varint(&c)))
        o->out->p[o->out->n - 1] = 1;
}

static void put_v0_constant(struct output *o, const struct v0_entry *e)
{
    const struct v0_layout *l = &o->ch->contents[e->content].layout;
    struct cursor c = v0_value(o->ch, e);
    size_t at;

    buf_varint(o->out, v0_key(o->ch, e));
    at = o->out->n;
    if (l->cls == V0_C_THREAD)
        put_v0_thread(o, e);
    else
        v0_put_cols(o->ch, o->out, l, 0, &c, e->time);
    if (l->cls == V0_C_METHOD)
        hide_method(o, at);
}

static void put_pool(struct output *o, const struct v0_content *t)
{
    buf_varint(o->out, V0_CLASS_ID(t->layout.cls));
    buf_varint(o->out, t->n_entries);
    for (size_t i = t->first; i < t->first + t->n_entries; i++)
        put_v0_constant(o, &o->ch->entries[i]);
}

static bool is_shown_content(const struct v0_content *t)
{
    return t->n_entries > 0 && t->layout.cls != V0_C_JAVA_THREAD;
}

static void put_checkpoint(struct output *o)
{
    struct v0_chunk *ch = o->ch;
    size_t n = 0, at = v0_begin_event(o->out, 1);

    buf_varint(o->out, (uint64_t)ch->start_ticks);
    buf_varint(o->out, 0); /* duration */
    buf_varint(o->out, 0); /* no other checkpoint */
    buf_byte(o->out, 0); /* mask */
    for (size_t i = 0; i < ch->n_contents; i++)
        n += is_shown_content(&ch->contents[i]);
    buf_varint(o->out, n);
    for (size_t i = 0; i < ch->n_contents; i++)
        if (is_shown_content(&ch->contents[i]))
            put_pool(o, &ch->contents[i]);
    v0_end_event(o->out, at);
}

static void put_v0_str(struct buf *out, const char *s)
{
    buf_byte(out, 3);
    buf_varint(out, strlen(s));
    buf_str(out, s);
}

static void put_v0_setting(struct output *o, int64_t time, uint64_t id, const char *name,
                           const char *value)
{
    size_t at = v0_begin_event(o->out, V0_CLASS_ID(V0_C_SETTING));

    buf_varint(o->out, (uint64_t)time);
    buf_varint(o->out, id);
    put_v0_str(o->out, name);
    put_v0_str(o->out, value);
    v0_end_event(o->out, at);
}

/* A span as JMC writes it. The extremes stand for "this type has no such setting". */
static void put_span_setting(struct output *o, int64_t time, uint64_t id, const char *name,
                             int64_t value, const char *unit)
{
    char s[32];

    if (value == INT64_MIN || value == INT64_MAX)
        return;
    snprintf(s, sizeof(s), "%" PRId64 " %s", value, unit);
    put_v0_setting(o, time, id, name, s);
}

static uint64_t event_class_id(const struct v0_chunk *ch, int32_t id)
{
    const struct v0_event_type *t = v0_event_type_of(ch, id);

    if (t == NULL)
        return 0;
    return V0_CLASS_ID(t->layout.cls == V0_C_SETTINGS ? V0_C_SETTING : t->layout.cls);
}

/* One event holds all settings of a type; 2.1 has an event for each. */
static void put_settings(struct output *o, const struct v0_layout *l, struct cursor *c,
                         int64_t time)
{
    uint8_t room[3 * CUR_VARINT_MAX + 2];
    struct buf b = buf_fixed(room, sizeof(room));
    struct cursor values;
    bool is_enabled, has_stack;
    int64_t threshold, period;
    uint64_t id;

    v0_put_cols(o->ch, &b, l, 0, c, time);
    if (!cur_ok(c))
        return;
    values = cur_over(b.p, b.n);
    id = event_class_id(o->ch, (int32_t)cur_varint(&values));
    is_enabled = cur_be(&values, 1) != 0;
    has_stack = cur_be(&values, 1) != 0;
    threshold = (int64_t)cur_varint(&values);
    period = (int64_t)cur_varint(&values);
    put_v0_setting(o, time, id, "enabled", is_enabled ? "true" : "false");
    put_v0_setting(o, time, id, "stacktrace", has_stack ? "true" : "false");
    put_span_setting(o, time, id, "threshold", threshold, "ns");
    if (period == 0)
        put_v0_setting(o, time, id, "period", "everyChunk");
    else
        put_span_setting(o, time, id, "period", period, "ms");
}

static void put_v0_event(struct output *o, const struct v0_event_type *t, struct cursor *c)
{
    uint64_t end = cur_be(c, 8), start = t->has_start ? cur_be(c, 8) : end;
    const struct v0_col *col = t->layout.cols + 1 + t->has_start;
    size_t at;

    if (t->layout.cls == V0_C_SETTINGS) {
        put_settings(o, &t->layout, c, (int64_t)end);
        return;
    }
    at = v0_begin_event(o->out, V0_CLASS_ID(t->layout.cls));
    buf_varint(o->out, start);
    if (t->has_start)
        buf_varint(o->out, end - start);
    if (t->has_thread) {
        uint64_t key = cur_be(c, 4);
        buf_varint(o->out, col->content == 0
                               ? 0
                               : v0_shown_key(o->ch, col->content - 1, key, (int64_t)end));
        col++;
    }
    if (t->has_stack) {
        uint64_t key = cur_be(c, 8);
        buf_varint(o->out, col->content == 0
                               ? 0
                               : v0_shown_key(o->ch, col->content - 1, key, (int64_t)end));
        col++;
    }
    v0_put_cols(o->ch, o->out, &t->layout, (size_t)(col - t->layout.cols), c, (int64_t)end);
    v0_end_event(o->out, at);
}

static void put_lost(struct output *o, struct cursor *c)
{
    uint64_t end = cur_be(c, 8), thread = cur_be(c, 4), lost = cur_be(c, 4);
    uint32_t pool = v0_content_of(o->ch, V0_CONTENT_THREAD);
    size_t at = v0_begin_event(o->out, V0_CLASS_ID(V0_C_DATA_LOSS));

    buf_varint(o->out, end);
    buf_varint(o->out, pool == 0 || o->ch->contents[pool - 1].layout.cls != V0_C_THREAD
                           ? 0
                           : v0_shown_key(o->ch, pool - 1, thread, (int64_t)end));
    buf_varint(o->out, lost);
    v0_end_event(o->out, at);
}

/* Events of a type that is not declared are skipped, as in later versions. */
static void put_data_event(struct output *o, int32_t id, struct cursor *c)
{
    const struct v0_event_type *t = v0_event_type_of(o->ch, id);
    size_t before = o->out->n;

    if (id == 2)
        put_lost(o, c);
    else if (t != NULL)
        put_v0_event(o, t, c);
    if (!cur_ok(c)) {
        v0_damage(o->ch, JFR_E_FORMAT, c->fail, "an event is shorter than its fields");
        o->out->n = before;
    }
}

static void put_v0_events(struct output *o)
{
    struct v0_chunk *ch = o->ch;
    size_t at = 16;

    while (at < ch->metadata) {
        struct cursor c = cur_over(ch->in.bytes + at, ch->metadata - at);
        uint64_t size = cur_be(&c, 4);
        int32_t id = (int32_t)cur_be(&c, 4);

        if (!cur_ok(&c) || size < 8 || size > ch->metadata - at) {
            v0_damage(ch, JFR_E_FORMAT, ch->in.bytes + at, "an event has a bad size");
            return;
        }
        c.end = ch->in.bytes + at + size;
        if (id != 0 && id != 1)
            put_data_event(o, id, &c);
        at += size;
    }
}

static void put_chunk_header(const struct v0_chunk *ch, uint8_t *at, size_t size, size_t checkpoint)
{
    struct buf b = buf_fixed(at, HEADER_SIZE);
    uint64_t ms = ch->end_ms > ch->start_ms ? (uint64_t)ch->end_ms - (uint64_t)ch->start_ms : 0;

    buf_bytes(&b, "FLR", 4);
    buf_be(&b, 2, 2);
    buf_be(&b, 1, 2);
    buf_be(&b, size, 8);
    buf_be(&b, checkpoint, 8);
    buf_be(&b, HEADER_SIZE, 8); /* the metadata follows */
    buf_be(&b, (uint64_t)ch->start_ms * NS_PER_MS, 8);
    buf_be(&b, ms * NS_PER_MS, 8);
    buf_be(&b, (uint64_t)ch->start_ticks, 8);
    buf_be(&b, (uint64_t)ch->ticks_per_second, 8);
    buf_be(&b, 1, 4); /* finished, compressed integers */
}

static int write_chunk(struct v0_chunk *ch, struct buf *out)
{
    struct output o = {.ch = ch, .out = out};
    size_t start = out->n, checkpoint;

    buf_bytes(out, (const uint8_t[HEADER_SIZE]){0}, HEADER_SIZE);
    v0_put_metadata(ch, out);
    checkpoint = out->n - start;
    put_checkpoint(&o);
    put_v0_events(&o);
    if (!buf_ok(out)) {
        out->n = start;
        return v0_damage(ch, JFR_E_NOMEM, NULL, "out of memory");
    }
    put_chunk_header(ch, out->p + start, out->n - start, checkpoint);
    return ch->rc;
}

int v0_rewrite(const uint8_t *bytes, size_t n, uint64_t base, struct buf *out,
               struct jfr_error *err)
{
    struct v0_chunk ch = {.in = {bytes, n, base}, .err = err};
    int rc = v0_parse_metadata(&ch);

    if (rc == 0 && !v0_make_types(&ch))
        rc = v0_damage(&ch, JFR_E_NOMEM, NULL, "out of memory");
    if (rc == 0) {
        v0_load_constants(&ch);
        rc = buf_ok(&ch.entry_room) && v0_link_constants(&ch)
                 ? write_chunk(&ch, out)
                 : v0_damage(&ch, JFR_E_NOMEM, NULL, "out of memory");
    }
    buf_free(&ch.event_room);
    buf_free(&ch.content_room);
    buf_free(&ch.entry_room);
    buf_free(&ch.classes);
    arena_free(&ch.arena);
    return rc;
}
