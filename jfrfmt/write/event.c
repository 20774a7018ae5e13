/*
 * event.c - writes events field by field, each checked against the layout of its type.
 *
 * In: jfr_event_begin(), one jfr_put_...() for each field, jfr_event_end(). Out: bytes in the
 * chunk's buffer of events. A field of the wrong kind marks the event as bad, and jfr_event_end()
 * drops and counts it: a reader must never see an event that is not what its type declares.
 */
#include "jfrfmt/write/raw.h"
#include "jfrfmt/write/writer_internal.h"

#include "jfrfmt/base/text.h"

#include <string.h>

/* The place of the next field, or NULL (sticky) when it is not of this kind. */
static const struct leaf *next_leaf(struct jfr_writer *w, unsigned op)
{
    if (w->is_bad || w->leaf == w->leaf_end || w->leaf->op != op) {
        w->is_bad = true;
        return NULL;
    }
    return w->leaf++;
}

static void set_class(struct jfr_writer *w, size_t index)
{
    w->event_class = (uint32_t)index;
    w->is_bad = w->error.code != 0 || index == SIZE_MAX || !w->types.classes[index]->is_event;
    if (w->is_bad) {
        w->leaf = w->leaf_end = NULL;
        w->n_late = 0;
        return;
    }
    w->leaf = w->types.layouts[index].leaves + 1; /* after startTime */
    w->leaf_end = w->types.layouts[index].leaves + w->types.layouts[index].n;
    w->n_late = w->types.layouts[index].n_late;
}

/* Readers see the type from now on. */
static void use_type(struct jfr_writer *w, size_t index)
{
    if (!w->types.layouts[index].is_absent)
        return;
    typeset_use(&w->types, index);
    w->is_new_types = true;
}

static void begin(struct jfr_writer *w, size_t index, int64_t start_ticks)
{
    set_class(w, index);
    w->event = w->events.n;
    w->body = w->event;
    if (w->is_bad)
        return;
    use_type(w, index);
    buf_byte(&w->events, 0); /* the size, of one byte as a rule */
    buf_varint(&w->events, (uint64_t)w->types.classes[index]->id);
    buf_varint(&w->events, (uint64_t)clock_moment(&w->chunk.clock, start_ticks));
    w->body = w->events.n;
}

void jfr_event_begin(struct jfr_writer *w, int64_t type, int64_t start_ticks)
{
    if (writer_is_due(w) && w->error.code == 0)
        writer_flush(w, start_ticks);
    if (w->is_new_chunk && w->error.code == 0)
        writer_repeat(w);
    begin(w, typeset_index(&w->types, type), start_ticks);
}

void jfr_put_boolean(struct jfr_writer *w, bool v)
{
    if (next_leaf(w, JFR_BOOLEAN) != NULL)
        buf_byte(&w->events, v);
}

void jfr_put_byte(struct jfr_writer *w, int8_t v)
{
    if (next_leaf(w, JFR_BYTE) != NULL)
        buf_byte(&w->events, (uint8_t)v);
}

void jfr_put_int(struct jfr_writer *w, int32_t v)
{
    unsigned op = w->leaf == w->leaf_end ? JFR_INT : w->leaf->op;

    if (op == JFR_SHORT || op == JFR_CHAR) {
        w->leaf++;
        buf_varint(&w->events, (uint16_t)v);
    } else if (next_leaf(w, JFR_INT) != NULL) {
        buf_varint(&w->events, (uint32_t)v);
    }
}

/* Returns true if the type exists; it is then in the metadata, so a reader of the id finds it. */
static bool use_event_type(struct jfr_writer *w, int64_t id)
{
    size_t i = typeset_index(&w->types, id);

    if (i == SIZE_MAX || !w->types.classes[i]->is_event)
        return false;
    use_type(w, i);
    return true;
}

void jfr_put_long(struct jfr_writer *w, int64_t v)
{
    const struct leaf *leaf = next_leaf(w, JFR_LONG);

    if (leaf == NULL)
        return;
    if (leaf->is_event_id && !use_event_type(w, v)) /* JMC would not load the file */
        w->is_bad = true;
    if (leaf->unit == JFR_UNIT_TICKS)
        v = clock_span(&w->chunk.clock, v);
    else if (leaf->unit == JFR_UNIT_TIMESTAMP_TICKS)
        v = clock_moment(&w->chunk.clock, v);
    buf_varint(&w->events, (uint64_t)v);
}

void jfr_put_float(struct jfr_writer *w, float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof(bits));
    if (next_leaf(w, JFR_FLOAT) != NULL)
        buf_be(&w->events, bits, 4);
}

void jfr_put_double(struct jfr_writer *w, double v)
{
    uint64_t bits;

    memcpy(&bits, &v, sizeof(bits));
    if (next_leaf(w, JFR_DOUBLE) != NULL)
        buf_be(&w->events, bits, 8);
}

/* A key that no constant has becomes 0: readers see null either way, but the count tells. */
static uint64_t known_key(struct jfr_writer *w, uint32_t cls, uint64_t key)
{
    if (consts_need(&w->consts, cls, key) || key == 0)
        return key;
    w->stats.n_unresolved++;
    return 0;
}

