/*
 * symtab.h - the functions of one ELF file, sorted, with their names.
 *
 * Threads:   a table is made by one thread and then only read.
 * Signals:   nothing here is async-signal-safe.
 * Ownership: symtab_free() frees what the table holds.
 */
#ifndef RECORDER_SYMBOLS_SYMTAB_H
#define RECORDER_SYMBOLS_SYMTAB_H

#include "recorder/symbols/elf.h"

struct sym {
    uint32_t lo; /* virtual address in the file */
    uint32_t n; /* bytes; 0: until the next symbol */
    uint32_t name; /* offset into names */
};

struct symtab {
    struct sym *syms; /* ascending by lo, one per lo */
    char *names;
    uint32_t n;
    size_t room;
    uint32_t names_n;
    size_t names_room;
};

/* Adds the functions of .symtab. True when it has one that could be read. */
bool symtab_add_symtab(struct symtab *t, struct elf *e);

/* Adds the exported functions: .dynsym, or what the dynamic segment says of it. */
bool symtab_add_dynsym(struct symtab *t, struct elf *e);

/* Adds "NAME@plt" for every linkage stub, found by the slot that its jump reads. */
void symtab_add_plt(struct symtab *t, struct elf *e);

/* Sorts and keeps the best name of each address; call once, after the last add. */
void symtab_finish(struct symtab *t);

/* The function that covers vaddr, or NULL. */
const struct sym *symtab_find(const struct symtab *t, uint64_t vaddr);

uint64_t symtab_bytes(const struct symtab *t);
void symtab_free(struct symtab *t);

#endif
