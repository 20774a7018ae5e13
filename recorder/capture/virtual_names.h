/*
 * virtual_names.h - names of virtual threads by their ids: of those that recorded something lately,
 * whether they still live or not.
 *
 * There is one place for many ids, so a name is there until another thread takes its place, some
 * thousands of threads later.
 *
 * Threads: any. Signals: all of this is async-signal-safe.
 */
#ifndef RECORDER_CAPTURE_VIRTUAL_NAMES_H
#define RECORDER_CAPTURE_VIRTUAL_NAMES_H

#include "recorder/base/walker.h"

#include <stdbool.h>
#include <stdint.h>

#define VIRTUAL_NAME 64 /* bytes, the NUL included */

/* Is the thread's name there? */
bool virtual_names_has(uint64_t id);

/* Stores a name. A longer one is cut, not in the middle of a character. Stores nothing while
 * another thread writes to the same place. */
void virtual_names_put(uint64_t id, const char *name);

/* "" when it is not there. */
void virtual_names_get(uint64_t id, char out[VIRTUAL_NAME]);

/* Puts the name of a thread that the walker has found, with its object, unless it is there. */
void virtual_names_read(const struct walker *walker, uint64_t id, uintptr_t object);

/* Copies a name and cuts it like that. */
void virtual_names_cut(char out[VIRTUAL_NAME], const char *name);

#endif
