/*
 * diff.c - what differs between the event types of two recordings, as text.
 *
 * jfrmeta --diff calls it, after both have been read by meta.c.
 */
#include "convert/text/jsonw.h"
#include "convert/meta/meta.h"
#include "convert/report/summary_names.h"

#include <string.h>

/* Differences go to one of two writers: lines, or JSON objects. `where` is a field's name, or NULL
 * for the type itself; was or is NULL: added or removed. */
struct diff {
    struct buf *b;
    bool json;
    size_t n; /* types with differences so far */
    size_t n_inside; /* differences of the current type */
    const struct meta_type *type;
};

static void put(const struct diff *d, const char *text)
{
    if (d->json && text == NULL)
        buf_str(d->b, "null");
    else if (d->json)
        jsonw_str(d->b, text, strlen(text));
    else
        names_plain(d->b, text == NULL ? "-" : text);
}

/* The head of a type: '+' only in the other recording, '-' only in this one, '~' changed. */
static void begin(struct diff *d, const struct meta_type *t, char sign)
{
    const char *word = sign == '+' ? "added" : sign == '-' ? "removed" : "changed";

    if (d->json)
        buf_printf(d->b,
                   "%s    {\"change\": \"%s\", \"kind\": \"%s\", \"name\": ", d->n > 0 ? ",\n" : "",
                   word, meta_kind_name(t->kind));
    else
        buf_printf(d->b, "%c %s ", sign, meta_kind_name(t->kind));
    put(d, t->name);
    if (t->layout > 1)
        buf_printf(d->b, d->json ? ", \"layout\": %u" : " (layout %u)", t->layout);
    buf_str(d->b, d->json ? ", \"differences\": [" : "\n");
    d->n++;
    d->n_inside = 0;
}

static void end(const struct diff *d)
{
    buf_str(d->b, d->json ? "]}" : "");
}

static void put_change(struct diff *d, const char *what, const char *field, const char *was,
                       const char *is)
{
    if (d->json) {
        buf_printf(d->b, "%s{\"what\": \"%s\", \"field\": ", d->n_inside > 0 ? ", " : "", what);
        put(d, field);
        buf_str(d->b, ", \"was\": ");
        put(d, was);
        buf_str(d->b, ", \"is\": ");
        put(d, is);
        buf_byte(d->b, '}');
    } else {
        buf_printf(d->b, "    %c %s ", was == NULL ? '+' : is == NULL ? '-' : '~', what);
        if (field != NULL) {
            put(d, field);
            buf_str(d->b, ": ");
        }
        put(d, was == NULL ? is : was);
        if (was != NULL && is != NULL) {
            buf_str(d->b, " -> ");
            put(d, is);
        }
        buf_byte(d->b, '\n');
    }
    d->n_inside++;
}

/* Begins the type with its first change. */
static void change(struct diff *d, const char *what, const char *field, const char *was,
                   const char *is)
{
    if (was == is || (was != NULL && is != NULL && strcmp(was, is) == 0))
        return;
    if (d->type != NULL)
        begin(d, d->type, '~');
    d->type = NULL;
    put_change(d, what, field, was, is);
}

/* "int[] (constant pool)" */
static void describe(struct buf *b, const struct meta_field *f)
{
    buf_reset(b);
    buf_printf(b, "%s%s%s%s", f->type, f->is_array ? "[]" : "",
               f->is_pooled ? " (constant pool)" : "", f->is_unsigned ? " unsigned" : "");
    buf_byte(b, 0);
}

static const struct meta_field *field_of(const struct meta_type *t, const char *name)
{
    for (size_t i = 0; i < t->n_fields; i++)
        if (strcmp(t->fields[i].name, name) == 0)
            return &t->fields[i];
    return NULL;
}

static void compare_fields(struct diff *d, const struct meta_type *was, const struct meta_type *is)
{
    struct buf x = {0}, y = {0};

    for (size_t i = 0; i < was->n_fields; i++) {
        const struct meta_field *f = &was->fields[i], *g = field_of(is, f->name);

        describe(&x, f);
        if (g != NULL)
            describe(&y, g);
        if (!buf_ok(&x) || !buf_ok(&y))
            break;
        change(d, "field", f->name, (const char *)x.p, g == NULL ? NULL : (const char *)y.p);
        if (g == NULL)
            continue;
        change(d, "label of", f->name, f->label, g->label);
        change(d, "description of", f->name, f->description, g->description);
        change(d, "unit of", f->name, meta_unit_name(f->unit), meta_unit_name(g->unit));
    }
    for (size_t i = 0; i < is->n_fields; i++) {
        describe(&y, &is->fields[i]);
        if (buf_ok(&y) && field_of(was, is->fields[i].name) == NULL)
            change(d, "field", is->fields[i].name, NULL, (const char *)y.p);
    }
    if (!buf_ok(&x) || !buf_ok(&y))
        d->b->failed = true;
    buf_free(&x);
    buf_free(&y);
}

static void compare(struct diff *d, const struct meta_type *was, const struct meta_type *is)
{
    d->type = was;
    change(d, "super type", NULL, was->super, is->super);
    change(d, "label", NULL, was->label, is->label);
    change(d, "description", NULL, was->description, is->description);
    compare_fields(d, was, is);
    if (d->type == NULL)
        end(d);
}

int meta_diff(const struct meta *m, struct out *out)
{
    const struct meta *o = m->other;
    struct diff d = {.b = &out->b, .json = m->options.format == META_JSON};
    size_t i = 0, k = 0;

    if (d.json) {
        buf_str(d.b, "{\n  \"was\": ");
        put(&d, m->path);
        buf_str(d.b, ",\n  \"is\": ");
        put(&d, o->path);
        buf_str(d.b, ",\n  \"types\": [\n");
    }
    while ((i < m->n_types || k < o->n_types) && out_check(out) == 0) {
        const struct meta_type *was = i < m->n_types ? &m->types[i] : NULL;
        const struct meta_type *is = k < o->n_types ? &o->types[k] : NULL;
        int order = was == NULL ? 1 : is == NULL ? -1 : meta_order(was, is);
        bool shown = meta_is_shown(order <= 0 ? m : o, order <= 0 ? was : is);

        i += order <= 0;
        k += order >= 0;
        if (!shown)
            continue;
        if (order == 0) {
            compare(&d, was, is);
        } else {
            begin(&d, order < 0 ? was : is, order < 0 ? '-' : '+');
            end(&d);
        }
    }
    if (d.json)
        buf_str(d.b, "\n  ]\n}\n");
    return out->rc;
}
