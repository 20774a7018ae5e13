/*
 * summary_facts.h - what the few events say that describe a recording itself: settings, recordings,
 * the JVM; and who wrote a chunk.
 *
 * Threads: as the chunk.
 */
#ifndef CONVERT_REPORT_SUMMARY_FACTS_H
#define CONVERT_REPORT_SUMMARY_FACTS_H

#include "convert/report/summary_tally.h"
#include "jfrfmt/jfr.h"

struct facts_sink {
    void *ctx;
    /* An active setting: of the event type `event` (NULL: not declared), texts as written. */
    void (*setting)(void *ctx, const struct jfr_class *event, const char *name, const char *value);
    void (*recording)(void *ctx, const char *name);
    void (*jvm)(void *ctx, const char *text); /* one line: version, pid, main class */
};

/* Asks a tally to keep the events that facts_read() wants. Before tally_run(). */
void facts_keep(struct tally *t);

/* Reads the kept events and passes them to the sink. Damaged ones are passed over. 0 or
 * JFR_E_NOMEM. */
int facts_read(const struct tally *t, const struct facts_sink *sink);

/* Appends the name of the program that wrote the chunk, with its version where it says so, and
 * "unknown" where there is no evidence. recording: the name of an active recording, or NULL. */
void facts_producer(struct buf *b, struct jfr_chunk *chunk, const char *recording);

#endif
