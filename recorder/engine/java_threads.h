/*
 * java_threads.h - keeps the registry of threads in step with the VM's.
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

/* Names all Java threads that live now, also those that had another name; after the callbacks are
 * on, so that none is missed. Some microseconds for each that is new, less than one for others. */
void java_threads_find_all(jvmtiEnv *jvmti, JNIEnv *env);

#endif
