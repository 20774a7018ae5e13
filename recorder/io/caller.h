/*
 * caller.h - which call of the program a native method worked for, as the JDK's recorder sees
 * it.
 *
 * That recorder does not look at native methods but at some methods of Java above them, others in
 * later JDKs than in earlier ones. So what goes past those has no event, and the stack begins
 * there; from JDK 25 on it begins with who called them.
 *
 * Threads: the one that writes, but for io_caller_start().
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

/* Finds out what this JDK does. */
void io_caller_start(JNIEnv *env);

/* True: stacks of some events of this JDK's recorder leave out the JDK's own methods at the top. */
bool io_caller_leaves_out(JNIEnv *env);

/* True: reads and writes of sockets that failed are events too. */
bool io_caller_is_old(void);

/* Who called, and how many frames at the top of the stack are not shown. */
enum io_caller io_caller_of(struct recording *r, const struct record *rec, enum io_kind kind,
                            uint32_t *skip);

#endif
