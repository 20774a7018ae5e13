/*
 * push_state.h - how the sending of a recording goes: jfrkit push writes it into its spool folder,
 * jfrkit status and stop show it.
 *
 * It is a text file of lines "push-KEY: VALUE" (to, state, sent, sent-bytes, waiting, lost, error,
 * pid, every-ms). Its time of change says how old it is.
 */
#ifndef TOOLS_REC_PUSH_STATE_H
#define TOOLS_REC_PUSH_STATE_H

#include "tools/rec/agent_call.h"

#include "jfrfmt/base/buf.h"

#define PUSH_STATE_NAME "status" /* the file in the spool folder */

/* Writes the default spool folder of a recording into folder: the recording's path and ".push". For
 * a recording that is seen through /proc, in a container, it is in the current folder, since that
 * path is gone when the JVM ends. */
void push_state_folder(const char *recording, char *folder, size_t room);

/* Appends the lines of a recording's default spool folder to an answer, with "push-age-ms". An
 * answer stays unchanged if there is no such file, it is not a plain one of the caller's user or
 * root, or memory is exhausted. */
void push_state_add(const char *recording, struct agent_reply *reply);

/* Appends one line for people, without an end, and returns true; false: the answer has no such
 * lines. */
bool push_state_put(const struct agent_reply *reply, struct buf *b);

#endif
