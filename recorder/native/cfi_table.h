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

#include "recorder/native/cfi_rule.h"
#include "recorder/symbols/elf.h"

const char *cfi_none_name(enum cfi_none why);

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
