/*
 * hooks.h - intercepts the native methods through which Java reads and writes.
 *
 * One table serves all JDKs: methods that a JDK does not have are skipped. What does not use these
 * methods is not recorded: mapped memory, Files.copy, transferTo, datagrams, FileDescriptor.sync.
 * Of these the JDK's recorder has events for transferTo only.
 */
#ifndef RECORDER_IO_HOOKS_H
#define RECORDER_IO_HOOKS_H

#include "recorder/capture/engine.h"
#include "recorder/io/call.h"
#include "recorder/settings/settings.h"

#include <jvmti.h>

/* Sets the settings of a kind; NULL: it is not recorded. Records always have a stack, from which
 * the caller is found. */
void io_hooks_set(enum io_kind kind, const struct event_settings *s);

/* Installs the hooks, once per process. Returns how many are installed. */
int io_hooks_install(JavaVM *vm, JNIEnv *env);

extern struct engine engine_io; /* FileRead, FileWrite, FileForce, SocketRead, SocketWrite */

#endif
