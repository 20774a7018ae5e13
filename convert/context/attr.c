/*
 * attr.c - which fields of a chunk's classes are attributes of a context, and their values as text.
 *
 * context.c calls it when a chunk is loaded. Recorders mark contexts in different ways: an
 * annotation (JDK 25), a constant of a type of its own (Datadog), fields after those that the event
 * type has in the JDK ("tracer_user"), a tag of spans (async-profiler). Each kind becomes an
 * attribute with the name of its context and its own name, so that all later code knows one kind.
 */
#include "convert/context/internal.h"
#include "convert/context/thread_id.h"
#include "convert/text/frame_name.h"
#include "convert/text/javatext.h"

/* --- names ------------------------------------------------------------------------------------ */

/* The next letter or digit of a name, lower case; 0 at its end. */
static char next_letter(const char **p, const char *end)
{
    while (*p < end) {
        char c = *(*p)++;

        if (c >= 'A' && c <= 'Z')
            return (char)(c + 'a' - 'A');
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0)
            return c;
    }
    return 0;
}

/* "tracer-context" is "TracerContext": an event type cannot have the name of its context. */
static bool same_context(const char *a, size_t n, const char *b)
{
    const char *a_end = a + n, *b_end = b + strlen(b);
    char x, y;

    do {
        x = next_letter(&a, a_end);
        y = next_letter(&b, b_end);
    } while (x == y && x != 0);
    return x == y;
}

const struct context_attr *context_find(const struct context_run *r, const char *context,
                                        const char *name)
{
    for (size_t i = 0; i < r->n_attrs; i++)
        if (strcmp(r->attrs[i].name, name) == 0 &&
            same_context(context, strlen(context), r->attrs[i].context))
            return &r->attrs[i];
    return NULL;
}

bool context_is_called(const struct context_attr *a, const char *key)
{
    size_t n = strlen(key), m = strlen(a->name), from = 0;

    if (strcmp(key, a->name) == 0 || strcmp(key, a->full) == 0)
        return true;
    if (n < m + 2 || strcmp(key + n - m, a->name) != 0)
        return false;
    n -= m + 1;
    if (key[n] != '_' && key[n] != '.')
        return false;
    for (size_t i = 0; i < n; i++) /* jfrkit.TracerContext.user */
        if (key[i] == '.')
            from = i + 1;
    return same_context(key + from, n - from, a->context);
}

/* Adds an attribute, or finds it. NULL when there is no room or no memory; `full` is made of the
 * parts when it is NULL. */
static struct context_attr *add_attr(struct context_run *r, const char *context, const char *name,
                                     const char *full)
{
    struct context_attr *a = (struct context_attr *)(uintptr_t)context_find(r, context, name);

    if (a != NULL || r->n_attrs == CONTEXT_ATTRIBUTES)
        return a;
    if (full == NULL) {
        buf_reset(&r->text);
        buf_printf(&r->text, "%s%s%s", context, *context == '\0' ? "" : ".", name);
        full = buf_ok(&r->text)
                   ? arena_strndup(jfr_chunk_arena(r->chunk), (char *)r->text.p, r->text.n)
                   : NULL;
        if (full == NULL)
            return NULL;
    }
    a = &r->attrs[r->n_attrs++];
    *a = (struct context_attr){.context = context, .name = name, .full = full, .is_unique = true};
    return a;
}

/* --- fields ----------------------------------------------------------------------------------- */

/* A text in the event, or in the pool of a simple type. */
static bool is_text_attr(const struct jfr_field *f)
{
    return !f->is_array && (f->type->kind == JFR_STRING ||
                            (f->is_pooled && jfr_class_shown(f->type)->kind == JFR_STRING));
}

/* Returns whether values of the field can be written as text. */
static bool context_has_text(const struct jfr_field *f)
{
    const struct jfr_class *t = f->type;

    if (f->is_array || t->is_unknown)
        return false;
    if (t->kind != JFR_STRUCT)
        return true;
    return f->is_pooled &&
           (jfr_class_shown(t)->kind == JFR_STRING || strcmp(t->name, "java.lang.Class") == 0 ||
            strcmp(t->name, "java.lang.Thread") == 0);
}

