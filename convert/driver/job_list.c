/* job_list.c - several jobs as one, so that an input is read once for all of them. */
#include "convert/driver/job_list.h"

#include <stdlib.h>

struct job_list_worker {
    const struct job_list *list;
    void *workers[]; /* by job */
};

static void worker_free(void *worker)
{
    struct job_list_worker *w = worker;

    for (size_t i = 0; i < w->list->n; i++)
        if (w->workers[i] != NULL && w->list->jobs[i].worker_free != NULL)
            w->list->jobs[i].worker_free(w->workers[i]);
    free(w);
}

static void *worker_new(void *shared)
{
    const struct job_list *list = shared;
    struct job_list_worker *w = calloc(1, sizeof(*w) + list->n * sizeof(w->workers[0]));

    if (w == NULL)
        return NULL;
    w->list = list;
    for (size_t i = 0; i < list->n; i++) {
        w->workers[i] = list->jobs[i].worker_new(list->jobs[i].shared);
        if (w->workers[i] == NULL) {
            worker_free(w);
            return NULL;
        }
    }
    return w;
}

static int chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct job_list_worker *w = worker;
    int code = 0;

    for (size_t i = 0; i < w->list->n && code == 0; i++) {
        if (i > 0)
            jfr_chunk_rewind(rc->chunk);
        code = w->list->jobs[i].chunk(w->workers[i], rc, out);
    }
    return code;
}

static int merge(void *shared, void *worker, const struct run_chunk *rc)
{
    const struct job_list *list = shared;
    struct job_list_worker *w = worker;
    int code = 0;

    for (size_t i = 0; i < list->n && code == 0; i++)
        if (list->jobs[i].merge != NULL)
            code = list->jobs[i].merge(list->jobs[i].shared, w->workers[i], rc);
    return code;
}

struct run_job job_list_job(struct job_list *list)
{
    return (struct run_job){.shared = list,
                            .worker_new = worker_new,
                            .worker_free = worker_free,
                            .chunk = chunk,
                            .merge = merge};
}
