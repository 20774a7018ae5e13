/*
 * context_source.h - the option contextsource: where contexts come from in a program that sets none
 * itself.
 *
 *     struct context_source source;
 *     char why[CONTEXT_SOURCE_WHY];
 *     if (context_source_parse("otel=baggage:user+mdc=user+requestId", &source, why) != 0)
 *         complain(why);
 *
 * Grammar: "auto", "none", or sources in any order joined by '+': "otel", "mdc". A source may have
 * keys: the first one after '=', more after '+'. "auto" means both sources, each where the program
 * has it. Among the sources, after "auto+", or alone, which means "auto" otherwise: "notasks",
 * tasks that are handed to another thread do not take the context along; "threads", a thread that
 * is started takes it along, too.
 *
 * Threads: any. No memory is taken.
 */
#ifndef RECORDER_SETTINGS_CONTEXT_SOURCE_H
#define RECORDER_SETTINGS_CONTEXT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#define CONTEXT_SOURCE_KEYS 12 /* of a source; "otel" has four attributes of its own */
#define CONTEXT_SOURCE_KEY 128 /* bytes, the NUL included */
#define CONTEXT_SOURCE_WHY 160

enum source {
    SOURCE_MDC, /* mapped diagnostic contexts: slf4j, Log4j, JBoss */
    SOURCE_OTEL, /* the current span and baggage of OpenTelemetry */
    SOURCE_TASKS, /* tasks that are handed to another thread take the context of both along */
    SOURCE_THREADS, /* and so do threads that are started */
    SOURCE_N
};

struct context_source {
    struct {
        bool is_wanted;
        size_t n_keys; /* 0: those that are there */
        char keys[CONTEXT_SOURCE_KEYS][CONTEXT_SOURCE_KEY];
    } of[SOURCE_N];
};

/* text: the option's value; NULL: "auto". 0, or -1 and one line without an end in why. */
int context_source_parse(const char *text, struct context_source *out,
                         char why[CONTEXT_SOURCE_WHY]);

#endif
