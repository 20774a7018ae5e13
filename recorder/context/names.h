/*
 * names.h - what events call a context.
 *
 * Threads: any. Signals: not async-signal-safe.
 */
#ifndef RECORDER_CONTEXT_NAMES_H
#define RECORDER_CONTEXT_NAMES_H

#include "recorder/context/context.h"

#define CONTEXT_JAVA_MAX (2 * CONTEXT_NAME_MAX + 2)

/* The field of other events: "tracer-context_user". */
void context_field_name(const struct context_type *t, size_t attribute, char out[CONTEXT_JAVA_MAX]);

/* The type of interval events, a Java name: "jfrkit.TracerContext" of "tracer-context". Of contexts
 * that would have the same the later ones get a number. */
void context_event_name(size_t index, char out[CONTEXT_JAVA_MAX]);

#endif
