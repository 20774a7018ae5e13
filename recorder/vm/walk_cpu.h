/*
 * walk_cpu.h - the part of walking that knows the processor; one file each implements it.
 *
 * All functions move w->r to the caller and return true, or leave it unchanged and return false if
 * the frame has an unknown form. Async-signal-safe.
 */
#ifndef RECORDER_VM_WALK_CPU_H
#define RECORDER_VM_WALK_CPU_H

#include "recorder/vm/walk_state.h"

/* Takes what a walk needs out of a ucontext. */
void vm_cpu_registers(const void *ucontext, struct vm_registers *r);

/* Out of a compiled method that was interrupted anywhere: before its frame is built, in it, or
 * while it is taken down. */
bool vm_cpu_leave_compiled(struct vm_walk *w, const struct code_blob *b,
                           const struct code_method *m);

/* Whether an interrupted method has its whole frame, so that its size alone leads to the caller. */
bool vm_cpu_has_plain_frame(const struct code_blob *b, uintptr_t pc);

/* Whether pc, in a compiled method, is in the code through which calls reach the interpreter: the
 * return address is on top of the stack then. */
bool vm_cpu_is_call_stub(uintptr_t pc);

/* Whether a stub has its whole frame and fp leads out of it. */
bool vm_cpu_has_stub_frame(const struct vm_walk *w, const struct code_blob *b);

/* Out of generated code without a method, interrupted (is_top) or calling. */
bool vm_cpu_leave_stub(struct vm_walk *w, const struct code_blob *b, uintptr_t stub_start);

/* Out of the interpreter while it builds the frame of w->r.method. */
bool vm_cpu_leave_interpreter_entry(struct vm_walk *w);

/* How many words an interrupted method has pushed above its frame, where the return address is not
 * in the place that its frame's size tells. */
uint32_t vm_cpu_words_above(const struct vm_walk *w, uint32_t frame_words);

/* How many words lie on the stack as arguments of the call that returns to pc, in compiled code,
 * and are not part of its frame, which has frame_words. Only calls that no record describes have
 * such. */
uint32_t vm_cpu_words_pushed(uintptr_t pc, uint32_t frame_words);

/* The same when it has taken the frame down. */
bool vm_cpu_leave_interpreter_exit(struct vm_walk *w);

/* An address without what the processor has added to sign it. */
uintptr_t vm_cpu_strip(uintptr_t pc);

/* Helpers of all of them. */

static inline bool vm_on_stack(const struct vm_walk *w, uintptr_t address)
{
    return address >= w->stack_low && address < w->stack_high && (address & 7) == 0;
}

static inline bool vm_stack_word(const struct vm_walk *w, uintptr_t address, uintptr_t *word)
{
    if (!vm_on_stack(w, address))
        return false;
    return w->copy != NULL ? cfi_copy_word(w->copy, address, word)
                           : safe_load_pointer(address, word);
}

/* Moves to a caller. False, and nothing moves, if the place cannot be right. */
static inline bool vm_move(struct vm_walk *w, uintptr_t pc, uintptr_t sp, uintptr_t fp)
{
    if (sp < w->r.sp || sp > w->stack_high || (sp & 7) != 0)
        return false;
    w->r = (struct vm_registers){.pc = vm_cpu_strip(pc), .sp = sp, .fp = fp};
    w->is_top = false;
    return true;
}

#endif
