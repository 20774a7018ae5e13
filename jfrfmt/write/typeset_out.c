/* typeset_out.c - the metadata event: a table of strings, then a tree of elements (jfr-format §5).
 */
#include "jfrfmt/write/typeset.h"

#include "jfrfmt/base/hash.h"
#include "jfrfmt/base/text.h"
#include "jfrfmt/base/array.h"

#include <stdio.h>
#include <stdlib.h>

struct table { /* strings, numbered as they come */
    uint32_t *slots; /* number + 1 */
    const char **strings;
    size_t n, mask;
    struct arena arena; /* numbers as text */
    bool failed;
};

static bool grow(struct table *t)
{
    size_t room = t->slots == NULL ? 1024 : (t->mask + 1) * 2;
    uint32_t *slots = calloc(room, sizeof(*slots));

    if (slots == NULL) {
        t->failed = true;
        return false;
    }
    for (size_t i = 0; i < t->n; i++) {
        size_t at = hash_bytes(t->strings[i], strlen(t->strings[i]), 0) & (room - 1);

        while (slots[at] != 0)
            at = (at + 1) & (room - 1);
        slots[at] = (uint32_t)i + 1;
    }
    free(t->slots);
    t->slots = slots;
    t->mask = room - 1;
    return true;
}

/* The number of a string, which must outlive the table. */
static uint32_t number(struct table *t, const char *s)
{
    size_t at;

    if (t->failed || ((t->slots == NULL || t->n == (t->mask + 1) / 2) && !grow(t)))
        return 0;
    at = hash_bytes(s, strlen(s), 0) & t->mask;
    for (; t->slots[at] != 0; at = (at + 1) & t->mask)
        if (strcmp(t->strings[t->slots[at] - 1], s) == 0)
            return t->slots[at] - 1;
    if (!array_add(&t->strings, t->n, sizeof(*t->strings))) {
        t->failed = true;
        return 0;
    }
    t->strings[t->n] = s;
    t->slots[at] = (uint32_t)++t->n;
    return t->slots[at] - 1;
}

struct tree {
    struct table *table;
    struct buf *out;
    const int64_t *ids; /* by class index; NULL: as the classes say */
};

static int64_t id_of(const struct tree *t, const struct jfr_class *c)
{
    return t->ids == NULL ? c->id : t->ids[c->index];
}

static void put(struct tree *t, const char *s)
{
    buf_varint(t->out, number(t->table, s));
}

static void attr(struct tree *t, const char *key, const char *value)
{
    put(t, key);
    put(t, value);
}

static void attr_number(struct tree *t, const char *key, int64_t value)
{
    char text[24];
    char *copy;

    snprintf(text, sizeof(text), "%lld", (long long)value);
    copy = arena_strndup(&t->table->arena, text, strlen(text));
    attr(t, key, copy == NULL ? "" : copy);
}

static void annotations(struct tree *t, const struct jfr_annotation *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put(t, "annotation");
        buf_varint(t->out, 1 + list[i].n_attrs);
        attr_number(t, "class", id_of(t, list[i].type));
        for (size_t k = 0; k < list[i].n_attrs; k++)
            attr(t, list[i].attrs[k].key, list[i].attrs[k].value);
        buf_varint(t->out, 0);
    }
}

static void setting(struct tree *t, const struct jfr_setting *s)
{
    put(t, "setting");
    buf_varint(t->out, 2 + (s->default_value != NULL));
    attr(t, "name", s->name);
    attr_number(t, "class", id_of(t, s->type));
    if (s->default_value != NULL)
        attr(t, "defaultValue", s->default_value);
    buf_varint(t->out, s->n_annotations);
    annotations(t, s->annotations, s->n_annotations);
}

static void field(struct tree *t, const struct jfr_field *f)
{
    put(t, "field");
    buf_varint(t->out, 2 + f->is_array + f->is_pooled);
    attr(t, "name", f->name);
    attr_number(t, "class", id_of(t, f->type));
    if (f->is_array)
        attr(t, "dimension", "1");
    if (f->is_pooled)
        attr(t, "constantPool", "true");
    buf_varint(t->out, f->n_annotations);
    annotations(t, f->annotations, f->n_annotations);
}

static void class(struct tree *t, const struct jfr_class *c)
{
    put(t, "class");
    buf_varint(t->out, 2 + (c->super != NULL) + c->is_simple);
    attr(t, "name", c->name);
    attr_number(t, "id", id_of(t, c));
    if (c->super != NULL)
        attr(t, "superType", c->super);
    if (c->is_simple)
        attr(t, "simpleType", "true");
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
            attr(t, names[i], values[i]);
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
    struct table table = {0};
    struct buf elements = {0};
    struct tree tree = {&table, &elements, md->ids};
    size_t start = out->n;
    bool ok;

    root(&tree, md);
    buf_be(out, 0, 5); /* the size, below */
    buf_varint(out, 0);
    buf_varint(out, (uint64_t)md->ticks);
    buf_varint(out, 0);
    buf_varint(out, (uint64_t)md->id);
    buf_varint(out, table.n);
    for (size_t i = 0; i < table.n; i++)
        string(out, table.strings[i]);
    buf_bytes(out, elements.p, elements.n);
    ok = buf_ok(out) && buf_ok(&elements) && !table.failed && arena_ok(&table.arena);
    if (ok)
        buf_varint_at(out->p + start, out->n - start, 5);
    free(table.slots);
    free(table.strings);
    arena_free(&table.arena);
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
