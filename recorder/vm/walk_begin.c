/* Where walks begin: at registers, at a signal, at the youngest Java frame of a thread. */
#include "recorder/vm/walk_cpu.h"
#include "recorder/vm/walk_internal.h"

#include <string.h>

static void begin(struct vm_walk *w, struct vm_walker *walker, uintptr_t thread, unsigned flags)
{
    const struct vm_layout *l = &walker->vm.l;
    uint64_t size;

    w->walker = walker;
    w->thread = w->started_thread = thread;
    w->started_at_top = false;
    w->flags = flags;
    w->reason = WALK_END;
    w->is_done = w->is_top = w->seen_java = w->is_at_boundary = w->is_unpacking = false;
    w->anchor_sp = w->anchor_pc = w->anchor_fp = 0;
    w->steps = w->at = 0;
    w->scope = 0;
    w->found.n = 0;
    memset(&w->chunk, 0, sizeof w->chunk);
    w->stack_low = w->stack_high = 0;
    w->copy = NULL;
    if (thread != 0 && vm_load_ptr(thread, l->thread.stack_base, &w->stack_high) &&
        vm_load(thread, l->thread.stack_size, &size) && size <= w->stack_high)
        w->stack_low = w->stack_high - size;
}

/* Whether the thread has Java frames below what it does now. */
static void note_thread(struct vm_walk *w)
{
    const struct vm_layout *l = &w->walker->vm.l;
    int32_t state;

    if (w->thread == 0)
        return;
    if (!vm_load_int(w->thread, l->thread.state, &state) ||
        !vm_walk_load_anchor(w, w->thread + (uintptr_t)l->thread.anchor.at))
        vm_walk_end(w, WALK_FAULT);
    else if (state < 4 || state > 12)
        w->thread = 0; /* not yet, or no longer, with Java frames */
}

void vm_walk_registers(struct vm_walk *w, struct vm_walker *walker, uintptr_t thread,
                       const struct vm_registers *registers, bool is_top, unsigned flags)
{
    begin(w, walker, thread, flags);
    w->start = w->r = *registers;
    w->is_top = w->started_at_top = is_top;
    if (w->stack_high == 0 || w->r.sp < w->stack_low || w->r.sp >= w->stack_high) {
        /* A thread that the VM does not know, or that runs on another stack. */
        w->stack_low = w->r.sp;
        w->stack_high = w->r.sp + ((uintptr_t)64 << 20);
    }
    /* Java frames are below C code, wherever that was entered. */
    if (is_top || !vm_is_code(&walker->vm, w->r.pc))
        note_thread(w);
}

void vm_walk_context(struct vm_walk *w, struct vm_walker *walker, uintptr_t thread,
                     const void *ucontext, unsigned flags)
{
    struct vm_registers r;

    vm_cpu_registers(ucontext, &r);
    vm_walk_registers(w, walker, thread, &r, true, flags);
}

void vm_walk_anchor(struct vm_walk *w, struct vm_walker *walker, uintptr_t thread, unsigned flags)
{
    begin(w, walker, thread, flags);
    memset(&w->r, 0, sizeof w->r);
    w->r.sp = w->stack_low;
    if (!vm_walk_load_anchor(w, thread + (uintptr_t)walker->vm.l.thread.anchor.at))
        vm_walk_end(w, WALK_FAULT);
    else if (w->anchor_sp == 0)
        vm_walk_end(w, WALK_NO_JAVA);
    else
        vm_walk_to_anchor(w);
    w->start = w->r;
}

void vm_walk_rewind(struct vm_walk *w)
{
    struct vm_registers r = w->start;

    vm_walk_registers(w, w->walker, w->started_thread, &r, w->started_at_top, w->flags);
}
