/*
 * trace_link.h - the trace and span that labels speak of, whatever their producer calls them.
 *
 *     struct trace_link link = {{0}};
 *     trace_link_add(&link, "tracer-context_trace", "4bf92f3577b34da6a3ce929d0e0e4736");
 *     trace_link_add(&link, "spanId", "67667974448284343");
 *     if (link.has_trace) ... link.id ...
 */
#ifndef CONVERT_CONTEXT_TRACE_LINK_H
#define CONVERT_CONTEXT_TRACE_LINK_H

#include <stdbool.h>
#include <stdint.h>

struct trace_link {
    uint8_t id[24]; /* trace (16), span (8); big-endian */
    bool has_trace, has_span;
};

/* Does a key name a trace: trace, trace_id, traceId, "tracer-context_trace_id"? */
bool trace_link_is_trace(const char *key);

/* Takes note of a label. A trace is 32 hexadecimal digits (dashes do not count) under a key that
 * ends in trace, trace_id or traceId; a span 16 of them, or a decimal number, under span, span_id
 * or spanId. Ids of zeros and everything else are ignored. */
void trace_link_add(struct trace_link *link, const char *key, const char *text);

#endif
