/* frames.h - the names of a stack's frames, with their lines, as layouts other than JSON show them.
 * Internal to this folder. */
#ifndef CONVERT_JSON_FRAMES_H
#define CONVERT_JSON_FRAMES_H

#include "convert/json/shape.h"

struct json_frames {
    struct jfr_stacks stacks;
    const struct jfr_class *cls; /* of the traces that `stacks` reads; NULL: of none yet */
    bool is_known; /* it is a class whose frames have methods */
    bool is_whole; /* the entry that was read has no damage */
    struct buf text; /* the names, without anything between them */
    struct buf ends; /* of size_t: where each ends */
};

/* Starts with a chunk that was just loaded. */
void json_frames_reset(struct json_frames *f);

/* Reads entry i of a shape's pool, whose class is that of a stack trace: at most `most` frames,
 * leaf first. A damaged entry has those in front of the damage, and is not is_whole. False when the
 * class has no methods, or memory is exhausted. */
bool json_frames_read(struct json_frames *f, struct jfr_chunk *chunk,
                      const struct json_shape *shape, size_t i, size_t most);

size_t json_frames_n(const struct json_frames *f);

/* The name of frame k, valid until the next is read. */
struct json_text json_frames_at(const struct json_frames *f, size_t k);

void json_frames_free(struct json_frames *f);

#endif
