/*
 * measures.h - everything that can be counted of stacks, side by side: samples, bytes and times of
 * every kind in one table, with labels. What pprof, OTLP and other formats with several sample
 * types are made of.
 *
 *     struct measures *m = measures_new(&options, false);
 *     struct run_job job = measures_job(m);
 *     run_all(..., &job, ...);
 *     if (measures_finish(m) == 0)
 *         for (size_t i = 0; i < measures_n_rows(m); i++) ... measures_row(m, i) ...
 *
 * A row is a stack with its labels; it has a value for every measure, 0 where it has none. Rows
 * with the same stack and labels are one; those of one stack mostly stand together. The same input
 * gives the same table.
 *
 * Ownership: measures_free() frees all, texts and rows live as long. Threads: as profile.h.
 */
#ifndef CONVERT_PROFILE_MEASURES_H
#define CONVERT_PROFILE_MEASURES_H

#include "convert/profile/profile.h"
#include "convert/profile/stackset.h"

#define MEASURES_MOST 24 /* measures */
#define MEASURES_NO_VALUE UINT32_MAX /* of a label */

struct measure {
    const char *type; /* "cpu", "alloc_space": what other tools call it */
    const char *unit; /* "count", "bytes", "nanoseconds" */
    enum kind kind;
    uint64_t total; /* of all rows; saturating */
};

struct measures_row {
    uint32_t stack; /* number of the stack, below measures_n_stacks() */
    const uint32_t *frames; /* frame_of(), root first */
    uint32_t n;
    uint32_t label_set; /* number of the labels, below measures_n_label_sets() */
    const uint32_t *labels; /* a name for each key, or MEASURES_NO_VALUE */
    const uint64_t *values; /* one for each measure */
};

struct measures;

/* Of the kind and weight in the options; kind -1: of every kind; is_single: only one measure, the
 * kind being the first there is. Weights that are not samples are counted beside them. Threads,
 * states and contexts of the options are ignored: they become labels. NULL if out of memory. */
struct measures *measures_new(const struct profile_options *opt, bool is_single);
void measures_free(struct measures *m); /* NULL is allowed */

/* The job that fills it: each event is read once, however many measures there are. */
struct run_job measures_job(struct measures *m);

/* Makes the table; once, after the run. 0 or JFR_E_NOMEM. */
int measures_finish(struct measures *m);

/* The measures that any row has, in the order of kinds; at least one. */
size_t measures_n(const struct measures *m);
const struct measure *measures_get(const struct measures *m, size_t i);

/* Keys of labels: "thread", "tid", "state", then those of contexts, sorted. */
enum {
    LABEL_THREAD,
    LABEL_TID, /* decimal text; 0 and unknown have none */
    LABEL_STATE,
    LABEL_FIXED,
};
size_t measures_n_keys(const struct measures *m);
const char *measures_key(const struct measures *m, size_t i, size_t *n);

/* Selects a part of the output for each value of a label; before, that is the thread. Borrowed. */
void measures_split_by(struct measures *m, const char *label);

/* The key by which the output is to be split; measures_n_keys() when no row has it. */
size_t measures_split(const struct measures *m);
const char *measures_split_name(const struct measures *m);

size_t measures_n_rows(const struct measures *m);
struct measures_row measures_row(const struct measures *m, size_t i);

size_t measures_n_stacks(const struct measures *m);
size_t measures_n_label_sets(const struct measures *m);

size_t measures_n_names(const struct measures *m);
const char *measures_name(const struct measures *m, uint32_t id, size_t *n);

/* Do names end in line numbers (frame_line.h)? */
bool measures_has_lines(const struct measures *m);

struct profile_facts measures_facts(const struct measures *m);

#endif
