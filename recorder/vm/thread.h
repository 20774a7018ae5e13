/*
 * thread.h - from the running thread to the VM's description of it.
 *
 * HotSpot keeps its Thread* in a pthread key, for threads of Java and for its own. The key is found
 * once, by what it holds on a thread whose JavaThread* is known.
 *
 * Threads: read only once opened. Signals: vm_thread_current() is async-signal-safe with glibc,
 * where a thread's value of a key is a plain load.
 */
#ifndef RECORDER_VM_THREAD_H
#define RECORDER_VM_THREAD_H

#include "recorder/vm/vm.h"

#include <jni.h>
#include <pthread.h>

enum {
    VM_VTABLE_WORDS = 3
};

struct vm_threads {
    pthread_key_t key;
    uintptr_t vtable[VM_VTABLE_WORDS]; /* functions that a JavaThread has and others have not */
    uintptr_t env_offset; /* from a JavaThread to its JNIEnv */
    jfieldID eetop; /* Thread's field with the JavaThread* */
};

/* On a Java thread. False: the key is not found. */
bool vm_threads_open(struct vm_threads *t, JNIEnv *env);

/* The Thread* of the calling thread, 0 if the VM does not know it. *is_java says whether it is a
 * JavaThread*. */
uintptr_t vm_thread_current(const struct vm_threads *t, bool *is_java);

/* The same; *is_plain: a JavaThread of no subclass, so that it is no compiler's thread. */
uintptr_t vm_thread_current_kind(const struct vm_threads *t, bool *is_java, bool *is_plain);

/* The JavaThread* of a java.lang.Thread; 0: it does not run. Not in a signal. */
uintptr_t vm_thread_of(const struct vm_threads *t, JNIEnv *env, jobject thread);

#endif
