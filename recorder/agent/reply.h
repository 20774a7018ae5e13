/*
 * reply.h - the reply to the process that has attached. Not async-signal-safe.
 */
#ifndef RECORDER_AGENT_REPLY_H
#define RECORDER_AGENT_REPLY_H

#include "jfrfmt/base/buf.h"

#define REPLY_WHY 800 /* bytes of the line that says why something failed */

/* Appends the reply to a file, which must exist and be a regular file of our own user. JVMs that
 * were started together may share one. jfrec locks its files (.jfrec-*) by flock() while it waits
 * for the reply, and removes them; a file without a lock is of a jfrec that was killed, and is
 * removed here. Without a file (NULL), an error is logged. Returns 0, or -1 if the reply could not
 * be written. */
int reply_send(const char *path, const struct buf *reply);

#endif
