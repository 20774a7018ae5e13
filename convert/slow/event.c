/*
 * event.c - which types of events say where the time of a thread went, and how each is read.
 *
 * split.c calls it for each class of a chunk and for each event of these classes.
 */
#include "convert/slow/event.h"

#include "convert/text/frame_name.h"
#include "jfrfmt/base/quantity.h"

#include <inttypes.h>
#include <stdio.h>

#define PERIOD_DEFAULT_NS 10000000 /* of samples of a recorder that does not say it */
#define PERIOD_MOST_NS INT64_C(1000000000000) /* a longer one is none */

struct wait_type {
    const char *event;
    enum slow_part part;
    const char *what, *more, *amount, *needs;
    bool is_pause, is_phase;
};

/* clang-format off */
static const struct wait_type wait_types[] = {
    {"jdk.JavaMonitorEnter", SLOW_LOCK, "monitorClass", NULL, NULL, NULL, false, false},
    {"jdk.JavaMonitorWait", SLOW_PARKED, "monitorClass", NULL, NULL, NULL, false, false},
    {"jdk.ThreadPark", SLOW_PARKED, "parkedClass", NULL, NULL, NULL, false, false},
    {"jdk.ThreadSleep", SLOW_ASLEEP, NULL, NULL, NULL, NULL, false, false},
    {"jdk.FileRead", SLOW_IO, "path", NULL, "bytesRead", NULL, false, false},
    {"jdk.FileWrite", SLOW_IO, "path", NULL, "bytesWritten", NULL, false, false},
    {"jdk.FileForce", SLOW_IO, "path", NULL, NULL, NULL, false, false},
    {"jdk.SocketRead", SLOW_IO, "host", "port", "bytesRead", NULL, false, false},
    {"jdk.SocketWrite", SLOW_IO, "host", "port", "bytesWritten", NULL, false, false},
    {"jdk.SocketConnect", SLOW_IO, "host", "port", NULL, NULL, false, false},
    {"jdk.ZAllocationStall", SLOW_GC, NULL, NULL, NULL, NULL, false, false},
    {"jdk.GarbageCollection", SLOW_GC, "name", "cause", "sumOfPauses", NULL, true, false},
    {"jdk.GCPhasePause", SLOW_GC, "name", NULL, NULL, NULL, true, true},
    {"jdk.ExecuteVMOperation", SLOW_SAFEPOINT, "operation", NULL, NULL, "safepoint", true, false},
};
/* clang-format on */

/* The kind of samples that events of the class are. */
static void find_samples(struct slow_class *k, const struct jfr_class *cls,
                         const struct sample_settings *settings, struct kind_use *use)
{
    static const struct {
        enum slow_event_kind event;
        enum kind samples;
    } kinds[] = {
        {SLOW_EVENT_CPU, KIND_CPU}, {SLOW_EVENT_WALL, KIND_WALL}, {SLOW_EVENT_ALLOC, KIND_ALLOC}};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        *use = kind_use_of(kinds[i].samples, cls, settings->samples);
        if (use->rank <= KIND_RANK_STANDIN)
            continue;
        k->kind = kinds[i].event;
        k->rank = use->rank;
        return;
    }
}

void slow_class_find(struct slow_class *k, struct jfr_chunk *chunk, const struct jfr_class *cls,
                     const struct sample_settings *settings)
{
    const char *paths[SLOW_FIELDS] = {
        "startTime", "duration",      "eventThread", "stackTrace", "-",
        "-",         "previousOwner", "-",           "state",      "samplingPeriod"};
    const struct jfr_field *thread = thread_id_field(cls), *stack;
    struct kind_use use = {0};

    k->is_known = true;
    k->is_setting = kind_is_event(cls, "jdk.ActiveSetting");
    if (!cls->is_event || k->is_setting)
        return;
    for (size_t i = 0; i < sizeof(wait_types) / sizeof(wait_types[0]); i++) {
        const struct wait_type *t = &wait_types[i];

        if (!kind_is_event(cls, t->event) || jfr_class_field(cls, "duration") == NULL)
            continue;
        k->kind = t->is_pause ? SLOW_EVENT_PAUSE : SLOW_EVENT_WAIT;
        k->part = t->part;
        k->is_phase = t->is_phase;
        paths[SLOW_WHAT] = t->what == NULL ? "-" : t->what;
        paths[SLOW_MORE] = t->more == NULL ? "-" : t->more;
        paths[SLOW_AMOUNT] = t->amount != NULL ? t->amount : t->needs != NULL ? t->needs : "-";
        k->needs = t->needs;
    }
    if (k->kind == SLOW_EVENT_NONE) {
        find_samples(k, cls, settings, &use);
        if (use.bytes_field != NULL && k->kind == SLOW_EVENT_ALLOC)
            paths[SLOW_AMOUNT] = use.bytes_field;
        else if (use.count_field != NULL)
            paths[SLOW_AMOUNT] = use.count_field;
    }
    if (k->kind == SLOW_EVENT_NONE || (k->kind != SLOW_EVENT_PAUSE && thread == NULL)) {
        k->kind = SLOW_EVENT_NONE;
        return;
    }
    if (k->kind != SLOW_EVENT_PAUSE) {
        k->threads = thread->type;
        paths[SLOW_THREAD] = thread->name;
    }
    k->plan = jfr_plan_new(chunk, cls, paths, SLOW_FIELDS);
    k->place = jfr_plan_new(chunk, cls, paths, SLOW_STACK);
    stack = k->plan == NULL ? NULL : jfr_plan_field(k->plan, SLOW_STACK);
    if (stack != NULL && stack->is_pooled) {
        struct jfr_stacks *st = arena_alloc(jfr_chunk_arena(chunk), sizeof(*st));

        k->stacks = st != NULL && jfr_stacks_init(st, chunk, stack) == 0 ? st : NULL;
    }
    if (k->plan == NULL || k->place == NULL)
        k->kind = SLOW_EVENT_NONE;
}

