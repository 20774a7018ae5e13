/*
 * profile.h - events aggregated by stack: what collapsed stacks, flame graphs and tables are made
 * of.
 *
 *     struct profile *p = profile_new(&options, &err);
 *     struct run_job job = profile_job(p);
 *     run_all(..., &job, ...);                              any number of threads
 *     if (profile_finish(p) == 0)
 *         for (size_t i = 0; i < profile_n(p); i++) ... profile_row(p, i) ...
 *
 * Cost follows unique stacks, not events: a chunk is summed up on small numbers, its stacks are
 * decoded once each, and only then meet the stacks of other chunks. The same input gives the same
 * rows in the same order, sorted by the texts of their paths from the root on; rows that differ in
 * labels are sorted by the labels of their frames first.
 */
#ifndef CONVERT_PROFILE_PROFILE_H
#define CONVERT_PROFILE_PROFILE_H

#include "convert/profile/facets.h"
#include "convert/text/frame_name.h"
#include "convert/select/kind.h"
#include "convert/select/min_group.h"
#include "convert/select/pattern.h"
#include "convert/driver/run.h"
#include "convert/select/select.h"
#include "convert/profile/stackset.h"

enum profile_weight {
    WEIGHT_SAMPLES,
    WEIGHT_BYTES, /* bytes allocated, read, written, by the kind */
    WEIGHT_DURATION, /* ns */
    WEIGHT_CPU_TIME, /* ns of processor: the period that a CPU-time sample stands for */
    WEIGHT_FIELD, /* any numeric field; spans in ns, negative values count as 0 */
};

#define PROFILE_MORE 3 /* weights beside the first one, at most */
#define PROFILE_KEYS 4 /* keys of a context at the root, at most */

enum { /* what stands around the frames: at the root, in this order, and after the last one */
    PROFILE_KEY,
    PROFILE_THREAD = PROFILE_KEY + PROFILE_KEYS,
    PROFILE_STATE,
    PROFILE_CLASS,
    PROFILE_ENDS,
};

struct profile_options {
    int kind; /* enum kind, or -1: the first one with samples, in the order of the enum */
    bool all_kinds; /* with kind -1: every one that has samples; rows say which */
    enum profile_weight weight;
    enum profile_weight more[PROFILE_MORE]; /* further weights that are summed beside `weight` */
    size_t n_more; /* > 0: not with `facets` or `min_group` */
    const char *weight_field; /* for WEIGHT_FIELD */
    const char *const *keys; /* put the values of these keys of select at the root */
    size_t n_keys; /* the first ones of select_spec.keys, at most PROFILE_KEYS */
    bool bare_keys; /* "alice" and "" instead of "[user=alice]" and "[no user]" */
    bool threads, states; /* put the thread, the state there, in this order */
    bool labels; /* tell rows apart by all their contexts; the select has all_keys */
    bool thread_ids; /* after a thread's name stand PROFILE_ID and its id of the system, or 0 */
    bool leaf_class; /* put the class of the object, monitor or throwable after the last frame */
    bool mark_truncated; /* put "[truncated]" at the root of stacks that were too deep to record */
    bool no_recursion; /* frames that follow their like count once */
    bool no_hidden; /* leave out frames that the recorder marks as hidden: glue of the JVM */
    unsigned depth; /* > 0: only so many frames from the root on */
    struct name_options names;
    struct pattern *const *include, *const
                                        *exclude; /* keep / drop stacks with a frame that matches */
    size_t n_include, n_exclude;
    struct min_group
        min_group; /* samples of what has the same at the root; the smaller ones become one */
    struct select *select; /* filters of events; NULL: none. Borrowed. */
    /* Filled with the single samples; NULL: they are not wanted. Borrowed. The rows then have the
     * samples of all kinds, or of all event types that count for `kind`, and `weight` must be
     * WEIGHT_SAMPLES. */
    struct facets *facets;
};

struct profile;

#define PROFILE_ID '\037' /* names have no control characters of their own */
#define PROFILE_LABEL '\036' /* ends a label: KEY PROFILE_ID VALUE PROFILE_LABEL */

