/*
 * example.c - reads one event and writes its fields with units, names and times that people can
 * read.
 */
#include "convert/meta/example.h"

#include "convert/text/javatext.h"
#include "jfrfmt/jfr.h"
#include "jfrfmt/base/amount.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 3 /* structs inside structs that are shown */
#define ELEMENTS_MAX 3
#define BYTES_MAX (5 * EXAMPLE_TEXT_MAX) /* of a stack trace; the rest is cut off */
#define TIME_MAX_S (INT64_C(1) << 55)

struct showing {
    struct jfr_chunk *chunk;
    struct buf b;
    unsigned depth;
};

static void show_struct(struct showing *s, const struct jfr_class *cls, struct cursor *c);

static void show_span(struct buf *b, double ns)
{
    amount_put_ns(b, ns > 9e18 ? INT64_MAX : ns < -9e18 ? INT64_MIN : (int64_t)ns);
}

/* A whole number in its unit. */
static void show_integer(struct showing *s, const struct jfr_field *f, int64_t v)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(s->chunk);
    static const double span_ns[] = {
        [JFR_UNIT_NS] = 1, [JFR_UNIT_US] = 1e3, [JFR_UNIT_MS] = 1e6, [JFR_UNIT_S] = 1e9};
    struct buf *b = &s->b;

    switch (f->unit) {
    case JFR_UNIT_TIMESTAMP_TICKS:
        javatext_time_ns(b, jfr_epoch_ns(h, v), 0);
        break;
    case JFR_UNIT_TIMESTAMP_MS:
        javatext_time_ms(b, v, 0);
        break;
    case JFR_UNIT_TIMESTAMP_NS:
        javatext_time_ns(b, v, 0);
        break;
    case JFR_UNIT_TIMESTAMP_S:
        javatext_time(b, v > -TIME_MAX_S && v < TIME_MAX_S ? v : 0, 0, 0);
        break;
    case JFR_UNIT_TICKS:
        show_span(b, (double)jfr_span_ns(h, v));
        break;
    case JFR_UNIT_NS:
    case JFR_UNIT_US:
    case JFR_UNIT_MS:
    case JFR_UNIT_S:
        if (v == INT64_MAX || v == INT64_MIN)
            buf_str(b, v == INT64_MAX ? "forever" : "none");
        else
            show_span(b, (double)v * span_ns[f->unit]);
        break;
    case JFR_UNIT_BYTES:
        amount_put_bytes(b, v);
        if (v <= -1000 || v >= 1000)
            buf_printf(b, " (%lld)", (long long)v);
        break;
    case JFR_UNIT_ADDRESS:
        buf_printf(b, "0x%llX", (unsigned long long)v);
        break;
    case JFR_UNIT_BITS:
    case JFR_UNIT_HERTZ:
        buf_printf(b, "%lld %s", (long long)v, f->unit == JFR_UNIT_BITS ? "bits" : "Hz");
        break;
    default:
        buf_printf(b, f->is_unsigned ? "%llu" : "%lld", (long long)v);
    }
}

static void show_float(struct showing *s, const struct jfr_field *f, double v)
{
    buf_printf(&s->b, "%.6g%s", f->unit == JFR_UNIT_PERCENT ? 100 * v : v,
               f->unit == JFR_UNIT_PERCENT ? " %" : "");
}

static void show_text(struct showing *s, struct jfr_str text)
{
    text = jfr_chunk_resolve(s->chunk, text);
    if (jfr_str_is_null(text))
        buf_str(&s->b, "null");
    else
        jfr_str_append_utf8(&s->b, text);
}

static void show_thread(struct showing *s, const struct jfr_thread *t)
{
    buf_byte(&s->b, '"');
    show_text(s, jfr_str_is_null(t->java_name) ? t->os_name : t->java_name);
    buf_byte(&s->b, '"');
    if (t->java_id > 0)
        buf_printf(&s->b, ", Java id %lld", (long long)t->java_id);
    if (t->os_id > 0)
        buf_printf(&s->b, ", OS id %lld", (long long)t->os_id);
}

/* Class names the way they are written in Java, from byte `from` on. */
static void dots(struct showing *s, size_t from)
{
    for (size_t i = from; i < s->b.n; i++)
        if (s->b.p[i] == '/')
            s->b.p[i] = '.';
}

