/*
 * weave.h - changes the classes of a program that keep the context of a thread, so that they call
 * ours.
 *
 *     weave_open(vm, env, is_wanted)          the classes that do it are defined, once in a JVM
 *     weave_on(found, n)                      what is loaded is changed, and what will be loaded
 *     weave_off()                             all of it is as it was
 *
 * What is changed, and how, is in recorder/java/weave; the classes get there through the bootstrap
 * loader.
 *
 * Threads: the drain thread; weave_has_met() any. Signals: nothing here is async-signal-safe.
 */
#ifndef RECORDER_SOURCES_WEAVE_H
#define RECORDER_SOURCES_WEAVE_H

#include "recorder/settings/context_source.h"

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

#define WEAVE_WHY 200
#define WEAVE_LIBRARIES 5

/* A library whose classes keep contexts. */
struct weave_library {
    const char *name; /* for people */
    enum source source;
};

extern const struct weave_library weave_libraries[WEAVE_LIBRARIES];

/* Bits of weave_libraries whose classes are loaded, among those of the wanted sources. Takes 0.2 us
 * for each class of the VM. */
uint32_t weave_look(jvmtiEnv *jvmti, JNIEnv *env, const bool is_wanted[SOURCE_N]);

/* 0, or -1 and why not: the agent has no classes for it, or the VM refuses. */
int weave_on(JavaVM *vm, JNIEnv *env, const bool is_wanted[SOURCE_N], char why[WEAVE_WHY]);

/* Only while it is on. */
void weave_off(JNIEnv *env);

/* Bits of weave_libraries whose classes were changed since weave_on(), and in *n how many. */
uint32_t weave_met(unsigned *n);

/* The class jfrkit.weave.Hooks or, of that name, another of ours; NULL before weave_on(). A global
 * reference. */
jclass weave_hooks(void);
jclass weave_spans(void);

#endif
