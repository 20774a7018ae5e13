/*
 * tasks.c - copies the context of the calling thread out, and sets it on another thread.
 *
 * Executors call it for each task, so it takes no lock. A context is the ids of its values, which
 * another value may get once the table of values fills up. The generation of that table stands
 * before the ids; if it has changed since, the task has no context rather than a wrong one.
 */
#include "recorder/sources/tasks.h"

#include "recorder/context/context.h"
#include "recorder/context/values.h"
#include "recorder/sources/hooks.h"

#include <stdatomic.h>

#define WORDS (1 + CONTEXT_SLOTS) /* of an int[]: generation, ids by slot */

static _Atomic uint32_t carried; /* types */
static _Atomic uint32_t n_carries; /* how often they were chosen */
static _Atomic uint64_t n_dropped;

static bool has_context(uint32_t types)
{
    return types != 0 && context_current() != NULL && hooks_are_on();
}

/* What the counters add up to is another number if any of them is another one: they only grow. */
static jlong JNICALL context_version_of_thread(JNIEnv *env, jclass cls)
{
    uint64_t others = values_generation() + atomic_load_explicit(&n_carries, memory_order_relaxed);

    (void)env, (void)cls;
    return has_context(atomic_load_explicit(&carried, memory_order_relaxed))
               ? (jlong)(context_version() + (others << 48))
               : 0;
}

static jintArray JNICALL copy_context(JNIEnv *env, jclass cls)
{
    uint32_t types = atomic_load_explicit(&carried, memory_order_relaxed);
    uint32_t words[WORDS], any = 0;
    jintArray copy;

    (void)cls;
    if (!has_context(types))
        return NULL;
    words[0] = values_generation();
    context_get(words + 1);
    for (size_t t = 0; t < context_n_types(); t++) {
        const struct context_type *type = context_type_at(t);

        for (size_t i = type->first; i < type->first + type->n; i++) {
            if ((types & 1U << t) == 0)
                words[1 + i] = VALUE_NULL;
            any |= words[1 + i];
        }
    }
    copy = any == VALUE_NULL ? NULL : (*env)->NewIntArray(env, WORDS);
    if (copy != NULL)
        (*env)->SetIntArrayRegion(env, copy, 0, WORDS, (const jint *)words);
    return copy;
}

static jlong JNICALL put_captured(JNIEnv *env, jclass cls, jintArray context)
{
    uint32_t types = atomic_load_explicit(&carried, memory_order_relaxed);
    uint32_t words[WORDS];

    if (types == 0 || (context == NULL && context_current() == NULL) || !hooks_are_on())
        return 0;
    if (context != NULL)
        (*env)->GetIntArrayRegion(env, context, 0, WORDS, (jint *)words);
    if (context == NULL || words[0] != values_generation())
        for (size_t i = 1; i < WORDS; i++)
            words[i] = VALUE_NULL;
    for (size_t t = 0; t < context_n_types(); t++)
        if ((types & 1U << t) != 0)
            context_continue_all((int)t + 1, words + 1 + context_type_at(t)->first,
                                 context_type_at(t)->n);
    return context_version_of_thread(env, cls);
}

static void JNICALL count_dropped(JNIEnv *env, jclass cls)
{
    (void)env, (void)cls;
    atomic_fetch_add(&n_dropped, 1);
}

void tasks_carry(uint32_t types)
{
    atomic_store(&carried, types);
    atomic_fetch_add(&n_carries, 1);
}

uint64_t tasks_n_dropped(void)
{
    return atomic_load(&n_dropped);
}

const JNINativeMethod tasks_natives[TASKS_NATIVES] = {
    {"version", "()J", (void *)context_version_of_thread},
    {"copy", "()[I", (void *)copy_context},
    {"put", "([I)J", (void *)put_captured},
    {"dropped", "()V", (void *)count_dropped},
};
