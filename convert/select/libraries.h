/*
 * libraries.h - libraries that hold the context of a thread, as far as a recording shows them.
 *
 *     uint32_t seen = libraries_seen(chunk);      for each chunk
 *     libraries_put(&b, seen);                    "slf4j and OpenTelemetry"
 *
 * A library is seen if one of its classes is in a stack, or is otherwise referenced by an event.
 */
#ifndef CONVERT_SELECT_LIBRARIES_H
#define CONVERT_SELECT_LIBRARIES_H

#include "jfrfmt/jfr.h"

/* Returns a bit for each library whose classes the chunk's constants contain. */
uint32_t libraries_seen(struct jfr_chunk *chunk);

/* Appends the names of libraries, joined by commas and "and". Appends nothing if seen is 0. */
void libraries_put(struct buf *b, uint32_t seen);

#endif
