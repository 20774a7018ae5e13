/*
 * split.c - the job that reads what happens inside of the chosen scopes: each event of a chunk that
 * lies in one, and the values of the scopes. timeline.c sums them up when the chunk was read.
 */
#include "convert/slow/timeline.h"

#include "convert/context/context.h"
#include "convert/text/frame_name.h"

#include <stdlib.h>

#define AMOUNT_MAX 1000000 /* samples that one event may stand for; damaged events have more */

/* --- texts --- */

static uint32_t keep_piece_text(struct slow_worker *w)
{
    uint32_t i;

    if (w->text.n == 0 || !buf_ok(&w->text))
        return 0;
    i = intern_add(&w->texts, w->text.p, w->text.n);
    return i == INTERN_FAILED ? 0 : i + 1;
}

static uint32_t keep_thread_name(struct slow_worker *w, const struct slow_event *e)
{
    struct jfr_thread t;

    buf_reset(&w->text);
    if (jfr_thread_get(w->chunk, e->class->threads, e->thread, &t))
        thread_name_append(&w->text, &t);
    return keep_piece_text(w);
}

/* --- events --- */

/* Finds the chosen scope in which an event begins, or else the one in which it ends, on its own
 * thread or in a task of the scope. *p gets the time of the event that lies inside. Returns false
 * if there is none. */
static bool place_event(struct slow_worker *w, const struct slow_event *e, struct piece *p)
{
    uint32_t thread = scope_threads_number(&w->threads, w->s->scopes, e->class->threads, e->thread);
    const struct slow_interval *v;

    if (thread == SCOPES_NONE)
        return false;
    v = slow_interval_at(w->s, thread, e->start_ns, &w->hints[thread]);
    if (v == NULL && e->end_ns > e->start_ns)
        v = slow_interval_at(w->s, thread, e->end_ns - 1, NULL);
    if (v == NULL)
        return false;
    p->scope = v->scope;
    p->thread = thread;
    p->is_task = v->is_task;
    p->start_ns = e->start_ns > v->start_ns ? e->start_ns : v->start_ns;
    p->end_ns = e->end_ns < v->end_ns ? e->end_ns : v->end_ns;
    if (w->s->options.wants_lines && w->s->chosen[v->scope].rank > 0)
        p->thread_name = keep_thread_name(w, e);
    return true;
}

static void describe_event(struct slow_worker *w, const struct slow_event *e, struct piece *p)
{
    buf_reset(&w->text);
    slow_event_what(&w->text, w->chunk, e);
    p->what = keep_piece_text(w);
    buf_reset(&w->text);
    slow_event_holder(&w->text, w->chunk, e);
    p->holder = keep_piece_text(w);
}

static void add_slow_event(struct slow_worker *w, const struct slow_class *k,
                           const struct jfr_event *ev)
{
    union jfr_value v[SLOW_FIELDS];
    struct slow_event e;
    struct piece p = {.kind = k->kind, .part = k->part, .rank = k->rank};

    /* Most events are in no chosen scope. So the fields that decide this are read first, the others
     * only for events that are in one. Pauses concern all threads and are kept in any case. */
    if (!slow_event_place(&e, w->chunk, k, ev) ||
        (k->kind != SLOW_EVENT_PAUSE && !place_event(w, &e, &p)) ||
        !slow_event_read(&e, w->chunk, v))
        return;
    if (k->kind == SLOW_EVENT_PAUSE) {
        p.start_ns = e.start_ns;
        p.end_ns = e.end_ns;
        p.amount = k->is_phase;
        describe_event(w, &e, &p);
        buf_bytes(&w->pauses, &p, sizeof(p));
        return;
    }
    p.has_context = context_has_own(w->contexts, ev);
    w->has_contexts[k->kind] |= p.has_context;
    p.amount = jfr_plan_field(k->plan, SLOW_AMOUNT) == NULL ? 1 : e.amount;
    if (p.amount < 0)
        p.amount = 0;
    if (k->kind != SLOW_EVENT_ALLOC && k->kind != SLOW_EVENT_WAIT && p.amount > AMOUNT_MAX)
        p.amount = AMOUNT_MAX;
    switch (k->kind) {
    case SLOW_EVENT_WAIT:
        describe_event(w, &e, &p);
        p.stack = slow_stacks_read(&w->stacks, k->stacks, v[SLOW_STACK].key);
        break;
    case SLOW_EVENT_CPU:
        p.cpu_ns = slow_event_period(w->chunk, &e, &w->settings) * p.amount;
        p.part = SLOW_RUNNING;
        p.stack = slow_stacks_read(&w->stacks, k->stacks, v[SLOW_STACK].key);
        break;
    case SLOW_EVENT_WALL:
        p.part = slow_event_state(w->chunk, &e);
        p.stack = slow_stacks_read(&w->stacks, k->stacks, v[SLOW_STACK].key);
        break;
    default:
        break;
    }
    buf_bytes(&w->pieces, &p, sizeof(p));
}

