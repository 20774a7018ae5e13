/*
 * stack.c - decodes stack traces, frames, methods, classes and threads from constant pools.
 *
 * In: a key of an event's field, and the chunk whose pools hold the constant. Out: structs with
 * texts that borrow the chunk's bytes. Field names decide, as all producers share them (jfr-format
 * §8); frames in the usual layout are read without a plan, since a recording has millions of them.
 * A damaged constant is reported by the return value and never read beyond its bytes.
 */
#include "jfrfmt/read/stack.h"

#include "jfrfmt/read/chunk_internal.h"

enum {
    TRACE_TRUNCATED,
    TRACE_FRAMES,
    N_TRACE
};
enum {
    FRAME_METHOD,
    FRAME_LINE,
    FRAME_BCI,
    FRAME_TYPE,
    N_FRAME
};

static const char *const trace_names[N_TRACE] = {"truncated", "frames"};
static const char *const frame_names[N_FRAME] = {"method", "lineNumber", "bytecodeIndex", "type"};

static bool is_varint(const struct jfr_field *f)
{
    return !f->is_array && (f->is_pooled || f->type->kind == JFR_INT || f->type->kind == JFR_LONG);
}

/* The value of a number or a flag; `missing` where a producer has put something else. */
static int64_t number(const struct jfr_plan *plan, size_t i, union jfr_value v, int64_t missing)
{
    const struct jfr_field *f = jfr_plan_field(plan, i);

    if (f == NULL || f->is_array || f->is_pooled || f->type->kind < JFR_BOOLEAN ||
        f->type->kind > JFR_LONG)
        return missing;
    return v.i;
}

/* The layout that every JVM and profiler writes, and that is read without a plan. */
static bool has_usual_layout(const struct jfr_class *frame)
{
    if (frame->n_fields != N_FRAME)
        return false;
    for (size_t i = 0; i < N_FRAME; i++)
        if (strcmp(frame->fields[i].name, frame_names[i]) != 0 || !is_varint(&frame->fields[i]) ||
            (i == FRAME_LINE || i == FRAME_BCI) == frame->fields[i].is_pooled)
            return false;
    return true;
}

static const struct jfr_pool *pool_of(struct jfr_chunk *chunk, const struct jfr_field *f,
                                      const struct jfr_class **cls)
{
    if (!jfr_field_is_key(f))
        return NULL;
    *cls = f->type;
    return jfr_chunk_pool(chunk, f->type);
}

int jfr_stacks_init(struct jfr_stacks *st, struct jfr_chunk *chunk, const struct jfr_field *field)
{
    const struct jfr_field *frames = jfr_class_field(field->type, "frames"), *method;

    *st = (struct jfr_stacks){.chunk = chunk};
    method = frames == NULL ? NULL : jfr_class_field(frames->type, "method");
    if (!field->is_pooled || method == NULL || !frames->is_array || !method->is_pooled ||
        method->is_array)
        return JFR_E_FORMAT;
    st->traces = jfr_chunk_pool(chunk, field->type);
    st->methods = pool_of(chunk, method, &st->method_class);
    st->types = pool_of(chunk, jfr_class_field(frames->type, "type"), &st->type_class);
    if (frames->is_pooled)
        st->frame_pool = jfr_chunk_pool(chunk, frames->type);
    st->trace_plan = jfr_plan_new(chunk, field->type, trace_names, N_TRACE);
    st->frame_plan = jfr_plan_new(chunk, frames->type, frame_names, N_FRAME);
    st->frame_skip = jfr_plan_for_skipping(chunk, frames->type);
    st->has_usual_layout = !frames->is_pooled && has_usual_layout(frames->type);
    if (!arena_ok(jfr_chunk_arena(chunk)))
        return JFR_E_NOMEM;
    if (st->trace_plan == NULL || st->frame_plan == NULL || st->frame_skip == NULL)
        return JFR_E_FORMAT;
    return 0;
}

int jfr_stacks_open(const struct jfr_stacks *st, size_t index, struct jfr_frames *it)
{
    struct cursor value = jfr_pool_value(st->traces, index);
    union jfr_value v[N_TRACE];
    int rc = jfr_plan_run(st->trace_plan, value, v, NULL);

    *it = (struct jfr_frames){.st = st};
    if (rc != 0)
        return rc;
    it->is_truncated = number(st->trace_plan, TRACE_TRUNCATED, v[TRACE_TRUNCATED], 0) != 0;
    it->c = value;
    it->c.p = v[TRACE_FRAMES].at;
    it->left = cur_varint(&it->c);
    if (it->left > cur_left(&it->c)) { /* a frame takes a byte at least */
        it->left = 0;
        return JFR_E_SHORT;
    }
    return cur_ok(&it->c) ? 0 : JFR_E_SHORT;
}

