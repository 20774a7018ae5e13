/*
 * trace.c - events on a time line: the JSON of Chrome's trace viewer, which Perfetto reads.
 *
 * What lasts is a slice (X) on its thread, contexts among it; periodic numbers with a unit are
 * counters (C); the rest are instants (i). An input is a process. Times are us since 1970. Slices
 * of one trace are joined by arrows (s, t, f) across threads.
 */
#include "convert/text/frame_name.h"
#include "convert/json/frames.h"
#include "convert/json/internal.h"
#include "convert/json/entries.h"
#include "convert/text/jsonw.h"
#include "convert/json/trace_flows.h"
#include "jfrfmt/base/intern.h"

#include <stdlib.h>

#define FRAMES_MOST 64 /* of a stack that are shown */
#define VIRTUAL_TID \
    INT64_C(4294967296) /* added to ids of Java: threads without one of the system */

enum {
    TRACE_START,
    TRACE_DURATION,
    TRACE_THREAD,
    N_TRACE,
};

struct trace_class { /* how events of a class are shown */
    const struct jfr_plan *plan; /* NULL: not at all */
    struct json_text head; /* {"name":"...","cat":"..." */
    bool is_counter;
};

struct trace_worker {
    struct intern threads; /* ids whose names were written in this chunk */
    struct buf scratch;
    struct json_entries stacks;
    struct json_frames frames;
    struct trace_flows *flows; /* of the chunk */
    bool has_process; /* the same for the input's name */
};

static void *worker_new(struct json_worker *w)
{
    struct trace_worker *tw = calloc(1, sizeof(*tw));

    (void)w;
    if (tw != NULL)
        tw->flows = trace_flows_new();
    if (tw == NULL || tw->flows != NULL)
        return tw;
    free(tw);
    return NULL;
}

static void worker_free(void *own)
{
    struct trace_worker *tw = own;

    intern_free(&tw->threads);
    buf_free(&tw->scratch);
    json_entries_free(&tw->stacks);
    json_frames_free(&tw->frames);
    trace_flows_free(tw->flows);
    free(tw);
}

/* A stack as an array of names, leaf first. */
static void make_stack(void *ctx, struct json_shape *shape, size_t i, struct buf *b)
{
    struct json_worker *w = ctx;
    struct trace_worker *tw = w->own;

    buf_byte(b, '[');
    if (json_frames_read(&tw->frames, w->values.shapes.chunk, shape, i, FRAMES_MOST)) {
        for (size_t k = 0; k < json_frames_n(&tw->frames); k++) {
            struct json_text name = json_frames_at(&tw->frames, k);

            if (k > 0)
                buf_byte(b, ',');
            jsonw_str(b, name.p, name.n);
        }
    } else { /* for what it says of the event */
        buf_reset(&tw->scratch);
        json_value_entry(&w->values, shape, i, &tw->scratch);
        w->values.failed |= !buf_ok(&tw->scratch);
    }
    buf_byte(b, ']');
}

static bool put_stack(void *ctx, struct json_shape *shape, size_t i, struct buf *b)
{
    struct json_worker *w = ctx;
    struct trace_worker *tw = w->own;
    struct json_text text;
    uint64_t number;

    if (!shape->is_stack)
        return false;
    number = json_entries_number(&tw->stacks, w->values.shapes.chunk, shape, i, make_stack, w);
    text = json_entries_text(&tw->stacks, number);
    w->values.failed |= number == 0;
    buf_bytes(b, text.p, text.n);
    return true;
}

static void load(struct json_worker *w)
{
    struct trace_worker *tw = w->own;

    intern_reset(&tw->threads);
    json_entries_reset(&tw->stacks);
    json_frames_reset(&tw->frames);
    trace_flows_reset(tw->flows);
    tw->has_process = false;
    w->values.put_entry = put_stack;
    w->values.ctx = w;
}

/* --- classes ---------------------------------------------------------------------------------- */

static bool is_number(const struct jfr_field *f)
{
    return !f->is_array && !f->is_pooled && f->type->kind >= JFR_BYTE &&
           f->type->kind <= JFR_DOUBLE && f->type->kind != JFR_CHAR &&
           (f->unit == JFR_UNIT_PERCENT || f->unit == JFR_UNIT_BYTES || f->unit == JFR_UNIT_HERTZ);
}

/* Events of no thread that do not last and have numbers with a unit. */
static bool is_counter(const struct jfr_class *cls)
{
    bool has_number = false;

    if (jfr_class_field(cls, "duration") != NULL || jfr_class_field(cls, "eventThread") != NULL ||
        jfr_class_field(cls, "stackTrace") != NULL)
        return false;
    for (size_t i = 0; i < cls->n_fields; i++)
        has_number |= is_number(&cls->fields[i]);
    return has_number;
}

