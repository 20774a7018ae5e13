/*
 * walker.h - what walks stacks: one interface over several ways of doing it.
 *
 * A walker makes frames in a signal handler and describes their methods later, on the drain thread,
 * from what it captured while the frames were live. walk/vm_walker.c does it with the VM's own
 * tables, walk/parked.c has another thread do that, walk/snapshot.c does it later, from a copy of
 * the stack; walk/agct.c has AsyncGetCallTrace.
 */
#ifndef RECORDER_BASE_WALKER_H
#define RECORDER_BASE_WALKER_H

#include "recorder/base/frame.h"
#include "recorder/base/walk_reason.h"

#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* A virtual thread whose carrier waits, since it could not leave it. */
struct waiting {
    uint64_t id; /* Thread.threadId() */
    uintptr_t object; /* for virtual_name() */
    int n; /* of its frames */
    enum walk_reason reason; /* how they ended */
};

struct walker {
    const char *name; /* "signal", "agct" */
    bool is_lasting; /* frames can be described at any later time, not only as long as what they
                      * name is there; and none is made from a copy */

    /* After VM initialisation, on a Java thread. 0; negative: not on this VM, and why[] says it. */
    int (*start)(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *env, char why[200]);

    /* The calling thread, from the state that a signal interrupted; NULL: outside of a signal, in
     * native or VM code (a JVMTI callback, a native method), from its newest Java frame on. At most
     * `room` frames, top first; their number. *reason says how it ended. Async-signal-safe, keeps
     * errno. */
    int (*walk)(void *ucontext, struct frame *frames, int room, enum walk_reason *reason);

    /* NULL, or how stacks that signals interrupt are copied first and walked on the drain thread:
     * bytes of the copy, 0: walk() it is; the copy, into no more than n bytes aligned to 8; its
     * frames, as walk(). The first two are async-signal-safe. */
    size_t (*copy_size)(const void *ucontext);
    void (*copy)(const void *ucontext, void *to, size_t n);
    int (*walk_copy)(const void *copy, struct frame *frames, int room, enum walk_reason *reason);

    /* NULL, or the virtual thread that the calling thread runs: its Thread.threadId(), 0: none; and
     * where its object is for the moment. Its name, modified UTF-8 cut to fit, is "" when it has
     * none or it cannot be read. Async-signal-safe. */
    uint64_t (*virtual_thread)(uintptr_t *object);
    void (*virtual_name)(uintptr_t object, char *out, size_t room);

    /* NULL, or the virtual thread that `carrier` runs and waits with, and at most `room` frames,
     * top first. False: it runs none, or does not wait. On a Java thread, not in a signal. */
    bool (*walk_waiting)(JNIEnv *env, jthread carrier, struct frame *frames, int room,
                         struct waiting *w);

    /* A method or stub met in a frame. False: nothing is known. Drain thread only. */
    bool (*describe)(uint64_t method, struct method_info *info);

    /* No walk runs any more and none will. */
    void (*stop)(void);
};

extern const struct walker walk_agct, walk_vm;

#endif
