/*
 * names.h - the names of contexts in events.
 *
 * Threads: any. Signals: not async-signal-safe.
 */
#ifndef RECORDER_CONTEXT_NAMES_H
#define RECORDER_CONTEXT_NAMES_H

#include "recorder/context/context.h"

#define CONTEXT_JAVA_MAX (2 * CONTEXT_NAME_MAX + 2)

/* The field of other events: "tracer-context_user". */
void context_field_name(const struct context_type *t, size_t attribute, char out[CONTEXT_JAVA_MAX]);

/* The name of the type of interval events: "jfrkit.TracerContext" for "tracer-context". Contexts
 * with the same name get numbers, from the second one on. */
void context_event_name(size_t index, char out[CONTEXT_JAVA_MAX]);

#endif
