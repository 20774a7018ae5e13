/*
 * xml.c - the layout xml: what `jfr print --xml` prints.
 *
 *     <event type="jdk.ThreadSleep">
 *       <value name="startTime">2026-11-20T09:34:16.067Z</value>
 *       <struct name="eventThread">
 *         <value name="osName">main</value>
 *
 * Single values are those of JSON, as plain text (value.c). By the JDK's rules a character beyond
 * ASCII is written as the numbers of its UTF-16 units, and control characters stay, so some texts
 * are not well-formed; by our own rules it is one number, and what XML does not allow is U+FFFD.
 */
#include "convert/json/internal.h"
#include "convert/text/javatext.h"
#include "jfrfmt/base/utf8.h"

#include <inttypes.h>
#include <math.h>

#define INDENT 2
#define EVENT_INDENT 4

struct xml {
    struct json_worker *w;
    struct buf *b;
    unsigned depth; /* structures around the value */
    struct json_path path[JSON_DEEP]; /* the constants among them */
    unsigned n_path;
};

static void put_xml_indent(struct buf *b, unsigned n)
{
    for (; n > 0; n--)
        buf_byte(b, ' ');
}

/* --- texts --- */

static bool is_xml_character(uint32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c < 0xd800) ||
           (c >= 0xe000 && c < 0xfffe) || (c >= 0x10000 && c < 0x110000);
}

static void put_xml_character(struct buf *b, uint32_t c, bool is_own)
{
    static const struct {
        char c;
        const char *text;
    } names[] = {{'"', "&quot;"}, {'&', "&amp;"}, {'\'', "&apos;"}, {'<', "&lt;"}, {'>', "&gt;"}};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (c == (uint32_t)names[i].c) {
            buf_str(b, names[i].text);
            return;
        }
    if (is_own && !is_xml_character(c))
        c = 0xfffd;
    if (c < 0x80)
        buf_byte(b, (uint8_t)c);
    else if (c < 0x10000 || is_own)
        buf_printf(b, "&#%" PRIu32 ";", c);
    else
        buf_printf(b, "&#%" PRIu32 ";&#%" PRIu32 ";", 0xd800 + ((c - 0x10000) >> 10),
                   0xdc00 + ((c - 0x10000) & 0x3ff));
}

static void put_xml_text(const struct xml *x, const uint8_t *p, size_t n)
{
    bool is_own = x->w->options->style.rules == JSON_RULES_OWN;

    for (const uint8_t *end = p + n; p < end;)
        put_xml_character(x->b, utf8_next_jvm(&p, end), is_own);
}

static void put_xml_attribute(const struct xml *x, const char *name, const char *text)
{
    buf_printf(x->b, " %s=\"", name);
    put_xml_text(x, (const uint8_t *)text, strlen(text));
    buf_byte(x->b, '"');
}

/* --- elements --- */

struct xml_place { /* what a value is of the one around it */
    const char *name; /* of a field; NULL: it is an element of an array, */
    uint64_t index; /* and which one */
    unsigned indent;
};

static void begin_element(const struct xml *x, const char *kind, const struct xml_place *place)
{
    put_xml_indent(x->b, place->indent);
    buf_printf(x->b, "<%s", kind);
    if (place->name != NULL)
        put_xml_attribute(x, "name", place->name);
    else
        buf_printf(x->b, " index=\"%" PRIu64 "\"", place->index);
}

static void put_nil(const struct xml *x, const char *kind, const struct xml_place *place)
{
    begin_element(x, kind, place);
    buf_str(x->b, " xsi:nil=\"true\"/>\n");
}

static void put_xml_element(struct xml *x, const struct buf *text, bool is_null,
                            const struct xml_place *place)
{
    if (is_null) {
        put_nil(x, "value", place);
        return;
    }
    begin_element(x, "value", place);
    buf_byte(x->b, '>');
    put_xml_text(x, text->p, text->n);
    buf_str(x->b, "</value>\n");
    x->w->values.failed |= !buf_ok(text);
}

