/*
 * walk.h - the native frames of a stack, from the state that a signal interrupted.
 *
 *     enum walk_reason reason;
 *     int n = native_walk(ucontext, NULL, frames, room, &reason);
 *
 * Frames are FRAME_C, or FRAME_VM inside the VM's library. pc is where the frame was interrupted,
 * or for callers one less than the return address: an address inside the call, which symbols_find()
 * understands as it is.
 *
 * Threads: any. Signals: async-signal-safe, errno untouched. libs_update() and safe_load_install()
 * come before the first walk.
 */
#ifndef RECORDER_NATIVE_WALK_H
#define RECORDER_NATIVE_WALK_H

#include "recorder/native/cfi.h"
#include "recorder/base/frame.h"
#include "recorder/base/walk_reason.h"

enum native_stop {
    NATIVE_STOP_NONE, /* the reason tells all */
    NATIVE_STOP_CODE, /* regs.pc is in [code_lo, code_hi) */
    NATIVE_STOP_SP, /* regs.sp reached stack_hi */
};

struct native_walk {
    struct cfi_regs regs; /* in: where to start; out: the first frame that was not recorded */
    uintptr_t code_lo, code_hi; /* the VM's generated code: the walk stops in front of it */
    uintptr_t stack_hi; /* the walk stops when sp comes to it; 0: unknown */
    const struct cfi_copy *copy; /* walks a copy of the stack; NULL: the stack */
    struct cfi_counts *counts; /* or NULL */
    enum native_stop
        stop; /* out; the reason is WALK_END then, and the caller continues by other means */
};

/* The calling thread, from a handler's ucontext. `w` may be NULL; else its ranges count, and its
 * regs are set from ucontext first. At most `room` frames, top first; their number. */
int native_walk(const void *ucontext, struct native_walk *w, struct frame *frames, int room,
                enum walk_reason *reason);

#endif
