/*
 * tasks.h - the native methods of jfrkit.weave.Native: the context of the thread that submits a
 * task is set on the thread that runs it.
 *
 * Threads: the native methods on any; the functions below on the drain thread.
 */
#ifndef RECORDER_SOURCES_TASKS_H
#define RECORDER_SOURCES_TASKS_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

#define TASKS_NATIVES 7

extern const JNINativeMethod tasks_natives[TASKS_NATIVES];

/* Initializes the Java classes that change records in place, once. Takes milliseconds, so call it
 * only once contexts are found. Returns false if they can't be used here. */
bool tasks_initialize(JNIEnv *env);

/* Tasks take these contexts along, a bit for each context type; 0: none. native is the class
 * jfrkit.weave.Native; it may be NULL as long as types has always been 0. Logs a warning if Java
 * refuses. */
void tasks_carry(JNIEnv *env, jclass native, uint32_t types);

/* The number of tasks that lost their context, ever, because too many were waiting. */
uint64_t tasks_n_dropped(void);

#endif
