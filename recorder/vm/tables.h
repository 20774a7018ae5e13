/*
 * tables.h - the tables in which HotSpot describes its own structures to debuggers.
 *
 *     struct vm_tables t;
 *     struct vm_field f;
 *     if (vm_tables_open(&t, vm_symbol, library) && vm_field(&t, "Method", "_constMethod", &f))
 *         ... f.offset
 *
 * libjvm exports gHotSpotVMStructs and its siblings, and beside each the layout of an entry. What
 * is not in a table is not an error: entries come and go with every release, so callers ask for
 * what they need and look at what they got, and never at a version.
 *
 * Threads: read only once opened. Signals: none of this; the tables are searched from end to end.
 * Ownership: nothing is copied, so the library must stay loaded.
 */
#ifndef RECORDER_VM_TABLES_H
#define RECORDER_VM_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds an exported symbol; NULL if there is none. `from` is what vm_tables_open() was given. */
typedef const void *vm_symbol_fn(void *from, const char *name);

struct vm_table {
    const char *first; /* entry; NULL: there is no such table */
    size_t stride;
    size_t at[6]; /* offsets of an entry's members */
};

struct vm_tables {
    struct vm_table structs, types, ints, longs;
};

struct vm_field {
    int64_t offset; /* in the structure; -1: it is static */
    uintptr_t address; /* of a static one; 0: it is not */
    uint32_t size; /* bytes to load: 1, 2, 4 or 8 */
    const char *type; /* as C++ writes it */
};

/* False: this is no HotSpot, or its tables have another form. */
bool vm_tables_open(struct vm_tables *t, vm_symbol_fn *symbol, void *from);

/* Fills *f. False, and *f as if not there (offset -1, address 0), if the table lacks the field. */
bool vm_field(const struct vm_tables *t, const char *type, const char *name, struct vm_field *f);

/* sizeof(type); 0 if unknown. */
size_t vm_type_size(const struct vm_tables *t, const char *type);

/* An int or long constant, such as "JVM_ACC_NATIVE"; `otherwise` if there is none. */
int64_t vm_constant(const struct vm_tables *t, const char *name, int64_t otherwise);

#endif
