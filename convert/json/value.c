/*
 * value.c - one value of a recording in the form of its shape: numbers, texts, objects, and
 * constants inside one another.
 *
 * json.c and the layouts call it for each field that they print.
 */
#include "convert/json/value.h"

#include "convert/text/javatext.h"
#include "convert/text/jsonw.h"

#include <math.h>

#define EXACT_MAX ((int64_t)1 << 53) /* integers up to here survive a double */

bool json_values_load(struct json_values *v, struct jfr_chunk *chunk,
                      const struct json_clock *clock)
{
    v->clock = *clock;
    buf_reset(&v->path);
    v->n_deep = 0;
    v->failed = false;
    return json_shapes_reset(&v->shapes, chunk);
}

void json_values_begin(struct json_values *v, const struct buf *b)
{
    v->start = b->n;
}

void json_values_free(struct json_values *v)
{
    json_shapes_free(&v->shapes);
    buf_free(&v->path);
    buf_free(&v->scratch);
}

static void put_null(struct json_values *v, enum json_form form, struct buf *b)
{
    v->is_null = true;
    if (form != JSON_FORM_PLAIN)
        buf_bytes(b, "null", 4);
}

static void put_quote(enum json_form form, struct buf *b)
{
    if (form != JSON_FORM_PLAIN)
        buf_byte(b, '"');
}

static void note_bad(struct json_values *v, const uint8_t *where, const char *what)
{
    if (v->bad != NULL)
        return;
    v->bad = where;
    v->what = what;
}

/* A number that may have a meaning: the name of its field's unit says which. */

static void put_integer(const struct json_style *style, enum json_form form, struct buf *b,
                        int64_t x, bool is_unsigned)
{
    bool is_text = style->text64 && form != JSON_FORM_PLAIN &&
                   (is_unsigned ? (uint64_t)x > EXACT_MAX : x > EXACT_MAX || x < -EXACT_MAX);

    if (is_text)
        buf_byte(b, '"');
    if (is_unsigned)
        jsonw_u64(b, (uint64_t)x);
    else
        jsonw_i64(b, x);
    if (is_text)
        buf_byte(b, '"');
}

static void put_time(const struct json_values *v, enum json_form form, struct buf *b, int64_t x,
                     enum jfr_unit unit)
{
    int32_t zone_s = v->clock.zone_s;

    put_quote(form, b);
    if (x == INT64_MIN)
        javatext_time_missing(b);
    else if (unit == JFR_UNIT_TIMESTAMP_TICKS)
        javatext_time_ns(b, jfr_epoch_ns(&v->clock.header, x), zone_s);
    else if (unit == JFR_UNIT_TIMESTAMP_MS)
        javatext_time_ms(b, x, zone_s);
    else if (unit == JFR_UNIT_TIMESTAMP_NS)
        javatext_time_ns(b, x, zone_s);
    else
        javatext_time(b, x, 0, zone_s);
    put_quote(form, b);
}

/* Special values are those of the file: what becomes one by conversion is an ordinary number of ns.
 * The JDK's tool multiplies microseconds without looking at the overflow. */
static void put_span(const struct json_values *v, enum json_form form, struct buf *b, int64_t x,
                     enum jfr_unit unit)
{
    enum json_rules rules = v->shapes.style->rules;
    int compat = rules == JSON_RULES_17 ? 17 : 25;
    bool is_special = x == INT64_MIN || (x == INT64_MAX && compat == 25);

    put_quote(form, b);
    if (is_special)
        javatext_span(b, x, JAVATEXT_NS, compat);
    else if (unit == JFR_UNIT_TICKS)
        javatext_span(b, jfr_span_ns(&v->clock.header, x), JAVATEXT_NS, 17);
    else if (unit == JFR_UNIT_US && rules != JSON_RULES_OWN)
        javatext_span(b, (int64_t)((uint64_t)x * 1000), JAVATEXT_NS, 17);
    else
        javatext_span(b, x, (enum javatext_unit)(unit - JFR_UNIT_NS + JAVATEXT_NS), compat);
    put_quote(form, b);
}

