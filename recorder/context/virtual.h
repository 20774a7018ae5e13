/*
 * virtual.h - contexts of virtual threads, which change the thread that runs them.
 *
 * A virtual thread's record is kept in JVMTI's storage for it. HotSpot's extension events tell when
 * it is put on a carrier and taken off; they are switched on when the first virtual thread sets
 * something, since they cost every switch some hundred nanoseconds. A VM that has virtual threads
 * and not these events gets no contexts on them: none are better than somebody else's.
 */
#ifndef RECORDER_CONTEXT_VIRTUAL_H
#define RECORDER_CONTEXT_VIRTUAL_H

#include "recorder/capture/engine.h"

/* Once per process, idempotent. */
void context_virtual_init(JavaVM *vm);

/* Drain thread: the thread of a record, described if it is virtual. */
uint64_t context_thread(struct recording *r, const struct record *rec);

#endif
