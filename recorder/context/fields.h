/*
 * fields.h - contexts in the file: fields behind those of an event, and interval events.
 *
 * Events whose settings say withContext have a String field "type_attribute" for every attribute,
 * last. A type's fields must not change within a recording, but a program may define its contexts
 * late: such events are declared with spare texts (jfr_writer_extend), which get their names when a
 * type is defined while the first chunk is written; then the room is gone. What is defined later
 * has no fields until the next recording, but its interval events are there at once.
 *
 * Threads: the drain thread.
 */
#ifndef RECORDER_CONTEXT_FIELDS_H
#define RECORDER_CONTEXT_FIELDS_H

#include "recorder/capture/engine.h"
#include "recorder/settings/jdk_types.h"

/* Defines the types that options and settings name, and says how many spare texts each event type
 * needs. Before types are declared. */
void context_plan(const struct rec_options *o, const struct settings *s,
                  struct jdk_type_plan plans[EV_N]);

/* Ends an event of the recording with the context of its record: in place of jfr_event_end(). */
int context_event_end(struct recording *r, enum event e, const struct record *rec);

/* Event types of an engine's own: how many spare texts to declare them with, and then to give such
 * a type the fields of contexts, before its first event. False: it has none. */
#define CONTEXT_ADOPTED 128
size_t context_spare(void);
bool context_adopt(struct recording *r, int64_t type);

/* As context_event_end() for such a type. has_fields: context_adopt() gave it some. */
int context_own_end(struct recording *r, bool has_fields, const struct record *rec);

extern struct engine engine_context;

#endif
