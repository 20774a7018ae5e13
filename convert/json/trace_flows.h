/*
 * trace_flows.h - slices of a time line that belong to one trace, joined by arrows where the trace
 * continues on another thread: the flow events (s, t, f) of Chrome's format.
 *
 *     struct trace_flows *f = trace_flows_new();               one for a chunk, one for all
 *     trace_flows_reset(f);                                    the chunk's, for each chunk
 *     trace_flows_add(f, run, tuple, &slice);                  of a context run
 *     trace_flows_merge(all, f);
 *     trace_flows_put(all, out);
 *
 * Memory: 32 bytes for each slice that has a trace. Threads: one at a time.
 */
#ifndef CONVERT_JSON_TRACE_FLOWS_H
#define CONVERT_JSON_TRACE_FLOWS_H

#include "convert/context/context.h"
#include "convert/text/out.h"

struct trace_slice {
    int64_t start_ns; /* since 1970 */
    int64_t tid;
    uint32_t pid;
    uint32_t trace; /* private */
};

struct trace_flows;

struct trace_flows *trace_flows_new(void); /* NULL if out of memory */
void trace_flows_free(struct trace_flows *f); /* NULL is allowed */
void trace_flows_reset(struct trace_flows *f);

/* Takes note of a slice, if a context of its tuple is a trace (context/trace_link.h). False when
 * memory is exhausted. */
bool trace_flows_add(struct trace_flows *f, const struct context_run *r, uint32_t tuple,
                     const struct trace_slice *slice);
bool trace_flows_merge(struct trace_flows *to, const struct trace_flows *from);

/* Appends the arrows as members of an array, each after ",\n": from the first slice of a trace on
 * a thread to the first one on the next thread, and so on. 0, or the error of `out`. */
int trace_flows_put(struct trace_flows *f, struct out *out);

/* A time in us with three decimals. */
void trace_put_us(struct buf *b, int64_t ns);

#endif
