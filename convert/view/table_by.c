/*
 * table_by.c - samples, CPU time, bytes, locks and I/O of each user, thread, event type or time: a
 * job of jfr2table, when --by names no frames.
 *
 * Rows are groups of groups.h; here is what an event adds to its row. table_by_out.c makes the
 * table of the sums.
 */
#include "convert/view/table_by.h"

#include "convert/profile/worker.h"
#include "convert/select/sample_settings.h"
#include "convert/view/table_by_internal.h"
#include "convert/profile/unattributed.h"

#include <stdlib.h>

enum { /* places in the plan of a class */
    AT_COUNT = SELECT_SLOTS,
    AT_BYTES,
    AT_PERIOD,
    AT_STACK,
    AT_CONTINUATION,
    N_AT,
};

/* How events of a class count. */
struct by_use {
    bool is_ready, counts;
    const struct jfr_class *cls;
    enum select_decision decision;
    const struct jfr_plan *plan;
    struct kind_use kind;
    uint32_t kind_number;
    int alloc_rank;
    bool is_lock, is_park, is_io, is_request;
    size_t bytes_sum; /* enum by_sum, where its bytes count */
    uint32_t request_type; /* its number in the rows */
    bool is_request_used; /* only if something was recorded in it */
    bool is_execution; /* jdk.ExecutionSample */
    const struct jfr_field *thread, *state, *count, *bytes, *period, *duration;
    const struct jfr_field *stack;
    struct unattributed_stacks stacks;
    struct view_getter keys[VIEW_KEYS], thread_name;
};

struct by_worker {
    struct table_by *tb;
    struct select_run *select;
    struct jfr_chunk *chunk;
    struct by_use *uses; /* by class index */
    struct by_rows rows;
    struct view_values values;
    struct by_requests requests; /* of the chunk */
    struct buf name_memo; /* of unattributed_name() */
    uint32_t rest[VIEW_KEYS][N_UNATTRIBUTED]; /* ordinals of rows without a value; 0: not made */
    int64_t interval_ns; /* of jdk.ExecutionSample; 0: unknown */
    enum kind_samples samples; /* of the chunk */
    bool has_value[VIEW_KEYS];
};

struct table_by *table_by_new(const struct table_by_options *opt)
{
    struct table_by *tb = calloc(1, sizeof(*tb));

    if (tb == NULL)
        return NULL;
    tb->opt = *opt;
    tb->rows.groups.n_keys = opt->n_keys;
    return tb;
}

void table_by_free(struct table_by *tb)
{
    if (tb == NULL)
        return;
    by_rows_free(&tb->rows);
    free(tb);
}

bool table_by_has_value(const struct table_by *tb, size_t i)
{
    return tb->has_value[i];
}

/* --- a class ---------------------------------------------------------------------------------- */

static void choose_table_kind(const struct table_by *tb, struct by_use *u,
                              enum kind_samples samples)
{
    bool all = by_is_of_events(tb);

    if (tb->opt.kind >= 0 || all) {
        u->kind_number = all ? KIND_ALL : (uint32_t)tb->opt.kind;
        u->kind = kind_use_of((enum kind)u->kind_number, u->cls, samples);
        if (all) /* events, whatever number of samples they stand for */
            u->kind.count_field = NULL;
        return;
    }
    for (u->kind_number = 0; u->kind_number < KIND_LATENCY; u->kind_number++) {
        u->kind = kind_use_of((enum kind)u->kind_number, u->cls, samples);
        if (u->kind.rank > KIND_RANK_STANDIN)
            return;
    }
    u->kind = (struct kind_use){0};
}