static int start_slow_chunk(struct slow_worker *w, const struct run_chunk *rc)
{
    struct arena *arena = jfr_chunk_arena(rc->chunk);
    size_t n = jfr_chunk_metadata(rc->chunk)->n_classes;

    w->chunk = rc->chunk;
    w->settings = sample_settings_of_start(rc->chunk);
    w->classes = arena_array(arena, n, sizeof(*w->classes));
    buf_reset(&w->pieces);
    buf_reset(&w->pauses);
    slow_stacks_load(&w->stacks, rc->chunk);
    buf_reset(&w->sums);
    buf_reset(&w->lines);
    buf_reset(&w->labels);
    intern_reset(&w->texts);
    intern_reset(&w->values);
    factors_reset(&w->factors);
    memset(w->rank, 0, sizeof(w->rank));
    memset(w->sets, 0, sizeof(w->sets));
    memset(w->has_contexts, 0, sizeof(w->has_contexts));
    w->thresholds = (struct slow_thresholds){-1, -1, false};
    w->has_cpu = w->has_wall = w->has_too_many_pauses = w->has_too_many_lines = false;
    if (w->classes == NULL || scope_threads_load(&w->threads, rc->chunk) != 0)
        return JFR_E_NOMEM;
    return context_run_load_own(w->contexts, rc->chunk);
}

/* --- values of scopes --- */

static bool add_scope_value(struct slow_worker *w, uint32_t scope, const char *key,
                            const char *text, size_t n)
{
    struct slow_label label = {.scope = scope};

    buf_reset(&w->text);
    buf_bytes(&w->text, key, strlen(key));
    buf_byte(&w->text, '=');
    buf_bytes(&w->text, text, n);
    if (!buf_ok(&w->text))
        return false;
    label.value = intern_add(&w->values, w->text.p, w->text.n);
    buf_bytes(&w->labels, &label, sizeof(label));
    return label.value != INTERN_FAILED && buf_ok(&w->labels);
}

/* The values of a part of a chosen scope. */
static bool add_scope_values(struct slow_worker *w, const struct jfr_event *ev)
{
    static const char *const paths[] = {"startTime", "eventThread"};
    const struct jfr_plan *plan = jfr_plan_shared(w->chunk, ev->type, paths, 2);
    const struct slow_interval *at;
    union jfr_value v[2];
    struct jfr_thread t;
    const struct jfr_field *f;
    uint32_t tuple, thread;

    if (plan == NULL || jfr_plan_run(plan, ev->body, v, NULL) != 0)
        return true;
    f = jfr_plan_field(plan, 1);
    if (f == NULL || !f->is_pooled)
        return true;
    thread = scope_threads_number(&w->threads, w->s->scopes, f->type, v[1].key);
    at = thread == SCOPES_NONE
             ? NULL
             : slow_interval_at(w->s, thread, jfr_epoch_ns(jfr_chunk_header(w->chunk), v[0].i),
                                NULL);
    if (at == NULL || at->is_task)
        return true;
    tuple = context_own_tuple(w->contexts, ev);
    for (size_t i = 0; i < context_n_attributes(w->contexts); i++) {
        size_t n;
        const char *text = context_attribute_text(w->contexts, tuple, i, &n);

        if (text != NULL &&
            !add_scope_value(w, at->scope, context_attribute(w->contexts, i), text, n))
            return false;
    }
    if (jfr_thread_get(w->chunk, f->type, v[1].key, &t)) {
        struct buf name = {0};
        bool good;

        thread_name_append(&name, &t);
        good =
            buf_ok(&name) && add_scope_value(w, at->scope, "thread", (const char *)name.p, name.n);
        buf_free(&name);
        return good;
    }
    return true;
}

/* --- the job --- */

