/*
 * table_by_internal.h - what table_by.c gathers, for table_by_out.c.
 *
 * Sums are columns of numbers by row. A column is as long as its last row that is not 0, so most of
 * the many that there can be take no memory.
 */
#ifndef CONVERT_VIEW_TABLE_BY_INTERNAL_H
#define CONVERT_VIEW_TABLE_BY_INTERNAL_H

#include "convert/profile/sums.h"
#include "convert/view/internal.h"
#include "convert/view/table_by.h"

#define RANKS 4 /* of a kind, see kind.h */
#define REQUEST_TYPES 4 /* context types with a count of requests each */

enum by_sum { /* what the events of a row sum up to */
    BY_SAMPLES, /* + kind * RANKS + rank */
    BY_ALLOCATED = BY_SAMPLES + N_KINDS * RANKS, /* + rank */
    BY_REQUESTS = BY_ALLOCATED + RANKS, /* + number of their type in the rows */
    BY_CPU = BY_REQUESTS + REQUEST_TYPES, /* ns */
    BY_READ,
    BY_WRITTEN,
    BY_LOCK, /* ns */
    BY_IO, /* ns */
    BY_EXECUTIONS, /* samples of jdk.ExecutionSample, of the chunk at hand */
    BY_ESTIMATED, /* ns that they stand for */
    BY_SUMS,
};

struct by_rows {
    struct view_groups groups;
    struct intern requests; /* names of types whose events are requests */
    struct buf sums[BY_SUMS]; /* of uint64_t by group, saturating; 0 where they end */
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

static inline size_t by_rows_n(const struct by_rows *rows)
{
    return view_groups_n(&rows->groups);
}

void by_rows_reset(struct by_rows *rows); /* no rows */
void by_rows_free(struct by_rows *rows);

/* Adds to a sum (enum by_sum) of a row. False if out of memory. */
bool by_rows_add(struct by_rows *rows, size_t sum, uint32_t row, uint64_t n);

uint64_t by_rows_get(const struct by_rows *rows, size_t sum, uint32_t row);

/* The sum of all rows. */
uint64_t by_rows_total(const struct by_rows *rows, size_t sum);

void by_requests_reset(struct by_requests *r);
void by_requests_free(struct by_requests *r);

/* Whether the current request of a thread is still to be counted. A request is one event, or
 * several parts of which all but the first continue it; it counts where a part has a value for the
 * first time: the route of an HTTP request is known only after its begin. NULL if out of memory. */
bool *by_request_awaited(struct by_requests *r, uint64_t thread, uint32_t type);

/* Are rows by the type of events, and all events counted as samples? */
static inline bool by_is_of_events(const struct table_by *tb)
{
    bool is_by_event = false;

    for (size_t i = 0; i < tb->opt.n_keys; i++)
        is_by_event |= strcmp(tb->opt.keys[i], VIEW_EVENT) == 0;
    return tb->opt.kind < 0 && is_by_event;
}

#endif