static void open_fields(struct by_worker *w, struct by_use *u)
{
    u->thread = profile_key_field(u->plan, SELECT_THREAD);
    u->state = profile_key_field(u->plan, SELECT_STATE);
    u->duration = profile_number_field(u->plan, SELECT_DURATION);
    u->count = profile_number_field(u->plan, AT_COUNT);
    u->bytes = profile_number_field(u->plan, AT_BYTES);
    u->period = profile_number_field(u->plan, AT_PERIOD);
    if (u->count != NULL && profile_is_real(u->count))
        u->count = NULL;
    u->stack = profile_key_field(u->plan, AT_STACK);
    if (!by_is_of_events(w->tb) && u->stack == NULL)
        u->kind.rank = 0;
    if (u->alloc_rank == 0 && !u->is_io)
        u->bytes = NULL;
    if (u->bytes == NULL)
        u->alloc_rank = 0;
    else
        u->bytes_sum = u->alloc_rank > 0 ? BY_ALLOCATED + (size_t)u->alloc_rank
                       : strcmp(u->bytes->name, "bytesWritten") == 0 ? BY_WRITTEN
                                                                     : BY_READ;
    u->is_lock &= u->duration != NULL;
}

static bool has_setting(const struct jfr_class *cls, const char *name, const char *value)
{
    for (size_t i = 0; i < cls->n_settings; i++) {
        const struct jfr_setting *s = &cls->settings[i];

        if (s->name != NULL && strcmp(s->name, name) == 0)
            return s->default_value != NULL && strcmp(s->default_value, value) == 0;
    }
    return false;
}

/* Without memory it is as if there were too many. */
static uint32_t request_type(struct by_rows *rows, const char *name)
{
    uint32_t i = intern_add(&rows->requests, name, strlen(name));

    return i < REQUEST_TYPES ? i : REQUEST_TYPES - 1;
}

/* Does a request count with this event? The event's own values are read only where it may. */
static bool is_request(struct by_worker *w, const struct by_use *u, const struct jfr_event *ev,
                       const union jfr_value *v)
{
    uint64_t thread = u->thread == NULL ? 0 : v[SELECT_THREAD].key;
    bool *awaited =
        u->is_request ? by_request_awaited(&w->requests, thread, u->request_type) : NULL;
    bool has_value;

    if (awaited == NULL || (v[AT_CONTINUATION].i != 0 && !*awaited))
        return false;
    has_value = context_has_own(select_run_context(w->select), ev);
    *awaited = !has_value;
    return has_value;
}

/* Where the values of the keys come from, put into paths[*n]. False if out of memory. */
static bool open_keys(struct by_worker *w, struct by_use *u, const char **paths, size_t *n)
{
    bool ok = true;

    for (size_t i = 0; i < w->tb->opt.n_keys; i++) {
        u->keys[i] = view_key_getter(&w->values, u->cls, w->tb->opt.keys[i], paths, n);
        ok &= view_getter_remember(&w->values, &u->keys[i]);
    }
    if (w->tb->opt.tells_rest) {
        u->thread_name = view_key_getter(&w->values, u->cls, VIEW_THREAD, paths, n);
        ok &= view_getter_remember(&w->values, &u->thread_name);
    }
    return ok;
}

/* 0 or JFR_E_NOMEM. */
static int open_class(struct by_worker *w, struct by_use *u, const struct jfr_class *cls)
{
    struct context_run *contexts = select_run_context(w->select);
    struct kind_use alloc = kind_use_of(KIND_ALLOC, cls, w->samples),
                    io = kind_use_of(KIND_IO, cls, w->samples);
    const char *paths[JFR_PLAN_WANTS_MAX] = {NULL};
    size_t n = N_AT;

    *u = (struct by_use){.is_ready = true, .cls = cls};
    u->decision = select_class(w->select, cls);
    if (u->decision == SELECT_NEVER || !cls->is_event)
        return 0;
    choose_table_kind(w->tb, u, w->samples);
    u->alloc_rank = alloc.bytes_field == NULL ? 0 : alloc.rank;
    u->is_lock = kind_use_of(KIND_LOCK, cls, w->samples).rank > 0;
    u->is_io = io.rank > 0;
    u->is_execution = kind_is_event(cls, "jdk.ExecutionSample");
    u->is_park = kind_is_event(cls, "jdk.ThreadPark");
    u->is_request = contexts != NULL && context_is_span(contexts, cls);
    if (u->is_request)
        u->request_type = request_type(&w->rows, cls->name);
    u->is_request_used = u->is_request && has_setting(cls, "emit", "used");
    memcpy(paths, select_paths(w->select, cls), SELECT_SLOTS * sizeof(*paths));
    paths[AT_COUNT] = u->kind.count_field;
    paths[AT_BYTES] = alloc.bytes_field != NULL ? alloc.bytes_field : io.bytes_field;
    paths[AT_PERIOD] = kind_is_event(cls, "jdk.CPUTimeSample") ? "samplingPeriod" : NULL;
    paths[AT_STACK] = !by_is_of_events(w->tb) || u->is_lock ? "stackTrace" : NULL;
    paths[AT_CONTINUATION] = u->is_request ? "isContinuation" : NULL;
    if (!open_keys(w, u, paths, &n))
        return JFR_E_NOMEM;
    u->plan = jfr_plan_new(w->chunk, cls, paths, n);
    if (u->plan == NULL)
        return arena_ok(jfr_chunk_arena(w->chunk)) ? 0 : JFR_E_NOMEM;
    open_fields(w, u);
    u->counts = u->kind.rank > 0 || u->alloc_rank > 0 || u->is_lock || u->is_io || u->is_request ||
                u->period != NULL || u->is_execution;
    return 0;
}