/* Attributes stand after the fields that the event type has anyway. */
static size_t first_at_end(const struct jfr_class *cls)
{
    size_t i = cls->n_fields;

    while (i > 0 && is_text_attr(&cls->fields[i - 1]) &&
           strchr(cls->fields[i - 1].name, '_') != NULL)
        i--;
    return i;
}

/* Fields of these event types have no '_' in their names, and no field of Java has a '-'. */
static bool is_sure(const struct jfr_class *cls, const struct jfr_field *f)
{
    static const char *const known[] = {"jdk.", "com.oracle.jdk.", "profiler.", "datadog.",
                                        "jfrkit."};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strncmp(cls->name, known[i], strlen(known[i])) == 0)
            return true;
    return memchr(f->name, '-', strcspn(f->name, "_")) != NULL;
}

bool context_is_field(const struct jfr_class *cls, const struct jfr_field *field)
{
    return cls->is_event && field->index >= first_at_end(cls) && is_sure(cls, field);
}

static bool add_named(struct context_run *r, const struct jfr_field *f)
{
    size_t n = strcspn(f->name, "_");
    char *context;

    if (n == 0 || f->name[n + 1] == '\0')
        return true;
    context = arena_strndup(jfr_chunk_arena(r->chunk), f->name, n);
    return context != NULL && (add_attr(r, context, f->name + n + 1, f->name) != NULL ||
                               r->n_attrs == CONTEXT_ATTRIBUTES);
}

static bool is_id_field(const struct jfr_field *f)
{
    static const char *const names[] = {"spanId", "localRootSpanId", "spanName", "contextId"};

    if (strcmp(f->name, "spanName") == 0 && context_has_text(f))
        return true;
    if (f->type->kind != JFR_LONG || f->is_pooled || f->is_array)
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(f->name, names[i]) == 0)
            return true;
    return false;
}

/* The tag of async-profiler's spans counts also where its version did not mark it. */
bool context_is_marked(const struct jfr_class *cls, const struct jfr_field *f)
{
    return f->is_contextual ||
           (strcmp(cls->name, "profiler.Span") == 0 && strcmp(f->name, "tag") == 0);
}

static bool is_reference(const struct jfr_field *f)
{
    return jfr_field_is_key(f) && f->type->kind == JFR_STRUCT && strcmp(f->name, "contextId") == 0;
}

/* Datadog's profiler has one field for every attribute, of a type of its own. */
static bool is_tagged(const struct jfr_field *f)
{
    return strcmp(f->type->simple, "AttributeValue") == 0 && context_has_text(f);
}

/* The attribute that a field of an event type holds; NULL when it holds none. */
static const struct context_attr *attr_of(struct context_run *r, const struct jfr_class *cls,
                                          const struct jfr_field *f)
{
    if (context_is_marked(cls, f) && context_has_text(f))
        return context_find(r, cls->simple, f->name);
    if (is_id_field(f) || is_tagged(f))
        return context_find(r, "", f->name);
    if (is_text_attr(f) && f->index >= first_at_end(cls))
        for (size_t i = 0; i < r->n_attrs; i++)
            if (strcmp(r->attrs[i].full, f->name) == 0)
                return &r->attrs[i];
    return NULL;
}

static bool add_of_class(struct context_run *r, const struct jfr_class *cls)
{
    bool good = true;

    for (size_t i = 0; i < cls->n_fields && good; i++) {
        const struct jfr_field *f = &cls->fields[i];

        if (context_is_marked(cls, f) && context_has_text(f))
            good = add_attr(r, cls->simple, f->name, NULL) != NULL;
        else if (is_id_field(f) || is_tagged(f))
            good = add_attr(r, "", f->name, f->name) != NULL;
        else if (is_reference(f))
            for (size_t k = 0; k < f->type->n_fields; k++)
                if (context_has_text(&f->type->fields[k]))
                    add_attr(r, f->type->simple, f->type->fields[k].name, NULL);
        good = good || r->n_attrs == CONTEXT_ATTRIBUTES;
    }
    for (size_t i = first_at_end(cls); i < cls->n_fields && good; i++)
        good = !is_sure(cls, &cls->fields[i]) || add_named(r, &cls->fields[i]);
    return good;
}

