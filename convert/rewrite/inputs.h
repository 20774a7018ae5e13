/*
 * inputs.h - the chunks of several recordings in the order of their start.
 *
 *     struct rewrite_inputs *in = rewrite_inputs_new(&sources, &err, &err_path);
 *     struct rewrite_input_chunk c;
 *     while ((rc = rewrite_inputs_next(in, &c)) > 0)
 *         ... c.raw ..., rewrite_inputs_release(in, &c);
 *     rewrite_inputs_free(in);
 *
 * A plain file, which is mapped, is put in order as a whole; of any other input the next chunk
 * stands for the rest, so that one chunk of it is held at a time. Chunks that start at once come in
 * the order of the inputs.
 * Threads: one at a time.
 */
#ifndef CONVERT_REWRITE_INPUTS_H
#define CONVERT_REWRITE_INPUTS_H

#include "jfrfmt/read/source.h"

struct rewrite_sources {
    const char *const *paths; /* n_paths = 0: standard input */
    size_t n_paths;
    void (*on_damage)(void *ctx, const char *path,
                      const struct jfr_error *err); /* between chunks */
    void *ctx;
};

struct rewrite_input_chunk {
    struct jfr_raw raw;
    const char *path;
    int64_t start_nanos;
    uint32_t input; /* 0-based */
};

struct rewrite_inputs;

/* Opens all inputs. NULL and *err when one cannot be; *err_path is its name then, or NULL. */
struct rewrite_inputs *rewrite_inputs_new(const struct rewrite_sources *sources,
                                          struct jfr_error *err, const char **err_path);

/* 1 and *chunk; 0 at the end; JFR_E_NOMEM. */
int rewrite_inputs_next(struct rewrite_inputs *in, struct rewrite_input_chunk *chunk);

void rewrite_inputs_release(struct rewrite_inputs *in, struct rewrite_input_chunk *chunk);

/* True before the first next() when there is one input, a plain file whose chunks are all finished,
 * fill it and are of a version that is written today: then they need no rewriting. */
bool rewrite_inputs_are_whole(const struct rewrite_inputs *in);

void rewrite_inputs_free(struct rewrite_inputs *in); /* NULL is allowed */

#endif
