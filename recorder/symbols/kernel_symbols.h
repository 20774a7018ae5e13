/*
 * kernel_symbols.h - names of the kernel's functions (/proc/kallsyms).
 *
 * Threads: one at a time. Not async-signal-safe.
 */
#ifndef RECORDER_SYMBOLS_KERNEL_SYMBOLS_H
#define RECORDER_SYMBOLS_KERNEL_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/* Reads them, which takes a while and some megabytes. How many; 0: the kernel shows none. */
size_t kernel_symbols_load(void);

/* The same for another file. */
size_t kernel_symbols_load_file(const char *path);

/* The function at an address, "[kernel]" where that is not known; valid until the next load or
 * free. */
const char *kernel_symbols_name(uint64_t address);

void kernel_symbols_free(void);

#endif
