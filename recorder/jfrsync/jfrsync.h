/*
 * jfrsync.h - the JDK's own recorder beside ours, for the types of events that we do not write.
 *
 *     jfrsync_clock(env, &clock);          our file then counts as the JDK's chunks do
 *     jfrsync_start(&r);                   on a thread of its own: takes some tenths of a second
 *     ...
 *     jfrsync_ask(JFRSYNC_STOP);
 *     while (!jfrsync_is_done()) ...       the drain thread has other things to do meanwhile
 *     jfrsync_merge(file);                 its chunks into our file, by their time
 *     jfrsync_close();
 *
 * The JDK's recording goes to a file in a folder beside ours, FILE.jdk, that is removed when the
 * two are one. What we write is switched off in it, so nothing is told twice. What fails costs the
 * JDK's half, and one line in the log. Collections are its half: both number them, each from where
 * it began, and one file is to have one numbering. Where it does not begin they are ours after all.
 *
 * Threads: the drain thread.
 */
#ifndef RECORDER_JFRSYNC_JFRSYNC_H
#define RECORDER_JFRSYNC_JFRSYNC_H

#include "jfrfmt/base/buf.h"
#include "recorder/capture/engine.h"
#include "recorder/settings/jdk_types.h"

#include <stdbool.h>

enum jfrsync_wish {
    JFRSYNC_NOTHING,
    JFRSYNC_DUMP, /* what there is so far, into a file */
    JFRSYNC_STOP,
};

#define JFRSYNC_FIRST_ID (1 << 20) /* of our types: the JDK's begin at 0, with a class's each */

/* How the JDK's recorder counts. False, and no clock: it cannot be asked. */
bool jfrsync_clock(JNIEnv *env, struct jfr_clock *clock);

/* Divides the events that the settings ask for: those that number collections are left to the JDK's
 * recorder, which has numbers of its own. Without the option or such a recorder none is. To be
 * called before anybody asks for the following. */
void jfrsync_divide(const struct recording *r);

/* Is it left? No longer, from the moment on at which it is known that the JDK's does not begin. */
bool jfrsync_leaves(enum event e);

/* Looks at the clock again: to be called each second. Nothing where the two are one. */
void jfrsync_follow_clock(const struct recording *r);

/* Begins as the options say; nothing without the option. */
void jfrsync_start(const struct recording *r);

/* Asks for something; is it done, for a few milliseconds at most? Nothing to do is done. */
void jfrsync_ask(enum jfrsync_wish wish);
bool jfrsync_is_done(void);

/* Puts the chunks of what was asked for among those of `file`, a recording of ours that is
 * finished, by the time at which they begin. How many bytes that are; failures go to the log, the
 * file is as it was then. */
uint64_t jfrsync_merge(const char *file);

/* Has the JDK's recording begun? It takes a while. */
bool jfrsync_is_recording(void);

void jfrsync_status(struct buf *reply);

/* The thread is gone, and what it left. After JFRSYNC_STOP is done. */
void jfrsync_close(void);

#endif
