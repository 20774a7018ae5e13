/*
 * tasks.c - copies the context of the calling thread out, and sets it on another thread.
 *
 * Executors call it for each task, so it takes no lock. A context is the ids of its values, which
 * another value may get once the table of values fills up. The generation of that table is copied
 * with the ids; if it has changed since, the task has no context rather than a wrong one.
 */
#include "recorder/sources/tasks.h"

#include "recorder/context/context.h"
#include "recorder/context/values.h"
#include "recorder/sources/hooks.h"

#include <stdatomic.h>
#include <string.h>

#define PAIRS (CONTEXT_SLOTS / 2) /* of words, as Java has them: a long each */

_Static_assert(CONTEXT_SLOTS == 24, "the arguments of exchange()");

static _Atomic uint32_t carried; /* types */
static _Atomic uint32_t n_carries; /* how often they were chosen */
static _Atomic uint64_t n_dropped;

/* The types that tasks take along now. */
static uint32_t types_now(void)
{
    return hooks_are_on() ? atomic_load_explicit(&carried, memory_order_relaxed) : 0;
}

/* What the counters add up to is another number if any of them is another one: they only grow. */
static jlong version_now(void)
{
    uint64_t others = values_generation() + atomic_load_explicit(&n_carries, memory_order_relaxed);

    return context_current() == NULL ? 0 : (jlong)(context_version() + (others << 48));
}

static jlong JNICALL version_of_thread(JNIEnv *env, jclass cls)
{
    (void)env, (void)cls;
    return types_now() == 0 ? 0 : version_now();
}

static jlongArray JNICALL copy_context(JNIEnv *env, jclass cls)
{
    uint32_t types = types_now(), words[CONTEXT_SLOTS], any = 0;
    jlong copy[1 + PAIRS];
    jlongArray array;

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
    memcpy(copy + 1, words, sizeof(words));
    array = any == VALUE_NULL ? NULL : (*env)->NewLongArray(env, 1 + PAIRS);
    if (array != NULL)
        (*env)->SetLongArrayRegion(env, array, 0, 1 + PAIRS, copy);
    return array;
}

/* Arguments instead of an array: reading one costs as much as all the rest of this. */
static jlong JNICALL exchange_context(JNIEnv *env, jclass cls, jlong version, jlong generation,
                                      jlong a, jlong b, jlong c, jlong d, jlong e, jlong f, jlong g,
                                      jlong h, jlong i, jlong j, jlong k, jlong l)
{
    const jlong pairs[PAIRS] = {a, b, c, d, e, f, g, h, i, j, k, l};
    uint32_t types = types_now(), words[CONTEXT_SLOTS];

    (void)env, (void)cls;
    if (types == 0 || version != version_now())
        return 0;
    memcpy(words, pairs, sizeof(words));
    context_put(types, generation == values_generation() ? words : NULL);
    return version_now();
}

static jlong JNICALL clear_context(JNIEnv *env, jclass cls)
{
    uint32_t types = types_now();

    (void)env, (void)cls;
    if (types == 0)
        return 0;
    context_put(types, NULL);
    return version_now();
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
    {"version", "()J", (void *)version_of_thread},
    {"copy", "()[J", (void *)copy_context},
    {"exchange", "(JJJJJJJJJJJJJJ)J", (void *)exchange_context},
    {"clear", "()J", (void *)clear_context},
    {"dropped", "()V", (void *)count_dropped},
};