/* A collection that stops the threads from its beginning to its end. Of others it is unknown when
 * they stop them. */
static bool is_whole_pause(struct jfr_chunk *chunk, const struct slow_event *e)
{
    const struct jfr_field *sum = jfr_plan_field(e->class->plan, SLOW_AMOUNT);
    const struct jfr_chunk_header *h = jfr_chunk_header(chunk);
    int64_t paused;

    if (sum == NULL || e->class->part != SLOW_GC || e->class->is_phase)
        return true;
    paused = sum->unit == JFR_UNIT_TICKS ? jfr_span_ns(h, e->amount) : e->amount;
    return (double)paused >= 0.9 * (double)(e->end_ns - e->start_ns);
}

bool slow_event_place(struct slow_event *e, struct jfr_chunk *chunk, const struct slow_class *k,
                      const struct jfr_event *ev)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(chunk);
    union jfr_value v[SLOW_STACK];
    int64_t end;

    if (jfr_plan_run(k->place, ev->body, v, NULL) != 0 || v[SLOW_DURATION].i < 0 ||
        __builtin_add_overflow(v[SLOW_START].i, v[SLOW_DURATION].i, &end))
        return false;
    *e = (struct slow_event){.class = k,
                             .ev = ev,
                             .start_ns = jfr_epoch_ns(h, v[SLOW_START].i),
                             .thread = v[SLOW_THREAD].key};
    e->end_ns = v[SLOW_DURATION].i == 0 ? e->start_ns : jfr_epoch_ns(h, end);
    return e->start_ns >= 0;
}

bool slow_event_read(struct slow_event *e, struct jfr_chunk *chunk, union jfr_value *v)
{
    const struct slow_class *k = e->class;

    if (jfr_plan_run(k->plan, e->ev->body, v, NULL) != 0)
        return false;
    e->amount = v[SLOW_AMOUNT].i;
    e->v = v;
    if (k->kind != SLOW_EVENT_WAIT && k->kind != SLOW_EVENT_PAUSE)
        return true;
    return e->end_ns > e->start_ns && (k->needs == NULL || e->amount != 0) &&
           (k->kind != SLOW_EVENT_PAUSE || is_whole_pause(chunk, e));
}

/* Appends the value of a field as text. */
static void append_field(struct buf *b, struct jfr_chunk *chunk, const struct jfr_field *f,
                         union jfr_value v, const uint8_t *end)
{
    static const struct name_options style = {.style = NAME_DOT};
    const struct jfr_class *cls = f->type;
    struct cursor c;
    struct jfr_thread t;
    char number[32];

    if (f->is_array)
        return;
    if (f->is_pooled && strcmp(cls->name, "java.lang.Class") == 0) {
        class_name_append(b, &style, jfr_class_name(chunk, cls, v.key));
    } else if (f->is_pooled && strcmp(cls->name, "java.lang.Thread") == 0) {
        if (jfr_thread_get(chunk, cls, v.key, &t))
            thread_name_append(b, &t);
    } else if (f->is_pooled) {
        struct jfr_str s = jfr_simple_text(chunk, cls, v.key);

        if (!jfr_str_is_null(s))
            jfr_str_append_utf8(b, s);
    } else if (cls->kind == JFR_STRING) {
        struct jfr_str s;

        c = cur_over(v.at, (size_t)(end - v.at));
        s = jfr_chunk_resolve(chunk, jfr_str_read(&c));
        if (!jfr_str_is_null(s))
            jfr_str_append_utf8(b, s);
    } else if (cls->kind == JFR_INT || cls->kind == JFR_LONG || cls->kind == JFR_SHORT) {
        buf_bytes(b, number, (size_t)snprintf(number, sizeof(number), "%" PRId64, v.i));
    }
}