int64_t json_span_ns(const struct json_clock *clock, int64_t x, enum jfr_unit unit)
{
    static const int64_t factors[] = {1, 1000, 1000000, 1000000000};
    int64_t ns;

    if (unit == JFR_UNIT_TICKS)
        ns = jfr_span_ns(&clock->header, x);
    else if (__builtin_mul_overflow(x, factors[unit - JFR_UNIT_NS], &ns))
        ns = x < 0 ? INT64_MIN : INT64_MAX;
    return ns;
}

static void put_number(struct json_values *v, enum json_form form, struct buf *b, int64_t x,
                       const struct jfr_field *field, bool is_unsigned)
{
    const struct json_style *style = v->shapes.style;
    enum jfr_unit unit = field == NULL ? JFR_UNIT_NONE : field->unit;
    bool is_time = jfr_unit_is_time(unit);
    bool is_span = jfr_unit_is_span(unit);

    if (unit == JFR_UNIT_TIMESTAMP_S && (x > INT64_C(1) << 55 || x < -(INT64_C(1) << 55)))
        is_time = false;
    if (!is_time && !is_span)
        put_integer(style, form, b, x, is_unsigned);
    else if (x == INT64_MIN && style->rules == JSON_RULES_OWN)
        put_null(v, form, b);
    else if (is_time)
        put_time(v, form, b, x, unit);
    else if (style->plain_spans)
        jsonw_i64(b, json_span_ns(&v->clock, x, unit));
    else
        put_span(v, form, b, x, unit);
}

static unsigned width_of(enum jfr_kind kind)
{
    return kind == JFR_BYTE ? 8 : kind == JFR_SHORT ? 16 : kind == JFR_INT ? 32 : 64;
}

static void put_whole(struct json_values *v, const struct json_shape *shape,
                      const struct jfr_field *field, struct cursor *c, struct buf *b)
{
    enum jfr_kind kind = shape->cls->kind;
    uint64_t x = kind == JFR_BYTE ? cur_be(c, 1) : cur_varint(c);
    unsigned unused = 64 - width_of(kind);
    bool is_unsigned =
        field != NULL && field->is_unsigned && v->shapes.style->rules != JSON_RULES_17;

    if (!cur_ok(c))
        put_null(v, shape->form, b);
    else if (is_unsigned)
        put_number(v, shape->form, b, (int64_t)(x << unused >> unused), field, true);
    else
        put_number(v, shape->form, b, (int64_t)(x << unused) >> unused, field, false);
}

static void put_boolean(struct json_values *v, enum json_form form, struct cursor *c, struct buf *b)
{
    bool x = cur_be(c, 1) != 0;

    if (!cur_ok(c))
        put_null(v, form, b);
    else if (x)
        buf_bytes(b, "true", 4);
    else
        buf_bytes(b, "false", 5);
}

static void put_float(struct json_values *v, const struct json_shape *shape, struct cursor *c,
                      struct buf *b)
{
    bool is_float = shape->cls->kind == JFR_FLOAT;
    uint64_t bits = cur_be(c, is_float ? 4 : 8);
    uint32_t low = (uint32_t)bits;
    double d;
    float f;

    memcpy(&f, &low, sizeof(f));
    memcpy(&d, &bits, sizeof(d));
    if (!cur_ok(c) || !(is_float ? isfinite(f) : isfinite(d)))
        put_null(v, shape->form, b);
    else if (is_float)
        jsonw_float(b, f);
    else
        jsonw_double(b, d);
}

static void put_str(struct json_values *v, enum json_form form, struct jfr_str s, struct buf *b)
{
    if (jfr_str_is_null(s))
        put_null(v, form, b);
    else if (form == JSON_FORM_PLAIN)
        jfr_str_append_utf8(b, s);
    else if (v->shapes.style->rules == JSON_RULES_OWN)
        jsonw_jfr_plain(b, s);
    else
        jsonw_jfr_str(b, s);
}

