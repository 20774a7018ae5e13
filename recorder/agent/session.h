/*
 * session.h - one recording from its start to its end: file, settings, walker, engines.
 *
 * Threads: all functions on the drain thread.
 */
#ifndef RECORDER_AGENT_SESSION_H
#define RECORDER_AGENT_SESSION_H

#include "jfrfmt/base/buf.h"
#include "recorder/agent/reply.h"
#include "recorder/capture/engine.h"

/* Reads the settings that the options add up to, for the session_open() or session_drop() that
 * follows. Returns 0, or -1 and one line. For a recording with a delay: files named by the options
 * may be gone when it is over, and an error can still be answered. On any thread, while no
 * recording is open. */
int session_prepare(const struct rec_options *options, char why[REPLY_WHY]);

/* Frees what session_prepare() has read, in place of session_open(). */
void session_drop(void);

/* Begins a recording with these options, which stay the caller's, and with the settings that were
 * prepared, or else reads them. 0, or -1 and one line. */
int session_open(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *env, const struct rec_options *options,
                 char why[REPLY_WHY]);

/* Moves records from the rings to the file, and does the work of each second. Returns false if the
 * recording has reached its duration. */
bool session_pass(void);

/* Nanoseconds after which the next pass is due, if nothing fills the rings before. */
int64_t session_pace(void);

/* Switches everything off, writes the remaining records, and closes the file. reason: why the
 * recording ends, for its event. The reply ("key: value" lines) may be NULL. */
void session_close(const char *reason, struct buf *reply);

/* Copies what was recorded so far to another file. Returns 0, or -1 and a reason in why. */
int session_dump(const char *path, struct buf *reply, char why[REPLY_WHY]);

void session_status(struct buf *reply);

#endif