void slow_event_what(struct buf *b, struct jfr_chunk *chunk, const struct slow_event *e)
{
    const struct jfr_field *what = jfr_plan_field(e->class->plan, SLOW_WHAT);
    const struct jfr_field *more = jfr_plan_field(e->class->plan, SLOW_MORE);
    const char *between = e->class->part == SLOW_IO ? ":" : ", ";
    size_t from = b->n;

    if (what != NULL)
        append_field(b, chunk, what, e->v[SLOW_WHAT], e->ev->body.end);
    if (more == NULL || (b->n == from && e->class->part == SLOW_IO))
        return;
    if (b->n > from)
        buf_bytes(b, between, strlen(between));
    append_field(b, chunk, more, e->v[SLOW_MORE], e->ev->body.end);
}

void slow_event_holder(struct buf *b, struct jfr_chunk *chunk, const struct slow_event *e)
{
    const struct jfr_field *f = jfr_plan_field(e->class->plan, SLOW_HOLDER);

    if (f != NULL)
        append_field(b, chunk, f, e->v[SLOW_HOLDER], e->ev->body.end);
}

enum slow_part slow_event_state(struct jfr_chunk *chunk, const struct slow_event *e)
{
    const struct jfr_field *f = jfr_plan_field(e->class->plan, SLOW_STATE);
    uint8_t room[64];
    struct buf b = buf_fixed(room, sizeof(room) - 1);
    struct jfr_str s;

    if (f == NULL || !f->is_pooled)
        return SLOW_UNKNOWN;
    s = jfr_simple_text(chunk, f->type, e->v[SLOW_STATE].key);
    if (!jfr_str_is_null(s))
        jfr_str_append_utf8(&b, s);
    room[b.n] = '\0';
    if (strstr((const char *)room, "BLOCKED") != NULL)
        return SLOW_LOCK;
    if (strstr((const char *)room, "PARKED") != NULL || strstr((const char *)room, "WAIT") != NULL)
        return SLOW_PARKED;
    /* STATE_SLEEPING is what recorders write of every thread that does not run. */
    return kind_state_sleeps((const char *)room) ? SLOW_UNKNOWN : SLOW_RUNNING;
}

int64_t slow_event_period(struct jfr_chunk *chunk, const struct slow_event *e,
                          const struct sample_settings *settings)
{
    const struct jfr_field *f = jfr_plan_field(e->class->plan, SLOW_PERIOD);
    int64_t period = f == NULL ? 0 : e->v[SLOW_PERIOD].i;

    if (period > 0 && f->unit == JFR_UNIT_TICKS)
        period = jfr_span_ns(jfr_chunk_header(chunk), period);
    if (period <= 0)
        period = settings->interval_ns > 0 ? settings->interval_ns : PERIOD_DEFAULT_NS;
    return period < PERIOD_MOST_NS ? period : PERIOD_MOST_NS;
}

/* --- settings --- */

static void append_setting(struct buf *b, struct jfr_chunk *chunk, const struct jfr_plan *plan,
                           size_t i, const union jfr_value *v, const uint8_t *end)
{
    buf_reset(b);
    if (jfr_plan_field(plan, i) != NULL)
        append_field(b, chunk, jfr_plan_field(plan, i), v[i], end);
    buf_byte(b, '\0');
}

static void keep_highest(int64_t *threshold, const char *text)
{
    int64_t ns;

    if (quantity_time(text, &ns) == QUANTITY_OK && ns > *threshold)
        *threshold = ns;
}

void slow_event_setting(struct slow_thresholds *t, struct jfr_chunk *chunk,
                        const struct jfr_event *ev)
{
    static const char *const paths[] = {"id", "name", "value"};
    const struct jfr_plan *plan;
    const struct jfr_class *cls;
    union jfr_value v[3];
    uint8_t name_room[64], value_room[64];
    struct buf name = buf_fixed(name_room, sizeof(name_room));
    struct buf value = buf_fixed(value_room, sizeof(value_room));

    plan = jfr_plan_shared(chunk, ev->type, paths, 3);
    if (plan == NULL || jfr_plan_run(plan, ev->body, v, NULL) != 0)
        return;
    cls = jfr_metadata_by_id(jfr_chunk_metadata(chunk), v[0].i);
    append_setting(&name, chunk, plan, 1, v, ev->body.end);
    append_setting(&value, chunk, plan, 2, v, ev->body.end);
    if (cls == NULL || !buf_ok(&name) || !buf_ok(&value))
        return;
    if (strcmp((const char *)name_room, "emit") == 0 &&
        strcmp((const char *)value_room, "used") == 0)
        t->leaves_out_unused = true;
    if (strcmp((const char *)name_room, "threshold") != 0)
        return;
    if (kind_is_event(cls, "jdk.JavaMonitorEnter"))
        keep_highest(&t->lock_ns, (const char *)value_room);
    if (kind_is_event(cls, "jdk.FileRead") || kind_is_event(cls, "jdk.SocketRead"))
        keep_highest(&t->io_ns, (const char *)value_room);
}
