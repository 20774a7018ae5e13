/*
 * walker.h - what walks stacks: one interface over several ways of doing it.
 *
 * A walker makes frames in a signal handler and describes their methods later, on the drain thread,
 * from what it captured while the frames were live. walk_agct.c does it with AsyncGetCallTrace,
 * walk_vm.c with the VM's own tables.
 */
#ifndef RECORDER_WALKER_H
#define RECORDER_WALKER_H

#include "recorder/frame.h"

#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>

/* Why a walk ended. */
enum walk_reason {
    WALK_END, /* at the bottom */
    WALK_TRUNCATED, /* there is no more room for frames */
    WALK_NO_JAVA, /* the thread has no Java frames; not a failure */
    WALK_NOT_READY, /* class loading events are off (AsyncGetCallTrace -1) */
    WALK_GC, /* the VM collects garbage (-2) */
    WALK_UNKNOWN_NOT_JAVA, /* -3 */
    WALK_NOT_WALKABLE_NOT_JAVA, /* -4 */
    WALK_UNKNOWN_JAVA, /* -5 */
    WALK_NOT_WALKABLE_JAVA, /* -6 */
    WALK_UNKNOWN_STATE, /* -7 */
    WALK_THREAD_EXIT, /* -8 */
    WALK_DEOPT, /* -9 */
    WALK_SAFEPOINT, /* -10 */
    WALK_BAD_SP, /* the stack pointer left the stack or did not move */
    WALK_BAD_PC, /* code of nobody */
    WALK_BAD_FRAME, /* a frame whose parts contradict each other */
    WALK_FAULT, /* memory that could not be read */
    WALK_LIMIT, /* too many steps */
    WALK_N_REASONS
};

/* "unknown_Java", "GC_active", ...: stable names for synthetic frames and counters. */
const char *walk_reason_name(enum walk_reason reason);

struct line_entry {
    uint16_t bci, line; /* from this bci on; sorted by bci */
};

/* What is known of a method. Texts are modified UTF-8, not terminated, and live as long as the
 * walker. */
struct method_info {
    const char *cls, *name, *descriptor; /* class in internal form: "java/util/Map$Entry" */
    uint32_t cls_n, name_n, descriptor_n;
    int32_t modifiers; /* as in class files */
    bool is_hidden; /* its class is */
    uint64_t loader; /* identity of the class loader, 0 = boot or unknown */
    const struct line_entry *lines;
    uint32_t n_lines;
};

struct walker {
    const char *name; /* "vm", "agct" */

    /* After VM initialisation, on a Java thread. 0; negative: not on this VM, and why[] says it. */
    int (*start)(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *env, char why[200]);

    /* The calling thread, from the state that a signal interrupted; NULL: outside of a signal, in
     * native or VM code (a JVMTI callback, a native method), from its newest Java frame on. At most
     * `room` frames, top first; their number. *reason says how it ended. Async-signal-safe, keeps
     * errno. */
    int (*walk)(void *ucontext, struct frame *frames, int room, enum walk_reason *reason);

    /* A method or stub met in a frame. False: nothing is known. Drain thread only. */
    bool (*describe)(uint64_t method, struct method_info *info);

    /* No walk runs any more and none will. */
    void (*stop)(void);
};

extern const struct walker walk_agct, walk_vm;

#endif
