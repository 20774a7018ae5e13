/*
 * sources.h - contexts from libraries that a program uses anyway: its logger's MDC, OpenTelemetry.
 *
 * The engine looks for loaded classes of these libraries when a recording begins, and then in each
 * second in which classes were loaded. It changes nothing in the program until it finds one. An
 * error never ends the recording: it is logged, and the source stays off.
 */
#ifndef RECORDER_SOURCES_SOURCES_H
#define RECORDER_SOURCES_SOURCES_H

#include "jfrfmt/base/buf.h"
#include "recorder/capture/engine.h"

extern struct engine engine_sources;

/* The VM ends: the engine's stop leaves changed classes as they are. Any thread. */
void sources_vm_ends(void);

/* Appends "key: value" lines of a status: context-sources, mdc-keys, mdc-keys-not-recorded,
 * contexts, context-values, contexts-dropped, context-failure. Nothing if no library was found.
 * Drain thread, while a recording is open. */
void sources_status(struct buf *b);

#endif
