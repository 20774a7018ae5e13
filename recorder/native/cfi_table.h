/*
 * cfi_table.h - how to leave each function of one ELF file, by its .eh_frame.
 *
 * A table is a copy of the file's .eh_frame and an index of its functions. What holds at an address
 * is worked out when it is requested, by running the few instructions of its function: a VM's
 * library has 50 000 functions, of which samples meet some hundred. The result is the number of a
 * rule, of which there are few and all tables share one set.
 *
 * Threads:   building and freeing are for one thread at a time (libs.h); looking up for any.
 * Signals:   cfi_table_find() and cfi_rule_get() are async-signal-safe.
 */
#ifndef RECORDER_NATIVE_CFI_TABLE_H
#define RECORDER_NATIVE_CFI_TABLE_H

#include "recorder/native/cfi_rule.h"
#include "recorder/symbols/elf.h"

struct cfi_table;

/* NULL: there is no .eh_frame, or memory is exhausted. The functions are those that .eh_frame_hdr
 * lists; without a list that can be used they are looked for, which takes some milliseconds. */
struct cfi_table *cfi_table_build(struct elf *e);

/* The same from the bytes of an .eh_frame loaded at `vaddr`, without a list. The machine is this
 * one. */
struct cfi_table *cfi_table_from(const uint8_t *bytes, size_t n, uint64_t vaddr);

void cfi_table_free(struct cfi_table *t);

/* The number of the rule at a virtual address of the file; 0 is the rule of gaps. */
uint16_t cfi_table_find(const struct cfi_table *t, uint64_t vaddr);

/* Any number is allowed. */
const struct cfi_rule *cfi_rule_get(uint16_t rule);

uint64_t cfi_table_bytes(const struct cfi_table *t); /* of memory; t may be NULL in these */
uint64_t cfi_table_functions(const struct cfi_table *t);
uint64_t cfi_table_skipped(const struct cfi_table *t); /* descriptions that could not be read */

/* Different rules that were found so far, in all tables together. */
uint32_t cfi_rules(void);

/* Calls back where another rule begins to hold, ascending; for tests. */
void cfi_table_each(const struct cfi_table *t,
                    void (*row)(void *arg, uint64_t vaddr, const struct cfi_rule *rule), void *arg);

#endif
