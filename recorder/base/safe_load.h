/*
 * safe_load.h - loads that answer false where memory cannot be read, instead of ending the process.
 *
 *     uint64_t word;
 *     if (!safe_load64(address, &word))
 *         return WALK_FAULT;
 *
 * A load is one instruction in the caller's code. Its address stands in a table of fixups; the
 * handler of SIGSEGV and SIGBUS installed here looks there and continues the caller after the
 * load, and hands every other fault to the handler that was there before (the VM's). Nothing is
 * jumped over, no lock is held and no state is kept, so loads may nest and run in any handler.
 *
 * Threads: any, after safe_load_install(). Before it, a load that faults ends the process.
 * Signals: loads, safe_copy() and safe_load_is_first() are async-signal-safe. SIGSEGV and SIGBUS
 *          must not be blocked where they run: a blocked fault ends the process.
 */
#ifndef RECORDER_BASE_SAFE_LOAD_H
#define RECORDER_BASE_SAFE_LOAD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Installs the handlers, in front of those of the VM: so call it when the VM is up. They stay first
 * with libjsig too, because sigaction is taken from libc itself. A second call does nothing unless
 * another handler was installed in front since; then ours goes first again. -EBUSY if that has
 * happened too often. 0, or a negative errno and nothing is changed. Not while another thread is in
 * here. */
int safe_load_install(void);

/* Whether our handlers of both signals are the ones in force now. When not, loads may no longer be
 * safe. Costs two system calls. */
bool safe_load_is_first(void);

/* Puts back the handlers that were there, where ours are still in force; no load runs then. */
void safe_load_remove(void);

/* Blocks all signals of the calling thread but those of faults; threads that it starts inherit
 * that. What was blocked before is in *old. */
void safe_load_block_others(sigset_t *old);

/* Faults that were turned into an answer, since the start; those made up below are not counted. */
uint64_t safe_load_faults(void);

/* For tests: about one load in `one_in` answers false though it could be done; 0 ends it. */
void safe_load_inject(uint32_t one_in);

/* Copies the n bytes at address `from`; the number copied, less than n where memory ends. */
size_t safe_copy(void *to, uintptr_t from, size_t n);

/* Not for direct use: how often loads shall fail, and whether this one shall. */
extern uint32_t safe_load_one_in;
bool safe_load_unlucky(void);

#if defined(__x86_64__)
#define SAFE_LOAD_ASM(insn_, size_) \
    "xorl %k1, %k1\n1: " insn_ " (%2), %" size_ "0\n\tincl %k1\n2:\n\t"
#define SAFE_LOAD_8 SAFE_LOAD_ASM("movzbl", "k")
#define SAFE_LOAD_16 SAFE_LOAD_ASM("movzwl", "k")
#define SAFE_LOAD_32 SAFE_LOAD_ASM("movl", "k")
#define SAFE_LOAD_64 SAFE_LOAD_ASM("movq", "q")
#elif defined(__aarch64__)
#define SAFE_LOAD_ASM(insn_, size_) \
    "mov %w1, #0\n1: " insn_ " %" size_ "0, [%2]\n\tmov %w1, #1\n2:\n\t"
#define SAFE_LOAD_8 SAFE_LOAD_ASM("ldrb", "w")
#define SAFE_LOAD_16 SAFE_LOAD_ASM("ldrh", "w")
#define SAFE_LOAD_32 SAFE_LOAD_ASM("ldr", "w")
#define SAFE_LOAD_64 SAFE_LOAD_ASM("ldr", "x")
#else
#error "no safe loads for this processor"
#endif

/* The address of the load, and the address to continue at when it faults, both relative to the
 * entry. */
#define SAFE_LOAD_FIXUP                                                                     \
    ".pushsection safe_load_fixups, \"a\"\n\t.balign 4\n\t.long 1b - .\n\t.long 2b - .\n\t" \
    ".popsection"

/* The value is 0 when the answer is false. */
#define SAFE_LOAD_DEFINE(bits_)                                                    \
    static inline bool safe_load##bits_(uintptr_t address, uint##bits_##_t *value) \
    {                                                                              \
        uint64_t loaded = 0;                                                       \
        uint32_t ok;                                                               \
                                                                                   \
        if (__builtin_expect(safe_load_one_in != 0, 0) && safe_load_unlucky())     \
            ok = 0;                                                                \
        else                                                                       \
            __asm__ volatile(SAFE_LOAD_##bits_ SAFE_LOAD_FIXUP                     \
                             : "+&r"(loaded), "=&r"(ok)                            \
                             : "r"(address)                                        \
                             : "cc", "memory");                                    \
        *value = (uint##bits_##_t)loaded;                                          \
        return ok;                                                                 \
    }

/* The 8, 16, 32 or 64 bits at `address`, of any alignment the processor allows. */
SAFE_LOAD_DEFINE(8)
SAFE_LOAD_DEFINE(16)
SAFE_LOAD_DEFINE(32)
SAFE_LOAD_DEFINE(64)

/* An address that stands in memory. */
static inline bool safe_load_pointer(uintptr_t address, uintptr_t *value)
{
    uint64_t word;
    bool ok = safe_load64(address, &word);

    *value = (uintptr_t)word;
    return ok;
}

#endif