static void put_char(struct json_values *v, enum json_form form, struct cursor *c, struct buf *b)
{
    uint16_t unit = (uint16_t)cur_varint(c);
    uint8_t body[9];
    struct buf one = buf_fixed(body, sizeof(body));

    buf_varint(&one, unit);
    if (!cur_ok(c))
        put_null(v, form, b);
    else
        put_str(v, form, (struct jfr_str){body, 1, one.n, JFR_STR_UTF16}, b);
}

static void put_string(struct json_values *v, enum json_form form, struct cursor *c, struct buf *b)
{
    struct jfr_str s = jfr_str_read(c);

    if (s.encoding == JFR_STR_CONSTANT)
        s = jfr_chunk_resolve(v->shapes.chunk, s);
    put_str(v, form, s, b);
}

/* Structures: objects, pool entries, arrays. They call one another as deep as the limits allow. */

static void put_value(struct json_values *v, struct json_shape *shape,
                      const struct jfr_field *field, bool to_end, struct cursor *c, struct buf *b);

static bool has_room(const struct json_values *v, const struct buf *b, size_t more)
{
    return b->n - v->start + more <= v->shapes.style->text_max;
}

static bool is_on_path(const struct json_values *v, const struct jfr_class *cls, uint64_t key)
{
    const struct json_path *path = (const void *)v->path.p;

    for (size_t i = v->path.n / sizeof(*path); i-- > 0;)
        if (path[i].cls == cls && path[i].key == key)
            return true;
    return false;
}

static void leave_out(struct json_values *v, enum json_form form, const uint8_t *where,
                      struct buf *b)
{
    const char *text = NULL;

    v->is_cut = true;
    if (!has_room(v, b, 0)) {
        note_bad(v, where, "the text of this event is too long");
        text = "[text too long]";
    } else if (v->path.n / sizeof(struct json_path) >= v->shapes.style->nesting) {
        note_bad(v, where, "values are nested too deeply, see --nesting");
        text = "[nested too deeply]";
    }
    if (text == NULL) {
        put_null(v, form, b);
        return;
    }
    put_quote(form, b);
    buf_str(b, text);
    put_quote(form, b);
}

/* Entry i of the shape's pool, made anew, and kept for the next time if it is the same anywhere. */
static void make_entry(struct json_values *v, struct json_shape *shape, uint64_t key, size_t i,
                       struct buf *b)
{
    struct cursor value = jfr_pool_value(shape->pool, i);
    bool was_cut = v->is_cut;
    size_t start = b->n;

    v->is_cut = false;
    buf_bytes(&v->path, &(struct json_path){shape->cls, key}, sizeof(struct json_path));
    if (!buf_ok(&v->path)) {
        v->failed = true;
        put_null(v, shape->form, b);
        return;
    }
    v->is_null = false;
    put_value(v, shape, NULL, false, &value, b);
    v->path.n -= sizeof(struct json_path);
    if (!cur_ok(&value)) {
        v->is_cut = true; /* so that every event that needs it is reported */
        note_bad(v, value.fail, "a constant ends inside a value");
    }
    if (!v->is_cut && buf_ok(b) && (shape->form == JSON_FORM_JSON || !v->is_null))
        json_shape_store(&v->shapes, shape, i, b->p + start, b->n - start);
    v->is_cut |= was_cut;
}

int64_t json_value_find_entry(struct json_values *v, struct json_shape *shape, uint64_t key)
{
    if (shape->cls->is_unknown)
        return -1;
    if (shape->pool == NULL && !json_shape_open_pool(&v->shapes, shape)) {
        v->failed = true;
        return -1;
    }
    return jfr_pool_find(shape->pool, key);
}

