/*
 * perf_map.h - functions of code that other compilers in this process have made, if they list it
 * in /tmp/perf-PID.map. Such a map is optional.
 *
 * Only a plain file of this user is believed, of at most 64 MB. Threads and signals: as symbols.h.
 */
#ifndef RECORDER_SYMBOLS_PERF_MAP_H
#define RECORDER_SYMBOLS_PERF_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a map; it replaces what was read before. The number of functions; 0: there is no such
 * file. */
int perf_map_read(const char *path);

/* Reads this process's map if it has changed since the last time. True: it was read. */
bool perf_map_update(void);

/* The function at pc. The name is valid until the next reading. */
bool perf_map_find(uintptr_t pc, const char **name, uint64_t *offset);

/* Forgets all. */
void perf_map_stop(void);

#endif
