/*
 * cfi_table.h - how to leave each function of one ELF file, precomputed from its .eh_frame.
 *
 * A row says what holds from its address to the next row's: a rule, of which there are few and all
 * tables share one set. Two bytes and four for a row, found by an index of blocks.
 *
 * Threads:   building and freeing are for one thread at a time (libs.h); looking up for any.
 * Signals:   cfi_table_find() and cfi_rule_get() are async-signal-safe.
 */
#ifndef RECORDER_NATIVE_CFI_TABLE_H
#define RECORDER_NATIVE_CFI_TABLE_H

#include "recorder/symbols/elf.h"

/* Where the canonical frame address (CFA) is: the caller's sp. */
enum cfi_cfa {
    CFI_CFA_NONE, /* no rule here: no function, or one that cannot be left by rule */
    CFI_CFA_REG, /* register + offset */
    CFI_CFA_DEREF, /* the word at register + offset, + add */
    CFI_CFA_PLT, /* linkage stub: sp + 8, one word more behind its push */
    CFI_CFA_END, /* the return address is undefined: nobody called this */
};

/* Where a register of the caller is. */
enum cfi_saved {
    CFI_SAME, /* still in the register */
    CFI_AT_CFA, /* in the word at CFA + offset */
    CFI_AT_REG, /* in the word at register + offset, a register of this frame */
    CFI_IS_CFA, /* it is CFA + offset itself */
    CFI_LOST,
};

/* Why there is no rule. */
enum cfi_none {
    CFI_NONE_GAP, /* no function description covers the address */
    CFI_NONE_EXPRESSION, /* an expression of a kind that is not supported */
    CFI_NONE_REGISTER, /* a register saved in another, or a return address that is elsewhere */
    CFI_NONE_DAMAGED, /* the description contradicts itself */
    CFI_NONE_FULL, /* more kinds of rules than fit */
    CFI_N_NONE
};

const char *cfi_none_name(enum cfi_none why);

struct cfi_rule {
    uint8_t cfa; /* enum cfi_cfa */
    uint8_t cfa_reg; /* DWARF number; an enum cfi_none under CFI_CFA_NONE */
    uint8_t fp, ra, base; /* enum cfi_saved */
    uint8_t fp_reg, ra_reg, base_reg; /* of CFI_AT_REG */
    uint8_t is_signal; /* the frame of a signal: the caller was interrupted, not calling */
    uint8_t spare[3];
    int32_t cfa_offset, add;
    int32_t fp_offset, ra_offset, base_offset;
};

struct cfi_table;

/* NULL: there is no .eh_frame, or memory is short. */
struct cfi_table *cfi_table_build(struct elf *e);

/* The same from the bytes of an .eh_frame loaded at `vaddr`. The machine is this one. */
struct cfi_table *cfi_table_from(const uint8_t *bytes, size_t n, uint64_t vaddr);

void cfi_table_free(struct cfi_table *t);

/* The number of the rule at a virtual address of the file; 0 is the rule of gaps. */
uint16_t cfi_table_find(const struct cfi_table *t, uint64_t vaddr);

/* Any number is allowed. */
const struct cfi_rule *cfi_rule_get(uint16_t rule);

uint64_t cfi_table_rows(const struct cfi_table *t); /* t may be NULL in these */
uint64_t cfi_table_bytes(const struct cfi_table *t);
uint64_t cfi_table_functions(const struct cfi_table *t);
uint64_t cfi_table_skipped(const struct cfi_table *t); /* descriptions that could not be read */
/* Rows without a rule inside of functions, by reason. */
uint64_t cfi_table_none(const struct cfi_table *t, enum cfi_none why);

/* Different rules known to all tables together, and the memory they take. */
uint32_t cfi_rules(void);

/* Calls back for every row, ascending; for tests. */
void cfi_table_each(const struct cfi_table *t,
                    void (*row)(void *arg, uint64_t vaddr, const struct cfi_rule *rule), void *arg);

#endif
