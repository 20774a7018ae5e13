/*
 * cfi_parse.h - .eh_frame: functions and the rules along them.
 *
 * Every length is checked against the bytes there are; instructions are run once per function, with
 * a bounded stack of states, so time is linear in the input.
 *
 * Threads: any. Signals: async-signal-safe, but for cfi_parse_functions().
 */
#ifndef RECORDER_NATIVE_CFI_PARSE_H
#define RECORDER_NATIVE_CFI_PARSE_H

#include "recorder/native/cfi_rule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One function description (FDE). */
struct cfi_function {
    uint64_t lo, hi; /* virtual addresses, lo < hi */
    uint32_t at; /* offset of the description */
    uint32_t cie; /* offset of the common part (CIE) */
    uint32_t program, program_n; /* offset of its instructions */
};

struct cfi_section {
    const uint8_t *bytes;
    size_t n;
    uint64_t vaddr;
};

/* The description at an offset. False: there is none that can be read. */
bool cfi_parse_function(const struct cfi_section *s, uint32_t offset, struct cfi_function *f);

/* Collects the functions, in file order. False: memory is exhausted. *skipped counts descriptions
 * that could not be read. The caller frees *functions. */
bool cfi_parse_functions(const struct cfi_section *s, struct cfi_function **functions, uint32_t *n,
                         uint64_t *skipped);

struct cfi_common;

/* Runs one function's program: row() for every address where a new rule begins, ascending, in
 * [lo, hi). What the last call said holds up to hi. `common` is kept from function to function of
 * one section. */
void cfi_parse_rows(const struct cfi_section *s, const struct cfi_function *f,
                    struct cfi_common *common,
                    void (*row)(void *arg, uint64_t vaddr, const struct cfi_rule *rule), void *arg);

#endif