bool context_add_attribute(struct context_run *r, const char *context, const char *name)
{
    return add_attr(r, context, name, NULL) != NULL || r->n_attrs == CONTEXT_ATTRIBUTES;
}

/* Tells attributes with one name apart, and gives a place to those that were requested. */
static void choose(struct context_run *r)
{
    struct context *c = r->shared;

    c->has_chunk = true;
    for (size_t i = 0; i < r->n_attrs; i++) {
        struct context_attr *a = &r->attrs[i];

        for (size_t k = 0; k < r->n_attrs; k++)
            if (k != i && strcmp(a->name, r->attrs[k].name) == 0)
                a->is_unique = false;
        a->is_active = c->all;
        for (size_t k = 0; k < c->n_keys; k++)
            if (context_is_called(a, c->keys[k]))
                c->is_known[k] = a->is_active = true;
        if (a->is_active) {
            a->place = (uint32_t)r->n_places;
            r->places[r->n_places++] = (uint32_t)i;
        }
    }
}

/* --- classes ---------------------------------------------------------------------------------- */

static struct context_pooled *pooled_of(struct context_run *r, const struct jfr_class *cls)
{
    struct arena *arena = jfr_chunk_arena(r->chunk);
    const char *paths[CONTEXT_ATTRIBUTES];
    struct context_pooled *p;

    for (p = r->pooled; p != NULL; p = (struct context_pooled *)(uintptr_t)p->next)
        if (p->cls == cls)
            return p;
    p = arena_alloc(arena, sizeof(*p));
    if (p == NULL)
        return NULL;
    *p = (struct context_pooled){.cls = cls, .next = r->pooled};
    p->fields = arena_array(arena, cls->n_fields, sizeof(*p->fields));
    for (size_t i = 0; i < cls->n_fields && p->fields != NULL; i++) {
        const struct context_attr *a = context_find(r, cls->simple, cls->fields[i].name);

        if (!context_has_text(&cls->fields[i]) || a == NULL || !a->is_active)
            continue;
        paths[p->n_fields] = cls->fields[i].name;
        p->fields[p->n_fields++] = (struct context_field){&cls->fields[i], a->place, NULL};
    }
    p->pool = jfr_chunk_pool(r->chunk, cls);
    p->plan = jfr_plan_new(r->chunk, cls, paths, p->n_fields);
    p->tuples = arena_array(arena, jfr_pool_n(p->pool), sizeof(*p->tuples));
    r->pooled = p;
    return p;
}

/* Notes the class's field for its plan. */
static void take(struct context_class *k, const char **paths, struct context_field f)
{
    if (k->n_fields == CONTEXT_ATTRIBUTES)
        return;
    paths[CONTEXT_FIELDS + k->n_fields] = f.field->name;
    k->fields[k->n_fields++] = f;
}

static bool open_class(struct context_run *r, struct context_class *k, const struct jfr_class *cls)
{
    const char *paths[CONTEXT_FIELDS + CONTEXT_ATTRIBUTES] = {
        "startTime", "duration", [CONTEXT_CONTINUATION] = "isContinuation"};

    *k = (struct context_class){
        .cls = cls, .duration = jfr_class_field(cls, "duration"), .thread = thread_id_field(cls)};
    k->fields = arena_array(jfr_chunk_arena(r->chunk), cls->n_fields, sizeof(*k->fields));
    if (k->fields == NULL)
        return false;
    paths[CONTEXT_THREAD] = k->thread == NULL ? "eventThread" : k->thread->name;
    for (size_t i = 0; i < cls->n_fields; i++) {
        const struct jfr_field *f = &cls->fields[i];
        const struct context_attr *a = attr_of(r, cls, f);

        if (is_reference(f)) {
            struct context_pooled *p = pooled_of(r, f->type);

            if (p != NULL && p->plan != NULL && p->tuples != NULL && p->n_fields > 0) {
                take(k, paths, (struct context_field){f, 0, p});
                k->has_pooled = true;
            }
        } else if (a != NULL && a->is_active) {
            k->is_span |= context_is_marked(cls, f) && k->duration != NULL && k->thread != NULL;
            take(k, paths, (struct context_field){f, a->place, NULL});
        }
    }
    if (k->n_fields > 0 || k->thread != NULL)
        k->plan = jfr_plan_new(r->chunk, cls, paths, CONTEXT_FIELDS + k->n_fields);
    r->has_spans |= k->is_span;
    return arena_ok(jfr_chunk_arena(r->chunk));
}

