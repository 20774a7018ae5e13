/*
 * chain.c - an old object: the references that keep it, from the object to a root.
 *
 * jdk.OldObjectSample has a constant for the object, which refers to the object that holds it, and
 * so on. Each line names the holder, and the field or array element in which it holds the one
 * before. A chain may skip objects, and damaged constants may form a circle, so its length is
 * bounded.
 */
#include "convert/print/text_internal.h"

#include <inttypes.h>
#include <stdio.h>

#define REFERENCES_MOST 10000 /* real chains have some hundred */

/* Reads a constant with these paths. False: there is none. */
static bool read_constant(struct text_printer *t, const struct jfr_class *cls, uint64_t key,
                          const char *const *paths, size_t n, const struct jfr_plan **plan,
                          union jfr_value *v, struct cursor *value)
{
    const struct jfr_pool *pool = jfr_chunk_pool(t->chunk, cls);
    int64_t i = pool == NULL ? -1 : jfr_pool_find(pool, key);

    *plan = i < 0 ? NULL : jfr_plan_shared(t->chunk, cls, paths, n);
    if (*plan == NULL)
        return false;
    *value = jfr_pool_value(pool, (size_t)i);
    return jfr_plan_run(*plan, *value, v, NULL) == 0;
}

enum {
    OBJECT_TYPE,
    OBJECT_DESCRIPTION,
    OBJECT_REFERRER,
    OBJECT_FIELDS,
};
static const char *const object_paths[] = {"type", "description", "referrer"};

enum {
    REFERENCE_ARRAY,
    REFERENCE_FIELD,
    REFERENCE_OBJECT,
    REFERENCE_SKIP,
    REFERENCE_FIELDS,
};
static const char *const reference_paths[] = {"array", "field", "object", "skip"};

/* The class of an object and what is said of it: "byte[512]", "java.util.HashMap Size: 3". */
static void put_object(struct text_printer *t, const struct jfr_plan *plan,
                       const union jfr_value *v, const struct cursor *value, int64_t size,
                       struct buf *b)
{
    const struct jfr_field *type = jfr_plan_field(plan, OBJECT_TYPE);
    const struct jfr_field *said = jfr_plan_field(plan, OBJECT_DESCRIPTION);
    char text[24] = "";
    size_t from;

    if (type != NULL && type->is_pooled) {
        struct jfr_str name = jfr_class_name(t->chunk, type->type, v[OBJECT_TYPE].key);

        if (size > 0)
            snprintf(text, sizeof(text), "%" PRId64, size);
        buf_reset(&t->line);
        text_put_str(t, &t->line, name);
        from = b->n;
        if (t->line.n > 0 && t->line.p[0] == '[')
            text_put_descriptor(b, (const char *)t->line.p, t->line.n, text);
        else
            buf_bytes(b, t->line.p, t->line.n);
        for (size_t i = from; i < b->n; i++)
            if (b->p[i] == '/')
                b->p[i] = '.';
        if (!jfr_str_is_null(name) && said != NULL) {
            from = b->n;
            buf_byte(b, ' ');
            if (!text_put_string(t, said, v[OBJECT_DESCRIPTION], value->end, b))
                b->n = from;
        }
    }
    buf_byte(b, '\n');
}

/* The number that a field of the event at hand has; 0 if it has none. */
static int64_t number_of_event(const struct text_printer *t, const char *name)
{
    const char *paths[] = {name};
    const struct jfr_plan *plan = jfr_plan_new(t->chunk, t->ev->type, paths, 1);
    union jfr_value v = {.i = 0};

    return plan == NULL || jfr_plan_run(plan, t->ev->body, &v, NULL) != 0 ? 0 : v.i;
}

/* Where a referrer holds the object: an element of an array, or a field. Returns the size of the
 * array, or INT64_MIN. */
static int64_t put_holder(struct text_printer *t, const struct jfr_plan *reference,
                          const union jfr_value *v, struct buf *b)
{
    static const char *const array_paths[] = {"size", "index"}, *const field_paths[] = {"name"};
    const struct jfr_field *array = jfr_plan_field(reference, REFERENCE_ARRAY);
    const struct jfr_field *field = jfr_plan_field(reference, REFERENCE_FIELD);
    const struct jfr_plan *plan;
    union jfr_value a[2], name;
    struct cursor value;
    int64_t size = INT64_MIN;
    size_t from = b->n;

    if (array != NULL && array->is_pooled &&
        read_constant(t, array->type, v[REFERENCE_ARRAY].key, array_paths, 2, &plan, a, &value)) {
        buf_printf(b, "[%" PRId64 "]", a[1].i);
        size = a[0].i;
    }
    if (field != NULL && field->is_pooled &&
        read_constant(t, field->type, v[REFERENCE_FIELD].key, field_paths, 1, &plan, &name,
                      &value)) {
        b->n = from;
        text_put_string(t, jfr_plan_field(plan, 0), name, value.end, b);
    }
    return size;
}

static void put_chain(struct text_printer *t, const struct jfr_class *cls, uint64_t key,
                      unsigned indent, struct buf *b)
{
    union jfr_value object[OBJECT_FIELDS], reference[REFERENCE_FIELDS];
    const struct jfr_plan *plan, *how;
    struct cursor value, where;
    int64_t size = number_of_event(t, "arrayElements");
    unsigned n = 0;

    if (!read_constant(t, cls, key, object_paths, OBJECT_FIELDS, &plan, object, &value))
        return;
    text_indent(b, indent);
    put_object(t, plan, object, &value, size, b);
    for (; text_may_continue(t, &value, b); n++) {
        const struct jfr_field *f = jfr_plan_field(plan, OBJECT_REFERRER), *to;

        if (n == REFERENCES_MOST) {
            text_note_bad(t, value.p, "the references of an old object have no end");
            return;
        }
        if (f == NULL || !f->is_pooled ||
            !read_constant(t, f->type, object[OBJECT_REFERRER].key, reference_paths,
                           REFERENCE_FIELDS, &how, reference, &where))
            return;
        if (reference[REFERENCE_SKIP].i > 0) {
            text_indent(b, indent);
            buf_str(b, "...\n");
        }
        text_indent(b, indent);
        size = put_holder(t, how, reference, b);
        buf_str(b, " : ");
        to = jfr_plan_field(how, REFERENCE_OBJECT);
        if (to == NULL || !to->is_pooled ||
            !read_constant(t, to->type, reference[REFERENCE_OBJECT].key, object_paths,
                           OBJECT_FIELDS, &plan, object, &value)) {
            buf_byte(b, '\n');
            return;
        }
        put_object(t, plan, object, &value, size, b);
    }
}

void text_put_old_object(struct text_printer *t, const struct jfr_class *cls, uint64_t key,
                         unsigned indent, struct buf *b)
{
    buf_str(b, " [\n");
    put_chain(t, cls, key, indent + 2, b);
    text_indent(b, indent);
    buf_str(b, "]\n");
}
