/*
 * select.c - applies the filters of a command to the classes and events of a chunk.
 *
 * spec.c makes a struct select of the options. For each class it is decided once whether none, all
 * or some of its events pass; for some, the values that the tests need are decoded by one plan, and
 * answers about threads and states are remembered for the chunk.
 */
#include "convert/select/select.h"

#include "convert/select/pattern.h"
#include "convert/driver/run.h"
#include "convert/select/internal.h"

#include <stdlib.h>

enum memo { /* of an entry of a pool: does it match? */
    MEMO_UNKNOWN, /* 0: of a table that has just grown */
    MEMO_NO,
    MEMO_YES,
};

struct class_test {
    enum select_decision decision;
    const char *paths[SELECT_SLOTS];
    const struct jfr_plan *plan;
    const struct jfr_field *duration, *thread, *state;
    bool has_context; /* that matters */
    bool has_where; /* which depends on the event */
    bool has_past; /* its weight may include bytes allocated before the recording */
};

struct select_run {
    struct select *s;
    struct jfr_chunk *chunk;
    struct class_test **classes; /* by jfr_class.index, made when needed; in the chunk's arena */
    struct class_test spare; /* for one that there is no memory for */
    uint8_t **threads, **states; /* by class: enum memo of every entry; NULL without
                                  * such a filter */
    struct context_run *context; /* NULL: not needed */
    struct where_run *where; /* NULL: no such condition */
    struct buf tuples; /* enum memo of every tuple of the chunk */
    int64_t duration_ns; /* of events, in place of their own; 0: their own */
    struct scope_threads scope_threads; /* if events inside of scopes are requested */
    struct past_chunk past; /* with spec.leaves_out_past */
};

struct select_run *select_run_new(struct select *s)
{
    struct select_run *r = calloc(1, sizeof(*r));

    if (r == NULL)
        return NULL;
    r->s = s;
    if (s->context != NULL)
        r->context = context_run_new(s->context);
    if (s->where != NULL)
        r->where = where_run_new(s->where);
    if ((s->context == NULL || r->context != NULL) && (s->where == NULL || r->where != NULL))
        return r;
    select_run_free(r);
    return NULL;
}

void select_run_free(struct select_run *r)
{
    if (r == NULL)
        return;
    context_run_free(r->context);
    where_run_free(r->where);
    buf_free(&r->tuples);
    free(r);
}

struct context_run *select_run_context(struct select_run *r)
{
    return r->context;
}

int select_run_load(struct select_run *r, struct jfr_chunk *chunk)
{
    size_t n = jfr_chunk_metadata(chunk)->n_classes;
    struct arena *arena = jfr_chunk_arena(chunk);

    r->chunk = chunk;
    r->classes = arena_array(arena, n, sizeof(*r->classes));
    r->threads = r->states = NULL;
    if (r->s->threads.n > 0 || r->s->not_threads.n > 0)
        r->threads = arena_array(arena, n, sizeof(*r->threads));
    if (r->s->states.n > 0)
        r->states = arena_array(arena, n, sizeof(*r->states));
    if (r->s->in_scope != NULL)
        scope_threads_load(&r->scope_threads, chunk);
    if (r->classes == NULL || !arena_ok(arena))
        return JFR_E_NOMEM;
    select_see_start(r->s, jfr_chunk_header(chunk));
    buf_reset(&r->tuples);
    if (r->s->spec.leaves_out_past && past_load(&r->past, chunk) < 0)
        return JFR_E_NOMEM;
    if (r->context != NULL && context_run_load(r->context, chunk) < 0)
        return JFR_E_NOMEM;
    return r->where == NULL ? 0 : where_run_load(r->where, chunk, r->context);
}

/* Classes. */

static bool in_category(const struct select_patterns *list, const struct jfr_class *cls)
{
    for (size_t i = 0; i < cls->n_annotations; i++) {
        const struct jfr_annotation *a = &cls->annotations[i];
        if (strcmp(a->type->simple, "Category") != 0)
            continue;
        for (size_t k = 0; k < a->n_attrs; k++)
            if (a->attrs[k].value != NULL && select_any(list, a->attrs[k].value))
                return true;
    }
    return false;
}

