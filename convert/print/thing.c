/*
 * thing.c - what is one line of text: threads, classes, class loaders, methods. Lines of constants
 * are kept for the next time.
 */
#include "convert/print/text_internal.h"

#include <inttypes.h>

#define KEPT_MOST ((size_t)64 << 20) /* bytes of texts that are kept of a chunk */

/* --- names --- */

bool text_put_string(struct text_printer *t, const struct jfr_field *f, union jfr_value v,
                     const uint8_t *end, struct buf *b)
{
    struct jfr_str s = {.encoding = JFR_STR_NULL};
    struct cursor c;

    if (f == NULL || f->is_array)
        return false;
    if (f->is_pooled) {
        s = jfr_simple_text(t->chunk, f->type, v.key);
    } else if (f->type->kind == JFR_STRING) {
        c = cur_over(v.at, (size_t)(end - v.at));
        s = jfr_chunk_resolve(t->chunk, jfr_str_read(&c));
    }
    if (jfr_str_is_null(s) || s.encoding == JFR_STR_CONSTANT)
        return false;
    text_put_str(t, b, s);
    return true;
}

static void dot_name(struct buf *b, size_t from)
{
    for (size_t i = from; i < b->n; i++)
        if (b->p[i] == '/')
            b->p[i] = '.';
}

void text_put_descriptor(struct buf *b, const char *name, size_t n, const char *size)
{
    static const struct {
        char letter;
        const char *name;
    } primitives[] = {{'I', "int"},   {'J', "long"},  {'Z', "boolean"}, {'D', "double"},
                      {'F', "float"}, {'S', "short"}, {'C', "char"},    {'B', "byte"}};
    size_t at = 0, dims;
    const char *end, *text = "<unknown-descriptor-type>";

    while (at < n && name[at] == '[')
        at++;
    dims = at;
    if (at < n && name[at] == 'L') {
        end = memchr(name + at, ';', n - at);
        buf_bytes(b, name + at + 1, end == NULL ? n - at - 1 : (size_t)(end - name) - at - 1);
    } else {
        for (size_t i = 0; at < n && i < sizeof(primitives) / sizeof(primitives[0]); i++)
            if (primitives[i].letter == name[at])
                text = primitives[i].name;
        buf_str(b, text);
    }
    for (size_t i = 0; i < dims; i++)
        buf_printf(b, "[%s]", i == 0 ? size : "");
}

/* The name of a class as in a program, "java.util.Map$Entry"; arrays as they are in the file. */
static void put_class_name(struct text_printer *t, const struct jfr_class *cls, uint64_t key,
                           struct buf *b)
{
    struct jfr_str s = jfr_class_name(t->chunk, cls, key);
    size_t from = b->n;

    if (jfr_str_is_null(s))
        buf_str(b, "null");
    else
        text_put_str(t, b, s);
    dot_name(b, from);
}

/* --- things --- */

static void put_thread_line(struct text_printer *t, const struct jfr_class *cls, uint64_t key,
                            struct buf *b)
{
    struct jfr_thread thread;
    bool is_java;
    struct jfr_str name;

    if (!jfr_thread_get(t->chunk, cls, key, &thread)) {
        buf_str(b, "N/A");
        return;
    }
    is_java = thread.java_id > 0;
    name = is_java ? thread.java_name : thread.os_name;
    buf_byte(b, '"');
    if (jfr_str_is_null(name))
        buf_str(b, "null");
    else
        text_put_str(t, b, name);
    if (is_java)
        buf_printf(b, "\" (javaThreadId = %" PRId64 "%s)", thread.java_id,
                   thread.is_virtual ? ", virtual" : "");
    else
        buf_printf(b, "\" (osThreadId = %" PRId64 ")", thread.os_id);
}

enum {
    LOADER_TYPE,
    LOADER_NAME,
    LOADER_FIELDS,
};

/* Reads the class loader with this key. False: there is none. */
static bool read_loader(struct text_printer *t, const struct jfr_class *cls, uint64_t key,
                        const struct jfr_plan **plan, union jfr_value *v, struct cursor *value)
{
    static const char *const paths[] = {"type", "name"};
    const struct jfr_pool *pool = jfr_chunk_pool(t->chunk, cls);
    int64_t i = pool == NULL ? -1 : jfr_pool_find(pool, key);

    *plan = i < 0 ? NULL : jfr_plan_shared(t->chunk, cls, paths, LOADER_FIELDS);
    if (*plan == NULL)
        return false;
    *value = jfr_pool_value(pool, (size_t)i);
    return jfr_plan_run(*plan, *value, v, NULL) == 0;
}

