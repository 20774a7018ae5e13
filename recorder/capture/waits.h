/*
 * waits.h - what began on a thread and has not ended: a table from thread ids to times.
 *
 * A virtual thread may end a wait on another carrier than the one it began on, so the key is the id
 * of the Java thread, not anything of the system's thread.
 *
 * Threads: any; each key by its own thread only. Signals: async-signal-safe.
 */
#ifndef RECORDER_CAPTURE_WAITS_H
#define RECORDER_CAPTURE_WAITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define WAITS_SLOTS 16384 /* threads that wait at once; a power of two */

struct waits {
    struct wait {
        _Atomic int64_t key; /* 0: free */
        int64_t began, value;
    } slots[WAITS_SLOTS];
};

/* Remembers; a wait of the same key that did not end is forgotten. False: there are too many. */
bool waits_begin(struct waits *w, int64_t key, int64_t began, int64_t value);

/* Takes it out. False: its beginning was not seen. */
bool waits_end(struct waits *w, int64_t key, int64_t *began, int64_t *value);

/* Forgets all, while no thread begins or ends one. */
void waits_clear(struct waits *w);

#endif
