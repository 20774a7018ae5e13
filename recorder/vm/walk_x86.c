/*
 * walk_x86.c - frames of Java code on x86-64: registers, return addresses, entries of methods.
 *
 * walk.c decides by the kind of code which of these functions leaves a frame. A signal may
 * interrupt a method anywhere: before its frame is built, while it is taken down, in a stub.
 * Compilers record frame sizes only for the middle, so the instructions around pc are compared with
 * the few sequences that HotSpot emits for entries and exits.
 *
 *     entry:  sub rsp, n | push rbp; mov rbp, rsp; sub rsp, n       leave_prologue()
 *     body:   frame of the size that the code blob records          leave_complete()
 *     exit:   add rsp, n; pop rbp; (poll) ret                       is_past_frame()
 */
#include "recorder/vm/walk_cpu.h"

#if defined(__x86_64__)

#include <string.h>
#include <ucontext.h>

enum {
    WORD = sizeof(uintptr_t),
    PUSH_RDX = 0x52,
    PUSH_RBX = 0x53,
    PUSH_RBP = 0x55,
    POP_RBP = 0x5d,
    RET = 0xc3,
    LEAVE = 0xc9,
    PROLOGUE_MAX = 128, /* bytes from the entry to the complete frame */
    SCAN_WORDS = 40,
    PUSHED_MAX = 96, /* words */
    MAX_RESTORED = 64, /* registers */
    MAX_STUB_FRAME = 64 << 10
};

void vm_cpu_registers(const void *ucontext, struct vm_registers *r)
{
    const greg_t *g = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;

    *r = (struct vm_registers){
        .pc = (uintptr_t)g[REG_RIP],
        .sp = (uintptr_t)g[REG_RSP],
        .fp = (uintptr_t)g[REG_RBP],
        .method = (uintptr_t)g[REG_RBX],
        .bcp = (uintptr_t)g[REG_R13],
        .sender_sp = (uintptr_t)g[REG_R13],
        .link = (uintptr_t)g[REG_RAX],
        .base = (uintptr_t)g[REG_RBX],
        .all = (uintptr_t)g,
    };
}

uintptr_t vm_cpu_strip(uintptr_t pc)
{
    return pc;
}

/* The return address lies at sp[words], the caller's fp is `fp`. */
static bool leave_with(struct vm_walk *w, unsigned words, uintptr_t fp)
{
    uintptr_t at = w->r.sp + words * WORD, pc;

    return vm_stack_word(w, at, &pc) && vm_move(w, pc, at + WORD, fp);
}

/* Nothing of the frame is on the stack but the return address. */
static bool leave_bare(struct vm_walk *w)
{
    return leave_with(w, 0, w->r.fp);
}