static void show_frame(struct showing *s, const struct jfr_stacks *st,
                       const struct jfr_frame *frame)
{
    struct jfr_method m;

    if (!jfr_method_get(st, frame->method_key, &m)) {
        buf_str(&s->b, "?");
        return;
    }
    if (!jfr_str_is_null(m.class_name)) {
        size_t from = s->b.n;

        show_text(s, m.class_name);
        dots(s, from);
        if (s->b.n > from)
            buf_byte(&s->b, '.');
    }
    show_text(s, m.name);
    if (frame->line > 0)
        buf_printf(&s->b, ":%d", frame->line);
}

/* False when the field is no stack trace. */
static bool show_stack(struct showing *s, const struct jfr_field *f, uint64_t key)
{
    struct jfr_stacks st;
    struct jfr_frames it;
    struct jfr_frame frame;
    int64_t at;
    size_t n = 0;

    if (strcmp(f->type->simple, "StackTrace") != 0 || jfr_stacks_init(&st, s->chunk, f) < 0)
        return false;
    at = st.traces == NULL ? -1 : jfr_pool_find(st.traces, key);
    if (at < 0 || jfr_stacks_open(&st, (size_t)at, &it) < 0) {
        buf_str(&s->b, "null");
        return true;
    }
    while (jfr_frames_next(&it, &frame)) {
        if (n == EXAMPLE_FRAMES_MAX) {
            buf_printf(&s->b, "\n... %llu more", (unsigned long long)it.left + 1);
            break;
        }
        if (n++ > 0)
            buf_byte(&s->b, '\n');
        show_frame(s, &st, &frame);
    }
    return true;
}

static void show_pooled(struct showing *s, const struct jfr_field *f, uint64_t key)
{
    const struct jfr_class *cls = f->type;
    const struct jfr_pool *pool;
    struct jfr_thread thread;
    size_t from = s->b.n;
    struct cursor c;
    int64_t at;

    if (show_stack(s, f, key))
        return;
    if (strcmp(cls->simple, "Thread") == 0 && jfr_thread_get(s->chunk, cls, key, &thread)) {
        show_thread(s, &thread);
        return;
    }
    pool = jfr_chunk_pool(s->chunk, cls);
    at = pool == NULL ? -1 : jfr_pool_find(pool, key);
    if (at < 0 || s->depth >= DEPTH_MAX) {
        buf_str(&s->b, at < 0 ? "null" : "...");
        return;
    }
    c = jfr_pool_value(pool, (size_t)at);
    if (cls->kind == JFR_STRING)
        show_text(s, jfr_str_read(&c));
    else
        show_struct(s, cls, &c);
    if (strcmp(cls->simple, "Class") == 0 || strcmp(cls->simple, "Method") == 0)
        dots(s, from);
}

static void show_primitive(struct showing *s, const struct jfr_field *f, struct cursor *c)
{
    uint64_t raw;

    switch (f->type->kind) {
    case JFR_BOOLEAN:
        buf_str(&s->b, cur_be(c, 1) != 0 ? "true" : "false");
        break;
    case JFR_BYTE:
        raw = cur_be(c, 1);
        show_integer(s, f, f->is_unsigned ? (int64_t)raw : (int8_t)raw);
        break;
    case JFR_CHAR:
        show_integer(s, f, (uint16_t)cur_varint(c));
        break;
    case JFR_SHORT:
        raw = cur_varint(c);
        show_integer(s, f, f->is_unsigned ? (uint16_t)raw : (int16_t)raw);
        break;
    case JFR_INT:
        raw = cur_varint(c);
        show_integer(s, f, f->is_unsigned ? (int64_t)(uint32_t)raw : (int32_t)raw);
        break;
    case JFR_LONG:
        show_integer(s, f, (int64_t)cur_varint(c));
        break;
    case JFR_FLOAT: {
        uint32_t bits = (uint32_t)cur_be(c, 4);
        float v;

        memcpy(&v, &bits, 4);
        show_float(s, f, v);
        break;
    }
    case JFR_DOUBLE: {
        uint64_t bits = cur_be(c, 8);
        double v;

        memcpy(&v, &bits, 8);
        show_float(s, f, v);
        break;
    }
    case JFR_STRING:
        show_text(s, jfr_str_read(c));
        break;
    case JFR_STRUCT:
        show_struct(s, f->type, c);
    }
}

