/*
 * weave.h - changes classes of a program that keep the context of a thread, executors and futures,
 * so that they call classes of jfrkit.weave: Hooks, Tasks and others.
 *
 *     uint32_t libraries = weave_look(jvmti, env, is_wanted);
 *     if (libraries != 0 && weave_on(vm, env, is_wanted, why) == 0)
 *         ...
 *     weave_off(env);
 *
 * recorder/java/weave has the classes that change others. They are defined in the bootstrap loader
 * by the first weave_on(), and stay.
 *
 * Threads: the drain thread. Signals: nothing here is async-signal-safe.
 */
#ifndef RECORDER_SOURCES_WEAVE_H
#define RECORDER_SOURCES_WEAVE_H

#include "recorder/settings/context_source.h"

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

#define WEAVE_WHY 200

/* Returns a bit for each entry of weave_libraries that belongs to a wanted source and has a loaded
 * class. Costs 0.2 us for each class of the VM. */
uint32_t weave_look(jvmtiEnv *jvmti, JNIEnv *env, const bool is_wanted[SOURCE_N]);

/* Changes the classes of the wanted sources that are loaded, in one step, and from now on those
 * that are loaded later. Returns 0, or -1 and the reason: the agent was built without ASM, or the
 * VM refuses. */
int weave_on(JavaVM *vm, JNIEnv *env, const bool is_wanted[SOURCE_N], char why[WEAVE_WHY]);

/* Changes the classes that weave_on() could not see: their files had been read before it, but the
 * classes were not linked to their superclasses, which another loader may take long to deliver.
 * Returns whether there were any. Only after weave_on(). Costs as much as weave_look(). */
bool weave_missed(JNIEnv *env, const bool is_wanted[SOURCE_N]);

/* Gives the changed classes their own code again. Only after weave_on(). */
void weave_off(JNIEnv *env);

/* Do these bits of libraries have the Java agent of OpenTelemetry? */
bool weave_has_otel_agent(uint32_t libraries);

/* Returns the bits of the libraries with a class that was changed since weave_on(). */
uint32_t weave_changed(void);

/* Classes of jfrkit.weave: Hooks, Spans, Native. NULL before weave_on(). Global references. */
jclass weave_hooks(void);
jclass weave_spans(void);
jclass weave_native(void);

#endif