/* --- the row of an event ---------------------------------------------------------------------- */

/* Does the thread of a sample do anything? */
static bool is_awake(struct by_worker *w, const struct by_use *u, const union jfr_value *v)
{
    uint8_t room[64];
    struct buf b = buf_fixed(room, sizeof(room));

    if (u->state == NULL)
        return true;
    jfr_str_append_utf8(&b, jfr_simple_text(w->chunk, u->state->type, v[SELECT_STATE].key));
    buf_byte(&b, 0);
    return !buf_ok(&b) || !kind_state_sleeps((const char *)room);
}

/* Does its thread wait for work? */
static bool is_idle_row(struct by_worker *w, struct by_use *u, const union jfr_value *v)
{
    return u->stack != NULL && (u->is_park || !is_awake(w, u, v)) &&
           unattributed_is_idle(&u->stacks, w->chunk, u->stack, v[AT_STACK].key);
}

/* What a row without a value of key i is called. */
static struct view_value rest_value(struct by_worker *w, struct by_use *u,
                                    const struct jfr_event *ev, const union jfr_value *v, size_t i)
{
    struct view_value value = view_key_get(&w->values, &u->thread_name, ev, v);
    enum unattributed what = UNATTRIBUTED;
    uint32_t *ordinal;

    if (value.kind == VIEW_TEXT)
        what = unattributed_name(&w->name_memo, w->values.texts, value.text);
    if (what == UNATTRIBUTED && is_idle_row(w, u, v))
        what = UNATTRIBUTED_IDLE;
    ordinal = &w->rest[i][what];
    if (*ordinal != 0)
        return view_remembered(&w->values, *ordinal);
    buf_reset(&w->values.text);
    unattributed_put(&w->values.text, what, w->tb->opt.names[i]);
    value = view_text_value(&w->values);
    view_remember(&w->values, &value, ordinal);
    return value;
}

/* The row of an event; VIEW_GROUP_FAILED if out of memory. */
static uint32_t row_of_event(struct by_worker *w, struct by_use *u, const struct jfr_event *ev,
                             const union jfr_value *v)
{
    struct view_value key[VIEW_KEYS];

    for (size_t i = 0; i < w->tb->opt.n_keys; i++) {
        key[i] = view_key_get(&w->values, &u->keys[i], ev, v);
        w->has_value[i] |= key[i].kind != VIEW_NONE;
        if (key[i].kind == VIEW_NONE && w->tb->opt.tells_rest && u->keys[i].what == VIEW_OF_CONTEXT)
            key[i] = rest_value(w, u, ev, v, i);
    }
    return w->values.failed ? VIEW_GROUP_FAILED : view_groups_find(&w->rows.groups, key);
}

/* --- events ----------------------------------------------------------------------------------- */

static bool is_sample(struct by_worker *w, const struct by_use *u, const union jfr_value *v)
{
    if (u->kind.rank <= 0 || u->kind.rank >= RANKS)
        return false;
    if (u->kind.needs_duration && (u->duration == NULL || v[SELECT_DURATION].i <= 0))
        return false;
    return !u->kind.skips_sleeping || is_awake(w, u, v);
}

