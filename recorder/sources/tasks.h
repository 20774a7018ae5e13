/*
 * tasks.h - the native methods of jfrkit.weave.Tasks, which executors of the JDK call once they are
 * changed: the context of the thread that submits a task is set on the thread that runs it.
 *
 * Threads: the native methods on any; the functions below on the drain thread.
 */
#ifndef RECORDER_SOURCES_TASKS_H
#define RECORDER_SOURCES_TASKS_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

#define TASKS_NATIVES 5

extern const JNINativeMethod tasks_natives[TASKS_NATIVES];

/* Tasks take these contexts along, a bit for each context type; 0: none. */
void tasks_carry(uint32_t types);

/* The number of tasks that lost their context, ever, because too many were waiting. */
uint64_t tasks_n_dropped(void);

#endif
