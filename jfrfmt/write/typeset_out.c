/*
 * typeset_out.c - the metadata event: a table of strings, then a tree of elements (jfr-format §5).
 *
 * metadata_write() is called for each chunk, and again when a type was added meanwhile. The tree
 * refers to strings by number, so it is built first, in memory, and written after the table.
 */
#include "jfrfmt/write/typeset.h"

#include "jfrfmt/base/intern.h"
#include "jfrfmt/base/text.h"

#include <stdio.h>
#include <stdlib.h>

struct tree {
    struct intern strings; /* numbered as they come */
    struct buf *out;
    const int64_t *ids; /* by class index; NULL: as the classes say */
};

static int64_t id_of(const struct tree *t, const struct jfr_class *c)
{
    return t->ids == NULL ? c->id : t->ids[c->index];
}

static void put(struct tree *t, const char *s)
{
    uint32_t number = intern_add(&t->strings, s, strlen(s));

    t->out->failed |= number == INTERN_FAILED;
    buf_varint(t->out, number);
}

static void put_element_attr(struct tree *t, const char *key, const char *value)
{
    put(t, key);
    put(t, value);
}

static void attr_number(struct tree *t, const char *key, int64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%lld", (long long)value);
    put_element_attr(t, key, text);
}

static void annotations(struct tree *t, const struct jfr_annotation *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put(t, "annotation");
        buf_varint(t->out, 1 + list[i].n_attrs);
        attr_number(t, "class", id_of(t, list[i].type));
        for (size_t k = 0; k < list[i].n_attrs; k++)
            put_element_attr(t, list[i].attrs[k].key, list[i].attrs[k].value);
        buf_varint(t->out, 0);
    }
}

static void setting(struct tree *t, const struct jfr_setting *s)
{
    put(t, "setting");
    buf_varint(t->out, 2 + (s->default_value != NULL));
    put_element_attr(t, "name", s->name);
    attr_number(t, "class", id_of(t, s->type));
    if (s->default_value != NULL)
        put_element_attr(t, "defaultValue", s->default_value);
    buf_varint(t->out, s->n_annotations);
    annotations(t, s->annotations, s->n_annotations);
}

static void field(struct tree *t, const struct jfr_field *f)
{
    put(t, "field");
    buf_varint(t->out, 2 + f->is_array + f->is_pooled);
    put_element_attr(t, "name", f->name);
    attr_number(t, "class", id_of(t, f->type));
    if (f->is_array)
        put_element_attr(t, "dimension", "1");
    if (f->is_pooled)
        put_element_attr(t, "constantPool", "true");
    buf_varint(t->out, f->n_annotations);
    annotations(t, f->annotations, f->n_annotations);
}

static void class(struct tree *t, const struct jfr_class *c)
{
    put(t, "class");
    buf_varint(t->out, 2 + (c->super != NULL) + c->is_simple);
    put_element_attr(t, "name", c->name);
    attr_number(t, "id", id_of(t, c));
    if (c->super != NULL)
        put_element_attr(t, "superType", c->super);
    if (c->is_simple)
        put_element_attr(t, "simpleType", "true");
    buf_varint(t->out, c->n_settings + c->n_fields + c->n_annotations);
    for (size_t i = 0; i < c->n_settings; i++)
        setting(t, &c->settings[i]);
    for (size_t i = 0; i < c->n_fields; i++)
        field(t, &c->fields[i]);
    annotations(t, c->annotations, c->n_annotations);
}

static void region(struct tree *t, const struct metadata_out *md)
{
    const char *const names[] = {"locale", "gmtOffset", "dst"};
    const char *const values[] = {md->locale, md->gmt_offset, md->dst};

    put(t, "region");
    buf_varint(t->out,
               (values[0] != NULL) + (uint64_t)(values[1] != NULL) + (uint64_t)(values[2] != NULL));
    for (size_t i = 0; i < 3; i++)
        if (values[i] != NULL)
            put_element_attr(t, names[i], values[i]);
    buf_varint(t->out, 0);
}

static void root(struct tree *t, const struct metadata_out *md)
{
    put(t, "root");
    buf_varint(t->out, 0);
    buf_varint(t->out, 2);
    put(t, "metadata");
    buf_varint(t->out, 0);
    buf_varint(t->out, md->n);
    for (size_t i = 0; i < md->n; i++)
        class(t, md->classes[i]);
    region(t, md);
}

static void string(struct buf *out, const char *s)
{
    struct buf text = {0};

    if (*s == '\0') {
        buf_byte(out, 1);
        return;
    }
    text_append(&text, s, strlen(s));
    buf_byte(out, 3);
    buf_varint(out, text.n);
    buf_bytes(out, text.p, text.n);
    out->failed |= text.failed;
    buf_free(&text);
}

bool metadata_write(const struct metadata_out *md, struct buf *out)
{
    struct buf elements = {0};
    struct tree tree = {.out = &elements, .ids = md->ids};
    size_t start = out->n;
    bool ok;

    root(&tree, md);
    buf_be(out, 0, 5); /* the size, below */
    buf_varint(out, 0);
    buf_varint(out, (uint64_t)md->ticks);
    buf_varint(out, 0);
    buf_varint(out, (uint64_t)md->id);
    buf_varint(out, intern_n(&tree.strings));
    for (uint32_t i = 0; i < intern_n(&tree.strings); i++)
        string(out, intern_get(&tree.strings, i, NULL));
    buf_bytes(out, elements.p, elements.n);
    ok = buf_ok(out) && buf_ok(&elements);
    if (ok)
        buf_varint_at(out->p + start, out->n - start, 5);
    intern_free(&tree.strings);
    buf_free(&elements);
    return ok;
}

bool typeset_write(const struct typeset *types, struct buf *out, int64_t ticks, int64_t metadata_id,
                   const struct typeset_region *region_of)
{
    char gmt_offset[24];
    const struct jfr_class **used = calloc(types->n + 1, sizeof(const struct jfr_class *));
    struct metadata_out md = {
        .classes = used,
        .id = metadata_id,
        .ticks = ticks,
        .locale = region_of->locale == NULL ? "en_US" : region_of->locale,
        .gmt_offset = gmt_offset,
    };
    bool ok;

    snprintf(gmt_offset, sizeof(gmt_offset), "%lld", (long long)region_of->gmt_offset_ms);
    for (size_t i = 0; i < types->n && used != NULL; i++)
        if (!types->layouts[i].is_absent)
            used[md.n++] = types->classes[i];
    ok = used != NULL && metadata_write(&md, out);
    free(used);
    return ok;
}
