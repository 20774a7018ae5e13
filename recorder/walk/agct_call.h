/*
 * agct_call.h - the part of agct.c that runs in signal handlers.
 */
#ifndef RECORDER_WALK_AGCT_CALL_H
#define RECORDER_WALK_AGCT_CALL_H

#include "recorder/base/walker.h"

/* Looks AsyncGetCallTrace up and learns how JavaThread and JNIEnv are found. On a Java thread.
 * 0, or negative and why. */
int agct_prepare(JNIEnv *env, char why[200]);

/* struct walker.walk; `method` of a frame is its jmethodID. Async-signal-safe. */
int agct_walk(void *ucontext, struct frame *frames, int room, enum walk_reason *reason);

/* Makes walk_agct.describe() work for jmethodIDs that other code found, while another walker is
 * in use; and frees what it keeps. Nothing when walk_agct itself is in use. */
void agct_describe_begin(JavaVM *vm);
void agct_describe_end(void);

#endif
