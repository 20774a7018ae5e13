/*
 * repeats.h - finds events that differ from an earlier one in nothing but their start time, so that
 * they are counted and not decoded.
 *
 * What a profile takes from an event, but for its time, follows from the bytes after the start
 * time: thread, stack, class, sizes. Programs allocate the same objects at the same places again
 * and again: in a recording of allocations up to 98 of 100 events have the bytes of an earlier
 * event of their chunk. A table has the last event of each hash of these bytes:
 *
 *     size  type  start | thread  stack  class  bytes         place of the table
 *                       '-------------.-------------'         the same class and bytes: n + 1
 *                                   hash  ------------------> others: the event is replaced
 *
 * chunk.c decodes an event when it is put into the table, and once more, to add it n times, when it
 * is replaced and when the chunk ends. If single samples are wanted, each event is one: events that
 * were counted are samples of the same shape (facets.h) with times of their own.
 *
 * Threads: one at a time.
 */
#ifndef CONVERT_PROFILE_REPEATS_H
#define CONVERT_PROFILE_REPEATS_H

#include "jfrfmt/read/chunk.h"

#define REPEAT_WORDS 2 /* an event with more bytes after its start time is not counted */
#define REPEAT_NO_SHAPE UINT32_MAX

/* An event of the chunk, and how many events with the same class and bytes followed it. A cache
 * line holds two. */
struct repeat {
    uint64_t words[REPEAT_WORDS]; /* the last eight bytes, those before; zeros before the first */
    uint32_t what; /* index of the class, and number of the bytes; 0: none */
    uint32_t n;
    uint32_t offset; /* of the event in the chunk */
    uint32_t shape; /* of its sample; REPEAT_NO_SHAPE: it is none */
};

struct repeats {
    struct repeat *places;
    size_t n; /* places of this chunk: a power of two */
    size_t room;
};

/* Prepares an empty table for a chunk of this many bytes. Returns false if out of memory. */
bool repeats_begin(struct repeats *r, uint64_t chunk_bytes);

void repeats_free(struct repeats *r);

/* What the table compares of an event whose class begins with the start time, a varint. `what` is 0
 * if the event has too many bytes, or is after the first 4 GB of the chunk. Words are read from the
 * end of the event backwards: the header of the chunk is before the first event, so there are
 * always enough bytes. */
static inline struct repeat repeats_read(const struct jfr_event *ev)
{
    struct repeat e = {.offset = (uint32_t)ev->offset, .shape = REPEAT_NO_SHAPE};
    const uint8_t *p = ev->body.p, *end = ev->body.end;
    size_t n;

    if (end - p < 8 || ev->offset > UINT32_MAX)
        return e;
    p = cur_after_varint(p);
    if (p == NULL || p >= end || end - p > 8 * REPEAT_WORDS)
        return e;
    n = (size_t)(end - p);
    e.what = ev->type->index << 5 | (uint32_t)n;
    if (n <= 8) {
        e.words[0] = cur_word(end - 8) >> 8 * (8 - n);
    } else {
        e.words[0] = cur_word(end - 8);
        e.words[1] = cur_word(end - 16) >> 8 * (16 - n);
    }
    return e;
}

/* Returns the place in the table for an event, and prefetches it. */
static inline struct repeat *repeats_place(const struct repeats *r, const struct repeat *e)
{
    uint64_t h = e->words[0] * 0x9e3779b97f4a7c15u ^ e->words[1] * 0xd6e8feb86659fd93u;
    struct repeat *place = &r->places[((h ^ h >> 32) * 0x9e3779b97f4a7c15u >> 32) & (r->n - 1)];

    __builtin_prefetch(place, 1);
    return place;
}

/* Counts `e` and returns true if the event at the place has the same class and bytes. */
static inline bool repeats_count(struct repeat *place, const struct repeat *e)
{
    if (place->words[0] != e->words[0] || place->words[1] != e->words[1] ||
        place->what != e->what || place->n == UINT32_MAX)
        return false;
    place->n++;
    return true;
}

#endif
