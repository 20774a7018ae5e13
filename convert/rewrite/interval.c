/* interval.c - a job of convert/driver/follow that copies the new events of each chunk. */
#include "convert/rewrite/interval.h"

#include "convert/driver/follow.h"

#include <stdlib.h>

struct interval {
    const struct rewrite_edit *edit;
    struct follow *follow;
    struct rewrite *rewrite; /* of the interval that is being taken */
};

static void *job_worker(void *shared)
{
    return shared;
}

static void job_end(void *worker)
{
    (void)worker; /* it is the interval */
}

static int copy_new_events(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct interval *iv = worker;
    struct jfr_event ev;
    int code;

    (void)out;
    code = rewrite_begin(iv->rewrite, rc->chunk);
    while (code == 0 && jfr_chunk_next(rc->chunk, &ev) > 0)
        if (run_has_event(rc, &ev))
            code = rewrite_event(iv->rewrite, &ev);
    return code != 0 ? code : rewrite_end(iv->rewrite);
}

static int job_merge(void *shared, void *worker, const struct run_chunk *rc)
{
    (void)shared, (void)worker, (void)rc;
    return 0;
}

struct interval *interval_new(const struct rewrite_edit *edit)
{
    struct interval *iv = calloc(1, sizeof(*iv));
    struct follow_how how = {.job = {.shared = iv,
                                     .worker_new = job_worker,
                                     .worker_free = job_end,
                                     .chunk = copy_new_events,
                                     .merge = job_merge}};

    if (iv == NULL)
        return NULL;
    iv->edit = edit;
    iv->follow = follow_new(&how);
    if (iv->follow != NULL)
        return iv;
    free(iv);
    return NULL;
}

void interval_free(struct interval *iv)
{
    if (iv == NULL)
        return;
    follow_free(iv->follow);
    free(iv);
}

int interval_take(struct interval *iv, const char *path, int64_t from_ns, int64_t to_ns,
                  const struct raw_sink *sink, uint64_t *n_events)
{
    /* A new one for each interval: its constants would else be kept for ever. */
    const struct rewrite_options options = {
        .edit = iv->edit, .trim = true, .first_ns = from_ns, .last_ns = to_ns};
    struct out none = {.drain = NULL}; /* which gets nothing */
    bool is_there;
    int code;

    *n_events = 0;
    iv->rewrite = rewrite_new(&options);
    if (iv->rewrite == NULL)
        return JFR_E_NOMEM;
    rewrite_to(iv->rewrite, sink);
    code = follow_read(iv->follow, path, &is_there, &none);
    *n_events = rewrite_stats(iv->rewrite)->n_events;
    rewrite_free(iv->rewrite);
    iv->rewrite = NULL;
    return code;
}

void interval_save(const struct interval *iv, struct buf *text)
{
    follow_save(iv->follow, text);
}

bool interval_restore(struct interval *iv, const char *text)
{
    return follow_restore(iv->follow, text);
}
