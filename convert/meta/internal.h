/* internal.h - a class of a chunk's metadata, copied so that it outlives the chunk. */
#ifndef CONVERT_META_INTERNAL_H
#define CONVERT_META_INTERNAL_H

#include "convert/meta/meta.h"

/* Fills *t but for layout, stats, active and example. False if out of memory. */
bool meta_copy(struct arena *arena, const struct jfr_class *cls, struct meta_type *t);

/* Appends what tells one layout of a type from another: its fields, their types and flags. */
void meta_layout(struct buf *b, const struct jfr_class *cls);

/* A hash of what else there is to say of the class: labels, annotations, settings. */
uint64_t meta_content(const struct jfr_class *cls);

#endif
