/* metadata_internal.h - what the files of metadata share: the head of the event, units of fields,
 * fields by name. Private to jfrfmt. */
#ifndef JFRFMT_READ_METADATA_INTERNAL_H
#define JFRFMT_READ_METADATA_INTERNAL_H

#include "jfrfmt/read/metadata.h"

/* Reads the head of a metadata event: its size and id. The cursor is then at the strings, and what
 * follows is the same in each chunk of a recording. False if it is another event. */
bool metadata_read_head(struct cursor *c, uint64_t *size, int64_t *id);

/* The unit that the first annotation to name one names. */
enum jfr_unit metadata_unit(const struct jfr_annotation *a, size_t n);

/* Prepares jfr_class_field() for a class with all its fields. False: no memory. */
bool metadata_sort_fields(struct jfr_class *cls, struct arena *arena);

#endif
