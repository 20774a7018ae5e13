/*
 * symbols_extra.h - functions that are in no library: the kernel's, and what other compilers in
 * this process say of their code in a perf map.
 *
 * Threads and signals: as symbols.h.
 */
#ifndef RECORDER_SYMBOLS_EXTRA_H
#define RECORDER_SYMBOLS_EXTRA_H

#include <stdbool.h>
#include <stdint.h>

/* See symbols_read_perf_map(); a second call replaces what the first one read. */
int symbols_extra_perf_map(const char *path);

/* A file in the form of /proc/kallsyms; 0 when it hides the addresses. */
int symbols_extra_kernel(const char *path);

bool symbols_extra_find(uintptr_t pc, const char **name, uint64_t *offset, const char **library);
void symbols_extra_stop(void);

#endif
