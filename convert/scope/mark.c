/*
 * mark.c - marks the scopes for which a condition on their events holds (--in-scope).
 *
 * It reads the inputs a second time. The first time (read.c) has found the parts of each scope, and
 * only then it is known how long a scope lasts, which a condition may use. The mark is set at the
 * first part.
 */
#include "convert/scope/threads.h"

#include "convert/driver/run.h"

#include <stdlib.h>

struct mark_job {
    struct scopes *scopes;
    const struct scope_filter *filter;
};

struct mark_worker {
    const struct mark_job *job;
    void *run; /* of the filter */
    struct scope_threads threads;
    struct buf heads; /* uint32_t: first parts of scopes of the chunk for which the filter holds */
};

static void *new_mark_worker(void *shared)
{
    struct mark_worker *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return NULL;
    w->job = shared;
    w->run = w->job->filter->run_new(w->job->filter->shared);
    if (w->run != NULL)
        return w;
    free(w);
    return NULL;
}

static void free_mark_worker(void *worker)
{
    struct mark_worker *w = worker;

    w->job->filter->run_free(w->run);
    buf_free(&w->heads);
    free(w);
}

/* The first part of the scope that an event of the chunk is a part of, or SCOPES_NONE. */
static uint32_t head_of_event(struct mark_worker *w, struct jfr_chunk *chunk,
                              const struct jfr_event *ev)
{
    static const char *const paths[] = {"startTime", "duration", "eventThread"};
    const struct jfr_plan *plan = jfr_plan_shared(chunk, ev->type, paths, 3);
    const struct jfr_chunk_header *h = jfr_chunk_header(chunk);
    const struct scopes *s = w->job->scopes;
    const struct jfr_field *thread;
    union jfr_value v[3];
    uint32_t number, part;

    if (plan == NULL || jfr_plan_run(plan, ev->body, v, NULL) != 0 || v[1].i <= 0)
        return SCOPES_NONE;
    thread = jfr_plan_field(plan, 2);
    if (thread == NULL || !thread->is_pooled)
        return SCOPES_NONE;
    number = scope_threads_number(&w->threads, s, thread->type, v[2].key);
    part = scopes_find_part(s, number, jfr_epoch_ns(h, v[0].i),
                            jfr_epoch_ns(h, (int64_t)((uint64_t)v[0].i + (uint64_t)v[1].i)),
                            ev->type->name);
    return part == SCOPES_NONE ? part : scopes_head(s, part);
}

static int mark_chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct mark_worker *w = worker;
    const struct scopes *s = w->job->scopes;
    const struct jfr_metadata *md = jfr_chunk_metadata(rc->chunk);
    bool *is_scope = arena_array(jfr_chunk_arena(rc->chunk), md->n_classes, sizeof(*is_scope));
    struct jfr_event ev;

    (void)out;
    buf_reset(&w->heads);
    if (is_scope == NULL || scope_threads_load(&w->threads, rc->chunk) != 0 ||
        w->job->filter->load(w->run, rc->chunk) != 0)
        return JFR_E_NOMEM;
    for (size_t i = 0; i < md->n_classes; i++)
        is_scope[i] = md->classes[i].is_event && scopes_is_type(s, md->classes[i].name);
    while (jfr_chunk_next_of(rc->chunk, is_scope, &ev) > 0) {
        uint32_t head = head_of_event(w, rc->chunk, &ev);
        int holds;

        if (head == SCOPES_NONE)
            continue;
        holds = w->job->filter->event(w->run, &ev, s->parts[head].end_ns - s->parts[head].start_ns);
        if (holds == JFR_E_NOMEM || !buf_ok(&w->heads))
            return JFR_E_NOMEM;
        if (holds > 0)
            buf_bytes(&w->heads, &head, sizeof(head));
    }
    return buf_ok(&w->heads) ? 0 : JFR_E_NOMEM;
}

static int merge_marks(void *shared, void *worker, const struct run_chunk *rc)
{
    const struct mark_worker *w = worker;
    const uint32_t *heads = (const void *)w->heads.p;
    struct scopes *s = ((const struct mark_job *)shared)->scopes;

    (void)rc;
    for (size_t i = 0; i < w->heads.n / sizeof(*heads); i++)
        s->parts[heads[i]].flags |= SCOPE_MARKED;
    return 0;
}

int scopes_mark(struct scopes *s, const struct scope_filter *filter, const char *const *paths,
                size_t n_paths, struct jfr_error *err, const char **err_path)
{
    struct mark_job shared = {s, filter};
    struct run_options opt = {.paths = paths, .n_paths = n_paths};
    struct run_job job = {.shared = &shared,
                          .worker_new = new_mark_worker,
                          .worker_free = free_mark_worker,
                          .chunk = mark_chunk,
                          .merge = merge_marks};
    struct run_result result;
    int rc = s->n == 0 ? 0 : run_all(&opt, &job, NULL, &result, err, err_path);

    return rc == JFR_E_NOMEM ? jfr_fail(err, JFR_E_NOMEM, 0, "out of memory") : rc;
}
