/*
 * walk_aarch64.c - frames of Java code on aarch64: registers, return addresses, entries of methods,
 * stubs.
 *
 * vm_walker.c calls it, in signal handlers too. aarch64_test.sh compares its stacks with those of
 * JVMTI in a JVM under qemu.
 */
#include "recorder/vm/walk_cpu.h"

#if defined(__aarch64__)

#include <ucontext.h>

enum {
    WORD = sizeof(uintptr_t),
    INSN = 4,
    PROLOGUE_MAX = 128, /* bytes from the entry to the complete frame */
    ENTER_MAX = 512, /* bytes of enterSpecial that are searched */
    EPILOGUE_MAX = 4, /* instructions between the frame's end and ret */
    SCAN_WORDS = 40,
    MAX_STUB_FRAME = 64 << 10,
    FP = 29,
    LR = 30,
    RBCP = 22,
    RMETHOD = 12,
    RSENDER = 19
};

void vm_cpu_registers(const void *ucontext, struct vm_registers *r)
{
    const mcontext_t *m = &((const ucontext_t *)ucontext)->uc_mcontext;

    *r = (struct vm_registers){
        .pc = m->pc,
        .sp = m->sp,
        .fp = m->regs[FP],
        .method = m->regs[RMETHOD],
        .bcp = m->regs[RBCP],
        .sender_sp = m->regs[RSENDER],
        .link = m->regs[LR],
        .base = m->regs[RSENDER],
        .all = (uintptr_t)m,
    };
}

/* xpaclri, which processors without pointer authentication take for a hint. */
uintptr_t vm_cpu_strip(uintptr_t pc)
{
    register uintptr_t lr __asm__("x30") = pc;

    __asm__("hint #7" : "+r"(lr));
    return lr;
}

static uint32_t insn_at(uintptr_t pc)
{
    uint32_t insn = 0;

    safe_load32(pc, &insn);
    return insn;
}

static bool is_ret(uint32_t i)
{
    return i == 0xd65f03c0;
}

static bool is_sub_sp(uint32_t i) /* sub sp, sp, #n */
{
    return (i & 0xff8003ff) == 0xd10003ff;
}

static bool is_add_sp(uint32_t i) /* add sp, sp, #n */
{
    return (i & 0xff8003ff) == 0x910003ff;
}

static bool is_store_pair(uint32_t i) /* stp x29, x30, [sp, #-n]! */
{
    return (i & 0xffc07fff) == 0xa9807bfd;
}

static bool is_load_pair(uint32_t i) /* ldp x29, x30, [sp, #n] or [sp], #n */
{
    return (i & 0xffc07fff) == 0xa9407bfd || (i & 0xffc07fff) == 0xa8c07bfd;
}

static bool is_return(const struct vm_walk *w, uintptr_t pc)
{
    const struct vm *vm = &w->walker->vm;
    uint32_t call;

    pc = vm_cpu_strip(pc);
    if (!vm_is_code(vm, pc))
        return false;
    if (vm_is_interpreter(vm, pc))
        return true;
    call = insn_at(pc - INSN);
    return (call >> 26 == 0x25 || (call & 0xfffffc1f) == 0xd63f0000) && vm_code_returns(vm, pc);
}

static bool stack_returns(const struct vm_walk *w, uintptr_t at)
{
    uintptr_t pc;

    return vm_stack_word(w, at, &pc) && is_return(w, pc);
}

/* The frame is not there (any more): the return address is in the link register. */
static bool leave_bare(struct vm_walk *w, uintptr_t sp)
{
    return w->r.link != 0 && vm_move(w, w->r.link, sp, w->r.fp);
}

static bool leave_complete(struct vm_walk *w, int32_t frame_words)
{
    uintptr_t sp = w->r.sp + (uintptr_t)frame_words * WORD, fp, pc;

    return frame_words >= 2 && vm_stack_word(w, sp - WORD, &pc) &&
           vm_stack_word(w, sp - 2 * WORD, &fp) && vm_move(w, pc, sp, fp);
}

static bool leave_by_fp(struct vm_walk *w)
{
    uintptr_t fp, pc;

    return w->r.fp >= w->r.sp && vm_stack_word(w, w->r.fp, &fp) &&
           vm_stack_word(w, w->r.fp + WORD, &pc) && vm_move(w, pc, w->r.fp + 2 * WORD, fp);
}

/* sub sp, sp, #n; stp x29, x30, [sp, #n - 16] or, in wrappers, stp x29, x30, [sp, #-16]! */
static bool leave_prologue(struct vm_walk *w, const struct code_blob *b, uintptr_t entry)
{
    uintptr_t pc = w->r.pc;

    if (pc <= entry)
        return leave_bare(w, w->r.sp);
    if (pc - entry > PROLOGUE_MAX)
        return leave_complete(w, b->frame_words);
    for (uintptr_t at = entry; at < pc; at += INSN) {
        if (is_sub_sp(insn_at(at)))
            return pc == at + INSN ? leave_bare(w, w->r.sp + (uintptr_t)b->frame_words * WORD)
                                   : leave_complete(w, b->frame_words);
        if (is_store_pair(insn_at(at)))
            return leave_complete(w, 2);
    }
    return leave_bare(w, w->r.sp);
}

