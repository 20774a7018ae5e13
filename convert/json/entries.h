/*
 * entries.h - what a layout makes of a constant, above all of a stack trace: once for each that a
 * chunk's events have, since it takes long and most are used again. Internal to this folder.
 */
#ifndef CONVERT_JSON_ENTRIES_H
#define CONVERT_JSON_ENTRIES_H

#include "convert/json/shape.h"
#include "jfrfmt/base/buf.h"

struct json_entries {
    struct buf places; /* where each text stands */
    struct buf text;
};

/* Appends what the layout makes of entry i of a shape's pool. */
typedef void (*json_make_entry)(void *ctx, struct json_shape *shape, size_t i, struct buf *b);

/* The number of what make() made of an entry of a shape's pool, now or before: 1 and more; 0 when
 * memory is exhausted. Takes shape->ids. */
uint64_t json_entries_number(struct json_entries *s, struct jfr_chunk *chunk,
                             struct json_shape *shape, size_t i, json_make_entry make, void *ctx);

/* The text of a number, valid until the next call of the above; none of 0. */
struct json_text json_entries_text(const struct json_entries *s, uint64_t number);

/* Forgets what was made last, of entry i: its number is not given again. */
void json_entries_drop_last(struct json_entries *s, struct json_shape *shape, size_t i);

void json_entries_reset(struct json_entries *s); /* another chunk */
void json_entries_free(struct json_entries *s);

#endif
