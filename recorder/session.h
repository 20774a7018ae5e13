/*
 * session.h - one recording from its start to its end: file, settings, walker, engines.
 *
 * Threads: all functions on the drain thread.
 */
#ifndef RECORDER_SESSION_H
#define RECORDER_SESSION_H

#include "jfrfmt/buf.h"
#include "recorder/engine.h"

#define SESSION_WHY 800

/* Checks the settings that the options add up to, as session_open() would read them. Returns 0, or
 * -1 and one line. On any thread, while no recording is open. */
int session_check(const struct rec_options *options, char why[SESSION_WHY]);

/* Begins a recording with these options, which stay the caller's. 0, or -1 and one line. */
int session_open(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *env, const struct rec_options *options,
                 char why[SESSION_WHY]);

/* Moves records from the rings into the file; does what is due each second. False: the recording
 * has lasted as long as it should. */
bool session_pass(void);

/* Nanoseconds after which the next pass is due, if nothing fills the rings before. */
int64_t session_pace(void);

/* Switches everything off, writes what is left, closes the file. reason: why, for the recording.
 * Answers about it go to reply ("key: value" lines), which may be NULL. */
void session_close(const char *reason, struct buf *reply);

/* Copies what has been recorded so far into another file. 0, or -1 and why. */
int session_dump(const char *path, struct buf *reply, char why[SESSION_WHY]);

void session_status(struct buf *reply);

#endif
