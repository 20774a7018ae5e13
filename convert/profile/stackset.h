/*
 * stackset.h - stacks of frames, each kept once.
 *
 * A frame is one number: the id of its name in the low bits, how it ran (enum frame_type) in the
 * high ones. Two stacks are the same when their names are; of the ways in which a Java frame ran
 * the most compiled one is kept, so the result does not depend on the order of the input.
 *
 * Threads: one at a time.
 */
#ifndef CONVERT_PROFILE_STACKSET_H
#define CONVERT_PROFILE_STACKSET_H

#include "convert/text/frame_name.h"
#include "jfrfmt/base/hashtable.h"

#define FRAME_NAME_BITS 28
#define FRAME_NAME_MASK ((UINT32_C(1) << FRAME_NAME_BITS) - 1)

static inline uint32_t frame_of(uint32_t name, enum frame_type type)
{
    return (name & FRAME_NAME_MASK) | (uint32_t)type << FRAME_NAME_BITS;
}

static inline uint32_t frame_name_id(uint32_t frame)
{
    return frame & FRAME_NAME_MASK;
}

static inline enum frame_type frame_type(uint32_t frame)
{
    return (enum frame_type)(frame >> FRAME_NAME_BITS);
}

/* Have n frames of two stacks the same names? Without a branch for each frame, since mostly they
 * have. */
static inline bool frames_have_same_names(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    uint32_t differ = 0;

    for (uint32_t i = 0; i < n; i++)
        differ |= a[i] ^ b[i];
    return (differ & FRAME_NAME_MASK) == 0;
}

struct stack {
    uint64_t start; /* index of its first frame, the root */
    uint32_t n; /* frames */
};

struct stackset {
    uint32_t *frames;
    size_t n_frames, frames_room;
    struct stack *stacks;
    size_t n, room;
    struct hashtable places; /* of the stacks */
};

#define STACK_FAILED HASHTABLE_END

/* The id of a stack of n frames, root first; STACK_FAILED if out of memory. */
uint32_t stackset_add(struct stackset *set, const uint32_t *frames, uint32_t n);

/* The frames of a stack, root first; NULL when no stack has any. Valid until the next add. */
static inline const uint32_t *stackset_frames(const struct stackset *set, uint32_t id)
{
    return set->frames == NULL ? NULL : set->frames + set->stacks[id].start;
}

void stackset_free(struct stackset *set);

#endif
