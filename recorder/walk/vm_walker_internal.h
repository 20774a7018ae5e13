/* vm_walker_internal.h - whether the walker understands the VM it runs in, before it is relied on.
 */
#ifndef RECORDER_WALK_VM_WALKER_INTERNAL_H
#define RECORDER_WALK_VM_WALKER_INTERNAL_H

#include "recorder/walk/vm_walker.h"

/* Compares what the tables say of some 200 methods, and of the stacks of threads that wait, with
 * what JVMTI says. 0; negative: they differ, and why[] says in what. Takes a few milliseconds. On a
 * Java thread, after VM initialisation. */
int walk_vm_check(struct walk_vm_state *state, jvmtiEnv *jvmti, JNIEnv *env, char why[200]);

#endif
