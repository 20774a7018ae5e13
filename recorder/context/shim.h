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

/* Defines the class in the boot loader if is_asked, or if a file of its service is on the class
 * path, and calls the program's services for their types. While attaching that is not possible: the
 * types are then known from their first use. Once per process; does nothing if the class exists.
 * Call it on a Java thread without a pending exception. */
void context_shim_define(JNIEnv *env, bool is_asked);

#endif
