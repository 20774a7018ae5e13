/*
 * shape.c - the fixed parts of an object's JSON, made once for a class and a depth of indentation.
 *
 * value.c writes objects from them. Text of constants that come again is kept here, too.
 */
#include "convert/json/shape.h"

#include "convert/text/jsonw.h"

#define STORE_MAX ((size_t)64 << 20) /* bytes of pool entries' text kept for a chunk */
#define STORE_ENTRY_MAX ((size_t)64 << 10)

bool json_shapes_reset(struct json_shapes *s, struct jfr_chunk *chunk)
{
    s->chunk = chunk;
    s->by_class = arena_array(jfr_chunk_arena(chunk), jfr_chunk_metadata(chunk)->n_classes,
                              sizeof(struct json_shape *));
    buf_reset(&s->store);
    return s->by_class != NULL;
}

static bool is_frame_class(const struct jfr_class *cls)
{
    return strcmp(cls->simple, "StackFrame") == 0;
}

static bool has_array(const struct jfr_class *cls, bool of_frames)
{
    for (size_t i = 0; i < cls->n_fields; i++)
        if (cls->fields[i].is_array && (!of_frames || is_frame_class(cls->fields[i].type)))
            return true;
    return false;
}

struct json_shape *json_shape_get(struct json_shapes *s, const struct jfr_class *cls,
                                  unsigned level, const struct json_keep *keep, enum json_form form)
{
    struct json_shape **list = &s->by_class[cls->index];
    struct json_shape *shape;

    level = !s->style->is_pretty ? 0 : level > JSON_DEEP ? JSON_DEEP + 1 : level;
    for (shape = *list; shape != NULL; shape = shape->next)
        if (shape->cls == cls && shape->level == level && shape->keep == keep &&
            shape->form == form)
            return shape;
    shape = arena_alloc(jfr_chunk_arena(s->chunk), sizeof(*shape));
    if (shape == NULL)
        return NULL;
    *shape = (struct json_shape){.cls = cls,
                                 .form = form,
                                 .next = *list,
                                 .keep = keep,
                                 .level = level,
                                 .is_deep = level > JSON_DEEP,
                                 .is_stack = has_array(cls, true)};
    *list = shape;
    return shape;
}

/* Finds the wanted paths inside a field: *inner, NULL if all of the field is wanted. Returns false
 * if the field is not wanted, or if out of memory. */
static bool enter_keep(struct arena *arena, const struct json_keep *keep, const char *name,
                       const struct json_keep **inner)
{
    size_t length = strlen(name), n = 0;
    const char **paths;
    struct json_keep *left;

    *inner = NULL;
    if (keep == NULL)
        return true;
    paths = arena_array(arena, keep->n, sizeof(*paths));
    left = arena_alloc(arena, sizeof(*left));
    if (paths == NULL || left == NULL)
        return false;
    for (size_t i = 0; i < keep->n; i++) {
        const char *path = keep->paths[i];
        if (strncmp(path, name, length) != 0 || (path[length] != '\0' && path[length] != '.'))
            continue;
        if (path[length] == '\0')
            return true;
        paths[n++] = path + length + 1;
    }
    *left = (struct json_keep){paths, n};
    *inner = left;
    return n > 0;
}

void json_new_line(const struct json_style *style, struct buf *b, size_t level)
{
    if (!style->is_pretty)
        return;
    buf_byte(b, '\n');
    if (!buf_reserve(b, 2 * level))
        return;
    memset(b->p + b->n, ' ', 2 * level);
    b->n += 2 * level;
}

static struct json_text take_shape_text(struct json_shapes *s, struct buf *b)
{
    char *p = arena_strndup(jfr_chunk_arena(s->chunk), (const char *)b->p, b->n);
    struct json_text text = {p, p == NULL ? 0 : b->n};

    buf_reset(b);
    return text;
}

static void set_before(struct json_shapes *s, const struct json_shape *shape, struct json_member *m,
                       bool is_first, struct buf *b)
{
    buf_str(b, is_first ? "{" : s->style->is_pretty ? ", " : ",");
    m->n_open = b->n;
    if (!shape->is_deep)
        json_new_line(s->style, b, shape->level);
    json_put_name(s->style, b, m->field->name);
    buf_str(b, s->style->is_pretty ? ": " : ":");
    m->before = take_shape_text(s, b);
}

/* Of two fields with the same name the last one is written, except in the layout of the JDK's tool.
 */
static bool is_repeated(const struct json_shapes *s, const struct jfr_class *cls, size_t i)
{
    return (s->style->rules == JSON_RULES_OWN || !s->style->is_pretty) &&
           jfr_class_field(cls, cls->fields[i].name) != &cls->fields[i];
}

/* The elements of an array are JSON whatever its own form is. */
static bool open_member(struct json_shapes *s, struct json_member *m, unsigned level,
                        const struct json_keep *keep)
{
    m->shape = json_shape_get(s, m->field->type, level, keep,
                              m->field->is_array ? JSON_FORM_JSON : m->form);
    return m->shape != NULL;
}

