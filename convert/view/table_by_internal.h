/* table_by_internal.h - what table_by.c gathers, for table_by_out.c. */
#ifndef CONVERT_REPORT_TABLE_BY_INTERNAL_H
#define CONVERT_REPORT_TABLE_BY_INTERNAL_H

#include "convert/profile/sums.h"
#include "convert/view/internal.h"
#include "convert/view/table_by.h"

#define RANKS 4 /* of a kind, see kind.h */
#define REQUEST_TYPES 4 /* context types with a count of requests each */

/* What the events of a group sum up to. */
struct by_sums {
    uint64_t samples[N_KINDS][RANKS];
    uint64_t allocated[RANKS];
    uint64_t cpu_ns, read, written, lock_ns, io_ns;
    uint64_t requests[REQUEST_TYPES]; /* by the number of their type in the rows */
    uint64_t executions; /* samples of jdk.ExecutionSample, of the chunk at hand */
    uint64_t estimated_ns; /* the time that they stand for */
};

struct by_rows {
    struct view_groups groups;
    struct intern requests; /* names of types whose events are requests */
    struct buf sums; /* of struct by_sums, by group */
};

/* Requests in a chunk whose parts have had no value of a selected key yet. All 0 to begin with. */
struct by_requests {
    struct intern keys; /* thread and type */
    struct buf awaited; /* of bool, by key */
};

struct table_by {
    struct table_by_options opt;
    struct by_rows rows;
    uint32_t seen; /* bits by enum seen */
    int64_t interval_ns; /* of samples, as last known; 0: unknown */
    bool intervals_differ;
    bool has_value[VIEW_KEYS]; /* some event has one */
    bool is_mixed; /* a chunk has KIND_SAMPLES_BOTH */
    bool leaves_out_wall; /* see table_by.h */
    uint64_t n;
};

/* Which sums there can be at all: a type of events for them was met. */
enum seen {
    SEEN_CPU = 1,
    SEEN_ALLOCATED = 2,
    SEEN_READ = 4,
    SEEN_WRITTEN = 8,
    SEEN_LOCK = 16,
    SEEN_IO = 32,
    SEEN_REQUESTS = 64,
    SEEN_EXECUTIONS = 128,
    SEEN_REQUESTS_USED = 256, /* only those in which something was recorded */
};

static inline struct by_sums *by_sums_of(const struct by_rows *rows, uint32_t row)
{
    return (struct by_sums *)(void *)rows->sums.p + row;
}

static inline void by_plus(uint64_t *sum, uint64_t v)
{
    *sum = sums_plus(*sum, v);
}

static inline size_t by_rows_n(const struct by_rows *rows)
{
    return view_groups_n(&rows->groups);
}

void by_rows_reset(struct by_rows *rows); /* no rows */
void by_rows_free(struct by_rows *rows);

/* Makes empty sums for the groups that have none yet. False if out of memory. */
bool by_rows_fill(struct by_rows *rows);

/* The row with these values of the keys, a new one if there is none; VIEW_GROUP_FAILED if out of
 * memory. */
uint32_t by_rows_find(struct by_rows *rows, const struct view_value *keys);

void by_requests_reset(struct by_requests *r);
void by_requests_free(struct by_requests *r);

/* Whether the current request of a thread is still to be counted. A request is one event, or
 * several parts of which all but the first continue it; it counts where a part has a value for the
 * first time: the route of an HTTP request is known only after its begin. NULL if out of memory. */
bool *by_request_awaited(struct by_requests *r, uint64_t thread, uint32_t type);

/* Adds all but the executions. */
void by_sums_add(struct by_sums *to, const struct by_sums *from);

/* Are rows by the type of events, and all events counted as samples? */
static inline bool by_is_of_events(const struct table_by *tb)
{
    bool is_by_event = false;

    for (size_t i = 0; i < tb->opt.n_keys; i++)
        is_by_event |= strcmp(tb->opt.keys[i], VIEW_EVENT) == 0;
    return tb->opt.kind < 0 && is_by_event;
}

#endif
