/*
 * job_list.h - several jobs over one reading of the input: a chunk is loaded once and handed to
 * each.
 *
 *     struct run_job jobs[] = {profile_job(a), profile_job(b)};
 *     struct job_list list = {jobs, 2};
 *     struct run_job job = job_list_job(&list);
 *     run_all(..., &job, ...);
 *
 * The first job may write to the output; the others must be such that only merge. Each has workers
 * of its own (worker_new is not NULL).
 *
 * Ownership: the list and its jobs are borrowed until the run has ended. Threads: as run.h.
 */
#ifndef CONVERT_DRIVER_JOB_LIST_H
#define CONVERT_DRIVER_JOB_LIST_H

#include "convert/driver/run.h"

struct job_list {
    const struct run_job *jobs;
    size_t n; /* at least 1 */
};

/* The job that runs all of them. Its `shared` is the list. A worker that cannot be made is lack of
 * memory; a job's error ends the run. */
struct run_job job_list_job(struct job_list *list);

#endif