/* On top of the stack lies the saved fp, after it the return address. */
static bool leave_pushed(struct vm_walk *w)
{
    uintptr_t fp;

    return vm_stack_word(w, w->r.sp, &fp) && leave_with(w, 1, fp);
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

/* Whether the instruction before pc is a call, and pc belongs to Java code. */
static bool is_return(const struct vm_walk *w, uintptr_t pc)
{
    const struct vm *vm = &w->walker->vm;
    uint8_t c[7];

    if (!vm_is_code(vm, pc) || safe_copy(c, pc - sizeof c, sizeof c) != sizeof c)
        return false;
    if (vm_is_interpreter(vm, pc)) /* it jumps to methods and gives them a return address */
        return true;
    if (c[2] != 0xe8 && !(c[5] == 0xff && (c[6] & 0xf8) == 0xd0) && /* call rel32, call reg */
        !(c[4] == 0xff && (c[5] & 0x38) == 0x10) && !(c[3] == 0xff && (c[4] & 0x38) == 0x10) &&
        !(c[1] == 0xff && (c[2] & 0x38) == 0x10) && !(c[0] == 0xff && (c[1] & 0x38) == 0x10))
        return false;
    return vm_code_returns(vm, pc);
}

static bool stack_returns(const struct vm_walk *w, uintptr_t at)
{
    uintptr_t pc;

    return vm_stack_word(w, at, &pc) && is_return(w, pc);
}

static bool is_sub_rsp(const uint8_t *c)
{
    return c[0] == 0x48 && (c[1] == 0x81 || c[1] == 0x83) && c[2] == 0xec;
}

static bool is_mov_rbp_rsp(const uint8_t *c)
{
    return c[0] == 0x48 && ((c[1] == 0x8b && c[2] == 0xec) || (c[1] == 0x89 && c[2] == 0xe5));
}

/* Between the entry and the complete frame: as far as the instructions that build it have run. */
static bool leave_prologue(struct vm_walk *w, const struct code_blob *b, uintptr_t entry)
{
    uint8_t code[PROLOGUE_MAX + 8];
    uintptr_t pc = w->r.pc;
    size_t done, n, i;

    if (pc <= entry || pc - entry > PROLOGUE_MAX)
        return pc <= entry ? leave_bare(w) : leave_complete(w, b->frame_words);
    done = pc - entry;
    n = safe_copy(code, entry, done + 8);
    memset(code + n, 0, sizeof code - n);
    for (i = 0; i < done; i++)
        if ((code[i] == PUSH_RBP && (is_sub_rsp(code + i + 1) || is_mov_rbp_rsp(code + i + 1))) ||
            is_sub_rsp(code + i))
            break;
    if (i == done)
        return leave_bare(w);
    if (code[i] == PUSH_RBP) {
        i += is_mov_rbp_rsp(code + i + 1) ? 4 : 1;
        return i < done && is_sub_rsp(code + i) ? leave_complete(w, b->frame_words)
                                                : leave_pushed(w);
    }
    /* The old fp is stored after sp has moved, and still in the register. */
    return leave_with(w, (unsigned)b->frame_words - 1, w->r.fp);
}

/* Whether sp already points at the return address: in the poll between "pop rbp" and "ret", or in
 * its slow path. */
static bool is_past_frame(const uint8_t *c /* 8 before pc, 16 from pc on */)
{
    const uint8_t *pc = c + 8;

    return pc[0] == RET ||
           /* cmp rsp, [r15 + n] */
           (pc[0] == 0x49 && pc[1] == 0x3b && (pc[2] == 0x67 || pc[2] == 0xa7) &&
            pc[-1] == POP_RBP) ||
           (pc[0] == 0x0f && pc[1] == 0x87 && pc[6] == RET) || /* ja slow; ret */
           /* JDK 8 and 11: mov r10, [r15 + n]; test [r10], eax; or test [rip + n], eax */
           (pc[0] == 0x4d && pc[1] == 0x8b && pc[-1] == POP_RBP) ||
           (pc[0] == 0x41 && pc[1] == 0x85 && pc[2] == 0x02 && pc[3] == RET) ||
           (pc[0] == 0x85 && pc[1] == 0x05 && pc[6] == RET) ||
           /* slow: lea r10, [rip + n]; mov [r15 + n], r10; jmp */
           (pc[0] == 0x4c && pc[1] == 0x8d && pc[2] == 0x15 && pc[7] == 0x4d && pc[8] == 0x89 &&
            pc[9] == 0x97) ||
           (pc[0] == 0x4d && pc[1] == 0x89 && pc[2] == 0x97 && pc[-7] == 0x4c && pc[-6] == 0x8d &&
            pc[-5] == 0x15) ||
           (pc[0] == 0xe9 && pc[-7] == 0x4d && pc[-6] == 0x89 && pc[-5] == 0x97);
}

/* Calls whose target is not compiled go through a few instructions after the method: they are part
 * of the call, not of the frame. mov rbx, Method*; jmp */
bool vm_cpu_is_call_stub(uintptr_t pc)
{
    uint8_t c[22] = {0};
    const uint8_t *at = c + 10;

    return safe_copy(c, pc - 10, sizeof c) == sizeof c &&
           ((at[0] == 0x48 && at[1] == 0xbb && at[10] == 0xe9) ||
            (at[0] == 0xe9 && at[-10] == 0x48 && at[-9] == 0xbb));
}

/* Stubs with a large frame align sp for the VM that they call, which moves it by a word or not. */
bool vm_cpu_has_stub_frame(const struct vm_walk *w, const struct code_blob *b)
{
    uintptr_t saved_fp = w->r.sp + ((uintptr_t)b->frame_words - 2) * WORD, pc;

    return b->frame_words > 2 && b->kind == CODE_STUB &&
           (w->r.fp == saved_fp || w->r.fp == saved_fp + WORD) &&
           vm_stack_word(w, w->r.fp + WORD, &pc) && vm_code_returns(&w->walker->vm, pc);
}

/* Of a shape that is not known: what looks like a return address to Java code is taken for one.
 * Only a stub that has set up fp may be left by it: else it is the caller's. */
static bool leave_any_stub(struct vm_walk *w, const struct code_blob *b, bool has_fp)
{
    uintptr_t fp = w->r.fp, sp = w->r.sp, pc;

    if (vm_cpu_has_stub_frame(w, b))
        return leave_by_fp(w);
    /* What C code of the VM calls has no frame. */
    if (w->is_top && !has_fp && vm_stack_word(w, sp, &pc) && pc >= w->walker->vm.library_low &&
        pc < w->walker->vm.library_high)
        return leave_bare(w);
    if (b->frame_words >= 2 && b->kind == CODE_STUB &&
        stack_returns(w, sp + ((uintptr_t)b->frame_words - 1) * WORD))
        return leave_complete(w, b->frame_words);
    if (has_fp && fp >= sp && fp - sp < MAX_STUB_FRAME && stack_returns(w, fp + WORD))
        return leave_by_fp(w);
    for (unsigned i = 0; i < SCAN_WORDS; i++)
        if (stack_returns(w, sp + i * WORD))
            return leave_with(w, i, fp);
    if (!has_fp && fp - sp < MAX_STUB_FRAME && stack_returns(w, fp + WORD))
        return leave_by_fp(w);
    /* A method that throws continues at a handler, before which there is no call. */
    return fp - sp < MAX_STUB_FRAME && vm_stack_word(w, fp + WORD, &pc) &&
           vm_code_returns(&w->walker->vm, pc) && leave_by_fp(w);
}

bool vm_cpu_has_plain_frame(const struct code_blob *b, uintptr_t pc)
{
    uint8_t code[24] = {0};

    if (b->frame_words < 2 || b->kind != CODE_NMETHOD || b->frame_complete < 0 ||
        pc < b->code_begin + (uintptr_t)b->frame_complete)
        return false;
    safe_copy(code, pc - 8, sizeof code);
    return !is_past_frame(code) && code[8] != POP_RBP;
}

/* Arguments of C1's type checks, or registers that C2 saves around a call of the collector. */
uint32_t vm_cpu_words_above(const struct vm_walk *w, uint32_t frame_words)
{
    for (uint32_t n = 1; n < PUSHED_MAX; n++)
        if (stack_returns(w, w->r.sp + (frame_words + n - 1) * WORD))
            return n;
    return 0;
}

bool vm_cpu_leave_compiled(struct vm_walk *w, const struct code_blob *b,
                           const struct code_method *m)
{
    uint8_t code[24] = {0};

    if (b->frame_words < 2) /* a method handle's routine: it has none, but may push */
        return leave_any_stub(w, b, false);
    if (b->frame_complete < 0 || w->r.pc < b->code_begin + (uintptr_t)b->frame_complete)
        return leave_prologue(w, b, m->verified_entry);
    safe_copy(code, w->r.pc - 8, sizeof code);
    if (is_past_frame(code))
        return leave_bare(w);
    if (code[8] == POP_RBP)
        return leave_pushed(w);
    /* Native wrappers keep fp until "leave", and look for exceptions between that and "ret". */
    if (b->kind == CODE_NATIVE && w->r.fp != w->r.sp + ((uintptr_t)b->frame_words - 2) * WORD &&
        stack_returns(w, w->r.sp))
        return leave_bare(w);
    return leave_complete(w, b->frame_words);
}

/* Stubs that begin with push rbp; mov rbp, rsp keep the frame until "pop rbp" or "leave". */
static bool leave_framed_stub(struct vm_walk *w, uintptr_t start)
{
    uint8_t c = 0;

    if (w->is_top)
        safe_load8(w->r.pc, &c);
    if (w->r.pc == start || c == RET)
        return leave_bare(w);
    if (w->r.pc == start + 1 || c == POP_RBP)
        return leave_pushed(w);
    return leave_by_fp(w);
}

/* The entry barrier of methods pushes a word for its own use before it pushes rbp. */
static bool leave_entry_barrier(struct vm_walk *w, uintptr_t push_rbp)
{
    uintptr_t fp = w->r.fp, pc;

    if (stack_returns(w, w->r.sp)) /* at its first instruction or its last */
        return leave_bare(w);
    if (w->is_top && w->r.pc == push_rbp)
        return leave_with(w, 1, fp);
    if (w->is_top && w->r.pc == push_rbp + 1)
        return vm_stack_word(w, w->r.sp, &fp) && leave_with(w, 2, fp);
    return fp >= w->r.sp && vm_stack_word(w, fp + 2 * WORD, &pc) &&
           vm_stack_word(w, fp, &w->r.link) && vm_move(w, pc, fp + 3 * WORD, w->r.link);
}

static bool is_at(const struct vm_walk *w, const char *code, size_t n)
{
    uint8_t c[8];

    return safe_copy(c, w->r.pc, n) == n && memcmp(c, code, n) == 0;
}

/* On the way to the interpreter the VM is called to repair the call. All registers are saved, with
 * r13 the third of them from below, and it tells where the return address lies. Below them is the
 * state of the floating-point unit, whose size is in the code that takes it off the stack. */
static bool leave_repair(struct vm_walk *w)
{
    uintptr_t sp = w->r.sp, at;
    uint8_t c[24] = {0};
    uint32_t size = 0;

    safe_copy(c, w->r.pc, sizeof c);
    for (size_t i = 0; i + 7 <= sizeof c && size == 0; i++)
        if (c[i] == 0x48 && c[i + 1] == 0x81 && c[i + 2] == 0xc4) /* add rsp, imm32 */
            memcpy(&size, c + i + 3, sizeof size);
    if (w->is_top || !vm_stack_word(w, sp + size + 2 * WORD, &at) || at < sp ||
        !stack_returns(w, at))
        return false;
    return leave_with(w, (unsigned)((at - sp) / WORD), w->r.fp);
}

/* On the way to the interpreter the return address is taken off the stack into rax, the sp then put
 * into r13, room made for arguments and the return address put on top again. */
static bool leave_adapter(struct vm_walk *w)
{
    uintptr_t sp = w->r.sp, sender = w->r.sender_sp, link = w->r.link, pc, top;

    if (!w->is_top || !is_return(w, link) || !vm_stack_word(w, sp, &top))
        return stack_returns(w, sp) ? leave_bare(w) : leave_repair(w);
    if (!vm_on_stack(w, sender) || sender < sp || is_at(w, "\x4c\x8b\xec", 3)) /* mov r13, rsp */
        sender = sp;
    if (top == link)
        return vm_move(w, link, sender > sp ? sender : sp + WORD, w->r.fp);
    if (stack_returns(w, sp))
        return leave_bare(w);
    if (vm_stack_word(w, sender, &pc) && pc == link) /* r13 serves the repair yet */
        sender += WORD;
    return vm_move(w, link, sender, w->r.fp);
}

/* Bytes of an instruction that moves a register, or fills one from the stack; 0: it is another. */
static size_t restore_size(const uint8_t *c)
{
    size_t n = 0;
    bool is_evex = c[0] == 0x62;

    if (c[0] == 0xc5 && c[1] == 0xf8 && c[2] == 0x77) /* vzeroupper */
        return 3;
    if (is_evex && (c[4] == 0x6f || c[4] == 0x10))
        n = 5;
    else if (c[0] == 0xc5 && (c[2] == 0x6f || c[2] == 0x10 || c[2] == 0x90))
        n = 3;
    else if (c[0] == 0xc4 && (c[3] == 0x6f || c[3] == 0x10 || c[3] == 0x90))
        n = 4;
    else if ((c[0] & 0xf0) == 0x40 && (c[1] == 0x8b || c[1] == 0x89))
        n = 2;
    else if (c[0] == 0x8b || c[0] == 0x89)
        n = 1;
    else
        return 0;
    if (c[n] >> 6 == 3)
        return n + 1;
    if ((c[n] & 7) != 4 || c[n + 1] != 0x24) /* not [rsp + ...] */
        return 0;
    return n + 2 + (c[n] >> 6 == 1 ? 1 : c[n] >> 6 == 2 ? 4 : 0);
}

/* How many words an "add rsp, bytes" takes off the stack that were pushed for the call. `next` is
 * the first byte of the instruction after it. A method that ends after the call removes its own
 * frame this way: then no word was pushed. */
static uint32_t words_added(uint32_t bytes, uint8_t next, uint32_t frame_words)
{
    if (bytes >= MAX_STUB_FRAME || (next == POP_RBP && bytes / WORD + 2 == frame_words))
        return 0;
    return bytes / WORD;
}

/* C1 pushes the arguments of its type checks and pops them after the call. C2 saves registers below
 * its frame before it calls the collector for a reference, and loads them again after the call. */
uint32_t vm_cpu_words_pushed(uintptr_t pc, uint32_t frame_words)
{
    uint8_t c[16];
    uint32_t n = 0, bytes;
    size_t size;

    for (int i = 0; i < MAX_RESTORED; i++) {
        memset(c, 0, sizeof c);
        if (safe_copy(c, pc, sizeof c) < 8)
            break;
        if ((c[c[0] == 0x41] & 0xf8) == 0x58) { /* pop */
            n++;
            size = 1 + (c[0] == 0x41);
        } else if (c[0] == 0x48 && c[1] == 0x83 && c[2] == 0xc4) { /* add rsp, imm8 */
            return n + words_added(c[3], c[4], frame_words);
        } else if (c[0] == 0x48 && c[1] == 0x81 && c[2] == 0xc4) { /* add rsp, imm32 */
            memcpy(&bytes, c + 3, sizeof bytes);
            return n + words_added(bytes, c[7], frame_words);
        } else if ((size = restore_size(c)) == 0) {
            break;
        }
        pc += size;
    }
    return n;
}

/* It links the entry, at [rsp], to the one before it: mov rax, [r15 + slot]; mov [rsp + 8], rax;
 * and a bit later mov [r15 + slot], rsp. */
int32_t vm_cont_entry_slot(const struct code_blob *enter_special)
{
    static const uint8_t load[] = {0x49, 0x8b, 0x87}, link[] = {0x48, 0x89, 0x44, 0x24, 0x08},
                         store[] = {0x49, 0x89, 0xa7};
    uint8_t c[512] = {0};
    size_t n = safe_copy(c, enter_special->code_begin, sizeof c);
    int32_t slot;

    for (size_t i = 0; i + 12 <= n; i++) {
        if (memcmp(c + i, load, 3) != 0 || memcmp(c + i + 7, link, 5) != 0)
            continue;
        for (size_t k = i + 12; k + 7 <= n && k < i + 80; k++)
            if (memcmp(c + k, store, 3) == 0 && memcmp(c + k + 3, c + i + 3, 4) == 0) {
                memcpy(&slot, c + k + 3, sizeof slot);
                return slot > 0 && slot < 1 << 16 ? slot : -1;
            }
    }
    return -1;
}

/* A loop polls for a safepoint by reading a page, which the VM protects to stop the thread. The
 * thread then continues in a blob that makes room for the return address, builds a frame, and only
 * then stores the address there. */
static bool is_safepoint_blob(const uint8_t *c)
{
    return c[0] == PUSH_RBX && c[1] == PUSH_RBP && is_mov_rbp_rsp(c + 2);
}

static bool leave_safepoint_blob(struct vm_walk *w, uintptr_t start)
{
    uintptr_t fp = w->r.fp, sp = w->r.sp, pc;

    if (w->r.pc >= start + 5) {
        sp = fp + 2 * WORD;
        if (fp < w->r.sp || !vm_stack_word(w, fp, &fp))
            return false;
    } else if (w->r.pc == start + 2) {
        if (!vm_stack_word(w, sp, &fp))
            return false;
        sp += 2 * WORD;
    } else if (w->r.pc == start + 1) {
        sp += WORD;
    }
    return vm_load_ptr(w->thread, w->walker->vm.l.thread.exception_pc, &pc) &&
           vm_code_returns(&w->walker->vm, pc) && vm_move(w, pc, sp, fp);
}

/* Compiled code jumps to the exception blob, with the address where it was in rdx, which the blob
 * pushes to have the frame of one that was called. */
static bool leave_exception_blob(struct vm_walk *w, uintptr_t start)
{
    const greg_t *g = (const greg_t *)w->r.all;
    uintptr_t pc = g != NULL ? (uintptr_t)g[REG_RDX] : 0;

    if (w->r.pc > start + 4 && stack_returns(w, w->r.sp + WORD))
        return leave_pushed(w);
    if (w->r.pc > start && stack_returns(w, w->r.sp))
        return leave_bare(w);
    return vm_code_returns(&w->walker->vm, pc) && vm_move(w, pc, w->r.sp, w->r.fp);
}

bool vm_cpu_leave_stub(struct vm_walk *w, const struct code_blob *b, uintptr_t stub_start)
{
    uint8_t c[9] = {0};

    if (b->kind == CODE_ADAPTER)
        return leave_adapter(w);
    safe_copy(c, stub_start, sizeof c);
    if (w->is_top && b->kind == CODE_STUB && c[0] == PUSH_RDX && b->frame_words == 2)
        return leave_exception_blob(w, stub_start);
    if (w->is_top && w->thread != 0 && b->kind == CODE_STUB && is_safepoint_blob(c) &&
        leave_safepoint_blob(w, stub_start))
        return true;
    if (w->is_top && w->r.pc == stub_start)
        return leave_bare(w);
    if (b->kind == CODE_BUFFER && c[0] == PUSH_RBP && is_mov_rbp_rsp(c + 1))
        return leave_framed_stub(w, stub_start);
    if (b->kind == CODE_BUFFER && c[0] == 0x68 && c[5] == PUSH_RBP && is_mov_rbp_rsp(c + 6))
        return leave_entry_barrier(w, stub_start + 5);
    if (w->is_top && w->r.pc == stub_start + 1 && c[0] == PUSH_RBP)
        return leave_pushed(w);
    return leave_any_stub(w, b, c[0] == PUSH_RBP && is_mov_rbp_rsp(c + 1));
}

/* The caller's return address, by how far the entry code has come: the frame's own place for it if
 * fp is set, the top of the stack, or rax, which holds it while locals are made room for. The
 * caller's sp is in r13 until it is pushed. */
bool vm_cpu_leave_interpreter_entry(struct vm_walk *w)
{
    uintptr_t sp = w->r.sp, fp = w->r.fp, sender = w->r.sender_sp, pc = 0, caller_fp = fp;

    if (fp >= sp && fp - sp <= 16 * WORD && stack_returns(w, fp + WORD)) {
        if (!vm_stack_word(w, fp + WORD, &pc) || !vm_stack_word(w, fp, &caller_fp) ||
            (sp <= fp - WORD && !vm_stack_word(w, fp - WORD, &sender)))
            return false;
    } else if (stack_returns(w, sp)) {
        vm_stack_word(w, sp, &pc);
    } else if (stack_returns(w, sp + WORD)) {
        vm_stack_word(w, sp + WORD, &pc);
    } else if (is_return(w, w->r.link)) {
        pc = w->r.link;
    } else {
        for (unsigned i = 2; i < SCAN_WORDS && pc == 0 && sp + i * WORD < sender; i++)
            if (stack_returns(w, sp + i * WORD))
                vm_stack_word(w, sp + i * WORD, &pc);
    }
    return pc != 0 && vm_on_stack(w, sender) && vm_move(w, pc, sender, caller_fp);
}

/* leave; pop r13; mov rsp, rbx; ...; jmp r13: the return address is in r13 or on top of the stack,
 * the caller's sp in rbx until it is taken over. */
bool vm_cpu_leave_interpreter_exit(struct vm_walk *w)
{
    const struct vm *vm = &w->walker->vm;
    uintptr_t sp = w->r.sp, sender = w->r.method, pc;
    uint8_t c[3] = {0};

    safe_copy(c, w->r.pc, sizeof c);
    if (vm_code_returns(vm, w->r.bcp)) {
        if (c[0] == 0x48 && c[1] == 0x8b && c[2] == 0xe3)
            sp = sender;
        return vm_on_stack(w, sp) && vm_move(w, w->r.bcp, sp, w->r.fp);
    }
    if (!vm_stack_word(w, sp, &pc) || !vm_code_returns(vm, pc))
        return false;
    sp += WORD;
    if (c[0] == 0x41 && c[1] == 0x5d && vm_on_stack(w, sender) && sender > sp)
        sp = sender;
    return vm_move(w, pc, sp, w->r.fp);
}

#endif
