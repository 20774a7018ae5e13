/*
 * keys.h - from the identities in records to keys in the file: threads, classes, methods, stacks.
 *
 * Implements drain_thread(), drain_stack(), drain_class() and drain_tid() of engine.h. Each thing
 * is described once, when the first record names it.
 *
 * Threads: the drain thread only.
 */
#ifndef RECORDER_EVENTS_KEYS_H
#define RECORDER_EVENTS_KEYS_H

#include "recorder/capture/engine.h"

/* For a recording whose writer has no constants yet. */
void keys_open(struct recording *r);
void keys_close(void);

/* Call it before the flush that precedes jfr_writer_forget(): constants that later events may name
 * by their old keys are written into the next chunk, too. */
void keys_keep(struct recording *r);

/* Call it after jfr_writer_forget(): each constant is written again when a record names it. */
void keys_forget(struct recording *r);

struct keys_status {
    uint64_t n_stacks, n_methods; /* different ones */
    uint64_t n_nameless; /* methods of which nothing was known */
    uint64_t reasons[WALK_N_REASONS]; /* of all stacks requested, weights included */
};

void keys_status(struct keys_status *status);

#endif
