/*
 * native_hook.h - functions of ours in place of native methods of the JDK.
 *
 *     static struct native_hook hooks[] = {
 *         {"jdk/internal/misc/Unsafe", "park", "(ZJ)V", (void *)hook_park},
 *     };
 *     native_hook_install(r->vm, r->env, hooks, 1);
 *
 *     static void JNICALL hook_park(JNIEnv *env, jobject unsafe, jboolean absolute, jlong time)
 *     {
 *         void (*park)(JNIEnv *, jobject, jboolean, jlong) = native_hook_original(&hooks[0]);
 *         if (!emit_wanted()) { park(env, unsafe, absolute, time); return; }
 *         ...
 *     }
 *
 * A hook stays for the life of the process and must be cheap while no recording runs: removing it
 * and installing it again would leave compiled wrappers behind each time. Hooks must be exact about
 * arguments (a static method gets the class second), must not leave an exception of their own, and
 * while one of the original is pending they may call no JNI function but ExceptionCheck().
 *
 * How: the original of a method is what the JDK exports under its JNI name, or what its class hands
 * to RegisterNatives when asked again. Ours is registered by a class in the boot loader, because
 * the VM warns when a class of another loader does it. A class that is not loaded yet stays so:
 * its hooks wait until the VM links the method (JVMTI's NativeMethodBind). sun.nio.ch.Net alone
 * takes 7 ms on JDK 17 and 33 on 25. No bytecode is changed.
 *
 * Threads: one at a time calls native_hook_install(), attached to the VM, without a pending
 *          exception. Hooks run on any thread.
 */
#ifndef RECORDER_BASE_NATIVE_HOOK_H
#define RECORDER_BASE_NATIVE_HOOK_H

#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct native_hook {
    const char *cls, *name, *signature; /* class in internal form */
    void *function; /* ours */
    _Atomic(void *) original; /* before ours is called for the first time */
    bool is_installed;
    bool is_awaited; /* its class is not loaded; set once, before the first such hook is seen */
};

/* Puts the hooks in that are not in yet. A method or class that this JDK does not have is left
 * alone, and so is one whose original cannot be found. The number of hooks that are in, without
 * those that wait for their class; negative: nothing works on this VM. */
int native_hook_install(JavaVM *vm, JNIEnv *env, struct native_hook *hooks, size_t n);

/* What the hook replaces. */
static inline void *native_hook_original(struct native_hook *h)
{
    return atomic_load_explicit(&h->original, memory_order_acquire);
}

/* The short JNI name, "Java_java_lang_Runtime_gc". False: it does not fit. For tests. */
bool native_hook_symbol(const struct native_hook *h, char *out, size_t room);

#endif
