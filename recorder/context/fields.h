/*
 * fields.h - contexts in the file: fields after those of an event, and interval events.
 *
 * Events whose settings say withContext have a String field "type_attribute" for every attribute,
 * last. A program may define its contexts at any time. A definition ends the chunk, if events have
 * been written, and what was written before is copied once, with nulls in the new fields
 * (jfr_writer_rewrite): Mission Control takes a type whose fields differ between chunks for two.
 *
 * Threads: the drain thread.
 */
#ifndef RECORDER_CONTEXT_FIELDS_H
#define RECORDER_CONTEXT_FIELDS_H

#include "recorder/capture/engine.h"
#include "recorder/settings/jdk_types.h"

/* Defines the contexts that options and settings name. Before the engine is opened. */
void context_plan(const struct rec_options *o, const struct settings *s);

/* Gives events the fields of contexts that were defined since the last call. Before each record is
 * written: it may have values of a context that was just defined. */
void context_look(struct recording *r);

/* Ends an event of the recording with the context of its record: in place of jfr_event_end(). */
int context_event_end(struct recording *r, enum event e, const struct record *rec);

/* Gives an event type of an engine's own the fields of contexts, before its first event. Returns
 * false if it has none. */
#define CONTEXT_ADOPTED 128
bool context_adopt(struct recording *r, int64_t type);

/* As context_event_end() for such a type. has_fields: context_adopt() gave it some. */
int context_own_end(struct recording *r, bool has_fields, const struct record *rec);

extern struct engine engine_context;

#endif
