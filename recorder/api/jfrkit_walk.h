/*
 * jfrkit_walk.h - stack traces of HotSpot threads for native programs, also in signal handlers.
 *
 * What JEP 435 asked of the VM, on VMs as they are: walks that see interpreted, compiled and
 * inlined methods, native methods, stubs, virtual threads and C frames, with methods that have
 * names without a jmethodID. What it calls RunWithIterator, NextFrame and Rewind are run(), next()
 * and rewind(). Needs nothing to link with; libjfrkit.so is opened when it is requested.
 *
 *     static const struct jk_walk_api *walk;
 *
 *     walk = jk_walk_open(NULL);                                   when the VM is up
 *     if (walk == NULL || walk->start(vm, why) != 0) ...
 *
 *     struct jk_frame frames[128];                                 in a signal handler
 *     struct jk_trace trace = {.frames = frames};
 *     walk->trace(&trace, 128, ucontext, JK_WALK_C_FRAMES);
 *
 *     struct jk_method_info info;                                  there or later
 *     if (walk->method_info(frames[0].method, &info)) ...
 *
 * Threads:   any. A walk is of the calling thread, or of one that the caller keeps standing still.
 * Signals:   all but start(), stop() and method_id() are async-signal-safe: no locks, no memory but
 *            the caller's stack (1.5 KiB), errno kept. SIGSEGV and SIGBUS must not be blocked.
 * Ownership: texts and lines of methods live until the last stop(); they were copied when a frame
 *            of the method was first walked, so class unloading does not take them away.
 * Limits:    HotSpot with x86-64, JDK 8 to 25 as far as start() finds its tables in order.
 * Libraries that are loaded after start() have frame-pointer walks only, until a recording runs.
 *            131072 methods and 96 MiB of their texts; further methods have no identity.
 */
#ifndef JFRKIT_WALK_H
#define JFRKIT_WALK_H

#include <dlfcn.h>
#include <jni.h>
#include <jvmti.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Identity of a method or stub, 0: none. The same method has the same for as long as it exists;
 * a redefined one gets another. */
typedef uint64_t jk_method;

enum jk_frame_type {
    JK_FRAME_JAVA = 1, /* interpreted (comp_level 0) or compiled */
    JK_FRAME_JAVA_INLINED = 2, /* into the next frame of type JAVA */
    JK_FRAME_NATIVE = 3, /* a Java method declared native */
    JK_FRAME_NON_JAVA = 4, /* C, C++ or the VM: only the pc is known */
    JK_FRAME_STUB = 5, /* generated code of no method; its jk_method has a name only */
    JK_FRAME_CONTINUATION = 6, /* below it is the carrier of the virtual thread above it */
};

struct jk_frame {
    uint8_t type; /* enum jk_frame_type */
    uint8_t comp_level; /* 0: not compiled; 1..3: C1; 4: C2 or another top tier */
    int32_t bci; /* -1: unknown, or a native method */
    jk_method method; /* 0: none, no room for its texts, or deoptimization has not filled it yet */
    void *pc, *sp, *fp;
};

enum jk_walk_option {
    JK_WALK_C_FRAMES = 1, /* report frames of type NON_JAVA and STUB */
    JK_WALK_NON_JAVA_THREADS = 2, /* walk threads that are not Java's, too */
    JK_WALK_NO_CARRIER = 4, /* a virtual thread's stack ends at its boundary */
    JK_WALK_TO_THREAD_START = 8, /* with C_FRAMES: also what is below the oldest Java frame */
};

enum jk_trace_kind {
    JK_KIND_UNKNOWN, /* start() has not been called */
    JK_KIND_JAVA, /* a Java thread */
    JK_KIND_JIT, /* a thread of a compiler */
    JK_KIND_GC,
    JK_KIND_VM, /* another thread of the VM */
    JK_KIND_NATIVE, /* one that the VM does not know */
};

/* Why there are no frames, or no more. */
enum jk_walk_error {
    JK_WALK_NOT_STARTED = -1,
    JK_WALK_THREAD = -2, /* not a Java thread, or without Java frames, and they were requested */
    JK_WALK_DEOPT = -3, /* the VM is replacing the thread's frames */
    JK_WALK_STACK = -4, /* the stack pointer is not on the stack */
    JK_WALK_CODE = -5, /* an address in no code that is known */
    JK_WALK_FRAME = -6, /* a frame whose parts contradict each other */
    JK_WALK_MEMORY = -7, /* memory that could not be read */
    JK_WALK_LIMIT = -8, /* too many steps */
};