/* The type's name, and its path of categories as a list. */
static void put_trace_head(const struct jfr_class *cls, struct buf *b)
{
    const struct jfr_annotation *a =
        jfr_annotation_find(cls->annotations, cls->n_annotations, "jdk.jfr.Category");
    struct buf list = {0};

    buf_str(b, "{\"name\":");
    jsonw_str(b, cls->name, strlen(cls->name));
    for (size_t i = 0; a != NULL && i < a->n_attrs; i++) {
        if (strncmp(a->attrs[i].key, "value", 5) != 0 || a->attrs[i].value == NULL)
            continue;
        if (list.n > 0)
            buf_byte(&list, ',');
        buf_str(&list, a->attrs[i].value);
    }
    buf_str(b, ",\"cat\":");
    if (list.n > 0)
        jsonw_str(b, (const char *)list.p, list.n);
    else
        buf_str(b, "\"event\"");
    buf_free(&list);
}

static struct trace_class *open_class(struct json_worker *w, const struct jfr_class *cls)
{
    struct jfr_chunk *chunk = w->values.shapes.chunk;
    struct arena *arena = jfr_chunk_arena(chunk);
    const char *paths[N_TRACE] = {"startTime", "duration", "eventThread"};
    struct trace_class *k = arena_alloc(arena, sizeof(*k));
    struct trace_worker *tw = w->own;
    bool is_sample =
        jfr_class_field(cls, "duration") == NULL && jfr_class_field(cls, "stackTrace") != NULL;

    if (k == NULL)
        return NULL;
    *k = (struct trace_class){.is_counter = is_counter(cls)};
    if (is_sample && !w->options->has_samples)
        return k;
    if (jfr_class_field(cls, "eventThread") == NULL)
        paths[TRACE_THREAD] = "sampledThread";
    k->plan = jfr_plan_new(chunk, cls, paths, N_TRACE);
    buf_reset(&tw->scratch);
    put_trace_head(cls, &tw->scratch);
    k->head.n = tw->scratch.n;
    k->head.p = arena_strndup(arena, (const char *)tw->scratch.p, tw->scratch.n);
    return k->head.p == NULL || !buf_ok(&tw->scratch) ? NULL : k;
}

/* --- events ----------------------------------------------------------------------------------- */

static void put_place(const struct json_worker *w, int64_t tid, struct buf *b)
{
    buf_str(b, ",\"pid\":");
    jsonw_u64(b, (uint64_t)w->rc->file + 1);
    buf_str(b, ",\"tid\":");
    jsonw_i64(b, tid);
}

/* Says how a process or a thread is called. */
static void put_name(const struct json_worker *w, const char *what, int64_t tid, const char *name,
                     size_t n, struct buf *b)
{
    buf_printf(b, ",\n{\"ph\":\"M\",\"name\":\"%s\"", what);
    put_place(w, tid, b);
    buf_str(b, ",\"args\":{\"name\":");
    jsonw_str(b, name, n);
    buf_str(b, "}}");
}

static void put_process(struct json_worker *w, struct buf *b)
{
    struct trace_worker *tw = w->own;
    const char *path = w->rc->path == NULL ? "-" : w->rc->path, *slash = strrchr(path, '/');

    if (tw->has_process)
        return;
    tw->has_process = true;
    path = strcmp(path, "-") == 0 ? "standard input" : slash == NULL ? path : slash + 1;
    put_name(w, "process_name", 0, path, strlen(path), b);
}

/* The number of the event's thread, 0 for none; its name is written when it is first seen. */
static int64_t put_trace_thread(struct json_worker *w, const struct trace_class *k, uint64_t key,
                                struct buf *b)
{
    const struct jfr_field *f = jfr_plan_field(k->plan, TRACE_THREAD);
    struct trace_worker *tw = w->own;
    struct jfr_thread t;
    int64_t tid;
    size_t before = intern_n(&tw->threads);

    if (!jfr_field_is_key(f) || !jfr_thread_get(w->values.shapes.chunk, f->type, key, &t))
        return 0;
    tid = t.os_id > 0 && !t.is_virtual ? t.os_id : t.java_id > 0 ? VIRTUAL_TID + t.java_id : 0;
    if (intern_add(&tw->threads, &tid, sizeof(tid)) == before && tid != 0) {
        struct buf name = {0};

        thread_name_append(&name, &t);
        put_name(w, "thread_name", tid, (const char *)name.p, name.n, b);
        buf_free(&name);
    }
    return tid;
}

