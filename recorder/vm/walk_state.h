/* walk_state.h - where a walk is: registers, stack, and the frames that it has found. */
#ifndef RECORDER_VM_WALK_STATE_H
#define RECORDER_VM_WALK_STATE_H

#include "recorder/native/cfi.h"
#include "recorder/base/frame.h"
#include "recorder/vm/cache.h"
#include "recorder/vm/cont.h"
#include "recorder/vm/dict.h"
#include "recorder/vm/stubs.h"

/* What all walks of a VM share. */
struct vm_walker {
    struct vm vm;
    struct vm_dict dict;
    struct vm_cache cache;
    struct vm_stubs stubs;
    struct vm_cont cont;
};

enum {
    VM_WALK_C_FRAMES = 1, /* report frames of C code, too */
    VM_WALK_NO_CACHE = 2, /* for tests: always the long way */
    VM_WALK_NO_CARRIER = 4, /* end a virtual thread's stack at its boundary */
    VM_WALK_TO_THREAD_START = 8, /* also the C frames below the oldest Java frame */
};

struct vm_frame {
    enum frame_kind kind;
    uint8_t level;
    int32_t bci; /* -1: unknown, also of native methods */
    uint32_t id; /* in the dictionary; 0: none */
    uintptr_t pc, sp, fp;
    bool in_heap; /* a frame of an unmounted part of a virtual thread */
    bool is_deoptimized; /* the interpreter continues it when it is returned to */
};

struct vm_registers {
    uintptr_t pc, sp, fp;
    /* Only known of an interrupted frame; 0 otherwise. */
    uintptr_t method; /* the interpreter's, while it builds a frame: rbx, x12 */
    uintptr_t bcp; /* its bytecode pointer: r13, x22 */
    uintptr_t sender_sp; /* while it builds a frame: r13, x19 */
    uintptr_t link; /* where the return address may be: rax, x30 */
    uintptr_t base; /* rbx, x19; also of callers that C frames tell */
    uintptr_t all; /* address of all registers */
};

struct vm_walk {
    struct vm_walker *walker;
    struct vm_registers start, r;
    uintptr_t thread; /* JavaThread*, or 0 */
    uintptr_t started_thread; /* the same, as the caller passed it */
    bool started_at_top;
    uintptr_t stack_low, stack_high;
    const struct cfi_copy *copy; /* where the stack's words are read instead; NULL: on the stack */
    unsigned flags;
    enum walk_reason reason; /* once vm_walk_next() has answered false */
    bool is_top; /* r is where a signal interrupted, not where a call returns to */
    bool is_done;
    bool seen_java;
    bool is_at_boundary; /* the next frame is enterSpecial's, by chunk.resume_fp */
    bool is_unpacking; /* deoptimization is at work on the frames that come next */
    bool is_odd_call; /* the compiled frame just met has no record for its return address */
    uintptr_t anchor_sp, anchor_pc, anchor_fp; /* of the next older Java frames; sp 0: none */
    uintptr_t last_sp;
    unsigned steps;
    struct vm_chunk chunk; /* frames in the heap, while they are walked */
    struct vm_frame shape; /* what the pending frames have in common */
    struct code_blob blob; /* their code */
    int32_t scope; /* next pending scope of it; 0: none */
    unsigned at; /* next of the pending frames in `found` */
    struct vm_cached found;
};

#endif