struct jk_trace {
    int32_t num_frames; /* 0 and more; negative: an enum jk_walk_error and no frame */
    int32_t error; /* 0: down to the bottom, or to the end of the array; else why not */
    int32_t kind; /* enum jk_trace_kind */
    struct jk_frame *frames; /* the caller's, youngest first */
};

struct jk_line {
    uint16_t bci, line; /* from this bci on */
};

/* Texts are modified UTF-8 and not terminated. */
struct jk_method_info {
    const char *class_name, *name, *signature, *generic_signature; /* class as "java/util/Map" */
    uint32_t class_name_n, name_n, signature_n, generic_signature_n; /* bytes; 0: it has none */
    int32_t modifiers; /* as in class files */
    const struct jk_line *lines; /* sorted by bci */
    uint32_t n_lines;
};

/* Registers to begin at. */
struct jk_walk_start {
    void *pc, *sp, *fp;
    JNIEnv *env; /* of the thread, which stands still; NULL: the calling thread */
};

/* A walk under way; exists during the call of its function only. */
struct jk_walk;

/* What it answers is the answer of run(). */
typedef int jk_walk_fn(struct jk_walk *walk, void *arg);

/* Grows at the end only. */
struct jk_walk_api {
    uint32_t size; /* of this struct */

    /* Reads the VM and checks itself against JVMTI. 0; negative: this VM cannot be walked, and
     * why[] says why. On a Java thread, after VMInit. Each success is due one stop(). */
    int (*start)(JavaVM *vm, char why[200]);

    /* No walk runs any more and none will; the last one frees all texts. */
    void (*stop)(void);

    /* Fills at most `depth` frames. The calling thread, from what a signal interrupted.
     * num_frames. */
    int (*trace)(struct jk_trace *trace, int32_t depth, const void *ucontext, uint32_t options);

    /* Calls fn with a walk that begins at what a signal interrupted, or at given registers, of
     * which pc may be where a call returns to. What fn answers, or an enum jk_walk_error. */
    int (*run)(const void *ucontext, uint32_t options, jk_walk_fn *fn, void *arg);
    int (*run_at)(const struct jk_walk_start *at, uint32_t options, jk_walk_fn *fn, void *arg);

    /* 1 and the next frame; 0: the bottom was reached; negative: an enum jk_walk_error. */
    int (*next)(struct jk_walk *walk, struct jk_frame *frame);

    /* Begins again. */
    void (*rewind)(struct jk_walk *walk);

    /* enum jk_trace_kind of the walk's thread. */
    int (*kind)(const struct jk_walk *walk);

    /* 0: more frames may come, or the bottom was reached; negative: an enum jk_walk_error. */
    int (*state)(const struct jk_walk *walk);

    /* 1 and *info; 0: no such method. */
    int (*method_info)(jk_method method, struct jk_method_info *info);

    /* The line of a bytecode; 0: unknown. */
    int (*line)(jk_method method, int32_t bci);

    /* The jmethodID, NULL if the class is gone or it is no method of Java. Searches all loaded
     * classes: keep the answer. Not in signal handlers; on a Java thread. */
    jmethodID (*method_id)(jvmtiEnv *jvmti, JNIEnv *env, jk_method method);

    /* "deopt", "frame", ...; "end" for 0. */
    const char *(*error_name)(int error);
};

#ifdef JFRKIT_WALK_INSIDE
const struct jk_walk_api *jfrkit_walk_api(void);
#else

/* The functions, from `library` or, if it is NULL, from the libjfrkit.so that the process has or
 * finds on its path. NULL: there is none. Keeps it loaded. */
static inline const struct jk_walk_api *jk_walk_open(const char *library)
{
    const struct jk_walk_api *(*get)(void) = 0;
    void *opened = dlopen(library != 0 ? library : "libjfrkit.so", RTLD_NOW);

    if (opened != 0)
        *(void **)&get = dlsym(opened, "jfrkit_walk_api");
    return get != 0 ? get() : 0;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
