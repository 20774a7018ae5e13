/*
 * value.c - the values of events that views sum up: numbers, texts, constants, and what a stack
 * has.
 *
 * view.c requests a getter once for each class and path, and for a value of each event. Texts of
 * constants are made once for each constant of a chunk (ordinals).
 */
#include "convert/text/frame_name.h"
#include "convert/view/internal.h"

#include <limits.h>
#include <math.h>

void view_values_load(struct view_values *v, const struct run_chunk *rc)
{
    struct jfr_chunk *chunk = rc->chunk;
    const struct jfr_metadata *md = jfr_chunk_metadata(chunk);

    v->chunk = chunk;
    v->input = rc->path;
    v->stack_field = NULL;
    v->methods = NULL;
    v->n_attributes = 0;
    buf_reset(&v->constants);
    for (size_t i = 0; i < md->n_classes && v->stack_field == NULL; i++) {
        const struct jfr_field *f =
            md->classes[i].is_event ? jfr_class_field(&md->classes[i], "stackTrace") : NULL;

        if (f != NULL && f->is_pooled && jfr_stacks_init(&v->stacks, chunk, f) == 0)
            v->stack_field = f;
    }
}

void view_values_free(struct view_values *v)
{
    buf_free(&v->constants);
    for (size_t i = 0; i < VIEW_KEYS; i++)
        buf_free(&v->attributes[i].ordinals);
    buf_free(&v->text);
}

/* The field at the end of a path through inline structs; NULL: there is none. */
static const struct jfr_field *field_at(const struct jfr_class *cls, const char *path)
{
    const struct jfr_field *f = NULL;
    char name[64];

    for (;; path++) {
        size_t len = strcspn(path, ".");

        if (len >= sizeof(name))
            return NULL;
        memcpy(name, path, len);
        name[len] = '\0';
        f = jfr_class_field(cls, name);
        path += len;
        if (f == NULL || *path == '\0')
            return f;
        if (f->is_pooled || f->is_array)
            return NULL;
        cls = f->type;
    }
}

static enum view_format format_of_value(const struct jfr_field *f)
{
    bool rate = jfr_annotation_find(f->annotations, f->n_annotations, "jdk.jfr.Frequency") != NULL;

    switch (f->unit) {
    case JFR_UNIT_TIMESTAMP_TICKS:
    case JFR_UNIT_TIMESTAMP_MS:
    case JFR_UNIT_TIMESTAMP_NS:
    case JFR_UNIT_TIMESTAMP_S:
        return VIEW_TIME;
    case JFR_UNIT_TICKS:
    case JFR_UNIT_NS:
    case JFR_UNIT_US:
    case JFR_UNIT_MS:
    case JFR_UNIT_S:
        return VIEW_SPAN;
    case JFR_UNIT_BYTES:
        return rate ? VIEW_BYTE_RATE : VIEW_BYTES;
    case JFR_UNIT_BITS:
        return rate ? VIEW_BIT_RATE : VIEW_BITS;
    case JFR_UNIT_PERCENT:
        return VIEW_PERCENT;
    case JFR_UNIT_ADDRESS:
        return VIEW_ADDRESS;
    case JFR_UNIT_HERTZ:
        return VIEW_HERTZ;
    default:
        return f->type->kind == JFR_FLOAT || f->type->kind == JFR_DOUBLE ? VIEW_REAL : VIEW_INTEGER;
    }
}

struct view_getter view_getter(const struct jfr_class *cls, const char *path, const char **paths,
                               size_t *n)
{
    struct view_getter g = {.rest = "", .slot = *n};
    char name[64];
    size_t len;

    if (*path == '@') {
        g.special = path;
        path = strncmp(path, VIEW_TYPE, sizeof(VIEW_TYPE) - 1) == 0 ? path + sizeof(VIEW_TYPE) - 1
               : strcmp(path, VIEW_LABEL) == 0                      ? NULL
                                                                    : "stackTrace";
        if (path == NULL)
            return g;
    }
    len = strcspn(path, ".");
    if (len >= sizeof(name))
        return g;
    memcpy(name, path, len);
    name[len] = '\0';
    g.field = jfr_class_field(cls, name);
    if (g.field == NULL)
        return g;
    if (path[len] == '\0') {
        paths[(*n)++] = g.field->name;
        if (g.special == NULL && strcmp(g.field->type->name, "jdk.types.StackTrace") == 0)
            g.special = VIEW_STACK;
    } else if (g.field->is_pooled) {
        g.rest = path + len + 1;
        paths[(*n)++] = g.field->name;
    } else { /* through structs in the event itself */
        g.field = field_at(cls, path);
        paths[(*n)++] = path;
    }
    if (g.field != NULL)
        g.format = format_of_value(g.field);
    return g;
}