static void put_entry(struct json_values *v, struct json_shape *shape, uint64_t key,
                      const uint8_t *where, struct buf *b)
{
    int64_t i = json_value_find_entry(v, shape, key);

    if (i < 0) {
        put_null(v, shape->form, b);
    } else if (v->put_entry != NULL && v->put_entry(v->ctx, shape, (size_t)i, b)) {
        return;
    } else if (shape->kept != NULL && shape->kept[i].n > 0 && has_room(v, b, shape->kept[i].n)) {
        buf_bytes(b, v->shapes.store.p + shape->kept[i].at, shape->kept[i].n);
    } else if (v->path.n / sizeof(struct json_path) >= v->shapes.style->nesting ||
               !has_room(v, b, 0) || is_on_path(v, shape->cls, key)) {
        leave_out(v, shape->form, where, b);
    } else {
        make_entry(v, shape, key, (size_t)i, b);
    }
}

static void put_element(struct json_values *v, const struct json_member *m, struct cursor *c,
                        struct buf *b)
{
    const uint8_t *where = c->p;
    uint64_t key;

    if (!m->field->is_pooled) {
        put_value(v, m->shape, m->field, true, c, b);
        return;
    }
    key = cur_varint(c);
    if (cur_ok(c))
        put_entry(v, m->shape, key, where, b);
    else
        put_null(v, m->form, b);
}

/* An array up to `max` elements; false when there are more. */
static bool put_array(struct json_values *v, const struct json_member *m, size_t max,
                      struct cursor *c, struct buf *b)
{
    bool is_pretty = v->shapes.style->is_pretty;
    uint64_t n = cur_varint(c);

    if (n > cur_left(c))
        cur_fail(c);
    if (!cur_ok(c)) {
        put_null(v, m->form, b);
        return true;
    }
    buf_byte(b, '[');
    for (uint64_t i = 0; i < n && i < max && cur_ok(c); i++) {
        if (i > 0)
            buf_bytes(b, ", ", is_pretty ? 2 : 1);
        if (!has_room(v, b, 0)) {
            leave_out(v, JSON_FORM_JSON, c->p, b);
            max = i;
            break;
        }
        put_element(v, m, c, b);
    }
    buf_byte(b, ']');
    return n <= max;
}

static void skip_structure(struct json_values *v, const struct jfr_class *cls, struct cursor *c)
{
    const struct jfr_plan *plan = jfr_plan_for_skipping(v->shapes.chunk, cls);

    if (plan == NULL)
        cur_fail(c);
    else
        jfr_plan_skip(plan, c);
}

/* Makes a string of the structure or array after `begin`. */
static void quote_structure(struct json_values *v, size_t begin, struct buf *b)
{
    if (!buf_ok(b) || (b->p[begin] != '[' && b->p[begin] != '{'))
        return;
    buf_reset(&v->scratch);
    buf_bytes(&v->scratch, b->p + begin, b->n - begin);
    v->failed |= !buf_ok(&v->scratch);
    b->n = begin;
    jsonw_str(b, (const char *)v->scratch.p, v->scratch.n);
}

static void put_member(struct json_values *v, const struct json_member *m, bool to_end,
                       struct cursor *c, struct buf *b)
{
    struct cursor start = *c;
    size_t max = m->is_frames ? v->shapes.style->stack_depth : SIZE_MAX, begin = b->n;

    if (!m->field->is_array) {
        put_element(v, m, c, b);
        return;
    }
    if (!put_array(v, m, max, c, b) && to_end) {
        *c = start;
        jfr_plan_skip_field(v->shapes.chunk, m->field, c);
    }
    if (m->form == JSON_FORM_NAME)
        quote_structure(v, begin, b);
}

bool json_value_compile(struct json_values *v, struct json_shape *shape)
{
    if (shape->members == NULL && !json_shape_compile(&v->shapes, shape))
        v->failed = true;
    return !v->failed;
}

static void put_before_deep(const struct json_values *v, const struct json_member *m, struct buf *b)
{
    if (m->before.n == 0) /* of a simple type */
        return;
    buf_bytes(b, m->before.p, m->n_open);
    json_new_line(v->shapes.style, b, JSON_DEEP + v->n_deep);
    buf_bytes(b, m->before.p + m->n_open, m->before.n - m->n_open);
}

/* The wanted members of an object; the cursor ends after it if to_end requests that. */
static void put_members(struct json_values *v, const struct json_shape *shape, bool to_end,
                        struct cursor *c, struct buf *b)
{
    size_t n = to_end ? shape->n_members : shape->n_needed;