/* Only method, line, bci and type, wherever they stand in the class. */
static bool planned_frame(const struct jfr_stacks *st, struct cursor c, struct jfr_frame *frame)
{
    union jfr_value v[N_FRAME];

    if (jfr_plan_run(st->frame_plan, c, v, NULL) != 0)
        return false;
    frame->method_key = v[FRAME_METHOD].key;
    frame->line = (int32_t)number(st->frame_plan, FRAME_LINE, v[FRAME_LINE], -1);
    frame->bci = (int32_t)number(st->frame_plan, FRAME_BCI, v[FRAME_BCI], -1);
    frame->type_key = st->types == NULL ? UINT64_MAX : v[FRAME_TYPE].key;
    return true;
}

static bool unusual_frame(struct jfr_frames *it, struct jfr_frame *frame)
{
    const struct jfr_stacks *st = it->st;
    struct cursor c = it->c;
    int64_t i;

    if (st->frame_pool == NULL) {
        jfr_plan_skip(st->frame_skip, &it->c);
        return cur_ok(&it->c) && planned_frame(st, c, frame);
    }
    i = jfr_pool_find(st->frame_pool, cur_varint(&it->c));
    if (i >= 0)
        return planned_frame(st, jfr_pool_value(st->frame_pool, (size_t)i), frame);
    *frame = (struct jfr_frame){.method_key = UINT64_MAX, .type_key = UINT64_MAX, -1, -1};
    return cur_ok(&it->c);
}

#define USUAL_FIELDS 4

/* Reads frames whose varints can be read as words of eight bytes. Such a word may reach beyond the
 * trace, but not beyond the chunk. Stops before a frame that ends after the trace, and leaves it
 * and the last frames of the chunk to the caller. Returns how many were read. */
static size_t read_frame_words(const struct jfr_stacks *st, struct cursor *c, struct jfr_frame *out,
                               size_t max)
{
    const uint8_t *limit = st->chunk->bytes + st->chunk->n, *p = c->p;
    uint64_t method, line, bci, type;
    size_t n = 0;

    for (; n < max && limit - p >= USUAL_FIELDS * 8; n++) {
        p = cur_word_varint(p, &method);
        p = p == NULL ? NULL : cur_short_varint(p, &line);
        p = p == NULL ? NULL : cur_short_varint(p, &bci);
        p = p == NULL ? NULL : cur_short_varint(p, &type);
        if (p == NULL || p > c->end)
            break;
        out[n] = (struct jfr_frame){
            .method_key = method, .line = (int32_t)line, .bci = (int32_t)bci, .type_key = type};
        c->p = p;
    }
    return n;
}

static size_t usual_frames(struct jfr_frames *it, struct jfr_frame *out, size_t max)
{
    struct cursor c = it->c;
    size_t n;

    if (max > it->left)
        max = it->left;
    for (n = read_frame_words(it->st, &c, out, max); n < max && cur_ok(&c); n++) {
        out[n].method_key = cur_varint(&c);
        out[n].line = (int32_t)cur_varint(&c);
        out[n].bci = (int32_t)cur_varint(&c);
        out[n].type_key = cur_varint(&c);
    }
    if (n > 0 && !cur_ok(&c))
        n--; /* cut off in the middle */
    it->left -= n;
    it->c = c;
    return n;
}

size_t jfr_frames_read(struct jfr_frames *it, struct jfr_frame *out, size_t max)
{
    size_t n = 0;

    if (it->st->has_usual_layout)
        return usual_frames(it, out, max);
    for (; n < max && it->left > 0 && unusual_frame(it, &out[n]); n++)
        it->left--;
    return n;
}

bool jfr_frames_next(struct jfr_frames *it, struct jfr_frame *frame)
{
    return jfr_frames_read(it, frame, 1) == 1;
}

/* The value of a simple type: follows its one field until a string is reached. */
static struct jfr_str simple_value(struct jfr_chunk *chunk, const struct jfr_class *cls,
                                   struct cursor c)
{
    for (int depth = 0; depth < 32; depth++) {
        const struct jfr_field *f;

        if (cls->kind == JFR_STRING)
            return jfr_chunk_resolve(chunk, jfr_str_read(&c));
        if (cls->n_fields == 0 || cls->fields[0].is_array)
            break;
        f = &cls->fields[0];
        cls = f->type;
        if (f->is_pooled) {
            const struct jfr_pool *pool = jfr_chunk_pool(chunk, cls);
            int64_t i = jfr_pool_find(pool, cur_varint(&c));

            if (i < 0)
                break;
            c = jfr_pool_value(pool, (size_t)i);
        }
    }
    return (struct jfr_str){0};
}

