/*
 * jvm_testing.h - as much of a VM as engines ask for, for tests: a class Thread and no other, no
 * threads but numbers, since the reference of a thread is its id. Every capability is there.
 *
 *     engine_begin(...);
 *     jvm_use(&engine_r);
 *     engine_lock.start(&engine_r);
 *     jvm_callbacks.MonitorWait(&jvm_ti, &jvm_env, jvm_thread(7), NULL, 0);   what the VM would
 * call
 */
#ifndef RECORDER_TEST_JVM_TESTING_H
#define RECORDER_TEST_JVM_TESTING_H

#include "recorder/capture/engine.h"
#include "recorder/events/objects.h"

#include <jvmti.h>
#include <string.h>

/* What the engine that started last wants to be called with. */
static jvmtiEventCallbacks jvm_callbacks;

/* --- JNI --- */

static int jvm_thing; /* what a class, a field or a reference is that nobody looks into */

static inline jthread jvm_thread(int64_t id)
{
    return (jthread)(intptr_t)id;
}

static jclass JNICALL jvm_find_class(JNIEnv *env, const char *name)
{
    (void)env;
    return strcmp(name, "java/lang/Thread") == 0 ? (jclass)&jvm_thing : NULL;
}

static jfieldID JNICALL jvm_field(JNIEnv *env, jclass cls, const char *name, const char *type)
{
    (void)env, (void)cls, (void)name, (void)type;
    return (jfieldID)&jvm_thing;
}

static jlong JNICALL jvm_get_long(JNIEnv *env, jobject thread, jfieldID field)
{
    (void)env, (void)field;
    return (jlong)(intptr_t)thread;
}

static jint JNICALL jvm_push(JNIEnv *env, jint n)
{
    (void)env, (void)n;
    return JNI_OK;
}

static jobject JNICALL jvm_pop(JNIEnv *env, jobject result)
{
    (void)env;
    return result;
}

static void JNICALL jvm_nothing(JNIEnv *env)
{
    (void)env;
}

static void JNICALL jvm_forget(JNIEnv *env, jobject ref)
{
    (void)env, (void)ref;
}

static jint JNICALL jvm_version(JNIEnv *env)
{
    (void)env;
    return JNI_VERSION_1_6; /* no virtual threads */
}

static const struct JNINativeInterface_ jvm_env_functions = {
    .FindClass = jvm_find_class,
    .GetFieldID = jvm_field,
    .GetLongField = jvm_get_long,
    .ExceptionClear = jvm_nothing,
    .DeleteLocalRef = jvm_forget,
    .PushLocalFrame = jvm_push,
    .PopLocalFrame = jvm_pop,
    .EnsureLocalCapacity = jvm_push,
    .GetVersion = jvm_version,
};
static JNIEnv jvm_env = &jvm_env_functions;

/* --- JVMTI --- */

static jvmtiError JNICALL jvm_set_callbacks(jvmtiEnv *ti, const jvmtiEventCallbacks *callbacks,
                                            jint n)
{
    (void)ti, (void)n;
    jvm_callbacks = *callbacks;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL jvm_notify(jvmtiEnv *ti, jvmtiEventMode mode, jvmtiEvent event,
                                     jthread thread, ...)
{
    (void)ti, (void)mode, (void)event, (void)thread;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL jvm_capabilities(jvmtiEnv *ti, const jvmtiCapabilities *wanted)
{
    (void)ti, (void)wanted;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL jvm_potential(jvmtiEnv *ti, jvmtiCapabilities *all)
{
    (void)ti;
    memset(all, 0xff, sizeof(*all));
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL jvm_all_threads(jvmtiEnv *ti, jint *n, jthread **all)
{
    (void)ti;
    *n = 0;
    *all = NULL;
    return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL jvm_deallocate(jvmtiEnv *ti, unsigned char *memory)
{
    (void)ti, (void)memory;
    return JVMTI_ERROR_NONE;
}

static const struct jvmtiInterface_1_ jvm_ti_functions = {
    .SetEventCallbacks = jvm_set_callbacks,
    .SetEventNotificationMode = jvm_notify,
    .AddCapabilities = jvm_capabilities,
    .RelinquishCapabilities = jvm_capabilities,
    .GetPotentialCapabilities = jvm_potential,
    .GetAllThreads = jvm_all_threads,
    .Deallocate = jvm_deallocate,
};
static jvmtiEnv jvm_ti = &jvm_ti_functions;

/* --- the VM --- */

static jint JNICALL jvm_get_env(JavaVM *vm, void **ti, jint version)
{
    (void)vm, (void)version;
    *ti = &jvm_ti;
    return JNI_OK;
}

static jint JNICALL jvm_attach(JavaVM *vm, void **env, void *args)
{
    (void)vm, (void)args;
    *env = &jvm_env;
    return JNI_OK;
}

static jint JNICALL jvm_detach(JavaVM *vm)
{
    (void)vm;
    return JNI_OK;
}

static const struct JNIInvokeInterface_ jvm_functions = {
    .GetEnv = jvm_get_env,
    .AttachCurrentThreadAsDaemon = jvm_attach,
    .DetachCurrentThread = jvm_detach,
};
static JavaVM jvm = &jvm_functions;

/* As the agent does when the VM is up. */
static inline void jvm_use(struct recording *r)
{
    r->vm = &jvm;
    r->jvmti = &jvm_ti;
    r->env = &jvm_env;
    objects_init(&jvm_env);
}

#endif
