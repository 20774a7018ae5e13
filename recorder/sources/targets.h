/*
 * targets.h - the classes that the agent changes, and the libraries that they belong to.
 *
 * Constant tables. Threads: any.
 */
#ifndef RECORDER_SOURCES_TARGETS_H
#define RECORDER_SOURCES_TARGETS_H

#include "recorder/settings/context_source.h"

#include <stdbool.h>
#include <stddef.h>

#define TARGETS_MAX 256

enum library {
    SLF4J,
    LOG4J,
    JBOSS,
    OTEL_API,
    OTEL_AGENT,
    EXECUTORS,
    THREADS,
    WEAVE_LIBRARIES
};

/* A library whose classes keep contexts, or hand tasks from thread to thread. */
struct weave_library {
    const char *name; /* for people */
    enum source source;
};

extern const struct weave_library weave_libraries[WEAVE_LIBRARIES];

/* A part is changed with its library but does not show which library there is: the SDK belongs to
 * the application or to the agent, and executors and threads are in every JVM. */
struct target {
    const char *name; /* "org/slf4j/MDC" */
    size_t length;
    enum library library;
    bool is_part;
};

extern const struct target targets[];
extern const size_t n_targets; /* TARGETS_MAX at most */

/* Returns the class of this name, which has n bytes, in the table; NULL if it is not there. */
const struct target *target_of(const char *name, size_t n);

#endif