/* --- texts ------------------------------------------------------------------------------------ */

static void put_method(struct view_values *v, struct buf *b, uint64_t key)
{
    const struct name_options full = {.style = NAME_FULL};
    const struct jfr_frame nowhere = {.line = 0};
    struct jfr_method m;

    if (v->stack_field != NULL && jfr_method_get(&v->stacks, key, &m))
        frame_name_append(b, &full, &m, &nowhere, FRAME_UNKNOWN);
}

static bool is_platform(struct jfr_str name)
{
    static const char *const prefixes[] = {"java/", "javax/",   "jdk/",
                                           "sun/",  "com/sun/", "com/oracle/"};
    uint8_t room[64];
    struct buf b = buf_fixed(room, sizeof(room));

    if (name.encoding == JFR_STR_UTF8 || name.encoding == JFR_STR_LATIN1)
        buf_bytes(&b, name.p, name.n_bytes < sizeof(room) ? name.n_bytes : sizeof(room));
    for (size_t i = 0; i < b.n; i++) /* hidden classes have dots */
        room[i] = room[i] == '.' ? '/' : room[i];
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (b.n >= strlen(prefixes[i]) && memcmp(room, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* Is it a frame that `which` requests? */
static bool is_wanted(const struct view_values *v, const char *which, uint64_t key)
{
    struct jfr_method m;

    if (strcmp(which, VIEW_NOT_INIT) != 0 && strcmp(which, VIEW_APPLICATION) != 0)
        return jfr_pool_find(v->stacks.methods, key) >= 0;
    if (!jfr_method_get(&v->stacks, key, &m))
        return false;
    return strcmp(which, VIEW_NOT_INIT) == 0 ? !jfr_str_equals(m.name, "<init>")
                                             : !is_platform(m.class_name);
}

static bool open_stack(const struct view_values *v, uint64_t key, struct jfr_frames *frames)
{
    int64_t i = v->stack_field == NULL ? -1 : jfr_pool_find(v->stacks.traces, key);

    return i >= 0 && jfr_stacks_open(&v->stacks, (size_t)i, frames) == 0;
}

/* The method of the first frame that is requested. */
static bool find_method(const struct view_values *v, const char *which, uint64_t key,
                        uint64_t *method)
{
    struct jfr_frames frames;
    struct jfr_frame f;

    if (!open_stack(v, key, &frames))
        return false;
    while (jfr_frames_next(&frames, &f))
        if (is_wanted(v, which, f.method_key)) {
            *method = f.method_key;
            return true;
        }
    return false;
}

static void put_class_of(struct view_values *v, struct buf *b, uint64_t method_key)
{
    const struct name_options dot = {.style = NAME_DOT};
    struct jfr_method m;

    if (jfr_method_get(&v->stacks, method_key, &m) && !jfr_str_is_null(m.class_name))
        class_name_append(b, &dot, m.class_name);
}

static void put_stack(struct view_values *v, struct buf *b, uint64_t key)
{
    struct jfr_frames frames;
    struct jfr_frame f;

    if (!open_stack(v, key, &frames))
        return;
    while (jfr_frames_next(&frames, &f)) {
        if (!is_wanted(v, VIEW_STACK, f.method_key))
            continue;
        if (b->n > 0)
            buf_str(b, " <- ");
        put_method(v, b, f.method_key);
    }
}

/* The frame on top, with its line, or its package. */
static void put_top_frame(struct view_values *v, struct buf *b, const char *which, uint64_t key)
{
    const struct name_options line = {.style = NAME_FULL, .lines = true};
    const struct name_options package = {.style = NAME_DOT, .package = UINT_MAX};
    struct jfr_frames frames;
    struct jfr_method m;
    struct jfr_frame f;
    bool has_line = strcmp(which, VIEW_LINE) == 0;

    if (!open_stack(v, key, &frames))
        return;
    while (jfr_frames_next(&frames, &f))
        if (jfr_method_get(&v->stacks, f.method_key, &m)) {
            frame_name_append(b, has_line ? &line : &package, &m, &f, FRAME_UNKNOWN);
            return;
        }
}

static const struct view_value none = {.kind = VIEW_NONE};

struct view_value view_text_value(struct view_values *v)
{
    uint32_t id;

    if (v->text.n == 0 && buf_ok(&v->text))
        return none;
    id = buf_ok(&v->text) ? intern_add(v->texts, v->text.p, v->text.n) : INTERN_FAILED;
    v->failed |= id == INTERN_FAILED;
    return id == INTERN_FAILED ? none : (struct view_value){.kind = VIEW_TEXT, .text = id};
}

/* --- numbers ---------------------------------------------------------------------------------- */

static int64_t times(int64_t v, int64_t factor)
{
    int64_t r;

    if (v == INT64_MIN || v == INT64_MAX)
        return v;
    return __builtin_mul_overflow(v, factor, &r) ? (v < 0 ? INT64_MIN + 1 : INT64_MAX) : r;
}

static int64_t scaled_value(const struct jfr_chunk_header *h, const struct jfr_field *f, int64_t i)
{
    switch (f->unit) {
    case JFR_UNIT_TIMESTAMP_TICKS:
        return i == INT64_MIN ? i : jfr_epoch_ns(h, i);
    case JFR_UNIT_TICKS:
        return i == INT64_MIN || i == INT64_MAX ? i : jfr_span_ns(h, i);
    case JFR_UNIT_US:
        return times(i, 1000);
    case JFR_UNIT_MS:
    case JFR_UNIT_TIMESTAMP_MS:
        return times(i, 1000000);
    case JFR_UNIT_S:
    case JFR_UNIT_TIMESTAMP_S:
        return times(i, 1000000000);
    default:
        return i;
    }
}

static struct view_value get_number(struct view_values *v, const struct view_getter *g,
                                    union jfr_value raw)
{
    struct view_value value = {.kind = VIEW_NUMBER, .format = g->format};
    const struct jfr_field *f = g->field;

    if (f->type->kind == JFR_FLOAT || f->type->kind == JFR_DOUBLE) {
        value.is_real = true;
        value.d = raw.f;
        if (isnan(raw.f))
            value.kind = VIEW_NONE;
        return value;
    }
    value.is_unsigned = f->is_unsigned;
    value.i = scaled_value(jfr_chunk_header(v->chunk), f, raw.i);
    value.d = f->is_unsigned ? (double)(uint64_t)value.i : (double)value.i;
    if (!f->is_unsigned &&
        (value.i == INT64_MIN || (f->type->kind == JFR_INT && raw.i == INT32_MIN)))
        value.kind = VIEW_NONE;
    return value;
}

/* A value that lies in the bytes at hand; `end` is where they end. */
static struct view_value get_plain(struct view_values *v, const struct view_getter *g,
                                   union jfr_value raw, const uint8_t *end)
{
    const struct jfr_field *f = g->field;
    struct cursor c;

    buf_reset(&v->text);
    if (f->type->kind == JFR_STRING) {
        c = cur_over(raw.at, (size_t)(end - raw.at));
        jfr_str_append_utf8(&v->text, jfr_chunk_resolve(v->chunk, jfr_str_read(&c)));
        return view_text_value(v);
    }
    if (f->type->kind == JFR_BOOLEAN) {
        buf_str(&v->text, raw.i != 0 ? "true" : "false");
        return view_text_value(v);
    }
    return f->type->kind == JFR_STRUCT ? none : get_number(v, g, raw);
}

/* --- constants -------------------------------------------------------------------------------- */

static struct view_value make_constant(struct view_values *v, const struct jfr_field *f,
                                       uint64_t key, const char *rest);

/* A field of a constant, perhaps a field of the constant that it is. */
static struct view_value get_member(struct view_values *v, const struct jfr_class *cls,
                                    uint64_t key, const char *rest)
{
    const struct jfr_pool *pool = jfr_chunk_pool(v->chunk, cls);
    int64_t i = jfr_pool_find(pool, key);
    const char *paths[1];
    size_t n = 0;
    struct view_getter g = view_getter(cls, rest, paths, &n);
    const struct jfr_plan *plan;
    union jfr_value value[1];
    struct cursor c;

    if (i < 0 || g.field == NULL || g.field->is_array || n != 1)
        return none;
    plan = jfr_plan_new(v->chunk, cls, paths, 1);
    c = jfr_pool_value(pool, (size_t)i);
    if (plan == NULL || jfr_plan_run(plan, c, value, NULL) != 0)
        return none;
    return g.field->is_pooled ? make_constant(v, g.field, value[0].key, g.rest)
                              : get_plain(v, &g, value[0], c.end);
}

/* The loader of a class: what tells two classes of one name apart. */
static uint64_t loader_of(struct view_values *v, const struct jfr_class *cls, uint64_t key)
{
    static const char *const path[] = {"classLoader"};
    const struct jfr_pool *pool = jfr_chunk_pool(v->chunk, cls);
    int64_t i = jfr_pool_find(pool, key);
    const struct jfr_plan *plan = i < 0 ? NULL : jfr_plan_shared(v->chunk, cls, path, 1);
    union jfr_value value;

    return plan != NULL && jfr_plan_run(plan, jfr_pool_value(pool, (size_t)i), &value, NULL) == 0
               ? value.key
               : 0;
}

/* The loader of a method's class. */
static uint64_t loader_of_method(struct view_values *v, uint64_t key)
{
    const struct jfr_field *type = v->stack_field == NULL || v->stacks.method_class == NULL
                                       ? NULL
                                       : jfr_class_field(v->stacks.method_class, "type");
    struct jfr_method m;

    return type != NULL && type->is_pooled && jfr_method_get(&v->stacks, key, &m)
               ? loader_of(v, type->type, m.class_key)
               : 0;
}

static struct view_value get_thread(struct view_values *v, const struct jfr_field *f, uint64_t key)
{
    struct view_value value;
    struct jfr_thread thread;

    if (!jfr_thread_get(v->chunk, f->type, key, &thread))
        return none;
    thread_name_append(&v->text, &thread);
    value = view_text_value(v);
    value.identity =
        thread.java_id > 0 ? (uint64_t)thread.java_id << 1 : (uint64_t)thread.os_id << 1 | 1;
    return value;
}

static struct view_value get_loader(struct view_values *v, const struct jfr_field *f, uint64_t key)
{
    struct view_value value = get_member(v, f->type, key, "type");

    if (value.kind == VIEW_NONE)
        value = get_member(v, f->type, key, "name");
    if (value.kind == VIEW_NONE) { /* it is no object, and need not be in the pool */
        buf_reset(&v->text);
        buf_str(&v->text, "bootstrap");
        value = view_text_value(v);
    }
    value.identity = key;
    return value;
}

/* The value of a constant, or of a field of it. */
static struct view_value make_constant(struct view_values *v, const struct jfr_field *f,
                                       uint64_t key, const char *rest)
{
    const struct name_options dot = {.style = NAME_DOT};
    const char *type = f->type->name;
    struct view_value value;

    if (*rest != '\0')
        return get_member(v, f->type, key, rest);
    if (strcmp(type, "jdk.types.ClassLoader") == 0)
        return get_loader(v, f, key);
    buf_reset(&v->text);
    if (strcmp(type, "java.lang.Thread") == 0)
        return get_thread(v, f, key);
    if (strcmp(type, "java.lang.Class") == 0) {
        struct jfr_str name = jfr_class_name(v->chunk, f->type, key);

        if (!jfr_str_is_null(name))
            class_name_append(&v->text, &dot, name);
        value = view_text_value(v);
        value.identity = loader_of(v, f->type, key);
    } else if (strcmp(type, "jdk.types.Method") == 0) {
        put_method(v, &v->text, key);
        value = view_text_value(v);
        value.identity = loader_of_method(v, key);
    } else if (jfr_class_shown(f->type)->kind == JFR_STRING) {
        jfr_str_append_utf8(&v->text, jfr_simple_text(v->chunk, f->type, key));
        value = view_text_value(v);
    } else {
        value = get_member(v, f->type, key, "name");
    }
    return value;
}

void view_remember(struct view_values *v, struct view_value *value, uint32_t *ordinal)
{
    value->ordinal = (uint32_t)(v->constants.n / sizeof(*value)) + 1;
    buf_bytes(&v->constants, value, sizeof(*value));
    if (!buf_ok(&v->constants))
        value->ordinal = 0;
    *ordinal = value->ordinal;
}

/* Returns a method as a value. Its name is made once, also if it is on top of many stacks. */
static struct view_value get_method(struct view_values *v, uint64_t key)
{
    int64_t i = jfr_pool_find(v->stacks.methods, key);
    struct view_value value;

    if (v->methods == NULL)
        v->methods = arena_array(jfr_chunk_arena(v->chunk), jfr_pool_n(v->stacks.methods) + 1,
                                 sizeof(*v->methods));
    if (i < 0 || v->methods == NULL)
        return none;
    if (v->methods[i] != 0)
        return view_remembered(v, v->methods[i]);
    buf_reset(&v->text);
    put_method(v, &v->text, key);
    value = view_text_value(v);
    value.identity = loader_of_method(v, key);
    view_remember(v, &value, &v->methods[i]);
    return value;
}

/* The value that a special path takes from a stack: method, line, class, package. */
static struct view_value make_of_stack(struct view_values *v, const char *which, uint64_t key)
{
    uint64_t method = 0;

    buf_reset(&v->text);
    if (strcmp(which, VIEW_STACK) == 0)
        put_stack(v, &v->text, key);
    else if (strcmp(which, VIEW_LINE) == 0 || strcmp(which, VIEW_PACKAGE) == 0)
        put_top_frame(v, &v->text, which, key);
    else if (!find_method(v, which, key, &method))
        return none;
    else if (strcmp(which, VIEW_TOP_CLASS) == 0)
        put_class_of(v, &v->text, method);
    else
        return get_method(v, method);
    return view_text_value(v);
}

bool view_getter_remember(struct view_values *v, struct view_getter *g)
{
    if (g->what == VIEW_OF_EVENT || g->what == VIEW_OF_INPUT) {
        g->ordinals = arena_array(jfr_chunk_arena(v->chunk), 1, sizeof(*g->ordinals));
        return g->ordinals != NULL;
    }
    if (g->field == NULL || !g->field->is_pooled || g->ordinals != NULL)
        return true;
    g->pool = g->special == NULL       ? jfr_chunk_pool(v->chunk, g->field->type)
              : v->stack_field == NULL ? NULL
                                       : v->stacks.traces;
    if (g->pool == NULL)
        return true;
    g->ordinals =
        arena_array(jfr_chunk_arena(v->chunk), jfr_pool_n(g->pool) + 1, sizeof(*g->ordinals));
    return g->ordinals != NULL;
}

/* Returns the value of a constant, which is made once for each constant of a pool. */
static struct view_value get_constant(struct view_values *v, const struct view_getter *g,
                                      uint64_t key)
{
    int64_t i = g->ordinals == NULL ? -1 : jfr_pool_find(g->pool, key);
    struct view_value value;

    if (i >= 0 && g->ordinals[i] != 0)
        return view_remembered(v, g->ordinals[i]);
    value = g->special != NULL ? make_of_stack(v, g->special, key)
                               : make_constant(v, g->field, key, g->rest);
    if (g->what == VIEW_OF_THREAD) /* as keys, threads of one name are one */
        value.identity = 0;
    if (i >= 0 && value.ordinal != 0)
        g->ordinals[i] = value.ordinal;
    else if (i >= 0)
        view_remember(v, &value, &g->ordinals[i]);
    return value;
}

/* --- events ----------------------------------------------------------------------------------- */

static struct view_value get_label(struct view_values *v, const struct jfr_class *cls)
{
    const char *label = cls->label != NULL && *cls->label != '\0' ? cls->label : cls->name;

    buf_reset(&v->text);
    buf_str(&v->text, label);
    return view_text_value(v);
}

struct view_value view_get(struct view_values *v, const struct view_getter *g,
                           const struct jfr_event *ev, const union jfr_value *values)
{
    const struct jfr_field *f = g->field;
    const struct jfr_class *cls;

    if (g->special != NULL && strcmp(g->special, VIEW_LABEL) == 0)
        return get_label(v, ev->type);
    if (f == NULL || f->is_array)
        return none;
    if (f->is_pooled)
        return get_constant(v, g, values[g->slot].key);
    if (g->special != NULL) {
        cls = jfr_metadata_by_id(jfr_chunk_metadata(v->chunk), values[g->slot].i);
        return cls == NULL ? none : get_label(v, cls);
    }
    return get_plain(v, g, values[g->slot], ev->body.end);
}