static void put_xml_string(struct xml *x, const struct jfr_field *f, struct cursor *c,
                           const struct xml_place *place)
{
    struct jfr_chunk *chunk = x->w->values.shapes.chunk;
    struct buf text = {0};
    struct jfr_str s;

    if (f->is_pooled)
        s = jfr_simple_text(chunk, f->type, cur_varint(c));
    else
        s = jfr_chunk_resolve(chunk, jfr_str_read(c));
    if (x->w->options->style.rules == JSON_RULES_OWN)
        jfr_str_append_utf8(&text, s);
    else
        javatext_string(&text, s);
    put_xml_element(x, &text, jfr_str_is_null(s) || s.encoding == JFR_STR_CONSTANT, place);
    buf_free(&text);
}

/* A number; what is none is a word, where JSON has null. */
static void put_xml_real(struct xml *x, const struct jfr_field *f, struct cursor *c,
                         const struct xml_place *place)
{
    bool is_float = f->type->kind == JFR_FLOAT;
    uint64_t bits = cur_be(c, is_float ? 4 : 8);
    uint32_t low = (uint32_t)bits;
    struct buf text = {0};
    float single;
    double d;

    memcpy(&single, &low, sizeof(single));
    memcpy(&d, &bits, sizeof(d));
    d = is_float ? (double)single : d;
    if (!isfinite(d))
        buf_str(&text, isnan(d) ? "NaN" : d > 0 ? "Infinity" : "-Infinity");
    else if (is_float)
        javatext_float(&text, single);
    else
        javatext_double(&text, d);
    put_xml_element(x, &text, !cur_ok(c), place);
    buf_free(&text);
}

/* Any other value of one text: as in JSON, but plain. */
static void put_leaf(struct xml *x, const struct jfr_field *f, struct cursor *c,
                     const struct xml_place *place)
{
    struct json_values *v = &x->w->values;
    struct json_member m = {.field = f, .form = JSON_FORM_PLAIN};
    size_t start = v->start;
    struct buf text = {0};

    m.shape = json_shape_get(&v->shapes, f->type, 0, NULL, JSON_FORM_PLAIN);
    if (m.shape == NULL) {
        v->failed = true;
        return;
    }
    v->is_null = false;
    v->start = 0;
    json_value_member(v, &m, c, &text);
    v->start = start;
    put_xml_element(x, &text, v->is_null, place);
    buf_free(&text);
}

static void put_xml_fields(struct xml *x, const struct jfr_class *cls, struct cursor *c,
                           unsigned indent);

static bool may_be_written(struct xml *x, const uint8_t *where)
{
    struct json_values *v = &x->w->values;
    bool is_short = x->b->n - v->start < x->w->options->style.text_max;

    if (is_short && x->depth < JSON_DEEP)
        return true;
    if (v->bad == NULL) {
        v->bad = where;
        v->what = is_short ? "values are nested too deeply" : "the text of this event is too long";
    }
    return false;
}

static void put_xml_struct(struct xml *x, const struct jfr_class *cls, struct cursor *c,
                           const struct xml_place *place)
{
    begin_element(x, "struct", place);
    buf_str(x->b, ">\n");
    x->depth++;
    put_xml_fields(x, cls, c, place->indent + INDENT);
    x->depth--;
    put_xml_indent(x->b, place->indent);
    buf_str(x->b, "</struct>\n");
}

/* Is the constant one of those around it? */
static bool holds_itself(const struct xml *x, const struct jfr_class *cls, uint64_t key)
{
    for (unsigned i = 0; i < x->n_path; i++)
        if (x->path[i].cls == cls && x->path[i].key == key)
            return true;
    return false;
}