static bool is_named(const struct select *s, const struct jfr_class *cls)
{
    if (s->categories.n > 0 && !in_category(&s->categories, cls))
        return false;
    return s->events.n == 0 || select_any(&s->events, cls->name) ||
           select_any(&s->events, cls->simple);
}

static const struct jfr_field *thread_field(const struct jfr_class *cls)
{
    static const char *const names[] = {"eventThread", "sampledThread", "thread"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct jfr_field *f = jfr_class_field(cls, names[i]);
        if (jfr_field_is_key(f))
            return f;
    }
    return NULL;
}

static const struct jfr_field *state_field(const struct jfr_class *cls)
{
    const struct jfr_field *f = jfr_class_field(cls, "state");

    return jfr_field_is_key(f) ? f : NULL;
}

/* The decision by all options but the condition. */
static enum select_decision decide_plain(const struct select_run *r, const struct jfr_class *cls,
                                         const struct class_test *t)
{
    const struct select *s = r->s;
    bool has_window = s->has_from || s->has_to;

    if (!cls->is_event || !is_named(s, cls))
        return SELECT_NEVER;
    if (s->min_duration_ns > 0 && t->duration == NULL)
        return SELECT_NEVER;
    if ((s->threads.n > 0 && t->thread == NULL) || (s->states.n > 0 && t->state == NULL))
        return SELECT_NEVER;
    if (s->in_scope != NULL && t->thread == NULL)
        return SELECT_NEVER;
    if (t->has_context || s->in_scope != NULL)
        return SELECT_TEST;
    if (s->contexts.n > 0 && !select_contexts_match(s, r->context, 0))
        return SELECT_NEVER;
    if (has_window || s->min_duration_ns > 0 || s->states.n > 0 || s->threads.n > 0 || t->has_past)
        return SELECT_TEST;
    return s->not_threads.n > 0 && t->thread != NULL ? SELECT_TEST : SELECT_ALWAYS;
}

static enum select_decision decide(const struct select_run *r, const struct jfr_class *cls,
                                   struct class_test *t)
{
    enum select_decision decision = decide_plain(r, cls, t);

    if (decision == SELECT_NEVER || r->where == NULL)
        return decision;
    switch (where_class(r->where, cls)) {
    case WHERE_NO:
        return SELECT_NEVER;
    case WHERE_YES:
        return decision;
    default:
        t->has_where = true;
        return SELECT_TEST;
    }
}

static struct class_test *test_of(struct select_run *r, const struct jfr_class *cls)
{
    struct class_test *t = r->classes[cls->index];

    if (t != NULL)
        return t;
    t = arena_alloc(jfr_chunk_arena(r->chunk), sizeof(*t));
    if (t != NULL)
        r->classes[cls->index] = t;
    else
        *(t = &r->spare) = (struct class_test){0};
    t->duration = jfr_class_field(cls, "duration");
    t->thread = thread_field(cls);
    t->state = state_field(cls);
    t->paths[SELECT_START] = "startTime";
    t->paths[SELECT_DURATION] = "duration";
    t->paths[SELECT_THREAD] = t->thread == NULL ? "eventThread" : t->thread->name;
    t->paths[SELECT_STATE] = "state";
    t->has_past =
        r->s->spec.leaves_out_past && strcmp(cls->name, "jdk.ObjectAllocationSample") == 0;
    t->paths[SELECT_WEIGHT] = t->has_past ? "weight" : NULL;
    t->has_context = r->s->contexts.n > 0 && context_class(r->context, cls);
    t->decision = decide(r, cls, t);
    return t;
}

void select_run_set_duration(struct select_run *r, int64_t duration_ns)
{
    r->duration_ns = duration_ns;
    if (r->where != NULL)
        where_run_set_duration(r->where, duration_ns);
}

enum select_decision select_class(struct select_run *r, const struct jfr_class *cls)
{
    return cls == NULL ? SELECT_NEVER : test_of(r, cls)->decision;
}

const char *const *select_paths(struct select_run *r, const struct jfr_class *cls)
{
    return test_of(r, cls)->paths;
}

