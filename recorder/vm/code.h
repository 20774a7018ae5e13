/*
 * code.h - generated code: from an address to the block of code that holds it, and from an
 * address in a compiled method to the methods and bytecodes it stands for.
 *
 * Nothing here trusts what it reads. A block may be freed and its memory used anew while it is
 * looked at, so every step is a safe load, every loop is bounded, and what comes out is checked
 * against the address that was requested.
 *
 * Threads: any. Signals: all functions are async-signal-safe.
 */
#ifndef RECORDER_VM_CODE_H
#define RECORDER_VM_CODE_H

#include "recorder/vm/vm.h"

enum code_kind {
    CODE_NMETHOD, /* a compiled method */
    CODE_NATIVE, /* the wrapper of a native method */
    CODE_STUB, /* a frame of its own: runtime call, safepoint, exception, deoptimisation */
    CODE_BUFFER, /* several stubs, of any shape */
    CODE_ADAPTER, /* between interpreted and compiled code; vtable and itable stubs: no frame */
    CODE_UPCALL, /* from native code, by a function handle */
};

struct code_blob {
    uintptr_t start;
    uintptr_t code_begin, code_end; /* of the instructions */
    uintptr_t name; /* address of a C string */
    uint32_t size;
    int32_t frame_words; /* of a complete frame, with the return address; 0: none */
    int32_t frame_complete; /* offset in the code from which the frame is; negative: never */
    enum code_kind kind;
};

/* More, for CODE_NMETHOD and CODE_NATIVE. */
struct code_method {
    uintptr_t method; /* Method* */
    uintptr_t verified_entry;
    uintptr_t deopt, deopt_mh; /* what a patched return address points at */
    int32_t level; /* 0..4 */
    int32_t compile_id;
    int32_t orig_pc; /* where in the frame the unpatched address is; negative: unknown */
    bool is_osr;
};

/* One method of those that an address stands for. */
struct code_scope {
    uintptr_t method; /* Method*, 0 if unknown */
    int32_t bci;
    int32_t sender; /* next outer scope, 0: this is the outermost */
};

/* The blob that holds pc. False: none. */
bool vm_code_find(const struct vm *vm, uintptr_t pc, struct code_blob *b);

/* False if parts of it cannot be read. */
bool vm_code_method(const struct vm *vm, const struct code_blob *b, struct code_method *m);

/* Whether the C string at `address` begins with `prefix`. */
bool vm_text_starts(uintptr_t address, const char *prefix);

/* The innermost scope at pc; 0: none is recorded. `exact` wants a record for this very address, as
 * every return address has one. Else the next one at or after it: it describes the instructions
 * that lead up to it. */
int32_t vm_code_scope(const struct vm *vm, const struct code_blob *b, uintptr_t pc, bool exact);

/* Reads scope `at`. False: it cannot be read. */
bool vm_code_scope_read(const struct vm *vm, const struct code_blob *b, int32_t at,
                        struct code_scope *s);

/* Reads an UNSIGNED5 number at *address and moves after it. */
bool vm_number(const struct vm *vm, uintptr_t *address, uint32_t *value);

/* Whether pc can be a return address in Java code: of the interpreter, of a compiled method or of
 * the call stub. */
bool vm_code_returns(const struct vm *vm, uintptr_t pc);

#endif
