/*
 * stackset.c - stacks by a hash of their names, with their frames one after the other in one array.
 *
 * Profiles add each stack of a chunk. The hash covers the names of the frames alone, so stacks that
 * differ only in how a frame ran meet in one entry.
 */
#include "convert/profile/stackset.h"
#include "jfrfmt/base/array.h"

#include <stdlib.h>
#include <string.h>

/* Four sums side by side, which a processor can work on at once. The factor is the process's own.
 */
static uint64_t hash_names(const uint32_t *frames, uint32_t n)
{
    uint64_t h[4] = {n, 1, 2, 3}, all = 0, factor = (hash_seed ^ 0x9e3779b97f4a7c15u) | 1;
    uint32_t i = 0;

    for (; i + 4 <= n; i += 4)
        for (uint32_t k = 0; k < 4; k++)
            h[k] = (h[k] + frame_name_id(frames[i + k])) * factor;
    for (; i < n; i++)
        h[0] = (h[0] + frame_name_id(frames[i])) * factor;
    for (uint32_t k = 0; k < 4; k++)
        all = (all ^ h[k] ^ h[k] >> 32) * 0xd6e8feb86659fd93u;
    return all ^ all >> 32;
}

/* How much a way of running a frame says, for stacks that differ in nothing else. */
static unsigned type_rank(enum frame_type type)
{
    static const uint8_t ranks[16] = {
        [FRAME_UNKNOWN] = 0, [FRAME_INTERPRETED] = 1, [FRAME_C1] = 2,
        [FRAME_INLINED] = 3, [FRAME_JIT] = 4,         [FRAME_NATIVE] = 5,
        [FRAME_CPP] = 6,     [FRAME_KERNEL] = 7,      [FRAME_ROOT] = 8,
    };

    return ranks[type & 15];
}

static void keep_higher_types(uint32_t *kept, const uint32_t *frames, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (type_rank(frame_type(frames[i])) > type_rank(frame_type(kept[i])))
            kept[i] = frames[i];
}

/* By half, not by double: these are the bulk of a profile's memory. */
static bool grow_frames(struct stackset *set, uint32_t n)
{
    size_t room = set->frames_room + set->frames_room / 2 + n + 1024;
    uint32_t *frames = realloc(set->frames, room * sizeof(*frames));

    if (frames == NULL)
        return false;
    set->frames = frames;
    set->frames_room = room;
    return true;
}

uint32_t stackset_add(struct stackset *set, const uint32_t *frames, uint32_t n)
{
    uint64_t hash = hash_names(frames, n);
    uint32_t i;

    for (size_t at = 0; (i = hashtable_next(&set->places, hash, &at)) != HASHTABLE_END;) {
        uint32_t *kept = set->frames + set->stacks[i].start;

        if (set->stacks[i].n != n)
            continue;
        if (n == 0 || memcmp(kept, frames, n * sizeof(*frames)) == 0)
            return i;
        if (frames_have_same_names(kept, frames, n)) {
            keep_higher_types(kept, frames, n);
            return i;
        }
    }
    if ((set->frames_room - set->n_frames < n && !grow_frames(set, n)) ||
        !array_reserve(&set->stacks, &set->room, set->n + 1, sizeof(*set->stacks)) ||
        !hashtable_add(&set->places, hash, set->n))
        return STACK_FAILED;
    if (n > 0)
        memcpy(set->frames + set->n_frames, frames, n * sizeof(*frames));
    set->stacks[set->n] = (struct stack){set->n_frames, n};
    set->n_frames += n;
    return (uint32_t)set->n++;
}

void stackset_free(struct stackset *set)
{
    free(set->frames);
    free(set->stacks);
    hashtable_free(&set->places);
    *set = (struct stackset){0};
}