/* Events. */

static bool match_text(const struct select_patterns *list, struct jfr_str s)
{
    uint8_t room[512];
    struct buf b = buf_fixed(room, sizeof(room));
    bool found;

    if (jfr_str_is_null(s))
        return false;
    jfr_str_append_utf8(&b, s);
    if (buf_ok(&b))
        return select_any_n(list, (const char *)b.p, b.n);
    b = (struct buf){0};
    jfr_str_append_utf8(&b, s);
    found = buf_ok(&b) && select_any_n(list, (const char *)b.p, b.n);
    buf_free(&b);
    return found;
}

static bool match_thread(const struct select_threads *list, const struct jfr_thread *t)
{
    for (size_t i = 0; i < list->n_ids; i++)
        if (list->ids[i] == t->os_id || list->ids[i] == t->java_id)
            return true;
    return match_text(&list->names, t->java_name) || match_text(&list->names, t->os_name);
}

static bool thread_counts(const struct select_run *r, const struct jfr_class *cls, uint64_t key)
{
    const struct select *s = r->s;
    struct jfr_thread t;

    if (!jfr_thread_get(r->chunk, cls, key, &t))
        return s->threads.n == 0;
    if (s->threads.n > 0 && !match_thread(&s->threads, &t))
        return false;
    return s->not_threads.n == 0 || !match_thread(&s->not_threads, &t);
}

static bool state_counts(const struct select_run *r, const struct jfr_class *cls, uint64_t key)
{
    struct jfr_str s = jfr_simple_text(r->chunk, cls, key);
    uint8_t room[64];
    struct buf b = buf_fixed(room, sizeof(room));
    const char *text = (const char *)room;
    size_t n;

    jfr_str_append_utf8(&b, s);
    for (size_t i = 0; i < b.n; i++)
        if (room[i] >= 'A' && room[i] <= 'Z')
            room[i] += 'a' - 'A';
    n = b.n;
    if (select_any_n(&r->s->states, text, n))
        return true;
    return n > 6 && memcmp(text, "state_", 6) == 0 && select_any_n(&r->s->states, text + 6, n - 6);
}

/* The result of counts() for the entry with this key, computed once for each entry. */
static bool recall(struct select_run *r, uint8_t **memos, const struct jfr_class *cls, uint64_t key,
                   bool (*counts)(const struct select_run *, const struct jfr_class *, uint64_t))
{
    const struct jfr_pool *pool = jfr_chunk_pool(r->chunk, cls);
    int64_t i = jfr_pool_find(pool, key);
    uint8_t *memo;

    if (i >= 0 && memos[cls->index] == NULL)
        memos[cls->index] = arena_alloc(jfr_chunk_arena(r->chunk), jfr_pool_n(pool));
    memo = memos[cls->index];
    if (i < 0 || memo == NULL)
        return counts(r, cls, key);
    if (memo[i] == MEMO_UNKNOWN)
        memo[i] = counts(r, cls, key) ? MEMO_YES : MEMO_NO;
    return memo[i] == MEMO_YES;
}

static bool in_window(const struct select_run *r, int64_t start, int64_t span)
{
    const struct jfr_chunk_header *h = jfr_chunk_header(r->chunk);
    const struct select *s = r->s;
    int64_t start_ns = jfr_epoch_ns(h, start);
    int64_t end_ns = span <= 0 ? start_ns : jfr_epoch_ns(h, (int64_t)((uint64_t)start + span));

    if (s->has_to && start_ns >= s->to_ns)
        return false;
    return !s->has_from || end_ns >= s->from_ns;
}

/* Computed once for each tuple of context values. */
static bool is_context_counted(struct select_run *r, const struct jfr_event *ev)
{
    uint32_t tuple = context_event(r->context, ev);
    bool counts;

    if (tuple == CONTEXT_NONE || !buf_fill(&r->tuples, context_n_tuples(r->context))) {
        jfr_chunk_arena(r->chunk)->failed = true;
        return false;
    }
    if (r->tuples.p[tuple] != MEMO_UNKNOWN)
        return r->tuples.p[tuple] == MEMO_YES;
    counts = select_contexts_match(r->s, r->context, tuple);
    r->tuples.p[tuple] = counts ? MEMO_YES : MEMO_NO;
    return counts;
}

