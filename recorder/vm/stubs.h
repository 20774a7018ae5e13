/*
 * stubs.h - the names and ends of the stubs that the VM generates in one piece.
 *
 * Generated code that belongs to no method lies in a few large blobs; only JVMTI's
 * DynamicCodeGenerated events, which are requested once, say where one routine ends and the next
 * begins.
 *
 * Threads: read only once opened. Signals: vm_stubs_find() is async-signal-safe.
 */
#ifndef RECORDER_VM_STUBS_H
#define RECORDER_VM_STUBS_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct vm_stub {
    uintptr_t low, high;
    const char *name; /* lives as long as the table */
};

struct vm_stubs {
    struct vm_stub *stubs; /* sorted by low */
    uint32_t n;
    char *names;
};

/* On a Java thread, after VM initialisation. False: no memory, or the VM tells no stubs. */
bool vm_stubs_open(struct vm_stubs *s, JavaVM *vm);
void vm_stubs_close(struct vm_stubs *s);

/* The stub that holds pc, or NULL. */
const struct vm_stub *vm_stubs_find(const struct vm_stubs *s, uintptr_t pc);

/* The stub of that name, or NULL. */
const struct vm_stub *vm_stubs_named(const struct vm_stubs *s, const char *name);

#endif
