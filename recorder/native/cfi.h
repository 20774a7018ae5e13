/*
 * cfi.h - one step from a native frame to its caller, by rules of the compiler (.eh_frame).
 *
 *     struct cfi_env env = {.map = libs_enter()};
 *     struct cfi_regs r;
 *     cfi_start(&r, ucontext);
 *     while (cfi_step(&env, &r) == CFI_STEPPED)
 *         ... r.pc, r.sp, r.fp are the caller's
 *     libs_leave();
 *
 * Rules come from .eh_frame (cfi_table.h). Where there is none, the frame pointer is tried, and
 * then the word on top of the stack, and a caller found that way must be code with a call in front
 * of the return address.
 *
 * Threads: any. Signals: async-signal-safe, errno untouched; memory is read by safe loads only, so
 * safe_load_install() comes before the first step.
 */
#ifndef RECORDER_NATIVE_CFI_H
#define RECORDER_NATIVE_CFI_H

#include "recorder/native/libs.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A copy of part of a stack, read instead of the stack itself, which may have moved on. */
struct cfi_copy {
    uintptr_t lo, hi; /* addresses that were copied */
    const uint8_t *bytes; /* hi - lo of them */
};

/* The word that was at `address`; false, and *word is 0, when it was not copied. */
static inline bool cfi_copy_word(const struct cfi_copy *copy, uintptr_t address, uintptr_t *word)
{
    *word = 0;
    if (address < copy->lo || address > copy->hi || copy->hi - address < sizeof(*word))
        return false;
    memcpy(word, copy->bytes + (address - copy->lo), sizeof(*word));
    return true;
}

/* How many steps were taken, by what. */
struct cfi_counts {
    uint64_t rule, cached_rule, fp, top_word, signal_frame;
};

struct cfi_env {
    const struct libs_map *map; /* NULL: nothing is known, only frame pointers are tried */
    uintptr_t code_lo, code_hi; /* generated code that callers may be in; equal: none */
    const struct cfi_copy *copy; /* NULL: loads go to memory */
    struct cfi_counts *counts; /* added to; NULL: not wanted */
};

struct cfi_regs {
    uintptr_t pc, sp, fp;
    uintptr_t base; /* rbx, x19: the only other one that callers are found by */
    uintptr_t lr; /* the register that holds the return address, where there is one */
    uintptr_t gregs; /* address of all registers, of the interrupted frame only; 0 = unknown */
    bool is_return; /* pc is after a call, not where a signal hit */
};

enum cfi_step {
    CFI_STEPPED,
    CFI_END, /* the first function of a thread, which has no caller */
    CFI_NO_CODE, /* pc is in no library and nothing on the stack looks like a caller */
    CFI_NO_RULE, /* neither a rule nor a frame pointer leads on */
    CFI_BAD_SP, /* the stack pointer would not move up, is not aligned, or leaps */
    CFI_FAULT, /* memory that could not be read */
    CFI_N_STEPS
};

/* The registers that a signal interrupted. `ucontext` must outlive the first step. */
void cfi_start(struct cfi_regs *r, const void *ucontext);

/* Replaces the registers by the caller's. On anything but CFI_STEPPED they stay as they were. */
enum cfi_step cfi_step(const struct cfi_env *env, struct cfi_regs *r);

#endif
