/*
 * shim.h - the class jdk.jfr.ContextType for JDKs that have none.
 *
 * Programs that extend it, and name their types by its service, then set contexts of ours. It needs
 * the module jdk.jfr, and JDK 11 or later.
 */
#ifndef RECORDER_CONTEXT_SHIM_H
#define RECORDER_CONTEXT_SHIM_H

#include <jni.h>
#include <stdbool.h>

/* Defines the class, if it is asked for or a file of its service is on the class path, in the boot
 * loader and asks the program's services for types, which does not work while attaching: their
 * types are then known from their first use on. Once per process; nothing when the class is there.
 * On a Java thread without a pending exception. */
void context_shim_define(JNIEnv *env, bool is_asked);

#endif
