/*
 * sources.h - contexts from what a program has anyway: MDC of its logger, OpenTelemetry.
 *
 * The engine looks which of the wanted libraries are loaded: when a recording begins, and each
 * second in which the number of classes has changed. Until it finds one, nothing in the program is
 * changed. It never fails a recording: what it cannot do is one line in the log.
 */
#ifndef RECORDER_SOURCES_SOURCES_H
#define RECORDER_SOURCES_SOURCES_H

#include "jfrfmt/base/buf.h"
#include "recorder/capture/engine.h"

extern struct engine engine_sources;

/* The VM ends: classes stay as they are. */
void sources_vm_ends(void);

/* "key: value" lines of a status: context-sources (what was found), context-keys,
 * context-other-keys ... Drain thread, while a recording is open. */
void sources_status(struct buf *b);

#endif
