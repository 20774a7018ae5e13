/*
 * metadata.c - writes the types of a 0.9 chunk as a metadata event of version 2.1 (jfr-format §5).
 *
 * In: the classes that types.c made of the chunk's descriptors. Out: the bytes that read/metadata.c
 * parses. Elements come first and name their texts by number; the table of texts follows.
 */
#include "jfrfmt/v0/model.h"
#include "jfrfmt/v0/names.h"

#include "jfrfmt/base/intern.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SEGMENTS_MAX 8 /* of a category */

/* The elements are written first, with numbers for texts; then the table of those texts. */
struct writer {
    struct v0_chunk *ch;
    struct buf elements;
    struct intern texts;
    char gmt_offset[16];
    bool failed;
};

static void put(struct writer *w, struct v0_text t)
{
    uint32_t number = intern_add(&w->texts, t.p, t.n);

    w->failed |= number == INTERN_FAILED;
    buf_varint(&w->elements, number);
}

static void put_metadata_str(struct writer *w, const char *s)
{
    put(w, (struct v0_text){s, strlen(s)});
}

/* An element's name and number of attributes; these follow, then the number of its children. */
static void open_element(struct writer *w, const char *name, unsigned n_attrs)
{
    put_metadata_str(w, name);
    buf_varint(&w->elements, n_attrs);
}

static void put_count(struct writer *w, size_t n)
{
    buf_varint(&w->elements, n);
}

static void put_attr(struct writer *w, const char *key, struct v0_text value)
{
    put_metadata_str(w, key);
    put(w, value);
}

static void attr_class(struct writer *w, uint32_t cls)
{
    put_attr(w, "class", v0_class(w->ch, cls)->id);
}

/* An annotation of one member, or of none when value is empty. */
static void annotate(struct writer *w, uint32_t cls, struct v0_text value)
{
    open_element(w, "annotation", value.n > 0 ? 2 : 1);
    attr_class(w, cls);
    if (value.n > 0)
        put_attr(w, "value", value);
    put_count(w, 0);
}

static const struct unit {
    uint32_t cls;
    struct v0_text value;
} units[] = {
    [V0_UNIT_BYTES] = {V0_C_DATA_AMOUNT, V0_TEXT("BYTES")},
    [V0_UNIT_EPOCH_MS] = {V0_C_TIMESTAMP, V0_TEXT("MILLISECONDS_SINCE_EPOCH")},
    [V0_UNIT_EPOCH_TICKS] = {V0_C_TIMESTAMP, V0_TEXT("TICKS")},
    [V0_UNIT_MS] = {V0_C_TIMESPAN, V0_TEXT("MILLISECONDS")},
    [V0_UNIT_NS] = {V0_C_TIMESPAN, V0_TEXT("NANOSECONDS")},
    [V0_UNIT_TICKS] = {V0_C_TIMESPAN, V0_TEXT("TICKS")},
    [V0_UNIT_ADDRESS] = {V0_C_ADDRESS, {0}},
    [V0_UNIT_PERCENT] = {V0_C_PERCENTAGE, {0}},
};

static void put_v0_field(struct writer *w, const struct v0_col *col)
{
    open_element(w, "field", 2u + col->is_array + col->is_pooled);
    put_attr(w, "name", col->name);
    attr_class(w, col->cls);
    if (col->is_array)
        put_attr(w, "dimension", V0_TEXT("1"));
    if (col->is_pooled)
        put_attr(w, "constantPool", V0_TEXT("true"));
    put_count(w, (size_t)(col->label.n > 0) + (col->description.n > 0) + col->is_unsigned +
                     (col->unit != V0_UNIT_NONE));
    if (col->label.n > 0)
        annotate(w, V0_C_LABEL, col->label);
    if (col->description.n > 0)
        annotate(w, V0_C_DESCRIPTION, col->description);
    if (col->is_unsigned)
        annotate(w, V0_C_UNSIGNED, (struct v0_text){0});
    if (col->unit != V0_UNIT_NONE)
        annotate(w, units[col->unit].cls, units[col->unit].value);
}

