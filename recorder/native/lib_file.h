/*
 * lib_file.h - one executable file: opened however it can be, and the tables made from it.
 *
 * Tables hold addresses as in the file, so that the same file mapped again, elsewhere, costs
 * nothing. Threads and signals: as libs_update() in libs.h.
 */
#ifndef RECORDER_NATIVE_LIB_FILE_H
#define RECORDER_NATIVE_LIB_FILE_H

#include "recorder/symbols/elf.h"
#include "recorder/symbols/symtab.h"

/* One file's mappings as /proc/self/maps tells them. */
struct mapped_file {
    uintptr_t lo, hi; /* executable part */
    uint64_t offset; /* in the file, of lo */
    uintptr_t base, end; /* all of its mappings; base holds the file's first byte, or is 0 */
    uintptr_t first_lo, first_hi; /* one mapping, exactly: its name in map_files */
    uint64_t dev, ino;
    bool is_deleted;
    char *path; /* without " (deleted)" */
};

struct lib_file {
    struct lib_file *next;
    uint32_t refs;
    uint64_t dev, ino, size;
    int64_t mtime_ns;
    uint64_t text_offset, text_vaddr; /* an executable byte of the file and its address */
    bool has_vaddr;
    struct cfi_table *cfi;
    bool symbols_tried;
    struct symtab symbols;
    char *path;
    struct mapped_file image; /* where it is in memory, for reading what has no file any more */
};

/* A file with its tables, shared with earlier mappings of it; NULL if out of memory. */
struct lib_file *lib_file_get(struct lib_file **list, const struct mapped_file *m);
void lib_file_put(struct lib_file **list, struct lib_file *f);

/* Its symbols; read when first requested. Never NULL, may be empty. */
const struct symtab *lib_file_symbols(struct lib_file *f);

#endif