int context_find_attributes(struct context_run *r)
{
    const struct jfr_metadata *md = jfr_chunk_metadata(r->chunk);
    bool good = true;

    if (!context_is_wanted(r->shared))
        return 0;
    for (size_t i = 0; i < md->n_classes && good; i++)
        if (md->classes[i].is_event)
            good = add_of_class(r, &md->classes[i]);
    good = good && context_carried_attributes(r) == 0;
    choose(r);
    for (size_t i = 0; i < md->n_classes && good && r->n_places > 0; i++)
        if (md->classes[i].is_event)
            good = open_class(r, &r->classes[i], &md->classes[i]);
    return good ? 0 : JFR_E_NOMEM;
}

/* --- texts ------------------------------------------------------------------------------------ */

/* Where the number of a constant text is remembered; NULL: it is not, or there is no constant. */
static uint32_t *text_memo_of(struct context_run *r, const struct jfr_class *cls, uint64_t key)
{
    struct context_texts *t = r->texts, *end = t + CONTEXT_TEXT_POOLS;
    int64_t i;

    while (t < end && t->cls != cls && t->cls != NULL)
        t++;
    if (t == end)
        return NULL;
    if (t->cls == NULL) {
        t->cls = cls;
        t->pool = jfr_chunk_pool(r->chunk, cls);
        t->memo = arena_array(jfr_chunk_arena(r->chunk), jfr_pool_n(t->pool) + 1, sizeof(*t->memo));
    }
    i = t->memo == NULL ? -1 : jfr_pool_find(t->pool, key);
    return i < 0 ? NULL : &t->memo[i];
}

static uint32_t text_id(struct context_run *r, struct jfr_str s)
{
    uint32_t id;

    if (jfr_str_is_null(s) || s.encoding == JFR_STR_CONSTANT)
        return 0;
    buf_reset(&r->text);
    jfr_str_append_utf8(&r->text, s);
    id = buf_ok(&r->text) ? intern_add(&r->values, r->text.p, r->text.n) : INTERN_FAILED;
    return id == INTERN_FAILED ? CONTEXT_NONE : id + 1;
}

static uint32_t constant_id(struct context_run *r, const struct jfr_class *cls, uint64_t key)
{
    uint32_t *memo = text_memo_of(r, cls, key), id;

    if (memo != NULL && *memo != 0)
        return *memo;
    id = text_id(r, jfr_simple_text(r->chunk, cls, key));
    if (memo != NULL && id != CONTEXT_NONE)
        *memo = id;
    return id;
}

/* A text in the event itself, which may name one in the pool of strings. */
static uint32_t string_id(struct context_run *r, const struct jfr_class *cls, struct jfr_str s)
{
    return s.encoding == JFR_STR_CONSTANT ? constant_id(r, cls, s.n) : text_id(r, s);
}

static void put_attr_number(struct buf *b, const struct context_run *r, const struct jfr_field *f,
                            int64_t i)
{
    static const enum javatext_unit units[] = {[JFR_UNIT_NS] = JAVATEXT_NS,
                                               [JFR_UNIT_US] = JAVATEXT_US,
                                               [JFR_UNIT_MS] = JAVATEXT_MS,
                                               [JFR_UNIT_S] = JAVATEXT_S};
    const struct jfr_chunk_header *h = jfr_chunk_header(r->chunk);

    switch (f->unit) {
    case JFR_UNIT_TIMESTAMP_TICKS:
        javatext_time_ns(b, jfr_epoch_ns(h, i), 0);
        break;
    case JFR_UNIT_TIMESTAMP_MS:
        javatext_time_ms(b, i, 0);
        break;
    case JFR_UNIT_TICKS:
        javatext_span(b, jfr_span_ns(h, i), JAVATEXT_NS, 25);
        break;
    case JFR_UNIT_NS:
    case JFR_UNIT_US:
    case JFR_UNIT_MS:
    case JFR_UNIT_S:
        javatext_span(b, i, units[f->unit], 25);
        break;
    default:
        if (f->is_unsigned || is_id_field(f))
            buf_printf(b, "%llu", (unsigned long long)i);
        else
            buf_printf(b, "%lld", (long long)i);
    }
}