/* Does the key name a constant? */
static bool has_constant(struct text_printer *t, const struct jfr_class *cls, uint64_t key)
{
    const struct jfr_pool *pool = jfr_chunk_pool(t->chunk, cls);

    return pool != NULL && jfr_pool_find(pool, key) >= 0;
}

/* The class that a loader is of; false: it has none, as the one that starts the JVM. */
static bool put_loader_type(struct text_printer *t, const struct jfr_plan *plan,
                            const union jfr_value *v, struct buf *b)
{
    const struct jfr_field *type = jfr_plan_field(plan, LOADER_TYPE);

    if (type == NULL || !type->is_pooled || !has_constant(t, type->type, v[LOADER_TYPE].key))
        return false;
    put_class_name(t, type->type, v[LOADER_TYPE].key, b);
    return true;
}

static void put_loader_line(struct text_printer *t, const struct jfr_class *cls, uint64_t key,
                            struct buf *b)
{
    union jfr_value v[LOADER_FIELDS];
    const struct jfr_plan *plan;
    struct cursor value;

    if (read_loader(t, cls, key, &plan, v, &value) && put_loader_type(t, plan, v, b))
        buf_printf(b, " (id = %" PRIu64 ")", key);
    else
        buf_str(b, "null");
}

/* The name of the loader of a class, or its type's. */
static void put_loader_name(struct text_printer *t, const struct jfr_class *cls, uint64_t key,
                            struct buf *b)
{
    union jfr_value v[LOADER_FIELDS];
    const struct jfr_plan *plan;
    struct cursor value;

    if (!read_loader(t, cls, key, &plan, v, &value) ||
        (!text_put_string(t, jfr_plan_field(plan, LOADER_NAME), v[LOADER_NAME], value.end, b) &&
         !put_loader_type(t, plan, v, b)))
        buf_str(b, "null");
}

static void put_class_line(struct text_printer *t, const struct jfr_class *cls, uint64_t key,
                           struct buf *b)
{
    static const char *const paths[] = {"classLoader"};
    const struct jfr_plan *plan = jfr_plan_shared(t->chunk, cls, paths, 1);
    const struct jfr_pool *pool = jfr_chunk_pool(t->chunk, cls);
    int64_t i = pool == NULL ? -1 : jfr_pool_find(pool, key);
    const struct jfr_field *loader = plan == NULL ? NULL : jfr_plan_field(plan, 0);
    struct buf name = {0};
    union jfr_value v;

    put_class_name(t, cls, key, &name);
    if (buf_ok(&name) && name.n > 0 && name.p[0] == '[')
        text_put_descriptor(b, (const char *)name.p, name.n, "");
    else
        buf_bytes(b, name.p, name.n);
    buf_free(&name);
    buf_str(b, " (classLoader = ");
    if (loader != NULL && loader->is_pooled && i >= 0 &&
        jfr_plan_run(plan, jfr_pool_value(pool, (size_t)i), &v, NULL) == 0)
        put_loader_name(t, loader->type, v.key, b);
    else
        buf_str(b, "null");
    buf_byte(b, ')');
}

/* The types of a method's parameters, without packages: "List, Map$Entry, long[]". */
static void put_parameters(struct buf *b, const char *descriptor, size_t n)
{
    const char *at = descriptor, *end;

    if (n == 0)
        return;
    at += *at == '(';
    end = memchr(at, ')', (size_t)(descriptor + n - at));
    for (const char *next; end != NULL && at < end; at = next) {
        size_t from = b->n, dot = b->n;

        for (next = at; next < end && *next == '['; next++)
            ;
        if (next < end && *next == 'L')
            while (next < end && *next != ';')
                next++;
        next += next < end;
        text_put_descriptor(b, at, (size_t)(next - at), "");
        if (!buf_ok(b))
            return;
        for (size_t i = from; i < b->n; i++)
            if (b->p[i] == '/' || b->p[i] == '.')
                dot = i + 1;
        memmove(b->p + from, b->p + dot, b->n - dot);
        b->n -= dot - from;
        if (next < end)
            buf_str(b, ", ");
    }
}

void text_put_method(struct text_printer *t, const struct jfr_stacks *st, uint64_t key,
                     struct buf *b)
{
    struct jfr_method m;
    size_t from = b->n;

