/*
 * past.h - allocation samples that stand for what was allocated before the recording.
 *
 * A jdk.ObjectAllocationSample weighs what its thread has allocated since the sample before, and
 * the first one of a thread what it has allocated in all its life. In a recording that begins when
 * the program has run for a while these weigh more than all others together. Such a sample is known
 * by its weight: more than any thread allocates in the time since the recording began.
 *
 * Threads: past_add() from several at a time.
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

/* Can a thread have allocated so many bytes between these instants, in ns? */
bool past_is_possible(int64_t weight, int64_t began_ns, int64_t now_ns);

/* Notes a sample that is left out. False if out of memory. */
bool past_add(struct past *p, int64_t weight, int64_t now_ns);

#endif
