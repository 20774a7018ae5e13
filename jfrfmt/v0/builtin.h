/* builtin.h - the classes that every output has. Private to jfrfmt/v0. */
#ifndef JFRFMT_V0_BUILTIN_H
#define JFRFMT_V0_BUILTIN_H

#include "jfrfmt/v0/model.h"

#define V0_EVENT "jdk.jfr.Event"

/* The fields that events may begin with, in this order. */
enum v0_header {
    V0_HEADER_START,
    V0_HEADER_DURATION,
    V0_HEADER_THREAD,
    V0_HEADER_STACK,
    V0_N_HEADERS,
};

/* Appends a copy of a class, with its id; answers its number. */
uint32_t v0_add_class(struct v0_chunk *ch, struct v0_class *cls);

/* Appends the built-in classes. False if out of memory. */
bool v0_add_builtins(struct v0_chunk *ch);

/* A column at the head of an event, tied to no pool yet. */
struct v0_col v0_header_col(enum v0_header i);

/* The built-in class of the pool with this name; V0_N_BUILTIN when there is none. */
uint32_t v0_known_content(struct v0_text name);

/* The class of a primitive or a text. */
uint32_t v0_class_of_type(uint8_t type);

/* The pool that a field's numbers are keys of: 1 + index, or 0. Pools without values count as none.
 */
uint32_t v0_pool_of(const struct v0_chunk *ch, const struct v0_field *f);

/* Built-in class `cls` over a structure: what is not there, or of the wrong kind, reads as the
 * column's fallback. NULL if out of memory. */
const struct v0_layout *v0_bind(struct v0_chunk *ch, uint32_t cls, const struct v0_struct *source);

#endif
