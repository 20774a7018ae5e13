/*
 * timeline.h - what the job of split.c has read of a chunk, and the time lines of the scopes in it.
 */
#ifndef CONVERT_SLOW_TIMELINE_H
#define CONVERT_SLOW_TIMELINE_H

#include "convert/scope/threads.h"
#include "convert/slow/event.h"
#include "convert/slow/stacks.h"

struct piece { /* of the time of a scope, or a sample: end == start */
    uint32_t scope;
    uint32_t thread; /* number */
    uint32_t thread_name; /* number in `texts` + 1, where the scope is listed; 0: unknown */
    bool is_task;
    enum slow_event_kind kind;
    enum slow_part part;
    int64_t start_ns, end_ns;
    int64_t amount; /* bytes, or samples */
    int64_t cpu_ns;
    uint32_t what, holder; /* numbers in `texts` + 1; 0: none */
    uint32_t stack; /* number in `stacks`; 0: none */
    int rank; /* of a sample */
    bool has_context; /* recorded with the sample */
    bool counts; /* a sample at which no event is under way */
};

struct samples_of_set { /* of the slow scopes in a chunk, or of the others */
    double gap_ns; /* time in which no event is under way */
    double n_wall; /* wall-clock samples in it */
};

struct stretch { /* of the time line of a scope that some event is due for */
    int64_t start_ns, end_ns;
    const struct piece *of;
};

struct slow_worker {
    struct slow *s;
    struct context_run *contexts;
    struct jfr_chunk *chunk;
    struct sample_settings settings;
    struct slow_class *classes; /* by class index */
    struct scope_threads threads;
    size_t *hints; /* by number of a thread, see slow_interval_at() */
    struct buf pieces, pauses; /* struct piece */
    struct buf stretches; /* struct stretch, of the scope at hand */
    struct intern texts;
    struct slow_stacks stacks;
    struct buf text;
    struct factors factors;
    struct samples_of_set sets[2]; /* of the others, and of slow ones */
    struct buf sums; /* struct scope_sum */
    struct buf lines; /* struct kept_line, whose texts are those of the worker */
    struct intern values;
    struct buf labels; /* struct slow_label */
    bool has_cpu, has_wall, has_too_many_pauses, has_too_many_lines;
    struct slow_thresholds thresholds;
    int rank[SLOW_EVENT_ALLOC + 1];
    bool has_contexts[SLOW_EVENT_ALLOC + 1]; /* samples of the kind are recorded with contexts */
};

struct scope_sum { /* what a chunk adds to a scope */
    uint32_t scope;
    struct slow_scope add;
};

/* The text with a number of a piece; "" for 0. */
static inline const char *slow_kept_text(const struct slow_worker *w, uint32_t number)
{
    return number == 0 ? "" : intern_get(&w->texts, number - 1, NULL);
}

/* Keeps what happened in a listed scope: n pieces, the first n_own of its own thread, for which the
 * stretches were found. */
void waterfall_keep(struct slow_worker *w, const struct slow_scope *scope, const struct piece *p,
                    size_t n_own, size_t n);

/* Adds what was kept of a chunk. Returns false if out of memory. */
bool waterfall_merge(struct slow *s, const struct slow_worker *w);

/* Sums up all pieces and pauses of the chunk by scope, in w->sums and w->factors. Returns false if
 * out of memory. */
bool timeline_sum(struct slow_worker *w);

#endif
