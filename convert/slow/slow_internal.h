/*
 * slow_internal.h - what the parts of slow share: choose.c says which scopes are looked into,
 * split.c reads what happens in them with the help of event.c, factors.c adds up what that may be
 * due to, reasons.c ranks it.
 */
#ifndef CONVERT_SLOW_SLOW_INTERNAL_H
#define CONVERT_SLOW_SLOW_INTERNAL_H

#include "convert/slow/slow.h"
#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/intern.h"

/* --- what happened more, in slow scopes and in others: factors.c --- */

enum factor_kind {
    FACTOR_PART, /* a part as a whole, from events */
    FACTOR_SAMPLED, /* the same, from wall-clock samples; of SLOW_RUNNING: all that were runnable */
    FACTOR_CPU, /* CPU samples */
    FACTOR_WHAT, /* a monitor, a file ... of a part */
    FACTOR_HOLDER, /* the same, and a thread that held it */
    FACTOR_WHERE, /* a part, or what of it, and code of the program */
    FACTOR_FRAME, /* a method on the stacks of CPU samples, */
    FACTOR_WALL_FRAME, /* and of wall-clock samples that were runnable */
};

struct factor {
    double slow, slow_squares; /* ns in slow scopes, and the squares of the single ones */
    double other, other_squares; /* in those around the median, by their weights */
    double depth; /* of frames: sum of depth x ns in slow scopes */
    uint64_t n; /* in slow scopes */
};

struct factors {
    struct intern keys; /* kind, part, texts */
    struct buf sums; /* struct factor, by number of the key */
};

/* Adds ns of a scope; depth: of a frame, from the root on. */
void factor_add(struct factor *sum, const struct slow_scope *scope, double ns, unsigned depth);

/* The same to the sum of these texts, which may be empty. Returns false if out of memory. */
bool factors_add(struct factors *f, enum factor_kind kind, enum slow_part part, const char *what,
                 const char *more, const struct slow_scope *scope, double ns);

/* Adds a sum to that of a text. Returns false if out of memory. */
bool factors_add_sum(struct factors *f, enum factor_kind kind, enum slow_part part,
                     const char *what, const struct factor *add);
bool factors_add_all(struct factors *to, const struct factors *from);
void factors_reset(struct factors *f);
void factors_free(struct factors *f);

/* Factor i: its kind, part and texts, which lie in `keys`. */
struct factor_key {
    enum factor_kind kind;
    enum slow_part part;
    const char *what, *more;
};
size_t factors_n(const struct factors *f);
struct factor_key factors_key(const struct factors *f, size_t i);
const struct factor *factors_get(const struct factors *f, size_t i);

/* --- the whole --- */

struct slow_interval { /* where a chosen scope, or a task of one, is open */
    int64_t start_ns, end_ns;
    int64_t all_end_ns; /* of this one and those of its thread that begin before it */
    uint32_t thread, scope;
    bool is_task;
};

struct slow_label { /* a value of a scope */
    uint32_t scope, value; /* number in `values` */
};

struct kept_line { /* of a scope that is listed */
    uint32_t rank; /* of the scope */
    bool is_task, is_cpu;
    uint8_t part;
    int64_t start_ns, end_ns;
    uint32_t thread; /* number */
    uint32_t name, what, where; /* numbers of texts + 1; 0: none */
};

struct slow {
    struct slow_options options;
    struct scopes *scopes; /* its parts are freed once the scopes are chosen */
    struct slow_group *groups;
    size_t n_groups;
    struct slow_bucket buckets[SLOW_BUCKETS];
    struct slow_scope *chosen; /* sorted by thread and start */
    size_t n_chosen;
    struct slow_interval *intervals; /* sorted by thread and start */
    size_t n_intervals;
    size_t *first_intervals; /* by thread, and one more: where its intervals begin */
    struct factors factors;
    struct intern values; /* "key=value" */
    struct buf labels; /* struct slow_label */
    uint32_t *slowest;
    size_t n_slowest;
    struct slow_reason *reasons;
    size_t n_reasons;
    struct arena texts; /* of reasons */
    struct buf lines; /* struct kept_line */
    struct intern line_texts;
    struct slow_facts facts;
    struct context *context; /* of the job */
};

/* Adds without overflow: the numbers are of a file. */
static inline void slow_add(int64_t *sum, int64_t add)
{
    if (__builtin_add_overflow(*sum, add, sum))
        *sum = add < 0 ? INT64_MIN : INT64_MAX;
}

/* Chooses scopes out of all. Returns 0 or JFR_E_NOMEM. */
int slow_choose(struct slow *s);

/* Puts the lines in their order: waterfall.c. */
void slow_sort_lines(struct slow *s);

/* Ranks the reasons. Returns 0 or JFR_E_NOMEM. */
int slow_rank(struct slow *s);

/* The interval that is open on a thread at a time; NULL if there is none. *hint is where the last
 * one of the thread was found, 0 at first; NULL: it is not known. */
const struct slow_interval *slow_interval_at(const struct slow *s, uint32_t thread, int64_t ns,
                                             size_t *hint);

#endif