static unsigned n_segments(struct v0_text path)
{
    unsigned n = 0;

    for (size_t i = 0; i < path.n && n < SEGMENTS_MAX; i++)
        n += path.p[i] == '/';
    return n;
}

/* All segments of the path but the last, which is the event itself. */
static void put_category(struct writer *w, struct v0_text path)
{
    static const char *const keys[SEGMENTS_MAX] = {"value-0", "value-1", "value-2", "value-3",
                                                   "value-4", "value-5", "value-6", "value-7"};
    unsigned n = n_segments(path);

    open_element(w, "annotation", 1 + n);
    attr_class(w, V0_C_CATEGORY);
    for (unsigned i = 0; i < n; i++) {
        size_t length = (size_t)((const char *)memchr(path.p, '/', path.n) - path.p);
        put_attr(w, keys[i], v0_category(&w->ch->arena, (struct v0_text){path.p, length}));
        path.p += length + 1;
        path.n -= length + 1;
    }
    put_count(w, 0);
}

static void put_class(struct writer *w, const struct v0_class *cls)
{
    bool has_category = n_segments(cls->path) > 0;

    open_element(w, "class", 2u + (cls->super != NULL) + cls->is_simple);
    put_attr(w, "name", cls->name);
    put_attr(w, "id", cls->id);
    if (cls->super != NULL)
        put_attr(w, "superType", (struct v0_text){cls->super, strlen(cls->super)});
    if (cls->is_simple)
        put_attr(w, "simpleType", V0_TEXT("true"));
    put_count(w, cls->n_cols + (cls->label.n > 0) + (cls->description.n > 0) + has_category +
                     cls->is_content_type);
    for (size_t i = 0; i < cls->n_cols; i++)
        put_v0_field(w, &cls->cols[i]);
    if (cls->label.n > 0)
        annotate(w, V0_C_LABEL, cls->label);
    if (cls->description.n > 0)
        annotate(w, V0_C_DESCRIPTION, cls->description);
    if (has_category)
        put_category(w, cls->path);
    if (cls->is_content_type)
        annotate(w, V0_C_CONTENT_TYPE, (struct v0_text){0});
}

static void put_elements(struct writer *w)
{
    size_t n = v0_n_classes(w->ch), n_named = 0;

    for (size_t i = 0; i < n; i++)
        n_named += v0_class(w->ch, i)->name.n > 0;
    open_element(w, "root", 0);
    put_count(w, 2);
    open_element(w, "metadata", 0);
    put_count(w, n_named);
    for (size_t i = 0; i < n; i++)
        if (v0_class(w->ch, i)->name.n > 0)
            put_class(w, v0_class(w->ch, i));
    open_element(w, "region", 2);
    put_attr(w, "locale", w->ch->locale);
    put_metadata_str(w, "gmtOffset");
    put_metadata_str(w, w->gmt_offset);
    put_count(w, 0);
}

static void put_metadata_texts(const struct writer *w, struct buf *out)
{
    buf_varint(out, intern_n(&w->texts));
    for (uint32_t i = 0; i < intern_n(&w->texts); i++) {
        size_t n;
        const char *text = intern_get(&w->texts, i, &n);

        buf_byte(out, 3); /* UTF-8 */
        buf_varint(out, n);
        buf_bytes(out, text, n);
    }
}

void v0_put_metadata(struct v0_chunk *ch, struct buf *out)
{
    struct writer w = {.ch = ch};
    size_t at = v0_begin_event(out, 0);

    snprintf(w.gmt_offset, sizeof(w.gmt_offset), "%" PRId32, ch->gmt_offset_ms);
    buf_varint(out, (uint64_t)ch->start_ticks);
    buf_varint(out, 0); /* duration */
    buf_varint(out, ch->in.base + 1); /* an id that no other chunk of the file has */
    put_elements(&w);
    put_metadata_texts(&w, out);
    buf_bytes(out, w.elements.p, w.elements.n);
    v0_end_event(out, at);
    if (w.failed || !buf_ok(&w.elements) || !arena_ok(&ch->arena))
        out->failed = true;
    buf_free(&w.elements);
    intern_free(&w.texts);
}
