/*
 * vm_walker.h - what is behind `walk_vm` (walker.h), for those that need more than a walker gives:
 * the public API (jfrkit_walk.h), other modes of walking, tests.
 */
#ifndef RECORDER_WALK_VM_WALKER_H
#define RECORDER_WALK_VM_WALKER_H

#include "recorder/vm/thread.h"
#include "recorder/vm/virtual_thread.h"
#include "recorder/vm/walk.h"
#include "recorder/base/walker.h"

#include <jvmti.h>

struct walk_vm_state {
    struct vm_walker walker;
    struct vm_threads threads;
    struct vm_virtual virtual;
    uintptr_t boot_loader; /* ClassLoaderData* */
};

/* NULL before walk_vm.start() has succeeded. */
struct walk_vm_state *walk_vm_state(void);

/* Begins a walk of the calling thread at what a signal interrupted; NULL: a Java thread's, from its
 * anchor on. Async-signal-safe. */
void walk_vm_begin(struct vm_walk *w, const void *ucontext, unsigned flags);

/* The rest of a walk, into an array; as struct walker's walk(). */
int walk_vm_collect(struct vm_walk *w, struct frame *frames, int room, enum walk_reason *reason);

/* As struct walker's functions for virtual threads; none is found before walk_vm.start() has
 * succeeded. */
uint64_t walk_vm_virtual(uintptr_t *object);
void walk_vm_virtual_name(uintptr_t object, char *out, size_t room);
bool walk_vm_waiting(JNIEnv *env, jthread carrier, struct frame *frames, int room,
                     struct waiting *out);

#endif
