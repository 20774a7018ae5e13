/* from_c.h - gives from_c.c the VM, in which it looks up the calling thread. */
#ifndef RECORDER_CUSTOM_FROM_C_H
#define RECORDER_CUSTOM_FROM_C_H

#include <jvmti.h>

/* Once per process, idempotent; on the drain thread. */
void custom_c_init(JavaVM *vm, jvmtiEnv *jvmti);

#endif
