/*
 * run.h - the commands that rewrite recordings: inputs -> chunks -> events -> outputs.
 *
 *     struct rewrite_run_options options = {.sources = ..., .select = select, .sink = next_sink};
 *     rc = rewrite_run(&options, &result, &err, &err_path);
 */
#ifndef CONVERT_REWRITE_RUN_H
#define CONVERT_REWRITE_RUN_H

#include "convert/rewrite/annotate.h"
#include "convert/rewrite/rewrite.h"
#include "convert/rewrite/inputs.h"
#include "convert/select/select.h"

struct rewrite_run_result;

struct rewrite_run_options {
    struct rewrite_sources sources;
    struct rewrite_options rewrite;
    struct select *select; /* events to keep; NULL: all */
    struct select *drop; /* events not to keep; NULL: none */
    struct annotate *annotate; /* what is put onto events; NULL: nothing */
    bool repair; /* a chunk that was only never finished is no damage */
    /* Outputs: the first, and another one before a chunk with which the current would get more than
     * so many chunks or bytes of input. 0: no limit. */
    uint64_t chunks_each, bytes_each;
    bool verbatim; /* where nothing has to change, chunks are copied as they are */
    /* Opens the next output, having closed the one before. 0 or negative. */
    int (*sink)(void *ctx, struct raw_sink *sink);
    void *sink_ctx;
    /* Called after each chunk with what was read so far; NULL: not wanted. */
    void (*progress)(void *ctx, const struct rewrite_run_result *so_far);
    void *progress_ctx;
};

struct rewrite_run_result {
    struct rewrite_stats stats;
    uint64_t n_chunks; /* read */
    uint64_t n_bytes; /* of them */
    uint64_t n_damages; /* places where something was lost */
    const char *path; /* of the input whose chunk was read last */
};

/* 0 when all inputs were read to their end, damaged or not; negative and *err when nothing could be
 * read, an input could not be opened, memory is exhausted or an output failed (then *err may be
 * empty).
 */
int rewrite_run(const struct rewrite_run_options *options, struct rewrite_run_result *result,
                struct jfr_error *err, const char **err_path);

#endif
