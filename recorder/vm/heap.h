/*
 * heap.h - how many bytes of the Java heap are in use, from HotSpot's own structures.
 *
 *     vm_heap_open();                        once, anywhere
 *     int64_t used = vm_heap_used();         at any time, also in the pause of a collection
 *
 * The VM's performance counters say it too, but only G1 keeps them up to date between collections.
 *
 * Threads: vm_heap_open() on one; vm_heap_used() on any, afterwards. Signals: vm_heap_used() is
 * async-signal-safe.
 */
#ifndef RECORDER_VM_HEAP_H
#define RECORDER_VM_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* False: this collector (G1, Epsilon) or this VM is not known here, and nothing can be read. */
bool vm_heap_open(void);

/* Bytes, with whole allocation buffers of threads, as in the VM's log of collections; without the
 * survivor space that is empty. -1: unknown. */
int64_t vm_heap_used(void);

#endif
