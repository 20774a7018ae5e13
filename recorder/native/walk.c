/*
 * walk.c - walks the native frames of a stack, from the registers that a signal interrupted.
 *
 * Runs in signal handlers. Each step is made by cfi.c.
 */
#include "recorder/native/walk.h"

enum {
    STEPS_MAX = 4096
};

static enum walk_reason reason_of(enum cfi_step step)
{
    static const enum walk_reason reasons[CFI_N_STEPS] = {
        [CFI_END] = WALK_END,       [CFI_NO_CODE] = WALK_BAD_PC, [CFI_NO_RULE] = WALK_BAD_FRAME,
        [CFI_BAD_SP] = WALK_BAD_SP, [CFI_FAULT] = WALK_FAULT,
    };

    return reasons[step];
}

static bool is_generated(const struct native_walk *w)
{
    return w->regs.pc >= w->code_lo && w->regs.pc < w->code_hi;
}

static void note_frame(struct frame *f, const struct libs_map *map, const struct cfi_regs *r)
{
    uintptr_t pc = r->is_return ? r->pc - 1 : r->pc;
    bool is_vm = map != NULL && pc >= map->vm_lo && pc < map->vm_hi;

    *f = (struct frame){.pc = pc, .bci = -1, .kind = is_vm ? FRAME_VM : FRAME_C};
}

static int walk(struct native_walk *w, const struct libs_map *map, struct frame *frames, int room,
                enum walk_reason *reason)
{
    struct cfi_env env = {map, w->code_lo, w->code_hi, w->copy, w->counts};
    int n = 0;

    *reason = WALK_END;
    w->stop = NATIVE_STOP_NONE;

    for (int steps = 0; steps < STEPS_MAX; steps++) {
        enum cfi_step step;

        if (is_generated(w))
            w->stop = NATIVE_STOP_CODE;
        else if (w->stack_hi != 0 && w->regs.sp >= w->stack_hi)
            w->stop = NATIVE_STOP_SP;
        if (w->stop != NATIVE_STOP_NONE)
            return n;
        if (n == room) {
            *reason = WALK_TRUNCATED;
            return n;
        }
        note_frame(&frames[n++], map, &w->regs);
        step = cfi_step(&env, &w->regs);
        if (step != CFI_STEPPED) {
            *reason = reason_of(step);
            return n;
        }
    }
    *reason = WALK_LIMIT;
    return n;
}

/* Walks from w->regs. At WALK_END without a stop, the last frame is the thread's first function. */
static int native_walk_from(struct native_walk *w, struct frame *frames, int room,
                            enum walk_reason *reason)
{
    int n = walk(w, libs_enter(), frames, room, reason);

    libs_leave();
    return n;
}

int native_walk(const void *ucontext, struct native_walk *w, struct frame *frames, int room,
                enum walk_reason *reason)
{
    struct native_walk plain = {.code_lo = 0};

    if (w == NULL)
        w = &plain;
    cfi_start(&w->regs, ucontext);
    return native_walk_from(w, frames, room, reason);
}