/* The condition. What cannot be decoded is damage of the chunk, and no event that counts. */
static bool where_counts(struct select_run *r, const struct jfr_event *ev)
{
    const uint8_t *where = NULL;
    int rc = where_event(r->where, ev, &where);

    if (rc == JFR_E_NOMEM)
        jfr_chunk_arena(r->chunk)->failed = true;
    else if (rc < 0)
        jfr_chunk_damaged(r->chunk, ev, where,
                          rc == JFR_E_FORMAT ? "events of this type cannot be decoded"
                                             : "event ends inside a field");
    return rc > 0;
}

/* Was the weight of an allocation sample allocated while the recording ran? */
static bool is_of_recording(struct select_run *r, const struct class_test *t,
                            const union jfr_value *v)
{
    int64_t weight = v[SELECT_WEIGHT].i, start = v[SELECT_START].i;
    int64_t now_ns = jfr_epoch_ns(jfr_chunk_header(r->chunk), start);
    int64_t began_ns = jfr_chunk_header(r->chunk)->recording_nanos;

    if (past_is_possible(weight, began_ns, now_ns) &&
        (t->thread == NULL || !past_is_known(&r->past, v[SELECT_THREAD].key, start, weight)))
        return true;
    if (!past_add(&r->s->past, weight, now_ns))
        jfr_chunk_arena(r->chunk)->failed = true;
    return false;
}

uint64_t select_past(const struct select *s, uint64_t *bytes)
{
    *bytes = s == NULL ? 0 : s->past.bytes;
    return s == NULL ? 0 : intern_n(&s->past.seen);
}

bool select_values(struct select_run *r, const struct jfr_event *ev, const union jfr_value *v)
{
    const struct select *s = r->s;
    const struct class_test *t = test_of(r, ev->type);
    const struct jfr_chunk_header *h = jfr_chunk_header(r->chunk);
    int64_t span = t->duration == NULL ? 0 : v[SELECT_DURATION].i;
    int64_t span_ns = r->duration_ns > 0 ? r->duration_ns : jfr_span_ns(h, span);

    if (t->decision != SELECT_TEST)
        return t->decision == SELECT_ALWAYS;
    if (s->min_duration_ns > 0 && span_ns < s->min_duration_ns)
        return false;
    if ((s->has_from || s->has_to) && !in_window(r, v[SELECT_START].i, span))
        return false;
    if ((s->threads.n > 0 || s->not_threads.n > 0) && t->thread != NULL &&
        !recall(r, r->threads, t->thread->type, v[SELECT_THREAD].key, thread_counts))
        return false;
    if (s->states.n > 0 && !recall(r, r->states, t->state->type, v[SELECT_STATE].key, state_counts))
        return false;
    if (s->in_scope != NULL &&
        !in_scope_holds(s->in_scope, &r->scope_threads, t->thread->type, v[SELECT_THREAD].key,
                        jfr_epoch_ns(h, v[SELECT_START].i)))
        return false;
    if (t->has_context && !is_context_counted(r, ev))
        return false;
    if (t->has_where && !where_counts(r, ev))
        return false;
    return !t->has_past || is_of_recording(r, t, v);
}

int select_event(struct select_run *r, const struct jfr_event *ev)
{
    union jfr_value v[SELECT_SLOTS];
    struct class_test *t;
    int rc;

    if (select_class(r, ev->type) != SELECT_TEST)
        return select_class(r, ev->type) == SELECT_ALWAYS;
    t = test_of(r, ev->type);
    if (t->plan == NULL)
        t->plan = jfr_plan_new(r->chunk, ev->type, t->paths, SELECT_SLOTS);
    if (t->plan == NULL)
        return arena_ok(jfr_chunk_arena(r->chunk)) ? JFR_E_FORMAT : JFR_E_NOMEM;
    rc = jfr_plan_run(t->plan, ev->body, v, NULL);
    return rc < 0 ? rc : select_values(r, ev, v);
}