static bool is_shown_elsewhere(const char *name)
{
    return strcmp(name, "startTime") == 0 || strcmp(name, "duration") == 0 ||
           strcmp(name, "eventThread") == 0 || strcmp(name, "sampledThread") == 0;
}

static void put_args(struct json_worker *w, const struct json_shape *shape, bool only_numbers,
                     struct cursor *c, struct buf *b)
{
    bool first = true;

    buf_str(b, ",\"args\":{");
    for (size_t i = 0; i < shape->n_needed; i++) {
        struct json_member m = shape->members[i];

        if (is_shown_elsewhere(m.field->name) || (only_numbers && !is_number(m.field)))
            m.shape = NULL; /* stepped over */
        if (m.shape != NULL) {
            if (!first)
                buf_byte(b, ',');
            first = false;
            jsonw_str(b, m.field->name, strlen(m.field->name));
            buf_byte(b, ':');
        }
        json_value_member(&w->values, &m, c, b);
    }
    buf_byte(b, '}');
}

/* A slice of a trace may be where an arrow ends. */
static void note_slice(struct json_worker *w, int64_t start, int64_t tid)
{
    struct context_run *contexts = select_run_context(w->select);
    const struct trace_slice slice = {.start_ns = start, .tid = tid, .pid = w->rc->file + 1};
    struct trace_worker *tw = w->own;

    if (contexts != NULL &&
        !trace_flows_add(tw->flows, contexts, context_event(contexts, w->ev), &slice))
        w->values.failed = true;
}

static void put_trace_event(struct json_worker *w, struct json_class *class, struct cursor *c)
{
    struct trace_class *k = class->own;
    struct buf *b = &w->out->b;
    const struct jfr_chunk_header *h = jfr_chunk_header(w->values.shapes.chunk);
    union jfr_value v[N_TRACE];
    int64_t start, lasts = 0, tid;

    if (k == NULL)
        k = class->own = open_class(w, class->shape->cls);
    if (k == NULL)
        w->values.failed = true;
    if (k == NULL || k->plan == NULL || jfr_plan_run(k->plan, *c, v, NULL) != 0)
        return;
    start = jfr_epoch_ns(h, v[TRACE_START].i);
    if (jfr_plan_field(k->plan, TRACE_DURATION) != NULL)
        lasts = jfr_span_ns(h, v[TRACE_DURATION].i);
    put_process(w, b);
    tid = put_trace_thread(w, k, v[TRACE_THREAD].key, b);
    buf_str(b, ",\n");
    buf_bytes(b, k->head.p, k->head.n);
    buf_str(b, k->is_counter ? ",\"ph\":\"C\",\"ts\":"
               : lasts > 0   ? ",\"ph\":\"X\",\"ts\":"
               : tid != 0    ? ",\"ph\":\"i\",\"s\":\"t\",\"ts\":"
                             : ",\"ph\":\"i\",\"s\":\"g\",\"ts\":");
    trace_put_us(b, start);
    if (lasts > 0 && !k->is_counter) {
        buf_str(b, ",\"dur\":");
        trace_put_us(b, lasts);
    }
    put_place(w, tid, b);
    if (lasts > 0 && !k->is_counter && tid != 0)
        note_slice(w, start, tid);
    json_values_begin(&w->values, b);
    put_args(w, class->shape, k->is_counter, c, b);
    buf_byte(b, '}');
}

static void *shared_new(void)
{
    return trace_flows_new();
}

static void trace_state_free(void *shared)
{
    trace_flows_free(shared);
}

static int merge(void *shared, struct json_worker *w)
{
    const struct trace_worker *tw = w->own;

    return trace_flows_merge(shared, tw->flows) ? 0 : JFR_E_NOMEM;
}

static void finish(void *shared, const struct json_style *style, struct out *out)
{
    (void)style;
    trace_flows_put(shared, out);
}

const struct json_layout json_trace = {
    .name = "trace",
    .rules = JSON_RULES_OWN,
    .stack_depth = FRAMES_MOST,
    .has_plain_spans = true,
    .separator = ",\n",
    .begin = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n",
    .before = "",
    .after = "",
    .end = "\n]}\n",
    .event = put_trace_event,
    .worker_new = worker_new,
    .worker_free = worker_free,
    .load = load,
    .merge = merge,
    .shared_new = shared_new,
    .shared_free = trace_state_free,
    .finish = finish,
};
