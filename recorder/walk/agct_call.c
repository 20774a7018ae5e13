/*
 * agct_call.c - calls AsyncGetCallTrace and converts its frames.
 *
 * agct_walk() runs in signal handlers and allocates nothing. agct_prepare() runs once before, on
 * a Java thread, and finds where the VM keeps the JNIEnv of a thread.
 */
#include "recorder/walk/agct_call.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <ucontext.h>

#define KEYS 1024 /* PTHREAD_KEYS_MAX */
#define NATIVE_METHOD_BCI (-3)

/* As the VM's forte.cpp has them; there is no header. */
struct agct_frame {
    jint bci;
    jmethodID method;
};

struct agct_trace {
    JNIEnv *env;
    jint n; /* frames, or why there are none */
    struct agct_frame *frames;
};

static void (*get_call_trace)(struct agct_trace *trace, jint depth, void *ucontext);
static pthread_key_t key; /* under which the VM keeps its Thread */
static ptrdiff_t env_offset; /* of the JNIEnv in a JavaThread */
static void *java_vtable[6]; /* of a JavaThread */

static void *eetop(JNIEnv *env)
{
    jclass cls = (*env)->FindClass(env, "java/lang/Thread");
    jmethodID current =
        cls == NULL ? NULL
                    : (*env)->GetStaticMethodID(env, cls, "currentThread", "()Ljava/lang/Thread;");
    jfieldID field = cls == NULL ? NULL : (*env)->GetFieldID(env, cls, "eetop", "J");
    jobject thread;
    void *p = NULL;

    if (current != NULL && field != NULL) {
        thread = (*env)->CallStaticObjectMethod(env, cls, current);
        if (!(*env)->ExceptionCheck(env) && thread != NULL)
            p = (void *)(uintptr_t)(*env)->GetLongField(env, thread, field);
    }
    (*env)->ExceptionClear(env);
    return p;
}

int agct_prepare(JNIEnv *env, char why[200])
{
    union { /* what dlsym() returns is a function */
        void *p;
        void (*f)(struct agct_trace *, jint, void *);
    } symbol = {.p = dlsym(RTLD_DEFAULT, "AsyncGetCallTrace")};
    void *thread = eetop(env);
    unsigned k = 0;

    if (symbol.p == NULL) {
        snprintf(why, 200, "this VM has no AsyncGetCallTrace");
        return -1;
    }
    while (k < KEYS && (thread == NULL || pthread_getspecific(k) != thread))
        k++;
    if (k == KEYS) {
        snprintf(why, 200, "it is unknown how this VM finds its threads");
        return -1;
    }
    key = k;
    env_offset = (uint8_t *)env - (uint8_t *)thread;
    memcpy(java_vtable, *(void **)thread, sizeof(java_vtable));
    get_call_trace = symbol.f;
    return 0;
}

/* ASYNC-SIGNAL-SAFE. Threads of the VM's own are under the same key; they are of other classes, and
 * only functions that no subclass overrides tell them from Java threads. */
static bool is_java_thread(const void *thread)
{
    void *const *vtable = *(void *const *const *)thread;

    return (vtable[1] == java_vtable[1]) + (vtable[3] == java_vtable[3]) +
               (vtable[5] == java_vtable[5]) >=
           2;
}

/* ASYNC-SIGNAL-SAFE */
static enum walk_reason agct_reason_of(jint code)
{
    static const uint8_t reasons[] = {
        WALK_NO_JAVA,
        WALK_NOT_READY,
        WALK_GC,
        WALK_UNKNOWN_NOT_JAVA,
        WALK_NOT_WALKABLE_NOT_JAVA,
        WALK_UNKNOWN_JAVA,
        WALK_NOT_WALKABLE_JAVA,
        WALK_UNKNOWN_STATE,
        WALK_THREAD_EXIT,
        WALK_DEOPT,
        WALK_SAFEPOINT,
    };

    return code <= 0 && code >= -10 ? (enum walk_reason)reasons[-code] : WALK_UNKNOWN_STATE;
}

/* ASYNC-SIGNAL-SAFE */
static uintptr_t interrupted_pc(const void *ucontext)
{
    const ucontext_t *uc = ucontext;

    if (uc == NULL)
        return 0;
#if defined(__x86_64__)
    return (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)uc->uc_mcontext.pc;
#else
    return 0;
#endif
}

/* ASYNC-SIGNAL-SAFE. Only where the thread was can be said. */
static int only_pc(void *ucontext, struct frame *frames, int room)
{
    uintptr_t pc = interrupted_pc(ucontext);

    if (pc == 0 || room < 1)
        return 0;
    frames[0] = (struct frame){.pc = pc, .bci = -1, .kind = FRAME_C};
    return 1;
}

/* ASYNC-SIGNAL-SAFE. In place: the trace lies at the end of the memory that the frames fill from
 * the start, and no frame is written over one that is still to be read. */
static void convert_frames(struct frame *frames, const struct agct_frame *trace, int n)
{
    for (int i = 0; i < n; i++) {
        struct agct_frame a = trace[i];
        bool is_native = a.bci == NATIVE_METHOD_BCI;

        frames[i] = (struct frame){
            .method = (uint64_t)(uintptr_t)a.method,
            .bci = is_native || a.bci < 0 ? -1 : a.bci,
            .kind = is_native ? FRAME_NATIVE_METHOD : FRAME_COMPILED,
        };
    }
}

/* ASYNC-SIGNAL-SAFE */
int agct_walk(void *ucontext, struct frame *frames, int room, enum walk_reason *reason)
{
    void *thread = pthread_getspecific(key);
    struct agct_trace trace = {.n = 0};
    int saved = errno;

    if (thread == NULL || !is_java_thread(thread)) {
        *reason = WALK_NO_JAVA;
        return only_pc(ucontext, frames, room);
    }
    trace.env = (JNIEnv *)(void *)((uint8_t *)thread + env_offset);
    trace.frames = (struct agct_frame *)(void *)(frames + room) - room;
    get_call_trace(&trace, room, ucontext);
    errno = saved;
    if (trace.n <= 0) {
        *reason = agct_reason_of(trace.n);
        return only_pc(ucontext, frames, room);
    }
    *reason = trace.n >= room ? WALK_TRUNCATED : WALK_END;
    convert_frames(frames, trace.frames, trace.n);
    return trace.n;
}