bool json_member_set_form(struct json_shapes *s, struct json_member *m, enum json_form form)
{
    m->form = form;
    return open_member(s, m, m->shape->level, m->shape->keep);
}

/* A field that can name the shape's class, if there is one. */
static bool add_name(struct json_shapes *s, struct json_shape *shape, const char *name,
                     bool is_text)
{
    const struct jfr_field *f = jfr_class_field(shape->cls, name);
    struct json_member *m = &shape->names[shape->n_names];

    if (f == NULL || (is_text && (f->is_array || jfr_class_shown(f->type)->kind != JFR_STRING)))
        return true;
    *m = (struct json_member){.field = f, .form = shape->form};
    shape->n_names++;
    return open_member(s, m, shape->level, NULL);
}

/* A thread has two names. As plain text a Java class is its name, too; other structures have more
 * to say than their names. */
static bool compile_names(struct json_shapes *s, struct json_shape *shape)
{
    bool is_plain = shape->form == JSON_FORM_PLAIN;

    if (shape->form == JSON_FORM_JSON || shape->cls->is_simple)
        return true;
    if (!add_name(s, shape, "javaName", true) || !add_name(s, shape, "osName", true))
        return false;
    shape->is_class = is_plain && jfr_class_field(shape->cls, "modifiers") != NULL &&
                      jfr_class_field(shape->cls, "name") != NULL;
    return (is_plain && !shape->is_class) || add_name(s, shape, "name", !is_plain);
}

static bool compile_members(struct json_shapes *s, struct json_shape *shape, struct buf *b)
{
    const struct jfr_class *cls = shape->cls;
    struct arena *arena = jfr_chunk_arena(s->chunk);
    unsigned level = shape->level + (cls->is_simple ? 0 : 1);

    for (size_t i = 0; i < shape->n_members; i++) {
        struct json_member *m = &shape->members[i];
        const struct json_keep *inner = shape->keep;
        m->field = &cls->fields[i];
        m->is_frames = m->field->is_array && is_frame_class(m->field->type);
        if (!cls->is_simple &&
            (is_repeated(s, cls, i) || !enter_keep(arena, shape->keep, m->field->name, &inner)))
            continue;
        m->form = cls->is_simple ? shape->form : JSON_FORM_JSON;
        if (!open_member(s, m, level, inner))
            return false;
        if (!cls->is_simple)
            set_before(s, shape, m, shape->n_needed == 0, b);
        shape->n_needed = i + 1;
        if (cls->is_simple)
            break;
    }
    if (!cls->is_simple) {
        if (shape->n_needed == 0)
            buf_byte(b, '{');
        else if (!shape->is_deep)
            json_new_line(s->style, b, shape->level - (s->style->is_pretty ? 1 : 0));
        buf_byte(b, '}');
        shape->after = take_shape_text(s, b);
    }
    return arena_ok(arena) && buf_ok(b);
}

bool json_shape_compile(struct json_shapes *s, struct json_shape *shape)
{
    struct buf b = {0};
    bool ok;

    shape->n_members = shape->cls->n_fields;
    shape->members =
        arena_array(jfr_chunk_arena(s->chunk), shape->n_members, sizeof(struct json_member));
    ok = shape->members != NULL && compile_members(s, shape, &b) && compile_names(s, shape);
    buf_free(&b);
    return ok;
}

bool json_shape_open_pool(struct json_shapes *s, struct json_shape *shape)
{
    size_t n;

    shape->pool = jfr_chunk_pool(s->chunk, shape->cls);
    if (shape->pool == NULL)
        return false;
    n = jfr_pool_n(shape->pool);
    /* Structures with arrays, above all stack traces, are long and seldom repeated: they are not
     * kept. */
    if (has_array(shape->cls, false) || shape->is_deep)
        return true;
    shape->kept = arena_array(jfr_chunk_arena(s->chunk), n, sizeof(struct json_kept));
    return shape->kept != NULL;
}

void json_shape_store(struct json_shapes *s, struct json_shape *shape, size_t i, const uint8_t *p,
                      size_t n)
{
    if (shape->kept == NULL || n > STORE_ENTRY_MAX || n > STORE_MAX - s->store.n)
        return;
    if (!buf_reserve(&s->store, n))
        return;
    shape->kept[i] = (struct json_kept){(uint32_t)s->store.n, (uint32_t)n};
    buf_bytes(&s->store, p, n);
}

void json_put_name(const struct json_style *style, struct buf *b, const char *name)
{
    struct jfr_str s = {(const uint8_t *)name, strlen(name), strlen(name), JFR_STR_UTF8};

    if (style->rules == JSON_RULES_OWN)
        jsonw_jfr_plain(b, s);
    else
        jsonw_jfr_str(b, s);
}

void json_shapes_free(struct json_shapes *s)
{
    buf_free(&s->store);
}
