#include "convert/driver/job_list.h"

#include <stdlib.h>

struct fan_worker {
    const struct fan *fan;
    void *workers[]; /* by job */
};

static void worker_free(void *worker)
{
    struct fan_worker *w = worker;

    for (size_t i = 0; i < w->fan->n; i++)
        if (w->workers[i] != NULL && w->fan->jobs[i].worker_free != NULL)
            w->fan->jobs[i].worker_free(w->workers[i]);
    free(w);
}

static void *worker_new(void *shared)
{
    const struct fan *fan = shared;
    struct fan_worker *w = calloc(1, sizeof(*w) + fan->n * sizeof(w->workers[0]));

    if (w == NULL)
        return NULL;
    w->fan = fan;
    for (size_t i = 0; i < fan->n; i++) {
        w->workers[i] = fan->jobs[i].worker_new(fan->jobs[i].shared);
        if (w->workers[i] == NULL) {
            worker_free(w);
            return NULL;
        }
    }
    return w;
}

static int chunk(void *worker, const struct run_chunk *rc, struct out *out)
{
    struct fan_worker *w = worker;
    int code = 0;

    for (size_t i = 0; i < w->fan->n && code == 0; i++) {
        if (i > 0)
            jfr_chunk_rewind(rc->chunk);
        code = w->fan->jobs[i].chunk(w->workers[i], rc, out);
    }
    return code;
}

static int merge(void *shared, void *worker, const struct run_chunk *rc)
{
    const struct fan *fan = shared;
    struct fan_worker *w = worker;
    int code = 0;

    for (size_t i = 0; i < fan->n && code == 0; i++)
        if (fan->jobs[i].merge != NULL)
            code = fan->jobs[i].merge(fan->jobs[i].shared, w->workers[i], rc);
    return code;
}

struct run_job fan_job(struct fan *fan)
{
    return (struct run_job){.shared = fan,
                            .worker_new = worker_new,
                            .worker_free = worker_free,
                            .chunk = chunk,
                            .merge = merge};
}
