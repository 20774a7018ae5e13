/*
 * cfi.c - one step of an unwinder: from the registers of a native frame to those of its caller.
 *
 * In: registers, and the rule of the function from its .eh_frame (cfi_table.c). If there is no
 * rule, the frame pointer is tried, then the word on top of the stack. All memory is read by safe
 * loads, so wrong registers end the walk and never crash it.
 */
#include "recorder/native/cfi.h"
#include "recorder/native/cfi_arch.h"
#include "recorder/native/cfi_table.h"
#include "recorder/base/safe_load.h"

#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>

enum {
    FRAME_MAX = 64 << 20, /* bytes; alloca is legal */
    FP_FRAME_MAX = 1 << 20, /* when nothing but a frame pointer says so */
    WORD = sizeof(uintptr_t),
};

/* One more step taken by ... */
#define COUNT(env_, by_)              \
    do {                              \
        if ((env_)->counts != NULL)   \
            (env_)->counts->by_ += 1; \
    } while (0)

void cfi_start(struct cfi_regs *r, const void *ucontext)
{
    const ucontext_t *uc = ucontext;

#if defined(__x86_64__)
    const greg_t *g = uc->uc_mcontext.gregs;

    *r = (struct cfi_regs){
        .pc = (uintptr_t)g[REG_RIP],
        .sp = (uintptr_t)g[REG_RSP],
        .fp = (uintptr_t)g[REG_RBP],
        .base = (uintptr_t)g[REG_RBX],
        .gregs = (uintptr_t)g,
    };
#else
    *r = (struct cfi_regs){
        .pc = (uintptr_t)uc->uc_mcontext.pc,
        .sp = (uintptr_t)uc->uc_mcontext.sp,
        .fp = (uintptr_t)uc->uc_mcontext.regs[29],
        .base = (uintptr_t)uc->uc_mcontext.regs[19],
        .lr = (uintptr_t)uc->uc_mcontext.regs[30],
        .gregs = (uintptr_t)uc->uc_mcontext.regs,
    };
#endif
}

static bool load(const struct cfi_env *env, uintptr_t address, uintptr_t *value)
{
    return env->copy != NULL ? cfi_copy_word(env->copy, address, value)
                             : safe_load_pointer(address, value);
}

static bool is_code(const struct cfi_env *env, uintptr_t pc)
{
    return (pc >= env->code_lo && pc < env->code_hi) || libs_find(env->map, pc) != NULL;
}

/* Does a call instruction end at pc? */
static bool is_after_call(uintptr_t pc)
{
#if defined(__x86_64__)
    uint64_t word;
    uint8_t b[8];

    if (!safe_load64(pc - 8, &word))
        return false;
    memcpy(b, &word, sizeof(b));
    if (b[3] == 0xe8)
        return true; /* call rel32 */
    for (int n = 2; n <= 7; n++) /* call through a register or memory: ff /2 */
        if (b[8 - n] == 0xff && (b[9 - n] & 0x38) == 0x10)
            return true;
    return false;
#else
    uint32_t insn;

    if (!safe_load32(pc - 4, &insn))
        return false;
    return insn >> 26 == 0x25 || (insn & 0xfffffc1f) == 0xd63f0000; /* bl, blr */
#endif
}

static bool is_return_address(const struct cfi_env *env, uintptr_t pc)
{
    return pc > 4096 && is_code(env, pc) && is_after_call(pc);
}

/* The rule at pc; *is_known is false when pc is in no library. */
static const struct cfi_rule *find_rule(const struct cfi_env *env, uintptr_t pc, bool *is_known)
{
    const uint64_t mask = ((uint64_t)1 << 48) - 1;
    const struct lib *lib;
    _Atomic uint64_t *cached;
    uint64_t word;
    uint16_t rule = 0;

    *is_known = false;
    if (env->map == NULL)
        return cfi_rule_get(0);
    cached = &env->map->rules[(pc ^ pc >> 12) & (LIBS_CACHE - 1)];
    /* One word holds address and rule, so that no handler reads the address of one and the rule of
     * another. */
    word = atomic_load_explicit(cached, memory_order_relaxed);
    if (word >> 16 == (pc & mask) && word != 0 && pc == (pc & mask)) {
        *is_known = true;
        COUNT(env, cached_rule);
        return cfi_rule_get((uint16_t)word);
    }
    lib = libs_find(env->map, pc);
    if (lib == NULL)
        return cfi_rule_get(0);
    *is_known = true;
    if (lib->cfi != NULL)
        rule = cfi_table_find(lib->cfi, pc - lib->bias);
    if (pc == (pc & mask))
        atomic_store_explicit(cached, (uint64_t)pc << 16 | rule, memory_order_relaxed);
    COUNT(env, rule);
    return cfi_rule_get(rule);
}

/* Reads a register of the frame by its DWARF number. Returns false if it is not known. */
static bool reg_value(const struct cfi_regs *r, unsigned reg, uintptr_t *value)
{
    int greg;

    if (reg == CFI_REG_SP)
        *value = r->sp;
    else if (reg == CFI_REG_FP)
        *value = r->fp;
    else if (reg == CFI_REG_BASE)
        *value = r->base;
    else if (r->gregs != 0 && (greg = cfi_arch_greg(reg)) >= 0)
        return safe_load_pointer(r->gregs + (uintptr_t)greg * WORD, value);
    else
        return false;
    return true;
}