struct jfr_str jfr_simple_text(struct jfr_chunk *chunk, const struct jfr_class *cls, uint64_t key)
{
    const struct jfr_pool *pool = jfr_chunk_pool(chunk, cls);
    int64_t i = jfr_pool_find(pool, key);

    return i < 0 ? (struct jfr_str){0} : simple_value(chunk, cls, jfr_pool_value(pool, (size_t)i));
}

/* The text of a field that is a string, or refers to something simple that is one. `rest` spans the
 * bytes from the value on to the end of its record. */
static struct jfr_str text_field(struct jfr_chunk *chunk, const struct jfr_field *f,
                                 union jfr_value v, const uint8_t *end)
{
    if (f == NULL || f->is_array)
        return (struct jfr_str){0};
    if (f->is_pooled)
        return jfr_simple_text(chunk, f->type, v.key);
    if (f->type->kind != JFR_STRING && f->type->kind != JFR_STRUCT)
        return (struct jfr_str){0};
    return simple_value(chunk, f->type, (struct cursor){.p = v.at, .end = end});
}

/* One constant decoded by field names; NULL when it is missing or damaged. */
static const struct jfr_plan *constant(struct jfr_chunk *chunk, const struct jfr_class *cls,
                                       uint64_t key, const char *const *names, size_t n,
                                       union jfr_value *v, const uint8_t **end)
{
    const struct jfr_pool *pool = jfr_chunk_pool(chunk, cls);
    int64_t i = jfr_pool_find(pool, key);
    const struct jfr_plan *plan;
    struct cursor c;

    if (i < 0)
        return NULL;
    plan = jfr_plan_shared(chunk, cls, names, n);
    c = jfr_pool_value(pool, (size_t)i);
    *end = c.end;
    return plan == NULL || jfr_plan_run(plan, c, v, NULL) != 0 ? NULL : plan;
}

struct jfr_str jfr_class_name(struct jfr_chunk *chunk, const struct jfr_class *cls, uint64_t key)
{
    static const char *const names[1] = {"name"};
    const struct jfr_plan *plan;
    union jfr_value v[1];
    const uint8_t *end;

    plan = constant(chunk, cls, key, names, 1, v, &end);
    return plan == NULL ? (struct jfr_str){0}
                        : text_field(chunk, jfr_plan_field(plan, 0), v[0], end);
}

bool jfr_method_get(const struct jfr_stacks *st, uint64_t key, struct jfr_method *m)
{
    enum {
        TYPE,
        NAME,
        DESCRIPTOR,
        MODIFIERS,
        HIDDEN,
        N
    };
    static const char *const names[N] = {"type", "name", "descriptor", "modifiers", "hidden"};
    const struct jfr_plan *plan;
    const struct jfr_field *type;
    union jfr_value v[N];
    const uint8_t *end;

    *m = (struct jfr_method){0};
    plan = constant(st->chunk, st->method_class, key, names, N, v, &end);
    if (plan == NULL)
        return false;
    m->name = text_field(st->chunk, jfr_plan_field(plan, NAME), v[NAME], end);
    m->descriptor = text_field(st->chunk, jfr_plan_field(plan, DESCRIPTOR), v[DESCRIPTOR], end);
    m->modifiers = (int32_t)number(plan, MODIFIERS, v[MODIFIERS], 0);
    m->is_hidden = number(plan, HIDDEN, v[HIDDEN], 0) != 0;
    type = jfr_plan_field(plan, TYPE);
    if (jfr_field_is_key(type)) {
        m->class_key = v[TYPE].key;
        m->class_name = jfr_class_name(st->chunk, type->type, m->class_key);
    }
    return true;
}

bool jfr_thread_get(struct jfr_chunk *chunk, const struct jfr_class *cls, uint64_t key,
                    struct jfr_thread *t)
{
    enum {
        OS_NAME,
        OS_ID,
        JAVA_NAME,
        JAVA_ID,
        VIRTUAL,
        N
    };
    static const char *const names[N] = {"osName", "osThreadId", "javaName", "javaThreadId",
                                         "virtual"};
    const struct jfr_plan *plan;
    union jfr_value v[N];
    const uint8_t *end;

    *t = (struct jfr_thread){0};
    plan = constant(chunk, cls, key, names, N, v, &end);
    if (plan == NULL)
        return false;
    t->os_name = text_field(chunk, jfr_plan_field(plan, OS_NAME), v[OS_NAME], end);
    t->java_name = text_field(chunk, jfr_plan_field(plan, JAVA_NAME), v[JAVA_NAME], end);
    t->os_id = number(plan, OS_ID, v[OS_ID], 0);
    t->java_id = number(plan, JAVA_ID, v[JAVA_ID], 0);
    t->is_virtual = number(plan, VIRTUAL, v[VIRTUAL], 0) != 0;
    return true;
}