void jfr_put_key(struct jfr_writer *w, uint64_t key)
{
    const struct leaf *leaf = next_leaf(w, LEAF_KEY);

    if (leaf != NULL)
        buf_varint(&w->events, known_key(w, leaf->cls, key));
}

static bool is_ascii(const char *text, size_t n)
{
    uint8_t bits = 0;

    for (size_t i = 0; i < n; i++)
        bits |= (uint8_t)text[i];
    return bits < 0x80;
}

void writer_put_text(struct buf *out, const char *text, size_t n)
{
    size_t start = out->n;
    unsigned width;

    if (n == 0) {
        buf_byte(out, JFR_STR_EMPTY);
        return;
    }
    buf_byte(out, JFR_STR_UTF8);
    if (is_ascii(text, n)) {
        buf_varint(out, n);
        buf_bytes(out, text, n);
        return;
    }
    width = buf_varint_size(n * 3); /* at most: a malformed byte becomes three */
    buf_be(out, 0, width);
    text_append(out, text, n);
    if (buf_ok(out))
        buf_varint_at(out->p + start + 1, out->n - start - 1 - width, width);
}

void jfr_put_text(struct jfr_writer *w, const char *text, size_t n)
{
    if (next_leaf(w, JFR_STRING) == NULL)
        return;
    if (text == NULL)
        buf_byte(&w->events, JFR_STR_NULL);
    else
        writer_put_text(&w->events, text, n);
}

void jfr_put_string(struct jfr_writer *w, const char *text)
{
    jfr_put_text(w, text, text == NULL ? 0 : strlen(text));
}

/* Takes the event out again. */
static int drop(struct jfr_writer *w, uint64_t *count, int code)
{
    if (count == &w->stats.n_lost)
        w->stats.n_lost_bytes += w->events.n - w->event;
    w->events.n = w->event;
    w->events.failed = false;
    ++*count;
    return code;
}

/* Fields that the type got later and that were not put are null. */
static void fill_late(struct jfr_writer *w)
{
    if (w->is_bad || (size_t)(w->leaf_end - w->leaf) > w->n_late)
        return;
    for (; w->leaf != w->leaf_end; w->leaf++)
        buf_byte(&w->events, JFR_STR_NULL);
}

int jfr_event_end(struct jfr_writer *w)
{
    fill_late(w);
    if (w->error.code != 0)
        return drop(w, &w->stats.n_lost, w->error.code);
    if (w->is_bad || w->leaf != w->leaf_end)
        return drop(w, &w->stats.n_refused, JFR_E_FORMAT);
    if (!buf_ok(&w->events) || !raw_close_event(&w->events, w->event))
        return drop(w, &w->stats.n_lost, JFR_E_LIMIT);
    w->is_uneven |= w->types.layouts[w->event_class].n_pending > 0;
    w->types.layouts[w->event_class].n_events++;
    w->n_buffered++;
    return 0;
}

int jfr_event_end_repeated(struct jfr_writer *w)
{
    size_t n = w->events.n - w->body; /* before the size may move them */
    struct repeated head = {w->event_class, (uint32_t)n};
    int rc;

    w->is_bad |= w->n_late > 0; /* its bytes would not be those of its fields */
    rc = jfr_event_end(w);

    if (rc != 0)
        return rc;
    buf_bytes(&w->repeated, &head, sizeof(head));
    buf_bytes(&w->repeated, w->events.p + w->events.n - n, n);
    return buf_ok(&w->repeated) ? 0 : JFR_E_NOMEM;
}

static void need(void *ctx, uint32_t cls, uint64_t key)
{
    struct jfr_writer *w = ctx;

    if (key != 0 && !consts_need(&w->consts, cls, key))
        w->stats.n_unresolved++;
}

/* The fields after startTime, as bytes. */
static int append_fields(struct jfr_writer *w, const uint8_t *bytes, size_t n)
{
    struct layout rest = {w->leaf, (size_t)(w->leaf_end - w->leaf) - w->n_late};
    struct cursor c = cur_over(bytes, n);

    if (!w->is_bad) {
        w->is_bad = !typeset_walk(&rest, &c, need, w) || cur_left(&c) > 0;
        w->leaf = w->leaf_end - w->n_late;
        buf_bytes(&w->events, bytes, n);
    }
    return jfr_event_end(w);
}

int jfr_writer_event(struct jfr_writer *w, int64_t type, const void *body, size_t n)
{
    struct cursor c = cur_over(body, n);
    int64_t start = (int64_t)cur_varint(&c);

    jfr_event_begin(w, type, start);
    w->is_bad |= !cur_ok(&c);
    return append_fields(w, c.p, cur_left(&c));
}

void writer_repeat(struct jfr_writer *w)
{
    const uint8_t *p = w->repeated.p, *end = p + w->repeated.n;

    w->is_new_chunk = false;
    while (p < end) {
        struct repeated head;

        memcpy(&head, p, sizeof(head));
        p += sizeof(head);
        begin(w, head.event_class, w->chunk.start_ticks);
        append_fields(w, p, head.n);
        p += head.n;
    }
}
