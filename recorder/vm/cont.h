/*
 * cont.h - frames of virtual threads that are not on any stack: frozen in the heap.
 *
 * A virtual thread that runs has its youngest frames on the carrier's stack; the others stay in
 * jdk.internal.vm.StackChunk objects until they are returned into.
 *
 * Signals: all but vm_cont_open() are async-signal-safe. The garbage collector may move a chunk
 * while it is read, unless the walked thread keeps it from doing so: what is read is checked, and
 * at worst frames are missing.
 */
#ifndef RECORDER_VM_CONT_H
#define RECORDER_VM_CONT_H

#include "recorder/vm/code.h"
#include "recorder/vm/vm.h"

#include <stdatomic.h>

struct vm_cont {
    bool is_known; /* this VM has continuations, and they are laid out as expected */
    int32_t tail, parent, size, sp, bottom; /* offsets of fields */
    uint32_t header; /* bytes in front of the frames */
    uintptr_t enter_special; /* Method* */
    uint32_t entry_size; /* of a ContinuationEntry, which lies below enterSpecial's fp */
    _Atomic int32_t entry; /* of a JavaThread: its youngest ContinuationEntry; -1: not known yet */
};

/* A chunk being read: the next frame begins at sp and the last ends at `end`. */
struct vm_chunk {
    uintptr_t oop; /* 0: none is being read */
    uintptr_t sp, end, low;
    uintptr_t unextended_sp; /* of the next frame if its callee was interpreted; or 0 */
    int n; /* chunks read so far */
    uintptr_t resume_fp; /* where the stack continues: enterSpecial's fp */
};

/* A frame in a chunk. */
struct vm_frozen {
    uintptr_t pc, sp, fp; /* fp only of interpreted ones */
};

/* Finds fields and methods. On a Java thread; leaves no exception pending. */
void vm_cont_open(struct vm_cont *c, const struct vm *vm, JNIEnv *env);

/* The youngest ContinuationEntry of a JavaThread; 0: it runs no virtual thread, or it is not known
 * where it is. */
uintptr_t vm_cont_entry(struct vm_cont *c, const struct vm *vm, uintptr_t thread);

/* Where in a JavaThread that is, by the code of enterSpecial; -1: the code is not as known. One for
 * each processor, beside its part of the walker. */
int32_t vm_cont_entry_slot(const struct code_blob *enter_special);

/* Begins to read the chunks of the continuation whose enterSpecial frame has this fp. False: its
 * frames in the heap, if there are any, cannot be read. */
bool vm_chunk_open(const struct vm_cont *c, const struct vm *vm, struct vm_chunk *chunk,
                   uintptr_t enter_fp);

/* The next frame's registers. False: no more, or not readable (*damaged says which). The caller
 * then tells with vm_chunk_step_* how large it was. */
bool vm_chunk_next(const struct vm_cont *c, const struct vm *vm, struct vm_chunk *chunk,
                   struct vm_frozen *f, bool *damaged);
void vm_chunk_step_compiled(struct vm_chunk *chunk, const struct vm_frozen *f, uint32_t words);
bool vm_chunk_step_interpreted(const struct vm *vm, struct vm_chunk *chunk,
                               const struct vm_frozen *f);

#endif