/* False if out of memory. */
static bool add_sums(struct by_worker *w, struct by_use *u, const struct jfr_event *ev,
                     const union jfr_value *v, uint32_t row)
{
    struct by_rows *rows = &w->rows;
    struct jfr_chunk *chunk = w->chunk;
    uint64_t ns = u->duration == NULL ? 0 : profile_number(chunk, u->duration, v[SELECT_DURATION]);
    bool ok = true;

    if (is_sample(w, u, v))
        ok &= by_rows_add(rows, BY_SAMPLES + u->kind_number * RANKS + (size_t)u->kind.rank, row,
                          u->count == NULL ? 1 : profile_number(chunk, u->count, v[AT_COUNT]));
    if (u->bytes != NULL)
        ok &= by_rows_add(rows, u->bytes_sum, row, profile_number(chunk, u->bytes, v[AT_BYTES]));
    if (u->is_lock && !is_idle_row(w, u, v))
        ok &= by_rows_add(rows, BY_LOCK, row, ns);
    if (u->is_io)
        ok &= by_rows_add(rows, BY_IO, row, ns);
    if (u->period != NULL)
        ok &= by_rows_add(rows, BY_CPU, row, profile_number(chunk, u->period, v[AT_PERIOD]));
    if (is_request(w, u, ev, v))
        ok &= by_rows_add(rows, BY_REQUESTS + u->request_type, row, 1);
    if (u->is_execution && is_awake(w, u, v))
        ok &= by_rows_add(rows, BY_EXECUTIONS, row, 1);
    return ok;
}

/* 0 or JFR_E_NOMEM. */
static int add_to_table(struct by_worker *w, struct by_use *u, const struct jfr_event *ev)
{
    union jfr_value v[JFR_PLAN_WANTS_MAX];
    const uint8_t *where;
    uint32_t row;

    if (jfr_plan_run(u->plan, ev->body, v, &where) != 0) {
        jfr_chunk_damaged(w->chunk, ev, where, "event ends inside a field");
        return 0;
    }
    if (u->decision == SELECT_TEST && !select_values(w->select, ev, v))
        return 0;
    row = row_of_event(w, u, ev, v);
    if (row == VIEW_GROUP_FAILED || !add_sums(w, u, ev, v, row))
        return JFR_E_NOMEM;
    return 0;
}

static int read_chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    size_t n_classes = jfr_chunk_metadata(rc->chunk)->n_classes;
    struct arena *arena = jfr_chunk_arena(rc->chunk);
    bool *wanted = arena_array(arena, n_classes, sizeof(*wanted));
    struct by_worker *w = worker;
    struct sample_settings settings;
    struct jfr_event ev;
    int code;

    (void)out;
    w->chunk = rc->chunk;
    view_values_load(&w->values, rc);
    by_rows_reset(&w->rows);
    buf_reset(&w->name_memo);
    memset(w->rest, 0, sizeof(w->rest));
    by_requests_reset(&w->requests);
    w->uses = arena_array(arena, n_classes, sizeof(*w->uses));
    if (w->uses == NULL || wanted == NULL)
        return JFR_E_NOMEM;
    memset(wanted, true, n_classes * sizeof(*wanted)); /* less those that turn out not to count */
    settings = sample_settings_read(rc->chunk, UINT64_MAX);
    w->interval_ns = settings.interval_ns;
    w->samples = settings.samples;
    code = select_run_load(w->select, rc->chunk);
    while (code == 0 && jfr_chunk_next_of(rc->chunk, wanted, &ev) > 0) {
        struct by_use *u = &w->uses[ev.type->index];

        if (!u->is_ready)
            code = open_class(w, u, ev.type);
        wanted[ev.type->index] = u->counts;
        if (code == 0 && u->counts)
            code = add_to_table(w, u, &ev);
    }
    return code;
}

/* --- merging ---------------------------------------------------------------------------------- */

/* Adds a sum of a chunk. In the sum of all, types of requests have the numbers `requests`, and a
 * sample stands for its time. False if out of memory. */