static int split_chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct slow_worker *w = worker;
    struct jfr_event ev;
    int code = start_slow_chunk(w, rc);

    (void)out;
    if (code != 0)
        return code;
    while (jfr_chunk_next(rc->chunk, &ev) > 0) {
        struct slow_class *k = ev.type == NULL ? NULL : &w->classes[ev.type->index];

        if (k == NULL)
            continue;
        if (!k->is_known) {
            slow_class_find(k, rc->chunk, ev.type, &w->settings);
            k->is_scope = scopes_is_type(w->s->scopes, ev.type->name);
            w->rank[k->kind] = k->rank > w->rank[k->kind] ? k->rank : w->rank[k->kind];
        }
        if (k->is_setting)
            slow_event_setting(&w->thresholds, rc->chunk, &ev);
        if (k->is_scope && !add_scope_values(w, &ev))
            return JFR_E_NOMEM;
        if (k->kind == SLOW_EVENT_NONE)
            continue;
        w->has_cpu |= k->kind == SLOW_EVENT_CPU;
        w->has_wall |= k->kind == SLOW_EVENT_WALL;
        add_slow_event(w, k, &ev);
    }
    return timeline_sum(w) ? 0 : JFR_E_NOMEM;
}

/* --- merging --- */

static void add_to_scope(struct slow_scope *to, const struct slow_scope *add)
{
    for (size_t i = 0; i < SLOW_PARTS; i++) {
        slow_add(&to->exact[i], add->exact[i]);
        to->wall[i] += add->wall[i];
    }
    to->n_wall += add->n_wall;
    to->n_cpu += add->n_cpu;
    slow_add(&to->gap_cpu_ns, add->gap_cpu_ns);
    slow_add(&to->cpu_ns, add->cpu_ns);
    slow_add(&to->alloc_bytes, add->alloc_bytes);
    slow_add(&to->io_bytes, add->io_bytes);
    slow_add(&to->elsewhere.waits_ns, add->elsewhere.waits_ns);
    slow_add(&to->elsewhere.cpu_ns, add->elsewhere.cpu_ns);
    slow_add(&to->elsewhere.alloc_bytes, add->elsewhere.alloc_bytes);
}

static int merge_split(void *shared, void *worker, const struct run_chunk *rc)
{
    struct slow_worker *w = worker;
    struct slow *s = shared;
    const struct scope_sum *sum = (const void *)w->sums.p;
    const struct slow_label *labels = (const void *)w->labels.p;

    (void)rc;
    for (size_t i = 0; i < w->sums.n / sizeof(*sum); i++)
        add_to_scope(&s->chosen[sum[i].scope], &sum[i].add);
    for (size_t i = 0; i < w->labels.n / sizeof(*labels); i++) {
        struct slow_label label = labels[i];
        size_t n;
        const char *text = intern_get(&w->values, label.value, &n);

        label.value = intern_add(&s->values, text, n);
        if (label.value == INTERN_FAILED)
            return JFR_E_NOMEM;
        buf_bytes(&s->labels, &label, sizeof(label));
    }
    if (w->thresholds.lock_ns > s->facts.lock_threshold_ns)
        s->facts.lock_threshold_ns = w->thresholds.lock_ns;
    if (w->thresholds.io_ns > s->facts.io_threshold_ns)
        s->facts.io_threshold_ns = w->thresholds.io_ns;
    s->facts.leaves_out_unused |= w->thresholds.leaves_out_unused;
    s->facts.has_cpu |= w->has_cpu;
    s->facts.has_wall |= w->has_wall;
    s->facts.has_too_many_pauses |= w->has_too_many_pauses;
    s->facts.has_too_many_lines |= w->has_too_many_lines;
    return buf_ok(&s->labels) && waterfall_merge(s, w) && factors_add_all(&s->factors, &w->factors)
               ? 0
               : JFR_E_NOMEM;
}

static void free_slow_worker(void *worker)
{
    struct slow_worker *w = worker;

    context_run_free(w->contexts);
    buf_free(&w->pieces);
    buf_free(&w->pauses);
    buf_free(&w->stretches);
    slow_stacks_free(&w->stacks);
    buf_free(&w->text);
    buf_free(&w->sums);
    buf_free(&w->lines);
    buf_free(&w->labels);
    intern_free(&w->texts);
    intern_free(&w->values);
    factors_free(&w->factors);
    free(w->hints);
    free(w);
}

static void *new_slow_worker(void *shared)
{
    struct slow *s = shared;
    struct slow_worker *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return NULL;
    w->s = s;
    w->contexts = context_run_new(s->context);
    w->hints = calloc(intern_n(&s->scopes->threads) + 1, sizeof(*w->hints));
    if (w->contexts != NULL && w->hints != NULL)
        return w;
    free_slow_worker(w);
    return NULL;
}

struct run_job slow_job(struct slow *s)
{
    return (struct run_job){.shared = s,
                            .worker_new = new_slow_worker,
                            .worker_free = free_slow_worker,
                            .chunk = split_chunk,
                            .merge = merge_split};
}
