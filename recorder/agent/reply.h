/*
 * reply.h - the answer to whoever attached. Not async-signal-safe.
 */
#ifndef RECORDER_AGENT_REPLY_H
#define RECORDER_AGENT_REPLY_H

#include "jfrfmt/base/buf.h"

#define REPLY_WHY 800 /* bytes of the line that says why something failed */

/* Adds the answer to the file, which must be there already: a regular file of our own. JVMs that
 * were started together may share one. jfrec's files (.jfrec-*) are locked (flock) while it
 * waits for the answer, and it removes them; one without a lock is left of a jfrec that was killed,
 * and is removed here. Without a file (NULL) an answer that is an error goes to the log. 0, or -1:
 * the answer could not be written. */
int reply_send(const char *path, const struct buf *reply);

#endif