static bool add_all(struct table_by *tb, const struct by_rows *from, size_t sum,
                    const uint32_t *groups, const uint32_t requests[REQUEST_TYPES])
{
    bool is_request = sum >= BY_REQUESTS && sum < BY_REQUESTS + REQUEST_TYPES, ok = true;
    bool is_time = sum == BY_EXECUTIONS;
    size_t to = is_request ? BY_REQUESTS + requests[sum - BY_REQUESTS]
                : is_time  ? BY_ESTIMATED
                           : sum;

    for (uint32_t i = 0; i < from->sums[sum].n / sizeof(uint64_t) && ok; i++) {
        uint64_t n = by_rows_get(from, sum, i);

        ok = by_rows_add(&tb->rows, to, groups[i],
                         is_time ? sums_times(n, (uint64_t)tb->interval_ns) : n);
    }
    return ok;
}

static void note_seen(struct table_by *tb, const struct by_worker *w)
{
    size_t n = jfr_chunk_metadata(w->chunk)->n_classes;

    for (size_t i = 0; i < n; i++) {
        const struct by_use *u = &w->uses[i];

        if (!u->counts)
            continue;
        tb->seen |= (u->period != NULL ? SEEN_CPU : 0) | (u->alloc_rank > 0 ? SEEN_ALLOCATED : 0) |
                    (u->is_lock ? SEEN_LOCK : 0) | (u->is_io ? SEEN_IO : 0) |
                    (u->is_request ? SEEN_REQUESTS : 0) |
                    (u->is_request_used ? SEEN_REQUESTS_USED : 0) |
                    (u->is_execution ? SEEN_EXECUTIONS : 0);
        if (u->bytes != NULL)
            tb->seen |= u->bytes_sum == BY_WRITTEN ? SEEN_WRITTEN
                        : u->bytes_sum == BY_READ  ? SEEN_READ
                                                   : 0;
    }
}

static int merge(void *shared, void *worker, const struct run_chunk *rc)
{
    struct table_by *tb = shared;
    struct by_worker *w = worker;
    uint32_t requests[REQUEST_TYPES] = {0};
    struct view_groups_map map;
    bool ok = view_groups_take(&tb->rows.groups, &w->rows.groups, &map);

    (void)rc;
    for (size_t i = 0; i < tb->opt.n_keys; i++)
        tb->has_value[i] |= w->has_value[i];
    note_seen(tb, w);
    tb->is_mixed |= w->samples == KIND_SAMPLES_BOTH;
    if (w->interval_ns != 0) {
        tb->intervals_differ |= tb->interval_ns != 0 && tb->interval_ns != w->interval_ns;
        tb->interval_ns = w->interval_ns; /* also of chunks after it that do not say it */
    }
    for (uint32_t i = 0; i < intern_n(&w->rows.requests) && i < REQUEST_TYPES; i++)
        requests[i] = request_type(&tb->rows, intern_get(&w->rows.requests, i, NULL));
    for (size_t sum = 0; sum < BY_SUMS && ok; sum++)
        ok = add_all(tb, &w->rows, sum, map.groups, requests);
    view_groups_map_free(&map);
    return ok ? 0 : JFR_E_NOMEM;
}

static void worker_free(void *worker)
{
    struct by_worker *w = worker;

    select_run_free(w->select);
    by_rows_free(&w->rows);
    view_values_free(&w->values);
    buf_free(&w->name_memo);
    by_requests_free(&w->requests);
    free(w);
}

static void *worker_new(void *shared)
{
    struct table_by *tb = shared;
    struct by_worker *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return NULL;
    w->tb = tb;
    w->rows.groups.n_keys = tb->opt.n_keys;
    w->select = select_run_new(tb->opt.select);
    w->values.select = w->select;
    w->values.texts = &w->rows.groups.texts;
    if (w->select != NULL)
        return w;
    free(w);
    return NULL;
}

struct run_job table_by_job(struct table_by *tb)
{
    return (struct run_job){.shared = tb,
                            .worker_new = worker_new,
                            .worker_free = worker_free,
                            .chunk = read_chunk,
                            .merge = merge};
}