static void put_constant(struct buf *b, const struct context_run *r, const struct jfr_field *f,
                         uint64_t key)
{
    struct jfr_thread thread;
    size_t from = b->n;

    if (strcmp(f->type->name, "java.lang.Class") == 0) {
        jfr_str_append_utf8(b, jfr_class_name(r->chunk, f->type, key));
        for (size_t i = from; i < b->n; i++)
            if (b->p[i] == '/')
                b->p[i] = '.';
    } else if (strcmp(f->type->name, "java.lang.Thread") == 0) {
        if (jfr_thread_get(r->chunk, f->type, key, &thread))
            thread_name_append(b, &thread);
    }
}

/* A value that is no text, as text in r->text. Returns false where it is none. */
static bool put_plain_value(struct context_run *r, const struct jfr_field *f, union jfr_value v)
{
    if (is_id_field(f) && v.i == 0)
        return false;
    buf_reset(&r->text);
    if (f->is_pooled)
        put_constant(&r->text, r, f, v.key);
    else if (f->type->kind == JFR_BOOLEAN)
        buf_str(&r->text, v.i != 0 ? "true" : "false");
    else if (f->type->kind == JFR_FLOAT)
        javatext_float(&r->text, (float)v.f);
    else if (f->type->kind == JFR_DOUBLE)
        javatext_double(&r->text, v.f);
    else
        put_attr_number(&r->text, r, f, v.i);
    return !f->is_pooled || r->text.n > 0;
}

/* The text of an event itself. */
static struct jfr_str own_string(union jfr_value v, const uint8_t *end)
{
    struct cursor c = cur_over(v.at, (size_t)(end - v.at));

    return jfr_str_read(&c);
}

uint32_t context_value_id(struct context_run *r, const struct jfr_field *f, union jfr_value v,
                          const uint8_t *end)
{
    uint32_t id;

    if (is_text_attr(f))
        return f->is_pooled ? constant_id(r, f->type, v.key)
                            : string_id(r, f->type, own_string(v, end));
    if (!put_plain_value(r, f, v))
        return 0;
    id = buf_ok(&r->text) ? intern_add(&r->values, r->text.p, r->text.n) : INTERN_FAILED;
    return id == INTERN_FAILED ? CONTEXT_NONE : id + 1;
}

bool context_value_text(struct context_run *r, const struct jfr_field *f, union jfr_value v,
                        const uint8_t *end, const char **text, size_t *n)
{
    struct jfr_str s = {.encoding = JFR_STR_CONSTANT};
    uint32_t id;

    *text = NULL;
    if (is_text_attr(f) && !f->is_pooled)
        s = own_string(v, end);
    if (is_text_attr(f) && s.encoding == JFR_STR_CONSTANT) {
        id = f->is_pooled ? constant_id(r, f->type, v.key) : constant_id(r, f->type, s.n);
        if (id != 0 && id != CONTEXT_NONE)
            *text = intern_get(&r->values, id - 1, n);
        return id != CONTEXT_NONE;
    }
    if (is_text_attr(f)) {
        if (jfr_str_is_null(s))
            return true;
        buf_reset(&r->text);
        jfr_str_append_utf8(&r->text, s);
    } else if (!put_plain_value(r, f, v)) {
        return true;
    }
    buf_reserve(&r->text, 1); /* so that an empty text is one, too */
    *text = (const char *)r->text.p;
    *n = r->text.n;
    return buf_ok(&r->text);
}
