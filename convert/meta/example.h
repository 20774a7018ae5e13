/* example.h - one event in words, field by field. */
#ifndef CONVERT_META_EXAMPLE_H
#define CONVERT_META_EXAMPLE_H

#include "jfrfmt/read/chunk.h"

#define EXAMPLE_TEXT_MAX 200 /* bytes of a value, then it is cut */
#define EXAMPLE_FRAMES_MAX 5

/* A text per field of the event's type, in the arena: times in UTC, amounts with their unit, stack
 * traces as lines, constants resolved. What cannot be read is "". NULL if out of memory. */
const char *const *meta_example(struct arena *arena, struct jfr_chunk *chunk, struct jfr_event ev);

#endif
