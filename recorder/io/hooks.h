/*
 * hooks.h - the native methods through which Java reads and writes, intercepted.
 *
 * One table serves all JDKs: what a JDK does not have is left alone. What goes past these methods
 * is not seen: mapped memory, Files.copy, transferTo, datagrams, FileDescriptor.sync; the
 * JDK's recorder does not see them either, but for transferTo.
 */
#ifndef RECORDER_IO_HOOKS_H
#define RECORDER_IO_HOOKS_H

#include "recorder/capture/engine.h"
#include "recorder/io/call.h"
#include "recorder/settings/settings.h"

#include <jvmti.h>

/* What is recorded; NULL: nothing. With a stack in any case, which tells who called. */
void io_hooks_set(enum io_kind kind, const struct event_settings *s);

/* Puts the hooks in, once per process. How many are in. */
int io_hooks_install(JavaVM *vm, JNIEnv *env);

extern struct engine engine_io; /* FileRead, FileWrite, FileForce, SocketRead, SocketWrite */

#endif
