#include "recorder/vm_native.h"
#include "recorder/vm_walk_cpu.h"

enum {
    WORD = sizeof(uintptr_t),
    MAX_FRAME = 256 << 10
};

/* By the frame pointer, which code compiled for speed does not keep. */
static enum walk_reason by_frame_pointer(struct vm_walk *w)
{
    uintptr_t fp = w->r.fp, pc, caller_fp;

    if (!vm_on_stack(w, fp) || fp < w->r.sp || fp - w->r.sp > MAX_FRAME)
        return WALK_BAD_FRAME;
    if (!vm_stack_word(w, fp + WORD, &pc) || !vm_stack_word(w, fp, &caller_fp))
        return WALK_FAULT;
    return vm_move(w, pc, fp + 2 * WORD, caller_fp) ? WALK_END : WALK_BAD_SP;
}

enum walk_reason vm_native_leave(struct vm_walk *w)
{
    return by_frame_pointer(w);
}
