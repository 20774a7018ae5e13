/*
 * waits.h - waits that have begun and not ended: a table from ids of Java threads to times.
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

/* Stores the beginning of a wait, in place of an unfinished one of the same key. Returns false if
 * the table is full. */
bool waits_begin(struct waits *w, int64_t key, int64_t began, int64_t value);

/* Removes a wait and returns what was stored; *note is 0 if there is none. Returns false if its
 * beginning was not stored. */
bool waits_end(struct waits *w, int64_t key, int64_t *began, int64_t *value, uint64_t *note);

/* Returns when the wait of this key began, or 0 if there is none or it has a note already. */
int64_t waits_began(struct waits *w, int64_t key);

/* Leaves a note on the wait that began then. Without effect if that one has ended. By one thread at
 * a time. */
void waits_note(struct waits *w, int64_t key, int64_t began, uint64_t note);

/* Forgets all, while no thread begins or ends one. */
void waits_clear(struct waits *w);

#endif
