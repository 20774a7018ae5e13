/*
 * walk.h - a stack, frame by frame, from the VM's own tables.
 *
 *     struct vm_walk w;
 *     struct vm_frame f;
 *     vm_walk_context(&w, &walker, thread, ucontext, VM_WALK_C_FRAMES);
 *     while (vm_walk_next(&w, &f)) ...
 *     ... w.reason
 *
 * A walk holds no resources: it can be copied, begun again and dropped. It reads nothing but
 * through safe loads and believes nothing that it cannot check, so any registers may be given.
 *
 * Threads: the walked thread is the calling one, or stands still.
 * Signals: all functions are async-signal-safe.
 */
#ifndef RECORDER_VM_WALK_H
#define RECORDER_VM_WALK_H

#include "recorder/vm/walk_state.h"

/* Begins at the state that a signal interrupted. `thread` is the JavaThread* of the thread it
 * interrupted, or 0 if it is none. */
void vm_walk_context(struct vm_walk *w, struct vm_walker *walker, uintptr_t thread,
                     const void *ucontext, unsigned flags);

/* Begins at given registers. is_top as in struct vm_walk. */
void vm_walk_registers(struct vm_walk *w, struct vm_walker *walker, uintptr_t thread,
                       const struct vm_registers *registers, bool is_top, unsigned flags);

/* Begins at the youngest Java frame of a thread that is in native code or in the VM. */
void vm_walk_anchor(struct vm_walk *w, struct vm_walker *walker, uintptr_t thread, unsigned flags);

/* Begins again where it began. */
void vm_walk_rewind(struct vm_walk *w);

/* The next frame. False: there is none, and w->reason says why. */
bool vm_walk_next(struct vm_walk *w, struct vm_frame *f);

#endif
