/*
 * hooks.h - the native methods through which Java reads and writes, intercepted.
 *
 * One table serves all JDKs: what a JDK does not have is left alone. What goes past these methods
 * is not seen: mapped memory, Files.copy, transferTo, datagrams, FileDescriptor.sync; the
 * JDK's recorder does not see them either, but for transferTo.
 */
#ifndef RECORDER_IO_HOOKS_H
#define RECORDER_IO_HOOKS_H

#include "recorder/settings/settings.h"

#include <jvmti.h>

enum io_kind {
    IO_FILE_READ,
    IO_FILE_WRITE,
    IO_FILE_FORCE,
    IO_SOCKET_READ,
    IO_SOCKET_WRITE,
    IO_N_KINDS
};

/* One call, with the text of its path, or of its peer and what that is called, behind it. */
struct io_call {
    int64_t bytes;
    int port;
    int32_t timeout_ms; /* of a read that waited; 0: no limit */
    uint8_t is_end; /* of file or stream; of a force: metadata too */
    uint8_t has_text;
    uint8_t n_host; /* of these bytes; 0: it was called by its address, or called us */
    uint8_t is_vain; /* there was nothing: all that a channel does, and a stream waits */
};

/* What is recorded; NULL: nothing. With a stack in any case, which tells who called. */
void io_hooks_set(enum io_kind kind, const struct event_settings *s);

/* Puts the hooks in, once per process. How many are in. */
int io_hooks_install(JavaVM *vm, JNIEnv *env);

#endif
