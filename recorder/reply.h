/*
 * reply.h - the answer to whoever attached. Not async-signal-safe.
 */
#ifndef RECORDER_REPLY_H
#define RECORDER_REPLY_H

#include "jfrfmt/buf.h"

/* Writes the answer into the file, which must be there already: a regular file of our own. Without
 * a file (NULL) an answer that is an error goes to the log. 0, or -1: nobody was told. */
int reply_send(const char *path, const struct buf *reply);

#endif
