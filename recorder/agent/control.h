/*
 * control.h - starting and stopping recordings: OFF -> STARTING -> RUNNING -> STOPPING -> OFF.
 * With a delay: OFF -> STARTING -> DELAYED -> RUNNING ...; stopped before it is over, nothing is
 * written.
 *
 * At most one recording at a time. It belongs to the drain thread, which is created at its start
 * and ends with it. Other threads post requests to the drain thread and wait for the reply.
 *
 * Threads: any but the drain thread. Signals: not async-signal-safe.
 */
#ifndef RECORDER_AGENT_CONTROL_H
#define RECORDER_AGENT_CONTROL_H

#include "jfrfmt/base/buf.h"
#include "recorder/settings/options.h"

#include <jvmti.h>

/* Call it once, before the others. */
void control_init(JavaVM *vm, jvmtiEnv *jvmti);

/* How many seconds a reply of the drain thread is waited for. The request is done even if it takes
 * longer. For tests. */
extern int control_patience_s;

/* Each appends its reply: "ok" or "error: text", then lines "key: value". Returns 0 or -1. */
int control_start(struct rec_options *options, struct buf *reply); /* takes the options */
int control_stop(struct buf *reply);
int control_dump(const char *path, struct buf *reply);
int control_status(struct buf *reply);

/* The VM ends: stops the recording, and refuses all later requests. */
int control_vm_death(struct buf *reply);

#endif
