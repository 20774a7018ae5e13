/*
 * thread_name.h - whole names of HotSpot's own threads.
 *
 * The system keeps 15 bytes of a name ("C2 CompilerThre"). Threads of Java have their names from
 * the VM; threads of the VM are not shown to agents, so what is cut off comes from a table.
 *
 * Threads: any. Signals: not in handlers.
 */
#ifndef RECORDER_VM_THREAD_NAME_H
#define RECORDER_VM_THREAD_NAME_H

#include <stdbool.h>
#include <stdint.h>

#define VM_THREAD_NAME 48 /* bytes, with the NUL */

/* The whole name of the live thread `tid`, which the system calls `comm`; false: nothing is known
 * to be missing. Threads of one kind are numbered in the order of their starts: the VM begins them
 * in that order and ends the last one first. Reads /proc for those. */
bool vm_thread_name(int32_t tid, const char *comm, char out[VM_THREAD_NAME]);

#endif