static void show_element(struct showing *s, const struct jfr_field *f, struct cursor *c)
{
    if (f->is_pooled)
        show_pooled(s, f, cur_varint(c));
    else
        show_primitive(s, f, c);
}

static void skip_example_field(struct showing *s, const struct jfr_field *f, struct cursor *c)
{
    const struct jfr_plan *plan = NULL;
    uint64_t n = f->is_array ? cur_varint(c) : 1;

    if (f->is_pooled) {
        cur_skip_varints(c, n);
        return;
    }
    plan = jfr_plan_for_skipping(s->chunk, f->type);
    if (plan == NULL || (f->is_array && n > cur_left(c)))
        cur_fail(c);
    for (uint64_t i = 0; i < n && cur_ok(c); i++)
        jfr_plan_skip(plan, c);
}

/* The value of a field; c ends after it, or has failed. */
static void show_field(struct showing *s, const struct jfr_field *f, struct cursor *c)
{
    struct cursor here = *c;
    uint64_t n;

    skip_example_field(s, f, c);
    if (!cur_ok(c))
        return;
    if (!f->is_array) {
        show_element(s, f, &here);
        return;
    }
    n = cur_varint(&here);
    buf_byte(&s->b, '[');
    for (uint64_t i = 0; i < n && i < ELEMENTS_MAX && cur_ok(&here); i++) {
        if (i > 0)
            buf_str(&s->b, ", ");
        show_element(s, f, &here);
    }
    buf_str(&s->b, n > ELEMENTS_MAX ? ", ...]" : "]");
}

/* Is the field shown in an example? For classes, packages and the like only the name is, for
 * methods the class and the name. */
static bool is_informative(const struct jfr_class *cls, const struct jfr_field *f)
{
    const struct jfr_field *name = jfr_class_field(cls, "name");

    if (cls->is_simple || cls->n_fields == 1 || name == NULL)
        return true;
    if (strcmp(cls->simple, "Method") == 0 && strcmp(f->name, "type") == 0)
        return true;
    return f == name;
}

static void show_struct(struct showing *s, const struct jfr_class *cls, struct cursor *c)
{
    bool is_first = true, is_plain = cls->n_fields == 1 || jfr_class_field(cls, "name") != NULL;

    s->depth++;
    for (size_t i = 0; i < cls->n_fields && cur_ok(c) && s->b.n < BYTES_MAX; i++) {
        const struct jfr_field *f = &cls->fields[i];

        if (!is_informative(cls, f)) {
            skip_example_field(s, f, c);
            continue;
        }
        if (!is_first)
            buf_str(&s->b, is_plain ? "." : ", ");
        if (!is_plain)
            buf_printf(&s->b, "%s = ", f->name);
        show_field(s, f, c);
        is_first = false;
    }
    s->depth--;
}

/* Cuts the text at a character's start. */
static void cut_text(struct buf *b, size_t n)
{
    if (b->n <= n)
        return;
    while (n > 0 && (b->p[n] & 0xc0) == 0x80)
        n--;
    b->n = n;
    buf_str(b, "...");
}

const char *const *meta_example(struct arena *arena, struct jfr_chunk *chunk, struct jfr_event ev)
{
    size_t n = ev.type == NULL ? 0 : ev.type->n_fields;
    const char **texts = arena_array(arena, n, sizeof(*texts));
    struct showing s = {.chunk = chunk};

    for (size_t i = 0; i < n && texts != NULL; i++) {
        buf_reset(&s.b);
        show_field(&s, &ev.type->fields[i], &ev.body);
        if (strcmp(ev.type->fields[i].type->simple, "StackTrace") != 0)
            cut_text(&s.b, EXAMPLE_TEXT_MAX);
        else
            cut_text(&s.b, BYTES_MAX);
        buf_byte(&s.b, 0);
        texts[i] = buf_ok(&s.b) ? arena_strndup(arena, (const char *)s.b.p, s.b.n - 1) : NULL;
        if (texts[i] == NULL)
            texts = NULL;
    }
    buf_free(&s.b);
    return texts;
}
