/*
 * run.h - the driver of every command: files -> chunks -> job, on one or several threads.
 *
 * A job sees one opened chunk at a time. chunk() may run on any thread, several at once, each with
 * its own worker state; what it appends to `out` reaches the file in the order of the chunks, and
 * merge() is called once per chunk, in that order, never twice at a time. So the result is the
 * same, byte for byte, for any number of threads.
 */
#ifndef CONVERT_DRIVER_RUN_H
#define CONVERT_DRIVER_RUN_H

#include "convert/text/out.h"
#include "jfrfmt/jfr.h"

struct run_chunk {
    struct jfr_chunk *chunk; /* loaded */
    const char *path; /* as given on the command line */
    uint32_t file; /* 0-based number of the input */
    uint32_t number; /* 0-based number of the chunk over all inputs */
    uint64_t bytes; /* the chunk's size in the unwrapped input */
    /* Of a chunk that is being written: only the events from one offset to another are read. Both
     * are 0 for all events. The jobs of convert/json, convert/print, and
     * convert/rewrite/interval.c support it. */
    uint64_t from, to;
};

static inline bool run_has_event(const struct run_chunk *rc, const struct jfr_event *ev)
{
    return ev->offset >= rc->from && (rc->to == 0 || ev->offset + ev->size <= rc->to);
}

struct run_job {
    void *shared;
    void *(*worker_new)(void *shared); /* NULL: worker is `shared`, and one thread is used */
    void (*worker_free)(void *worker);
    /* Reads a chunk. 0, or a negative error code that ends the run (out of memory, write error). */
    int (*chunk)(void *worker, const struct run_chunk *rc, struct out *out);
    /* Takes over what chunk() left in the worker. May be NULL. The chunk is still loaded. */
    int (*merge)(void *shared, void *worker, const struct run_chunk *rc);
    /* What merge() fills before it returns an error, if the code alone does not tell a user what to
     * do. NULL: it never does. */
    const struct jfr_error *err;
};

struct run_result;

struct run_options {
    const char *const *paths; /* n_paths = 0: standard input */
    size_t n_paths;
    unsigned jobs; /* threads; 0 = as many as there are processors, at most 4 */
    enum jfr_pool_rule pool_rule;
    /* Called for every damaged place, in the order of the input, by one thread at a time. */
    void (*on_damage)(void *ctx, const char *path, const struct jfr_error *err);
    /* Asked after each chunk, in their order, never twice at a time: false when no further one is
     * to be read; those that threads have begun are finished. NULL: all are read. */
    bool (*go_on)(void *ctx, const struct run_result *so_far);
    void *ctx; /* of both */
};

struct run_result {
    uint64_t chunks, damages; /* damages: places where something was skipped */
    uint64_t bytes; /* of the chunks read */
    bool is_cut; /* go_on said false, and there was more */
    const char *path; /* of the input whose chunk was read last */
};

/* Runs the job over all inputs. 0 when the end of the last input was reached, damaged or not
 * (result->damages says); negative and *err when nothing could be read at all, a file could not be
 * opened, memory ran out or the job failed. `out` may be NULL for jobs that only merge. */
int run_all(const struct run_options *opt, const struct run_job *job, struct out *out,
            struct run_result *result, struct jfr_error *err, const char **err_path);

#endif