    if (!jfr_method_get(st, key, &m)) {
        buf_str(b, "N/A");
        return;
    }
    if (jfr_str_is_null(m.class_name))
        buf_str(b, "null");
    else
        text_put_str(t, b, m.class_name);
    dot_name(b, from);
    buf_byte(b, '.');
    if (jfr_str_is_null(m.name))
        buf_str(b, "null");
    else
        text_put_str(t, b, m.name);
    buf_byte(b, '(');
    buf_reset(&t->line);
    text_put_str(t, &t->line, m.descriptor);
    if (buf_ok(&t->line))
        put_parameters(b, (const char *)t->line.p, t->line.n);
    buf_byte(b, ')');
}

void text_keep(struct text_printer *t, struct arena *arena, struct text_kept *kept,
               const struct buf *b, size_t from)
{
    size_t n = b->n - from;

    if (!buf_ok(b) || t->kept + n > KEPT_MOST)
        return;
    t->kept += n;
    kept->n = (uint32_t)n;
    kept->text = arena_strndup(arena, (const char *)b->p + from, n);
}

struct text_stacks *text_stacks_of(struct text_printer *t, struct text_class *k,
                                   const struct jfr_field *f)
{
    struct arena *arena = jfr_chunk_arena(t->chunk);
    struct text_stacks *s;

    if (k->has_stacks)
        return k->stacks;
    k->has_stacks = true;
    s = arena_alloc(arena, sizeof(*s));
    if (s == NULL || !f->is_pooled || jfr_stacks_init(&s->st, t->chunk, f) != 0)
        return NULL;
    s->traces = arena_array(arena, jfr_pool_n(s->st.traces) + 1, sizeof(*s->traces));
    s->methods = s->st.methods == NULL
                     ? NULL
                     : arena_array(arena, jfr_pool_n(s->st.methods) + 1, sizeof(*s->methods));
    if (s->traces != NULL)
        k->stacks = s;
    return k->stacks;
}

void text_put_method_of_stack(struct text_printer *t, struct text_stacks *s, uint64_t key,
                              struct buf *b)
{
    int64_t i = s->methods == NULL ? -1 : jfr_pool_find(s->st.methods, key);
    struct text_kept none = {NULL, 0}, *kept = i < 0 ? &none : &s->methods[i];
    size_t from = b->n;

    if (kept->text != NULL) {
        buf_bytes(b, kept->text, kept->n);
        return;
    }
    text_put_method(t, &s->st, key, b);
    if (i >= 0)
        text_keep(t, jfr_chunk_arena(t->chunk), kept, b, from);
}

/* A method outside of a stack trace, which has to be read with what a trace would say of it. */
static void put_lone_method(struct text_printer *t, const struct jfr_class *cls, uint64_t key,
                            struct buf *b)
{
    struct jfr_stacks st = {
        .chunk = t->chunk, .methods = jfr_chunk_pool(t->chunk, cls), .method_class = cls};

    text_put_method(t, &st, key, b);
}

static void make_thing(struct text_printer *t, const struct text_class *k, uint64_t key,
                       struct buf *b)
{
    switch (k->thing) {
    case TEXT_THREAD:
        put_thread_line(t, k->cls, key, b);
        break;
    case TEXT_CLASS:
        put_class_line(t, k->cls, key, b);
        break;
    case TEXT_LOADER:
        put_loader_line(t, k->cls, key, b);
        break;
    default:
        put_lone_method(t, k->cls, key, b);
    }
}

bool text_put_thing(struct text_printer *t, struct text_class *k, uint64_t key, struct buf *b)
{
    struct arena *arena = jfr_chunk_arena(t->chunk);
    struct text_kept *kept;
    size_t from = b->n;
    int64_t i;

    if (k->pool == NULL) {
        k->pool = jfr_chunk_pool(t->chunk, k->cls);
        k->kept = arena_array(arena, k->pool == NULL ? 0 : jfr_pool_n(k->pool), sizeof(*k->kept));
    }
    i = k->pool == NULL || k->kept == NULL ? -1 : jfr_pool_find(k->pool, key);
    if (i < 0)
        return false;
    kept = &k->kept[i];
    if (kept->text == NULL) {
        make_thing(t, k, key, b);
        text_keep(t, jfr_chunk_arena(t->chunk), kept, b, from);
    } else {
        buf_bytes(b, kept->text, kept->n);
    }
    return true;
}
