/*
 * method.h - methods as HotSpot keeps them: whether an address is one, and what it says.
 *
 * A Method* leads to its bytecodes and its constant pool, that to the class, and those to the
 * names. While a frame of the method is on a stack its class is not unloaded, so what is read in
 * the handler that met the frame is right; what is read later may be anything.
 *
 * Threads: any. Signals: all functions are async-signal-safe.
 */
#ifndef RECORDER_VM_METHOD_H
#define RECORDER_VM_METHOD_H

#include "recorder/vm/vm.h"

/* What stands after a Method*. Another method at the same address has other words. */
struct vm_method {
    uintptr_t const_method, pool, holder, name, signature;
    uint32_t code_size;
};

struct vm_text {
    uintptr_t address; /* of the bytes, in the VM */
    uint32_t n;
};

/* Follows `method`. False: it is none, or it cannot be read. */
bool vm_method_read(const struct vm *vm, uintptr_t method, struct vm_method *m);

/* The bytecode index of address `bcp` in that method; 0 before the first instruction, -1 if it
 * lies in another one. */
int32_t vm_method_bci(const struct vm *vm, const struct vm_method *m, uintptr_t bcp);

/* The bytes of a Symbol*. */
bool vm_symbol_text(const struct vm *vm, uintptr_t symbol, struct vm_text *text);

/* Its generic signature's Symbol*; 0: it has none. */
uintptr_t vm_method_generic(const struct vm *vm, const struct vm_method *m);

/* Access flags as in class files, without what HotSpot adds. */
int32_t vm_method_modifiers(const struct vm *vm, uintptr_t method);

/* Reads the line table from *address on (first call: 0; *bci and *line then start at 0).
 * 1: *bci, *line are the next entry; 0: the end; -1: it cannot be read. Not sorted. */
int vm_method_line(const struct vm *vm, const struct vm_method *m, uintptr_t *address, int32_t *bci,
                   int32_t *line);

#endif
