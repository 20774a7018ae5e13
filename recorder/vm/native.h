/* native.h - frames of C code in a walk of Java frames. */
#ifndef RECORDER_VM_NATIVE_H
#define RECORDER_VM_NATIVE_H

#include "recorder/vm/walk_state.h"

/* Moves w->r from a C frame to its caller. WALK_END: done; w->r.pc is 0 at the thread's start.
 * Else the reason why the caller cannot be found. Async-signal-safe. */
enum walk_reason vm_native_leave(struct vm_walk *w);

#endif
