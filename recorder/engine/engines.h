/* engines.h - the engines that record single events, for the table in engines.c. */
#ifndef RECORDER_ENGINE_ENGINES_H
#define RECORDER_ENGINE_ENGINES_H

#include "recorder/capture/engine.h"

extern struct engine engine_park; /* ThreadPark, ThreadSleep, VirtualThreadPinned */
extern struct engine engine_exceptions; /* JavaExceptionThrow, JavaErrorThrow */
extern struct engine engine_alloc; /* ObjectAllocationSample */
extern struct engine engine_gc; /* GarbageCollection, GCPhasePause, GCHeapSummary, SystemGC */
extern struct engine engine_threads; /* ThreadStart, ThreadEnd */
extern struct engine engine_virtual; /* VirtualThreadStart, VirtualThreadEnd */
extern struct engine engine_class; /* ClassLoad, ClassDefine, ClassUnload */
extern struct engine engine_compile; /* Compilation */
extern struct engine engine_shutdown; /* Shutdown */

/* In VMDeath, before the recording is stopped. */
void engine_shutdown_vm_death(void);

#endif