    for (size_t i = 0; i < n; i++) {
        const struct json_member *m = &shape->members[i];
        if (m->shape == NULL) {
            jfr_plan_skip_field(v->shapes.chunk, m->field, c);
            continue;
        }
        if (shape->is_deep)
            put_before_deep(v, m, b);
        else
            buf_bytes(b, m->before.p, m->before.n);
        put_member(v, m, to_end || i + 1 < n, c, b);
    }
    if (shape->is_deep && !shape->cls->is_simple && shape->n_needed > 0)
        json_new_line(v->shapes.style, b, JSON_DEEP + v->n_deep - 1);
    buf_bytes(b, shape->after.p, shape->after.n);
}

/* The name of a structure, of a form that shows names. False when it has none. */
static bool put_structure_name(struct json_values *v, const struct json_shape *shape,
                               struct cursor c, struct buf *b)
{
    size_t begin = b->n;

    for (size_t i = 0; i < shape->n_names; i++) {
        const struct json_member *m = &shape->names[i];
        struct cursor at = c;

        for (const struct jfr_field *f = shape->cls->fields; f < m->field; f++)
            jfr_plan_skip_field(v->shapes.chunk, f, &at);
        v->is_null = false;
        put_member(v, m, false, &at, b);
        if (!v->is_null || (shape->is_class && i + 1 == shape->n_names))
            return true;
        b->n = begin;
    }
    return false;
}

static void put_struct(struct json_values *v, struct json_shape *shape, bool to_end,
                       struct cursor *c, struct buf *b)
{
    size_t deeper = shape->is_deep && !shape->cls->is_simple, begin = b->n;

    if (shape->cls->is_unknown)
        cur_fail(c);
    if (!cur_ok(c) || !json_value_compile(v, shape) ||
        (shape->n_needed == 0 && (shape->cls->is_simple || shape->form == JSON_FORM_PLAIN))) {
        put_null(v, shape->form, b);
        return;
    }
    if (shape->n_names > 0 && put_structure_name(v, shape, *c, b)) {
        if (to_end)
            skip_structure(v, shape->cls, c);
        return;
    }
    v->n_deep += deeper;
    put_members(v, shape, to_end, c, b);
    v->n_deep -= deeper;
    if (shape->form == JSON_FORM_NAME)
        quote_structure(v, begin, b);
}

static void put_value(struct json_values *v, struct json_shape *shape,
                      const struct jfr_field *field, bool to_end, struct cursor *c, struct buf *b)
{
    switch (shape->cls->kind) {
    case JFR_STRUCT:
        put_struct(v, shape, to_end, c, b);
        break;
    case JFR_BOOLEAN:
        put_boolean(v, shape->form, c, b);
        break;
    case JFR_CHAR:
        put_char(v, shape->form, c, b);
        break;
    case JFR_FLOAT:
    case JFR_DOUBLE:
        put_float(v, shape, c, b);
        break;
    case JFR_STRING:
        put_string(v, shape->form, c, b);
        break;
    default:
        put_whole(v, shape, field, c, b);
    }
}

static void finish(struct json_values *v, const struct cursor *c)
{
    if (!cur_ok(c))
        note_bad(v, c->fail, "the event ends inside a value");
}

void json_value_object(struct json_values *v, struct json_shape *shape, struct cursor *c,
                       struct buf *b)
{
    put_struct(v, shape, false, c, b);
    finish(v, c);
}

void json_value_member(struct json_values *v, const struct json_member *m, struct cursor *c,
                       struct buf *b)
{
    if (m->shape == NULL)
        jfr_plan_skip_field(v->shapes.chunk, m->field, c);
    else
        put_member(v, m, true, c, b);
    finish(v, c);
}

void json_value_entry(struct json_values *v, struct json_shape *shape, size_t i, struct buf *b)
{
    size_t start = v->start;

    v->start = b->n;
    make_entry(v, shape, jfr_pool_key(shape->pool, i), i, b);
    v->start = start;
}
