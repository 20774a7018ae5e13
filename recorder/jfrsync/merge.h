/*
 * merge.h - joins two recordings: their chunks in one file, ordered by start time.
 *
 * Threads: any.
 */
#ifndef RECORDER_JFRSYNC_MERGE_H
#define RECORDER_JFRSYNC_MERGE_H

#include "jfrfmt/base/error.h"
#include "recorder/settings/jdk_types.h"

#include <stdbool.h>

/* Puts the chunks of `theirs` between those of `ours`. Of chunks that begin at the same time, the
 * later one gets a start time one nanosecond later. Only the last chunk keeps the flag that marks
 * the end. Both recordings must use the same clock.
 *
 * Both declare all of the JDK's types, with different fields, and readers use the first declaration
 * for both. So a type is renamed from jdk.X to off.X in the chunks of the recorder that does not
 * write it: in theirs if is_ours is true for it, else in ours.
 *
 * Returns 0, or a negative jfr_errc and *err; then the file is unchanged. */
int jfrsync_join(const char *ours, const char *theirs, const bool is_ours[EV_N],
                 struct jfr_error *err);

#endif
