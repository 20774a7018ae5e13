/*
 * virtual_thread.h - which virtual thread a thread runs, read from the heap as it is.
 *
 * The VM keeps in each JavaThread the java.lang.Thread that runs on it. Where that is another than
 * the thread's own it is a virtual thread. Its id and name are read without JNI, so that a sample
 * that is taken in a signal handler can have them.
 *
 * A collector may move objects meanwhile, unless the thread runs Java code or code of the VM. Ids
 * are checked by the class of the object then; a name that is wrong in its length or place is none.
 *
 * Threads: read only once opened. Signals: vm_virtual_open() not; the others yes.
 */
#ifndef RECORDER_VM_VIRTUAL_THREAD_H
#define RECORDER_VM_VIRTUAL_THREAD_H

#include "recorder/vm/vm.h"

#include <stdatomic.h>

struct vm_virtual {
    bool is_known; /* this VM has virtual threads, and what is needed was found */
    int32_t id, name, value, coder; /* offsets of fields of Thread and String */
    int32_t length, bytes; /* in a byte[] */
    enum {
        HEADER_WIDE, /* a pointer to the class, after the mark word */
        HEADER_NARROW, /* 32 bits there */
        HEADER_COMPACT /* the upper bits of the mark word */
    } header;
    _Atomic uint64_t class_word; /* what those hold in a virtual thread; 0: none was seen yet */
};

/* Finds fields. After the VM's initialisation, on a Java thread; leaves no exception pending. */
void vm_virtual_open(struct vm_virtual *v, const struct vm *vm, JNIEnv *env);

/* Thread.threadId() of the virtual thread that the JavaThread runs, and the address of its object;
 * 0: none, or not readable now. */
uint64_t vm_virtual_id(struct vm_virtual *v, const struct vm *vm, uintptr_t thread,
                       uintptr_t *object);

/* Its name as modified UTF-8, cut between characters to fit into `room` bytes with the NUL; "":
 * none. */
void vm_virtual_name(const struct vm_virtual *v, const struct vm *vm, uintptr_t object, char *out,
                     size_t room);

#endif