struct profile_row {
    enum kind kind;
    const uint32_t *frames; /* frame_of(), root first */
    uint32_t n;
    uint32_t ends[PROFILE_ENDS]; /* names; UINT32_MAX where there is none */
    uint32_t labels; /* a name with all contexts, see PROFILE_LABEL; UINT32_MAX: none */
    uint32_t stack, group; /* numbers: one stack has the same frames, one group all the rest */
    uint64_t samples, weight;
    double squares; /* of the weights of the single samples */
    const uint64_t *more; /* sums of the n_more further weights; all of them 0: left out */
};

/* A row as a path from the root on: values of keys, thread, state, frames, class. */
static inline uint32_t profile_path_n(const struct profile_row *row)
{
    uint32_t n = row->n;

    for (int i = 0; i < PROFILE_ENDS; i++)
        n += row->ends[i] != UINT32_MAX;
    return n;
}

/* Its element i as frame_of(); values, threads and states are of type FRAME_ROOT. */
static inline uint32_t profile_path_frame(const struct profile_row *row, uint32_t i)
{
    for (int k = 0; k < PROFILE_CLASS; k++)
        if (row->ends[k] != UINT32_MAX && i-- == 0)
            return frame_of(row->ends[k], FRAME_ROOT);
    return i < row->n ? row->frames[i] : frame_of(row->ends[PROFILE_CLASS], FRAME_UNKNOWN);
}

/* The whole path; there is room for profile_path_n(). */
static inline void profile_path(const struct profile_row *row, uint32_t *path)
{
    for (int k = 0; k < PROFILE_CLASS; k++)
        if (row->ends[k] != UINT32_MAX)
            *path++ = frame_of(row->ends[k], FRAME_ROOT);
    if (row->n > 0)
        memcpy(path, row->frames, row->n * sizeof(*path));
    if (row->ends[PROFILE_CLASS] != UINT32_MAX)
        path[row->n] = frame_of(row->ends[PROFILE_CLASS], FRAME_UNKNOWN);
}

/* NULL if out of memory. Options are copied, what they point to is borrowed. */
struct profile *profile_new(const struct profile_options *opt);

void profile_free(struct profile *p); /* NULL is allowed */

/* The job that fills the profile. Its `shared` is the profile. */
struct run_job profile_job(struct profile *p);

/* Chooses the kind, drops what the patterns do not want, sorts names and rows. 0 or JFR_E_NOMEM. */
int profile_finish(struct profile *p);

/* Samples in the facets know their row by a number below profile_row_numbers(). Tells for each
 * number the row's place among the finished ones; UINT32_MAX: it was left out. */
size_t profile_row_numbers(const struct profile *p);
void profile_row_places(const struct profile *p, uint32_t *places);

size_t profile_n_groups(const struct profile *p);
size_t profile_n(const struct profile *p); /* rows, those whose weights are all 0 left out */
struct profile_row profile_row(const struct profile *p, size_t i);

/* The text of a name id of a frame or an end. Ids are in the order of their texts. */
const char *profile_name(const struct profile *p, uint32_t id, size_t *n);
size_t profile_n_names(const struct profile *p);

struct profile_facts {
    enum kind kind; /* the one chosen, or the first of all */
    bool leaves_out_wall; /* no kind was requested: CPU, and there are wall-clock samples */
    uint64_t samples, weight; /* of all rows; saturating */
    double squares; /* of the weights of their samples */
    uint64_t without_stack; /* samples of the kind that have no stack: "[no stack]" */
    int64_t first_ns, last_ns; /* wall clock of the chunks, or the part of it that the select
                                * chooses, ns since 1970; 0 = none */
};
struct profile_facts profile_facts(const struct profile *p);

/* "samples", "bytes", "ns"; the name of the field where it has another unit or none. */
const char *profile_unit(const struct profile *p);
const char *profile_unit_of(const struct profile *p, enum profile_weight weight);

#endif
