/*
 * virtual.h - contexts of virtual threads, which several carrier threads run one after the other.
 *
 * The record of a virtual thread is kept in its JVMTI thread-local storage. HotSpot's extension
 * events report when the thread is mounted and unmounted. They cost each switch some hundred
 * nanoseconds, so they are enabled when the first virtual thread sets a context. In a VM that has
 * virtual threads but not these events, virtual threads have no contexts: none is better than the
 * context of another thread.
 */
#ifndef RECORDER_CONTEXT_VIRTUAL_H
#define RECORDER_CONTEXT_VIRTUAL_H

#include "recorder/capture/engine.h"

/* Once per process, idempotent. */
void context_virtual_init(JavaVM *vm);

/* Drain thread: the thread of a record, described if it is virtual. */
uint64_t context_thread(struct recording *r, const struct record *rec);

#endif
