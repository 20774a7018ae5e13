/* from_c.h - the VM, for events that C programs commit. */
#ifndef RECORDER_CUSTOM_FROM_C_H
#define RECORDER_CUSTOM_FROM_C_H

#include <jvmti.h>

/* Once per process, idempotent; on the drain thread. */
void custom_c_init(JavaVM *vm, jvmtiEnv *jvmti);

#endif