/* 0: the whole frame is there; 1: its pair is loaded, sp is still low; 2: it is gone. */
static int frame_taken_down(uintptr_t pc)
{
    if (is_ret(insn_at(pc)))
        return 2;
    if (is_load_pair(insn_at(pc - INSN)))
        return is_add_sp(insn_at(pc)) ? 1 : 2;
    for (uintptr_t i = 1; i <= EPILOGUE_MAX; i++)
        if (is_add_sp(insn_at(pc - i * INSN)) && is_load_pair(insn_at(pc - (i + 1) * INSN)))
            return 2;
    return 0;
}

bool vm_cpu_has_plain_frame(const struct code_blob *b, uintptr_t pc)
{
    return b->frame_words >= 2 && b->kind == CODE_NMETHOD && b->frame_complete >= 0 &&
           pc >= b->code_begin + (uintptr_t)b->frame_complete && frame_taken_down(pc) == 0;
}

/* sp is aligned all the time: the size alone leads out. */
bool vm_cpu_has_stub_frame(const struct vm_walk *w, const struct code_blob *b)
{
    (void)w;
    (void)b;
    return false;
}

uint32_t vm_cpu_words_above(const struct vm_walk *w, uint32_t frame_words)
{
    (void)w;
    (void)frame_words;
    return 0;
}

bool vm_cpu_is_call_stub(uintptr_t pc)
{
    (void)pc;
    return false;
}

uint32_t vm_cpu_words_pushed(uintptr_t pc, uint32_t frame_words)
{
    (void)pc;
    (void)frame_words;
    return 0;
}

/* It links the entry, at [sp], to the one before it: ldr x8, [x28, #slot]; str x8, [sp, #8]; mov
 * x8, sp; str x8, [x28, #slot]. */
int32_t vm_cont_entry_slot(const struct code_blob *enter_special)
{
    uintptr_t end = enter_special->code_begin + ENTER_MAX;

    for (uintptr_t at = enter_special->code_begin; at < end; at += INSN) {
        uint32_t load = insn_at(at), store = insn_at(at + 3 * INSN);

        if ((load & 0xffc003ff) == 0xf9400388 && insn_at(at + INSN) == 0xf90007e8 &&
            insn_at(at + 2 * INSN) == 0x910003e8 && store == (load ^ 0x00400000))
            return (int32_t)(load >> 10 & 0xfff) * WORD;
    }
    return -1;
}

bool vm_cpu_leave_compiled(struct vm_walk *w, const struct code_blob *b,
                           const struct code_method *m)
{
    if (b->frame_words < 2)
        return leave_bare(w, w->r.sp);
    if (b->frame_complete < 0 || w->r.pc < b->code_begin + (uintptr_t)b->frame_complete)
        return leave_prologue(w, b, m->verified_entry);
    switch (frame_taken_down(w->r.pc)) {
    case 2:
        return leave_bare(w, w->r.sp);
    case 1:
        return leave_bare(w, w->r.sp + (uintptr_t)b->frame_words * WORD);
    default:
        return leave_complete(w, b->frame_words);
    }
}

/* Leaf stubs leave the return address in the link register; others push the pair first. */
bool vm_cpu_leave_stub(struct vm_walk *w, const struct code_blob *b, uintptr_t stub_start)
{
    uintptr_t fp = w->r.fp;

    if (w->is_top && (w->r.pc == stub_start || is_ret(insn_at(w->r.pc))) && is_return(w, w->r.link))
        return leave_bare(w, w->r.sp);
    if (b->frame_words >= 2 && b->kind == CODE_STUB &&
        stack_returns(w, w->r.sp + ((uintptr_t)b->frame_words - 1) * WORD))
        return leave_complete(w, b->frame_words);
    if (is_store_pair(insn_at(stub_start)) && fp >= w->r.sp && fp - w->r.sp < MAX_STUB_FRAME &&
        stack_returns(w, fp + WORD))
        return leave_by_fp(w);
    if (w->is_top && is_return(w, w->r.link))
        return leave_bare(w, w->r.sp);
    for (uintptr_t i = 1; i < SCAN_WORDS; i++)
        if (stack_returns(w, w->r.sp + i * WORD)) {
            uintptr_t pc, at = w->r.sp + i * WORD;

            return vm_stack_word(w, at, &pc) && vm_stack_word(w, at - WORD, &fp) &&
                   vm_move(w, pc, at + WORD, fp);
        }
    return false;
}

bool vm_cpu_leave_interpreter_entry(struct vm_walk *w)
{
    uintptr_t sp = w->r.sp, fp = w->r.fp, sender = w->r.sender_sp, pc = w->r.link, caller_fp = fp;

    if (fp >= sp && fp - sp <= 16 * WORD && stack_returns(w, fp + WORD)) {
        if (!vm_stack_word(w, fp + WORD, &pc) || !vm_stack_word(w, fp, &caller_fp) ||
            (sp <= fp - WORD && !vm_stack_word(w, fp - WORD, &sender)))
            return false;
    } else if (!is_return(w, pc)) {
        return false;
    }
    return vm_on_stack(w, sender) && vm_move(w, pc, sender, caller_fp);
}

bool vm_cpu_leave_interpreter_exit(struct vm_walk *w)
{
    return is_return(w, w->r.link) && leave_bare(w, w->r.sp);
}

#endif
