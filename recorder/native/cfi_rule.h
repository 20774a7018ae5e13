/* cfi_rule.h - how a place in a function is left: where the frame of its caller is. */
#ifndef RECORDER_NATIVE_CFI_RULE_H
#define RECORDER_NATIVE_CFI_RULE_H

#include <stdint.h>

/* Where the canonical frame address (CFA) is: the caller's sp. */
enum cfi_cfa {
    CFI_CFA_NONE, /* no rule here: no function, or one that cannot be left by rule */
    CFI_CFA_REG, /* register + offset */
    CFI_CFA_DEREF, /* the word at register + offset, + add */
    CFI_CFA_PLT, /* linkage stub: sp + 8, one word more after its push */
    CFI_CFA_END, /* the return address is undefined: the function has no caller */
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

#endif
