/*
 * snapshot.h - a stack copied where a signal hit, walked later while its thread runs on:
 * walker "snapshot".
 *
 *     handler:  n = walk_snapshot_take(s, sizeof(buffer), ucontext, VM_WALK_C_FRAMES);
 *     drain:    walk_snapshot_collect(s, frames, room, &reason);
 *
 * The handler copies registers, where the thread's Java frames begin, and the stack from its top up
 * to what there is room for; another thread does the walk, without time pressure. Lost are
 * what lies deeper than the copy, frames of a virtual thread that are in the heap, and methods that
 * were unloaded in between.
 *
 * Threads: take on the walked thread, collect on one other thread; a snapshot is not shared.
 * Signals: walk_snapshot_take() is async-signal-safe.
 */
#ifndef RECORDER_WALK_SNAPSHOT_H
#define RECORDER_WALK_SNAPSHOT_H

#include "recorder/vm/walk.h"
#include "recorder/base/walker.h"

#include <ucontext.h>

#define WALK_SNAPSHOT_STACK ((size_t)32 << 10)

struct walk_snapshot {
    struct vm_walk walk; /* begun, not gone on with */
    gregset_t registers;
    uintptr_t low; /* first address copied */
    uint32_t n; /* bytes copied */
    bool is_whole; /* up to the end of the stack */
    uint8_t bytes[];
};

extern const struct walker walk_snapshot;

/* How much of a stack the walker copies: WALK_SNAPSHOT_STACK bytes unless this says otherwise. Not
 * while it is in use. */
void walk_snapshot_limit(size_t bytes);

/* Fills *s, of `room` bytes in all; may be moved as bytes afterwards. The bytes that matter, or 0:
 * too little room, or walk_vm has not been started. */
size_t walk_snapshot_take(struct walk_snapshot *s, size_t room, const void *ucontext,
                          unsigned flags);

/* Walks it; as struct walker's walk(). WALK_TRUNCATED: the copy ended before the stack did. */
int walk_snapshot_collect(const struct walk_snapshot *s, struct frame *frames, int room,
                          enum walk_reason *reason);

#endif
