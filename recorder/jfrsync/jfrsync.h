/*
 * jfrsync.h - runs the JDK's own recorder beside ours, for event types that we do not write.
 *
 *     jfrsync_clock(env, &clock);          our file then uses the ticks of the JDK's chunks
 *     jfrsync_start(&r);                   on a thread of its own; takes some tenths of a second
 *     ...
 *     jfrsync_ask(JFRSYNC_STOP);
 *     while (!jfrsync_is_done()) ...       the drain thread does other work meanwhile
 *     jfrsync_merge(file);                 puts its chunks into our file, ordered by time
 *     jfrsync_close();
 *
 * The JDK's recording is written to a folder beside our file, FILE.jdk, which is removed when both
 * are joined. Event types that we write are switched off in it, so no event is recorded twice. If
 * something fails, the events of the JDK's recorder are missing, and one line in the log says so.
 * Events of garbage collections are left to the JDK's recorder: both recorders number collections
 * from their own beginning, and one file must have one numbering. If the JDK's recording does not
 * begin, we write these events ourselves.
 *
 * Threads: the drain thread.
 */
#ifndef RECORDER_JFRSYNC_JFRSYNC_H
#define RECORDER_JFRSYNC_JFRSYNC_H

#include "jfrfmt/base/buf.h"
#include "recorder/capture/engine.h"
#include "recorder/settings/jdk_types.h"

#include <stdbool.h>

enum jfrsync_request {
    JFRSYNC_NOTHING,
    JFRSYNC_DUMP, /* write what was recorded so far to a file */
    JFRSYNC_STOP,
};

#define JFRSYNC_FIRST_ID (1 << 20) /* of our event types; ids of the JDK's types are smaller */

/* Reads the clock of the JDK's recorder. Returns false if that cannot be used. */
bool jfrsync_clock(JNIEnv *env, struct jfr_clock *clock);

/* Divides the selected event types: those with the number of a collection are left to the JDK's
 * recorder. Without the option, or without such a recorder, none is left. Call it before
 * jfrsync_leaves(). */
void jfrsync_divide(const struct recording *r);

/* Is this event left to the JDK's recorder? Becomes false when that recorder has failed to begin.
 */
bool jfrsync_leaves(enum event e);

/* Compares both clocks again; call it each second. Does nothing if they are the same clock. */
void jfrsync_follow_clock(const struct recording *r);

/* Starts the JDK's recording as the options say. Does nothing without the option. */
void jfrsync_start(const struct recording *r);

/* Requests an action; waits for it, some milliseconds at most, and returns whether it is done (true
 * also if none was requested). */
void jfrsync_ask(enum jfrsync_request request);
bool jfrsync_is_done(void);

/* Puts the chunks of the last dump or of the stopped recording between those of `file`, a finished
 * recording of ours, ordered by start time. Returns the number of bytes added. If it fails, it logs
 * the reason and leaves the file unchanged. */
uint64_t jfrsync_merge(const char *file);

/* Has the JDK's recording begun? It takes a while. */
bool jfrsync_is_recording(void);

void jfrsync_status(struct buf *reply);

/* Ends the thread and removes its files. Call it when JFRSYNC_STOP is done. */
void jfrsync_close(void);

#endif
