/*
 * cfi_arch.h - what differs between processors when native frames are left by rule.
 *
 * aarch64 is written from its ABI documents; it has walked a unit test's stacks in an emulator.
 */
#ifndef RECORDER_NATIVE_CFI_ARCH_H
#define RECORDER_NATIVE_CFI_ARCH_H

#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#if defined(__x86_64__)

/* DWARF numbers */
#define CFI_REG_BASE 3 /* what the dynamic linker keeps the stack pointer in when it realigns */
#define CFI_REG_FP 6
#define CFI_REG_SP 7
#define CFI_REG_RA 16
#define CFI_N_REGS 17
#define CFI_RA_IN_REGISTER 0 /* a call pushes the return address */

/* Where a DWARF register stands in gregs, in words; negative: nowhere. */
static inline int cfi_arch_greg(unsigned reg)
{
    static const signed char places[CFI_N_REGS] = {
        REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
        REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
    };

    return reg < CFI_N_REGS ? places[reg] : -1;
}

/* From the kernel's signal frame on the stack to its gregs. */
#define CFI_SIGNAL_GREGS (offsetof(ucontext_t, uc_mcontext.gregs))

#elif defined(__aarch64__)

#define CFI_REG_BASE 19
#define CFI_REG_FP 29
#define CFI_REG_SP 31
#define CFI_REG_RA 30
#define CFI_N_REGS 32
#define CFI_RA_IN_REGISTER 1

static inline int cfi_arch_greg(unsigned reg)
{
    return reg < CFI_N_REGS ? (int)reg : -1; /* regs[31], then sp */
}

#define CFI_SIGNAL_GREGS (128 + offsetof(ucontext_t, uc_mcontext.regs)) /* after siginfo */

#else
#error "no rules of native frames for this processor"
#endif

#endif
