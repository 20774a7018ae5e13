/*
 * caller.h - finds the JDK's method for which the JDK's recorder would have an event, in the stack
 * of a native method.
 *
 * The JDK's recorder does not record native methods but some Java methods above them, and which
 * ones depends on the release. A call that does not pass one of them has no event. Its stacks begin
 * with that method, and from JDK 25 on with its caller.
 *
 * Threads: the drain thread; io_caller_start() any.
 */
#ifndef RECORDER_IO_CALLER_H
#define RECORDER_IO_CALLER_H

#include "recorder/capture/engine.h"
#include "recorder/io/call.h"

#include <stdint.h>

enum io_caller {
    IO_CALLER_NONE, /* the JDK's recorder has no event for it */
    IO_CALLER_UNKNOWN, /* the stack does not reach so far */
    IO_CALLER_STREAM,
    IO_CALLER_CHANNEL,
};

/* Detects the release of this JDK. */
void io_caller_start(JNIEnv *env);

/* Does this JDK's recorder leave out its own methods at the top of stacks? */
bool io_caller_leaves_out(JNIEnv *env);

/* Does this JDK's recorder also have events for failed reads and writes of sockets? */
bool io_caller_is_old(void);

/* Finds the caller, and how many frames at the top of the stack are left out. */
enum io_caller io_caller_of(struct recording *r, const struct record *rec, enum io_kind kind,
                            uint32_t *skip);

#endif