static enum cfi_step find_cfa(const struct cfi_env *env, const struct cfi_regs *r,
                              const struct cfi_rule *rule, uintptr_t *cfa)
{
    uintptr_t base;

    if (!reg_value(r, rule->cfa_reg, &base))
        return CFI_NO_RULE;
    base += (uintptr_t)(intptr_t)rule->cfa_offset;
    if (rule->cfa == CFI_CFA_DEREF && !load(env, base, &base))
        return CFI_FAULT;
    if (rule->cfa == CFI_CFA_DEREF)
        base += (uintptr_t)(intptr_t)rule->add;
    if (rule->cfa == CFI_CFA_PLT && (r->pc & 15) >= (uintptr_t)rule->add)
        base += WORD;
    *cfa = base;
    return CFI_STEPPED;
}

/* Restores a register of the caller. Returns false if memory could not be read. */
static bool saved_value(const struct cfi_env *env, const struct cfi_regs *r, uintptr_t cfa,
                        unsigned how, unsigned reg, int32_t offset, uintptr_t *value)
{
    uintptr_t at;

    switch (how) {
    case CFI_AT_CFA:
        return load(env, cfa + (uintptr_t)(intptr_t)offset, value);
    case CFI_AT_REG:
        return reg_value(r, reg, &at) && load(env, at + (uintptr_t)(intptr_t)offset, value);
    case CFI_IS_CFA:
        *value = cfa + (uintptr_t)(intptr_t)offset;
        return true;
    case CFI_LOST:
        *value = 0;
        return true;
    default:
        return true;
    }
}

static bool is_sp_sane(const struct cfi_regs *from, uintptr_t sp, uintptr_t max)
{
    return sp > from->sp && sp - from->sp <= max && sp % WORD == 0;
}

/* Leaves the frame that the kernel has made for a signal. The interrupted function may be on
 * another stack, so the stack pointer is not checked, and it may be interrupted at any instruction.
 * All its registers are in memory. */
static enum cfi_step leave_signal(const struct cfi_env *env, struct cfi_regs *r,
                                  const struct cfi_regs *caller)
{
    *r = *caller;
    r->gregs = env->copy == NULL ? caller->gregs : 0;
    r->is_return = false;
    COUNT(env, signal_frame);
    return CFI_STEPPED;
}

static enum cfi_step step_by_rule(const struct cfi_env *env, struct cfi_regs *r,
                                  const struct cfi_rule *rule)
{
    struct cfi_regs to = {.fp = r->fp, .base = r->base, .pc = r->lr, .is_return = true};
    enum cfi_step step = find_cfa(env, r, rule, &to.sp);

    if (step != CFI_STEPPED)
        return step;
    if (!rule->is_signal && !(CFI_RA_IN_REGISTER && to.sp == r->sp && !r->is_return) &&
        !is_sp_sane(r, to.sp, FRAME_MAX))
        return CFI_BAD_SP;
    if (rule->ra == CFI_SAME && (!CFI_RA_IN_REGISTER || r->is_return))
        return CFI_NO_RULE;
    if (!saved_value(env, r, to.sp, rule->ra, rule->ra_reg, rule->ra_offset, &to.pc))
        return CFI_FAULT;
    /* not every caller needs these, and compilers misplace them for an instruction or two */
    if (!saved_value(env, r, to.sp, rule->fp, rule->fp_reg, rule->fp_offset, &to.fp))
        to.fp = 0;
    if (!saved_value(env, r, to.sp, rule->base, rule->base_reg, rule->base_offset, &to.base))
        to.base = 0;
    if (rule->is_signal) {
        to.gregs = r->sp + CFI_SIGNAL_GREGS;
        return leave_signal(env, r, &to);
    }
    *r = to;
    return CFI_STEPPED;
}

/* Frame pointers link frames in code without rules. */
static bool step_by_fp(const struct cfi_env *env, struct cfi_regs *r)
{
    struct cfi_regs to = {.is_return = true, .sp = r->fp + 2 * WORD, .base = r->base};

    if (r->fp < r->sp || !is_sp_sane(r, to.sp, FP_FRAME_MAX) || !load(env, r->fp, &to.fp) ||
        !load(env, r->fp + WORD, &to.pc) || !is_return_address(env, to.pc))
        return false;
    *r = to;
    COUNT(env, fp);
    return true;
}

/* A leaf that saved nothing, or a jump to nowhere: the return address is what was pushed last. */
static bool step_by_top_word(const struct cfi_env *env, struct cfi_regs *r)
{
    struct cfi_regs to = {
        .is_return = true, .sp = r->sp, .fp = r->fp, .base = r->base, .pc = r->lr};

    if (!CFI_RA_IN_REGISTER) {
        to.sp += WORD;
        if (!load(env, r->sp, &to.pc))
            return false;
    }
    if (r->is_return || r->sp % WORD != 0 || !is_return_address(env, to.pc))
        return false;
    *r = to;
    COUNT(env, top_word);
    return true;
}

enum cfi_step cfi_step(const struct cfi_env *env, struct cfi_regs *r)
{
    bool is_known;
    /* a call may be the last instruction of a function, and what follows another one */
    const struct cfi_rule *rule = find_rule(env, r->is_return ? r->pc - 1 : r->pc, &is_known);
    enum cfi_step step = is_known ? CFI_NO_RULE : CFI_NO_CODE;

    if (rule->cfa == CFI_CFA_END)
        return CFI_END;
    if (rule->cfa != CFI_CFA_NONE)
        step = step_by_rule(env, r, rule);
    if (step != CFI_NO_RULE && step != CFI_NO_CODE)
        return step;
    return step_by_fp(env, r) || step_by_top_word(env, r) ? CFI_STEPPED : step;
}
