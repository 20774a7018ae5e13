/*
 * print.h - events as text, in the order of `jfr print` of JDK 25: by their ends, over all of the
 * recording, and with the contexts that are open on their thread.
 *
 *     struct print *p = print_new(&options, select);
 *     struct run_job job = print_job(p);
 *     jobs = print_look_ahead(p, paths, n_paths, jobs);
 *     print_begin(p, &out); run_all(..., &job, &out, ...); print_end(p, &out);
 *     print_free(p);
 *
 * Chunks are rendered on several threads (render.h); what is rendered is put in order and printed
 * in the order of the chunks (merge). As in the JDK's tool at most a million events (and ends of
 * contexts) wait to be printed; beyond that the first of them is, and one that ends before it comes
 * too late.
 *
 * With is_17 events are printed chunk by chunk instead, as in the tool of JDK 17, and a chunk's
 * texts are held until it is printed.
 *
 * Memory: the texts of the events that wait; for each thread a chunk, and at most 50 MB of text and
 * items that wait for their turn.
 */
#ifndef CONVERT_PRINT_PRINT_H
#define CONVERT_PRINT_PRINT_H

#include "convert/print/text.h"
#include "convert/select/select.h"

struct print_options {
    struct text_style style;
    enum json_anchor anchor; /* of times */
    enum json_rules rules; /* of zones */
    uint64_t head; /* events to print at most */
    uint64_t sample; /* prints one event of so many */
};

struct print;

struct print_options print_options_default(void);

/* NULL if out of memory. `select` must outlive the result. */
struct print *print_new(const struct print_options *options, struct select *select);
void print_free(struct print *p); /* NULL is allowed */

/* Its shared is p. */
struct run_job print_job(struct print *p);

/* Reads the clocks of the chunks beforehand where several threads need them. Returns how many
 * threads may be used: `jobs` (0: as many as run_all() likes), or 1. */
unsigned print_look_ahead(struct print *p, const char *const *paths, size_t n_paths, unsigned jobs);

/* What is printed goes to `out` from now on, which is borrowed. */
void print_begin(struct print *p, struct out *out);

/* Prints what waits. Returns 0, JFR_E_NOMEM or the error of the output. */
int print_end(struct print *p, struct out *out);

uint64_t print_n_events(const struct print *p);

/* Events whose type the recording does not declare. */
uint64_t print_n_undeclared(const struct print *p);

#endif
