/*
 * cfi_parse_internal.h - what cfi_parse.c (records) and cfi_program.c (instructions) share: numbers
 * as DWARF writes them, and the part that functions have in common. Bounds are the cursor's.
 */
#ifndef RECORDER_NATIVE_CFI_PARSE_INTERNAL_H
#define RECORDER_NATIVE_CFI_PARSE_INTERNAL_H

#include "recorder/native/cfi_parse.h"
#include "jfrfmt/base/cursor.h"

/* One byte: most of what there is. */
static inline uint8_t cfi_byte(struct cursor *c)
{
    if (c->p < c->end)
        return *c->p++;
    cur_fail(c);
    return 0;
}

/* n little-endian bytes, 1..8. */
uint64_t cfi_little(struct cursor *c, unsigned n);

/* LEB128, of any length; bits beyond the 64th are dropped. */
uint64_t cfi_leb_long(struct cursor *c);
int64_t cfi_sleb(struct cursor *c);

static inline uint64_t cfi_leb(struct cursor *c)
{
    return c->p < c->end && *c->p < 0x80 ? *c->p++ : cfi_leb_long(c);
}

/* A pointer as `encoding` says; relative ones are relative to where they stand. */
uint64_t cfi_pointer(const struct cfi_section *s, struct cursor *c, unsigned encoding);

/* What functions have in common. */
struct cfi_cie {
    uint64_t code_align, ra_reg;
    int64_t data_align;
    uint8_t pointers; /* encoding */
    bool has_data, is_signal;
    struct cursor program;
};

/* False: there is none at that offset, or not one that is understood. */
bool cfi_read_cie(const struct cfi_section *s, uint64_t offset, struct cfi_cie *cie);

/* The two registers that matter, and the CFA. */
struct cfi_state {
    struct cfi_rule rule;
    bool has_bad_ra;
};

/* Thousands of functions share a common part: it is read, and its program run, when another one
 * comes. Begins as CFI_NO_COMMON. */
struct cfi_common {
    uint64_t at;
    bool is_usable, is_damaged;
    struct cfi_cie cie;
    struct cfi_state state; /* that its program leaves */
};

#define CFI_NO_COMMON ((struct cfi_common){.at = UINT64_MAX})

#endif
