/*
 * jvmti_virtual.h - JVMTI's part about virtual threads, of JDK 21, whatever headers this is
 * compiled with.
 */
#ifndef RECORDER_EVENTS_JVMTI_VIRTUAL_H
#define RECORDER_EVENTS_JVMTI_VIRTUAL_H

#include <jvmti.h>
#include <stdbool.h>

#define JNI_VERSION_OF_21 0x00150000

enum jvmti_virtual_event {
    JVMTI_VIRTUAL_START = 87,
    JVMTI_VIRTUAL_END = 88
};

typedef void(JNICALL *jvmti_virtual_callback)(jvmtiEnv *jvmti, JNIEnv *env, jthread thread);

/* Returns a new environment with the capability for events of virtual threads, or NULL if this VM
 * has no virtual threads. Callbacks may be NULL. */
jvmtiEnv *jvmti_virtual_new(JavaVM *vm, jvmti_virtual_callback on_start,
                            jvmti_virtual_callback on_end);

bool jvmti_virtual_notify(jvmtiEnv *jvmti, enum jvmti_virtual_event event, bool is_on);

#endif
