/*
 * attributes.h - one attribute of a context in an event: a text, bytes as hexadecimal digits, or
 * what the option context-redact leaves of it.
 *
 * Threads: the drain thread.
 */
#ifndef RECORDER_CONTEXT_ATTRIBUTES_H
#define RECORDER_CONTEXT_ATTRIBUTES_H

#include "recorder/capture/engine.h"
#include "recorder/context/context.h"

/* Attributes are constants of a simple type of their own, as HotSpot writes the causes of
 * collections. Not texts in the pool of strings: the JDK writes these rarely, and some readers,
 * such as Grafana's, do not read them. */
#define ATTRIBUTE_TYPE "jfrkit.types.ContextValue"

/* Before a recording is opened: nothing is declared. */
void attributes_begin(void);

/* Declares ATTRIBUTE_TYPE, once for a recording. Returns 0, or -1 if the writer refuses. */
int attributes_declare(struct recording *r);

/* Reads which attributes there are, and what the recording hides of them. After each definition of
 * a context, before its first attribute is put. */
void attributes_look(const struct recording *r);

/* Puts the attribute that begins in a slot; words are those of the record from that slot on.
 * Returns the number of slots that it has. */
size_t attributes_put(struct jfr_writer *w, const uint32_t *words, size_t slot);

#endif
