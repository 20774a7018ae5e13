/*
 * merge.h - chunks of two recordings in one file, by the time at which they begin.
 * Threads: any.
 */
#ifndef RECORDER_JFRSYNC_MERGE_H
#define RECORDER_JFRSYNC_MERGE_H

#include "jfrfmt/base/error.h"
#include "recorder/settings/jdk_types.h"

#include <stdbool.h>

/* Puts the chunks of `theirs` among those of `ours`. Chunks that begin at the same time are told
 * apart by a nanosecond, and only the last says that it is. The clocks must be the same.
 *
 * Both declare all of the JDK's types, each in its own shape, and readers take the first that they
 * find for both. So a type is called off.X where the other tells it, instead of jdk.X: theirs where
 * is_ours, ours elsewhere.
 *
 * 0 or a negative jfr_errc and *err; nothing has changed then. */
int jfrsync_join(const char *ours, const char *theirs, const bool is_ours[EV_N],
                 struct jfr_error *err);

#endif
