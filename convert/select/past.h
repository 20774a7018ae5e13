/*
 * past.h - allocation samples that stand for what was allocated before the recording.
 *
 * A jdk.ObjectAllocationSample weighs what its thread has allocated since the sample before, and
 * the first one of a thread what it has allocated in all its life. In a recording that begins when
 * the program has run for a while these weigh more than all others together. Such a sample is known
 * by its weight: more than any thread allocates in the time since the recording began. Others are
 * known by their thread: the JDK's recorder writes how much each thread has allocated when a chunk
 * begins (jdk.ThreadAllocationStatistics). A first sample in the first chunk of a recording that
 * weighs as much and not twice as much is mostly of before.
 *
 * Threads: past_add() from several at a time, the rest one at a time for each struct past_chunk.
 */
#ifndef CONVERT_SELECT_PAST_H
#define CONVERT_SELECT_PAST_H

#include "jfrfmt/base/intern.h"
#include "jfrfmt/jfr.h"

#include <pthread.h>

struct past { /* all zero but for the lock: none yet */
    pthread_mutex_t lock;
    struct intern seen; /* of start and weight, since several jobs look at one event */
    uint64_t bytes;
};

/* What the chunk in hand says of its threads. */
struct past_chunk {
    struct jfr_chunk *chunk;
    const struct jfr_class *cls; /* of the threads */
    const struct jfr_pool *pool; /* of cls */
    struct past_thread *threads; /* one for each of the pool, in the chunk's arena; NULL: unknown */
    int64_t sweep_ns; /* the first time that a thread's allocated bytes were written */
};

/* Reads what threads had allocated when the chunk began, if the recording began with it, and their
 * first samples. The chunk is rewound. 0 or JFR_E_NOMEM. */
int past_load(struct past_chunk *p, struct jfr_chunk *chunk);

/* Is the sample of a thread, by its key, that starts at these ticks its first one, and mostly of
 * before the recording? */
bool past_is_known(const struct past_chunk *p, uint64_t thread, int64_t start, int64_t weight);

/* Can a thread have allocated so many bytes between these instants, in ns? */
bool past_is_possible(int64_t weight, int64_t began_ns, int64_t now_ns);

/* Notes a sample that is left out. False if out of memory. */
bool past_add(struct past *p, int64_t weight, int64_t now_ns);

#endif