/* A structure in the bytes, or a constant. */
static void put_structure(struct xml *x, const struct jfr_field *f, struct cursor *c,
                          const struct xml_place *place)
{
    struct json_values *v = &x->w->values;
    const uint8_t *where = c->p;
    struct json_shape *shape;
    struct cursor value;
    uint64_t key;
    int64_t i;

    if (!f->is_pooled) {
        if (may_be_written(x, where))
            put_xml_struct(x, f->type, c, place);
        else
            cur_fail(c);
        return;
    }
    shape = json_shape_get(&v->shapes, f->type, 0, NULL, JSON_FORM_JSON);
    if (shape == NULL) {
        v->failed = true;
        return;
    }
    key = cur_varint(c);
    i = json_value_find_entry(v, shape, key);
    if (i < 0 || !cur_ok(c) || holds_itself(x, f->type, key) || !may_be_written(x, where)) {
        put_nil(x, "struct", place);
        return;
    }
    x->path[x->n_path++] = (struct json_path){f->type, key};
    value = jfr_pool_value(shape->pool, (size_t)i);
    put_xml_struct(x, f->type, &value, place);
    x->n_path--;
    if (!cur_ok(&value) && v->bad == NULL) {
        v->bad = value.fail;
        v->what = "a constant ends inside a value";
    }
}

static void put_single(struct xml *x, const struct jfr_field *f, struct cursor *c,
                       const struct xml_place *place)
{
    enum jfr_kind kind = jfr_class_shown(f->type)->kind;

    if (kind == JFR_STRUCT)
        put_structure(x, f, c, place);
    else if (kind == JFR_STRING && (f->is_pooled || f->type->kind == JFR_STRING))
        put_xml_string(x, f, c, place);
    else if (!f->is_pooled && (f->type->kind == JFR_FLOAT || f->type->kind == JFR_DOUBLE))
        put_xml_real(x, f, c, place);
    else
        put_leaf(x, f, c, place);
}

/* An array; of frames only as many as are wanted, though its size is that of all. */
static void put_xml_array(struct xml *x, const struct jfr_field *f, struct cursor *c,
                          const struct xml_place *place)
{
    struct jfr_field element = *f;
    bool is_frames = strcmp(f->type->simple, "StackFrame") == 0;
    uint64_t n = cur_varint(c), most = is_frames ? x->w->options->style.stack_depth : UINT64_MAX;

    element.is_array = false;
    if (n > cur_left(c))
        cur_fail(c);
    if (!cur_ok(c))
        n = 0;
    begin_element(x, "array", place);
    buf_printf(x->b, " size=\"%" PRIu64 "\">\n", n);
    for (uint64_t i = 0; i < n && i < most && cur_ok(c); i++) {
        const struct xml_place inner = {NULL, i, place->indent + INDENT};

        put_single(x, &element, c, &inner);
    }
    if (n > most && cur_ok(c))
        jfr_plan_skip_values(x->w->values.shapes.chunk, &element, n - most, c);
    put_xml_indent(x->b, place->indent);
    buf_str(x->b, "</array>\n");
}

static void put_xml_fields(struct xml *x, const struct jfr_class *cls, struct cursor *c,
                           unsigned indent)
{
    for (size_t i = 0; i < cls->n_fields && cur_ok(c); i++) {
        const struct jfr_field *f = &cls->fields[i];
        const struct xml_place place = {f->name, 0, indent};

        if (f->is_array)
            put_xml_array(x, f, c, &place);
        else
            put_single(x, f, c, &place);
    }
}

static void put_xml_event(struct json_worker *w, struct json_class *class, struct cursor *c)
{
    struct xml x = {.w = w, .b = &w->out->b};
    struct json_values *v = &w->values;

    (void)class;
    put_xml_indent(x.b, EVENT_INDENT);
    buf_str(x.b, "<event");
    put_xml_attribute(&x, "type", w->ev->type->name);
    buf_str(x.b, ">\n");
    put_xml_fields(&x, w->ev->type, c, EVENT_INDENT + INDENT);
    put_xml_indent(x.b, EVENT_INDENT);
    buf_str(x.b, "</event>\n\n");
    if (!cur_ok(c) && v->bad == NULL) {
        v->bad = c->fail;
        v->what = "the event ends inside a value";
    }
}

const struct json_layout json_layout_xml = {
    .name = "xml",
    .rules = JSON_RULES_25,
    .stack_depth = 5,
    .separator = "",
    .before = "",
    .after = "",
    .begin = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<recording xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n  <events>\n",
    .end = "  </events>\n</recording>\n",
    .event = put_xml_event,
};
