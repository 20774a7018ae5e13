/*
 * jdk.h - calls of jdk.jfr through JNI.
 *
 * Threads: any that is attached to the VM, one at a time; all calls may take a while.
 */
#ifndef RECORDER_JFRSYNC_JDK_H
#define RECORDER_JFRSYNC_JDK_H

#include "jfrfmt/read/clock.h"
#include "recorder/settings/jdk_types.h"

#include <jni.h>
#include <limits.h>
#include <stdbool.h>

#define JFRSYNC_WHY 500
#define JFRSYNC_SETTINGS (2 * PATH_MAX)

/* Reads the clock of the JDK's recorder. Returns false if there is none. */
bool jfrsync_jdk_clock(JNIEnv *env, struct jfr_clock *clock);

/* What the JDK's recording is to be. */
struct jfrsync_wanted {
    char settings[JFRSYNC_SETTINGS]; /* names that the JDK knows, .jfc files; ';' in between */
    char file[PATH_MAX + 16]; /* where it goes when it is stopped or the VM ends */
    int64_t max_size, max_age; /* bytes, ns; 0: no limit */
    bool is_ours[EV_N]; /* events that we write */
    bool is_left[EV_N]; /* events that our settings select and the JDK's recorder writes */
};

/* Starts the recording. Returns false and a reason in why if that fails. */
bool jfrsync_jdk_start(JNIEnv *env, const struct jfrsync_wanted *w, char why[JFRSYNC_WHY]);

/* Dumps the recording so far to another file; stops the recording. Both return false and a reason
 * in why if that fails. */
bool jfrsync_jdk_dump(JNIEnv *env, const char *file, char why[JFRSYNC_WHY]);
bool jfrsync_jdk_stop(JNIEnv *env, char why[JFRSYNC_WHY]);

#endif
