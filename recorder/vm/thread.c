/*
 * thread.c - finds HotSpot's Thread object of the calling thread, and whether it is a Java
 * thread.
 *
 * vm_threads_open() finds the pthread key in which HotSpot stores it. Handlers read the key; the
 * thread counts as a Java thread if its virtual table has entries of JavaThread's.
 */
#include "recorder/vm/thread.h"

#include <limits.h>

/* Slots of the virtual functions that tell: is_Java_thread() and its neighbours. JavaThread's
 * subclasses override some, so two of the three are enough. */
static const int vtable_slots[VM_VTABLE_WORDS] = {1, 3, 5};

static bool read_vtable(uintptr_t thread, uintptr_t words[VM_VTABLE_WORDS])
{
    uintptr_t vtable;

    if (!safe_load_pointer(thread, &vtable))
        return false;
    for (int i = 0; i < VM_VTABLE_WORDS; i++)
        if (!safe_load_pointer(vtable + sizeof(uintptr_t) * (uintptr_t)vtable_slots[i], &words[i]))
            return false;
    return true;
}

static jobject current_thread(JNIEnv *env, jclass cls)
{
    jmethodID id = (*env)->GetStaticMethodID(env, cls, "currentThread", "()Ljava/lang/Thread;");

    jobject thread = id != NULL ? (*env)->CallStaticObjectMethod(env, cls, id) : NULL;

    (*env)->ExceptionClear(env);
    return thread;
}

static bool find_thread_key(struct vm_threads *t, uintptr_t thread)
{
    for (pthread_key_t k = 0; k < PTHREAD_KEYS_MAX && thread != 0; k++)
        if ((uintptr_t)pthread_getspecific(k) == thread) {
            t->key = k;
            return true;
        }
    return false;
}

bool vm_threads_open(struct vm_threads *t, JNIEnv *env)
{
    jclass cls = (*env)->FindClass(env, "java/lang/Thread");
    jobject current = cls != NULL ? current_thread(env, cls) : NULL;
    uintptr_t thread;
    bool found = false;

    t->eetop = cls != NULL ? (*env)->GetFieldID(env, cls, "eetop", "J") : NULL;
    if (current != NULL && t->eetop != NULL) {
        thread = (uintptr_t)(*env)->GetLongField(env, current, t->eetop);
        t->env_offset = (uintptr_t)env - thread;
        found = find_thread_key(t, thread) && read_vtable(thread, t->vtable);
    }
    (*env)->ExceptionClear(env);
    (*env)->DeleteLocalRef(env, current);
    (*env)->DeleteLocalRef(env, cls);
    return found;
}

uintptr_t vm_thread_current(const struct vm_threads *t, bool *is_java)
{
    bool is_plain;

    return vm_thread_current_kind(t, is_java, &is_plain);
}

uintptr_t vm_thread_current_kind(const struct vm_threads *t, bool *is_java, bool *is_plain)
{
    uintptr_t thread = (uintptr_t)pthread_getspecific(t->key), words[VM_VTABLE_WORDS];
    int same = 0;

    *is_java = *is_plain = false;
    if (thread == 0 || !read_vtable(thread, words))
        return 0;
    for (int i = 0; i < VM_VTABLE_WORDS; i++)
        same += words[i] == t->vtable[i];
    *is_java = same >= 2;
    *is_plain = same == VM_VTABLE_WORDS;
    return thread;
}

uintptr_t vm_thread_of(const struct vm_threads *t, JNIEnv *env, jobject thread)
{
    return (uintptr_t)(*env)->GetLongField(env, thread, t->eetop);
}
