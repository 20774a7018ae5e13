/*
 * java_threads.h - enters Java threads, with their names, into the registry of threads
 * (capture/threads.h).
 */
#ifndef RECORDER_ENGINE_JAVA_THREADS_H
#define RECORDER_ENGINE_JAVA_THREADS_H

#include "recorder/capture/threads.h"

#include <jvmti.h>

/* Once, after the VM's initialisation and objects_init(), on a Java thread. */
void java_threads_init(JNIEnv *env);

/* Callbacks of ThreadStart and ThreadEnd, on the thread concerned. */
void java_threads_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread);
void java_threads_end(jvmtiEnv *jvmti, JNIEnv *env, jthread thread);

/* Enters all live Java threads, and updates changed names. Call it when the callbacks are on, so
 * that no thread is missed. Takes some microseconds for each new thread, less than one for others.
 */
void java_threads_find_all(jvmtiEnv *jvmti, JNIEnv *env);

#endif
