/*
 * tasks.c - the native methods of jfrkit.weave.Native: they copy the context of the calling thread
 * out, and set it on another thread.
 *
 * Java code does most of that in place, in the records of the threads (jfrkit.weave.Record); what
 * it leaves to these methods comes seldom. A context is the ids of its values, which another value
 * may get once the table of values fills up. The generation of that table is copied with the ids.
 * If it has changed since, and one of the ids may have another value, the task has no context
 * rather than a wrong one.
 */
#include "recorder/sources/tasks.h"

#include "recorder/base/boot_classes.h"
#include "recorder/base/log.h"
#include "recorder/context/context.h"
#include "recorder/context/java.h"
#include "recorder/context/values.h"
#include "recorder/sources/hooks.h"

#include <stdatomic.h>

#define COPY (1 + CONTEXT_SLOTS) /* a captured context: the generation, then the slots */
#define NO_RECORD (-1)

static _Atomic uint32_t carried; /* types */
static _Atomic uint64_t n_dropped;

/* The types that tasks take along now. */
static uint32_t types_now(void)
{
    return hooks_are_on() ? atomic_load_explicit(&carried, memory_order_relaxed) : 0;
}

static jint JNICALL record_of_thread(JNIEnv *env, jclass cls)
{
    const char *r = (const char *)context_current();
    size_t n;

    (void)env, (void)cls;
    return r == NULL ? NO_RECORD : (jint)(r - (const char *)context_memory(&n));
}

static jintArray JNICALL copy_context(JNIEnv *env, jclass cls)
{
    uint32_t types = types_now(), copy[COPY], *words = copy + 1, any = 0;
    jintArray array;

    (void)cls;
    if (types == 0 || context_current() == NULL)
        return NULL;
    copy[0] = values_generation();
    context_get(words);
    for (size_t t = 0; t < context_n_types(); t++) {
        const struct context_type *type = context_type_at(t);

        for (size_t i = type->first; i < type->first + type->n; i++) {
            if ((types & 1U << t) == 0)
                words[i] = VALUE_NULL;
            any |= words[i];
        }
    }
    array = any == VALUE_NULL ? NULL : (*env)->NewIntArray(env, COPY);
    if (array != NULL)
        (*env)->SetIntArrayRegion(env, array, 0, COPY, (const jint *)copy);
    return array;
}

static void JNICALL put_task_context(JNIEnv *env, jclass cls, jintArray context, jint firsts)
{
    uint32_t types = types_now(), copy[COPY] = {0};

    (void)cls;
    if (types == 0)
        return;
    if (context != NULL)
        (*env)->GetIntArrayRegion(env, context, 0, COPY, (jint *)copy);
    context_put_parts(types, context != NULL && copy[0] == values_generation() ? copy + 1 : NULL,
                      (uint32_t)firsts);
}

static jboolean JNICALL renew_context(JNIEnv *env, jclass cls, jintArray context)
{
    uint32_t copy[COPY], *words = copy + 1, ids[CONTEXT_SLOTS];
    size_t n = 0;

    (void)cls;
    (*env)->GetIntArrayRegion(env, context, 0, COPY, (jint *)copy);
    for (size_t slot = 0; slot < CONTEXT_SLOTS; slot++)
        if (words[slot] != VALUE_NULL && context_is_text(slot))
            ids[n++] = words[slot];
    if (!values_renew(ids, n, copy[0], &copy[0]))
        return JNI_FALSE;
    (*env)->SetIntArrayRegion(env, context, 0, 1, (const jint *)copy);
    return JNI_TRUE;
}

static void JNICALL count_dropped(JNIEnv *env, jclass cls)
{
    (void)env, (void)cls;
    atomic_fetch_add(&n_dropped, 1);
}

bool tasks_initialize(JNIEnv *env)
{
    static const char *const names[] = {"jfrkit/weave/Memory", "jfrkit/weave/Fence",
                                        "jfrkit/weave/Record", "jfrkit/weave/ThreadContext"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!boot_class_initialize(env, names[i])) {
            (*env)->ExceptionClear(env);
            return false;
        }
    return true;
}

/* A thread of the program reads the array as a whole. Returns false after an exception. */
static bool store_types(JNIEnv *env, jclass native, const jint *numbers, size_t n)
{
    jfieldID types = (*env)->GetStaticFieldID(env, native, "types", "[I");
    jintArray array = types == NULL ? NULL : (*env)->NewIntArray(env, (jsize)n);

    if (array == NULL)
        return false;
    (*env)->SetIntArrayRegion(env, array, 0, (jsize)n, numbers);
    (*env)->SetStaticObjectField(env, native, types, array);
    (*env)->DeleteLocalRef(env, array);
    return true;
}

void tasks_carry(JNIEnv *env, jclass native, uint32_t types)
{
    jint places[3 * CONTEXT_TYPES];
    size_t n = 0;

    if (types == atomic_load(&carried))
        return;
    for (size_t t = 0; t < context_n_types(); t++) {
        const struct context_type *type = context_type_at(t);

        if ((types & 1U << t) == 0)
            continue;
        places[n++] = (jint)t;
        places[n++] = (jint)type->first;
        places[n++] = (jint)type->n;
    }
    atomic_store(&carried, types);
    if (tasks_initialize(env) && store_types(env, native, places, n))
        return;
    (*env)->ExceptionClear(env);
    log_line(LOG_WARNING, "contexts: tasks do not carry them, since a class could not be used");
}

uint64_t tasks_n_dropped(void)
{
    return atomic_load(&n_dropped);
}

const JNINativeMethod tasks_natives[TASKS_NATIVES] = {
    {"memory", "()Ljava/nio/ByteBuffer;", (void *)Java_jfrkit_Native_memory},
    {"memoryAddress", "()J", (void *)Java_jfrkit_Native_memoryAddress},
    {"record", "()I", (void *)record_of_thread},
    {"copy", "()[I", (void *)copy_context},
    {"put", "([II)V", (void *)put_task_context},
    {"renew", "([I)Z", (void *)renew_context},
    {"dropped", "()V", (void *)count_dropped},
};
