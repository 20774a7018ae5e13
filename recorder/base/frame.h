/*
 * frame.h - one frame of a stack, as it is recorded where the sample is taken.
 *
 * Nothing in it is a pointer that is followed later: `method` is an identity that the walker
 * which made the frame can describe (walker.h), `pc` is an address to find a symbol for
 * (symbols.h).
 */
#ifndef RECORDER_BASE_FRAME_H
#define RECORDER_BASE_FRAME_H

#include <stdint.h>

enum frame_kind {
    FRAME_INTERPRETED,
    FRAME_COMPILED, /* level says by which compiler */
    FRAME_INLINED, /* into the next frame that is not inlined */
    FRAME_NATIVE_METHOD, /* a Java method declared native */
    FRAME_STUB, /* code that the VM generated and that belongs to no method */
    FRAME_C, /* C, C++ or anything else that has symbols */
    FRAME_VM, /* the same inside the VM's own library */
    FRAME_CONTINUATION, /* boundary between a virtual thread and its carrier */
    FRAME_REASON, /* not a frame: why the walk ended here; bci is an enum walk_reason */
    FRAME_KERNEL, /* the system's, above those of the thread; pc is its address there */
};

struct frame {
    uint64_t method; /* identity, 0 = none; also of stubs */
    uintptr_t pc; /* 0 = unknown */
    int32_t bci; /* -1 = unknown */
    uint8_t kind; /* enum frame_kind */
    uint8_t level; /* 1..3: C1, 4: C2 or another top tier, 0: not compiled */
    uint16_t spare;
};

#endif
