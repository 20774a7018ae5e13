/*
 * stackset.c - the hash table of stacks, with their frames one after the other in one array.
 *
 * Profiles add each stack of a chunk. The hash covers the names of the frames alone, so stacks that
 * differ only in how a frame ran meet in one entry.
 */
#include "convert/profile/stackset.h"
#include "jfrfmt/base/array.h"

#include <stdlib.h>
#include <string.h>

/* Four sums side by side, which a processor can work on at once. */
static uint32_t hash_names(const uint32_t *frames, uint32_t n)
{
    uint64_t h[4] = {n, 1, 2, 3}, all = 0;
    uint32_t i = 0;

    for (; i + 4 <= n; i += 4)
        for (uint32_t k = 0; k < 4; k++)
            h[k] = (h[k] + frame_name_id(frames[i + k])) * 0x9e3779b97f4a7c15u;
    for (; i < n; i++)
        h[0] = (h[0] + frame_name_id(frames[i])) * 0x9e3779b97f4a7c15u;
    for (uint32_t k = 0; k < 4; k++)
        all = (all ^ h[k] ^ h[k] >> 32) * 0xd6e8feb86659fd93u;
    return (uint32_t)(all ^ all >> 32);
}

static bool same_names(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    uint32_t differ = 0;

    for (uint32_t i = 0; i < n; i++)
        differ |= a[i] ^ b[i];
    return (differ & FRAME_NAME_MASK) == 0;
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

static bool grow(struct stackset *set)
{
    size_t room = set->room == 0 ? 256 : 2 * set->room;
    uint32_t *slots = calloc(2 * room, sizeof(*slots));

    if (slots == NULL || !array_reserve(&set->stacks, &set->room, room, sizeof(*set->stacks)))
        return free(slots), false;
    free(set->slots);
    set->slots = slots;
    set->n_slots = 2 * room;
    for (size_t i = 0; i < set->n; i++) {
        size_t h = set->stacks[i].hash & (set->n_slots - 1);

        while (slots[h] != 0)
            h = (h + 1) & (set->n_slots - 1);
        slots[h] = (uint32_t)i + 1;
    }
    return true;
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
    uint32_t hash = hash_names(frames, n);
    size_t h;

    if (set->n == set->room && !grow(set))
        return STACK_FAILED;
    for (h = hash & (set->n_slots - 1); set->slots[h] != 0; h = (h + 1) & (set->n_slots - 1)) {
        struct stack *s = &set->stacks[set->slots[h] - 1];

        uint32_t *kept = set->frames + s->start;

        if (s->hash != hash || s->n != n)
            continue;
        if (n == 0 || memcmp(kept, frames, n * sizeof(*frames)) == 0)
            return set->slots[h] - 1;
        if (same_names(kept, frames, n)) {
            keep_higher_types(kept, frames, n);
            return set->slots[h] - 1;
        }
    }
    if (set->n >= STACK_FAILED - 1 ||
        (set->frames_room - set->n_frames < n && !grow_frames(set, n)))
        return STACK_FAILED;
    if (n > 0)
        memcpy(set->frames + set->n_frames, frames, n * sizeof(*frames));
    set->stacks[set->n] = (struct stack){set->n_frames, n, hash};
    set->n_frames += n;
    set->slots[h] = (uint32_t)++set->n;
    return (uint32_t)set->n - 1;
}

void stackset_free(struct stackset *set)
{
    free(set->frames);
    free(set->stacks);
    free(set->slots);
    *set = (struct stackset){0};
}
