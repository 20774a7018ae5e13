#include "recorder/vm/native.h"
#include "recorder/native/cfi.h"

enum walk_reason vm_native_leave(struct vm_walk *w)
{
    static const enum walk_reason reasons[CFI_N_STEPS] = {
        [CFI_STEPPED] = WALK_END,       [CFI_END] = WALK_END,       [CFI_NO_CODE] = WALK_BAD_PC,
        [CFI_NO_RULE] = WALK_BAD_FRAME, [CFI_BAD_SP] = WALK_BAD_SP, [CFI_FAULT] = WALK_FAULT,
    };
    const struct vm *vm = &w->walker->vm;
    struct cfi_env env = {
        .map = libs_enter(), .code_lo = vm->code_low, .code_hi = vm->code_high, .copy = w->copy};
    struct cfi_regs r = {
        .pc = w->r.pc,
        .sp = w->r.sp,
        .fp = w->r.fp,
        .base = w->r.base,
        .lr = w->is_top ? w->r.link : 0,
        .gregs = w->is_top ? w->r.all : 0,
        .is_return = !w->is_top,
    };
    enum cfi_step step = cfi_step(&env, &r);

    libs_leave();
    if (step == CFI_STEPPED && (r.sp < w->r.sp || r.sp > w->stack_high))
        return WALK_BAD_SP;
    if (step == CFI_STEPPED)
        w->r = (struct vm_registers){.pc = r.pc, .sp = r.sp, .fp = r.fp, .base = r.base};
    else if (step == CFI_END)
        w->r.pc = 0;
    /* The frame of a signal was interrupted like the first one. */
    w->is_top = step == CFI_STEPPED && !r.is_return;
    return reasons[step];
}
