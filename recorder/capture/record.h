/*
 * record.h - a record: one event on its way from the thread that it happened on to the drain
 * thread.
 *
 * After the struct follow, each aligned to 8: the context (if has_context), n_data bytes of the
 * engine's own, n_frames frames or the walker's copy of a stack (capture_frames()).
 */
#ifndef RECORDER_CAPTURE_RECORD_H
#define RECORDER_CAPTURE_RECORD_H

#include "recorder/base/frame.h"
#include "recorder/capture/ring.h"

#include <stdbool.h>

#define RECORD_CONTEXT 24 /* words: ids of values, and bytes */
#define RECORD_DATA_MAX 8192 /* bytes of an engine's own */
#define RECORD_FRAMES_MAX 2048

struct record {
    struct ring_head head;
    uint8_t engine; /* struct engine.id */
    uint8_t kind; /* the engine's own */
    uint8_t reason; /* enum walk_reason: how the walk ended */
    uint8_t flags; /* enum record_flag */
    uint32_t thread, generation; /* whose event it is: threads.h */
    uint32_t weight; /* how often it happened, at least 1 */
    uint16_t state; /* of the thread: a key of jdk.types.ThreadState, 0 = unknown */
    uint16_t n_data;
    uint32_t n_frames;
    uint32_t context; /* 1 + the number of the virtual thread's context record; 0: it has none */
    int64_t ticks; /* when it began */
    int64_t duration; /* ticks */
    uint64_t thread_key; /* of a thread that is none of the system's (virtual), 0: see `thread` */
};

enum record_flag {
    RECORD_HAS_CONTEXT = 1,
    RECORD_HAS_STACK = 2, /* a walk was tried: n_frames 0 means that the thread has no frames */
    RECORD_JMETHODS = 4, /* frames name jmethodIDs, whatever the walker in use calls methods */
    RECORD_COPY = 8, /* where frames would be, as many as fit, is a copy that has to be walked */
    RECORD_NUMBER = 0xf0, /* of which recording it is: capture.c */
};

static inline size_t record_align(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

static inline size_t record_context_size(const struct record *r)
{
    return (r->flags & RECORD_HAS_CONTEXT) != 0 ? RECORD_CONTEXT * sizeof(uint32_t) : 0;
}

static inline size_t record_size(const struct record *r)
{
    return sizeof(*r) + record_context_size(r) + record_align(r->n_data) +
           r->n_frames * sizeof(struct frame);
}

/* The words of its context, or NULL. */
static inline uint32_t *record_context(const struct record *r)
{
    return record_context_size(r) > 0 ? (uint32_t *)(uintptr_t)(r + 1) : NULL;
}

static inline void *record_data(const struct record *r)
{
    return (uint8_t *)(uintptr_t)(r + 1) + record_context_size(r);
}

static inline struct frame *record_frames(const struct record *r)
{
    return (struct frame *)(void *)((uint8_t *)record_data(r) + record_align(r->n_data));
}

#endif
