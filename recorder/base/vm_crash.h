/*
 * vm_crash.h - whether the VM reports a fatal error of its own.
 *
 *     vm_crash_watch((uintptr_t)(*vm)->GetEnv);      once, when the agent is loaded
 *     if (vm_crash_has_begun())                      before a stack is walked
 *         return;
 *
 * When an error is fatal, HotSpot gives SIGSEGV to its error handler, which takes the fault of any
 * thread for one more error: also that of a load which may fail (safe_load.h), since our handler is
 * not in front any more. So nothing is sampled from then on.
 *
 * Threads: any. Signals: vm_crash_has_begun() is async-signal-safe.
 */
#ifndef RECORDER_BASE_VM_CRASH_H
#define RECORDER_BASE_VM_CRASH_H

#include <stdbool.h>
#include <stdint.h>

/* Learns where the VM's library is, by an address in it, and which handler is the VM's usual one.
 * Where another library's handler is in front already that is not known, and a fatal error is never
 * seen. Later calls do nothing. */
void vm_crash_watch(uintptr_t address);

/* Costs one system call, until it is true. */
bool vm_crash_has_begun(void);

#endif
