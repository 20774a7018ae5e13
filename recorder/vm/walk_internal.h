/* walk_internal.h - what the parts of walk.h share. All async-signal-safe. */
#ifndef RECORDER_VM_WALK_INTERNAL_H
#define RECORDER_VM_WALK_INTERNAL_H

#include "recorder/vm/walk.h"

/* There are no more frames but those that are pending. */
void vm_walk_end(struct vm_walk *w, enum walk_reason reason);

/* Reads a JavaFrameAnchor: where the next older Java frames are. False: it cannot be read. */
bool vm_walk_load_anchor(struct vm_walk *w, uintptr_t anchor);

/* Continues the walk there. */
void vm_walk_to_anchor(struct vm_walk *w);

#endif
