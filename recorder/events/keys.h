/*
 * keys.h - from what records name to what a recording names: threads, classes, methods, stacks.
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

/* Before the flush that jfr_writer_forget() follows: what may still be named by an old key, without
 * being described again, stays. */
void keys_keep(struct recording *r);

/* After jfr_writer_forget(): things are described again when they come up. */
void keys_forget(struct recording *r);

struct keys_status {
    uint64_t n_stacks, n_methods; /* different ones */
    uint64_t n_nameless; /* methods of which nothing was known */
    uint64_t reasons[WALK_N_REASONS]; /* of all stacks asked for, weights included */
};

void keys_status(struct keys_status *status);

#endif
