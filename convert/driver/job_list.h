/*
 * job_list.h - several jobs over one reading of the input: a chunk is loaded once and handed to
 * each.
 *
 *     struct run_job jobs[] = {profile_job(a), profile_job(b)};
 *     struct fan fan = {jobs, 2};
 *     struct run_job job = fan_job(&fan);
 *     run_all(..., &job, ...);
 *
 * The first job may write to the output; the others must be such that only merge. Each has workers
 * of its own (worker_new is not NULL).
 *
 * Ownership: the fan and its jobs are borrowed until the run has ended. Threads: as run.h.
 */
#ifndef CONVERT_DRIVER_JOB_LIST_H
#define CONVERT_DRIVER_JOB_LIST_H

#include "convert/driver/run.h"

struct fan {
    const struct run_job *jobs;
    size_t n; /* at least 1 */
};

/* The job that runs all of them. Its `shared` is the fan. A worker that cannot be made is lack of
 * memory; a job's error ends the run. */
struct run_job fan_job(struct fan *fan);

#endif
