/*
 * control.h - starting and stopping recordings: OFF -> STARTING -> RUNNING -> STOPPING -> OFF.
 * With a delay: OFF -> STARTING -> DELAYED -> RUNNING ...; stopped before it is over, nothing is
 * written.
 *
 * At most one recording at a time. It belongs to one thread, the drain thread, which is born at the
 * start and ends with it; everybody else asks it and waits for the answer.
 *
 * Threads: any but the drain thread. Signals: not async-signal-safe.
 */
#ifndef RECORDER_AGENT_CONTROL_H
#define RECORDER_AGENT_CONTROL_H

#include "jfrfmt/base/buf.h"
#include "recorder/settings/options.h"

#include <jvmti.h>

/* Before all others, once. */
void control_init(JavaVM *vm, jvmtiEnv *jvmti);

/* How long an answer of the drain thread is waited for, in seconds. What was asked is done even if
 * it takes longer. For tests. */
extern int control_patience_s;

/* Each puts its answer into reply: "ok" or "error: text", then "key: value" lines. 0 or -1. */
int control_start(struct rec_options *options, struct buf *reply); /* takes the options */
int control_stop(struct buf *reply);
int control_dump(const char *path, struct buf *reply);
int control_status(struct buf *reply);

/* The VM ends: stops what runs, refuses everything from now on. */
int control_vm_death(struct buf *reply);

#endif
