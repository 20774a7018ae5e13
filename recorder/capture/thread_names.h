/*
 * thread_names.h - names of threads that change while they are recorded.
 */
#ifndef RECORDER_CAPTURE_THREAD_NAMES_H
#define RECORDER_CAPTURE_THREAD_NAMES_H

#include "recorder/capture/engine.h"
#include "recorder/capture/threads.h"

#define NAMES_COMM 16 /* bytes of a name that the system has, as prctl(PR_GET_NAME) gives it */

enum thread_name_kind { /* kinds of records of engine_names */
    THREAD_NAME_JAVA,
    THREAD_NAME_NATIVE
};

extern struct engine
    engine_names; /* no events: a name counts from its record on (engine/names.c) */

/* Records the kernel name of a native thread if it has changed: later records of the thread have
 * the new name. Call it between capture_enter() and capture_leave(). Async-signal-safe. */
void thread_names_native(struct thread *t, const char comm[NAMES_COMM]);

#endif
