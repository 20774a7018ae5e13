/*
 * waits.h - what began on a thread and has not ended: a table from thread ids to times.
 *
 * A virtual thread may end a wait on another carrier than the one it began on, so the key is the id
 * of the Java thread, not anything of the system's thread.
 *
 * Another thread may look at a wait that is under way and leave a note on it (waits_began(),
 * waits_note()). A note names the beginning of its wait, so that a wait that begins meanwhile does
 * not get the note of the one before it.
 *
 * Threads: any; waits_begin() and waits_end() are called for a key by its own thread only.
 * Signals: async-signal-safe.
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
        _Atomic int64_t began;
        int64_t value;
        _Atomic int64_t noted; /* the beginning of the wait that `note` is of; 0: none */
        _Atomic uint64_t note;
    } slots[WAITS_SLOTS];
};

/* Remembers; a wait of the same key that did not end is forgotten. False: there are too many. */
bool waits_begin(struct waits *w, int64_t key, int64_t began, int64_t value);

/* Takes it out; *note is 0 if there is none. False: its beginning was not seen. */
bool waits_end(struct waits *w, int64_t key, int64_t *began, int64_t *value, uint64_t *note);

/* When the wait of this key began; 0: there is none, or it has a note already. */
int64_t waits_began(struct waits *w, int64_t key);

/* Leaves a note on the wait that began then. Without effect if that one has ended. By one thread at
 * a time. */
void waits_note(struct waits *w, int64_t key, int64_t began, uint64_t note);

/* Forgets all, while no thread begins or ends one. */
void waits_clear(struct waits *w);

#endif
