/* stacks.h - what a layout makes of a stack trace, once for each that a chunk's events have:
 * it takes long, and most come again. Internal to this folder. */
#ifndef CONVERT_JSON_STACKS_H
#define CONVERT_JSON_STACKS_H

#include "convert/json/shape.h"
#include "jfrfmt/base/buf.h"

struct json_stacks {
    struct buf places; /* where each text stands */
    struct buf text;
};

/* Appends what the layout makes of entry i of a shape's pool. */
typedef void (*json_make_stack)(void *ctx, struct json_shape *shape, size_t i, struct buf *b);

/* The number of what make() made of an entry of a chunk's stacks, now or before: 1 and more; 0 when
 * memory is short. Takes shape->ids. */
uint64_t json_stacks_number(struct json_stacks *s, struct jfr_chunk *chunk,
                            struct json_shape *shape, size_t i, json_make_stack make, void *ctx);

/* The text of a number, valid until the next call of the above; none of 0. */
struct json_text json_stacks_text(const struct json_stacks *s, uint64_t number);

void json_stacks_reset(struct json_stacks *s); /* another chunk */
void json_stacks_free(struct json_stacks *s);

#endif
