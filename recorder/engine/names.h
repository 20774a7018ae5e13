/*
 * names.h - names of threads that change while they are recorded.
 */
#ifndef RECORDER_ENGINE_NAMES_H
#define RECORDER_ENGINE_NAMES_H

#include "recorder/engine/engines.h"
#include "recorder/capture/threads.h"

#define NAMES_COMM 16 /* bytes of a name that the system has, as prctl(PR_GET_NAME) gives it */

/* The name that a thread which is not Java's has now: if it is another one than before, it counts
 * from here on in the order of the thread's records. Between capture_enter() and capture_leave().
 * Async-signal-safe. */
void engine_names_native(struct thread *t, const char comm[NAMES_COMM]);

#endif
