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
 * the end. Both recordings must use the same clock. per_second: the rate that this clock was seen
 * to have, which all chunks get; 0: they keep the declared one. HotSpot takes the rate of the
 * processor's counter from the processor's name, "@ 2.80GHz", and some run at 2.793: times are then
 * wrong by 2 ms for each second since their chunk began, and contexts of ours lie on other events
 * of theirs.
 *
 * Chunks of theirs get the start time that their ticks have by the chunks of ours.
 *
 * Both declare all of the JDK's types, with different fields, and readers use the first declaration
 * for both. So a type is renamed from jdk.X to off.X in the chunks of the recorder that does not
 * write it: in theirs if is_ours is true for it, else in ours.
 *
 * Returns 0, or a negative jfr_errc and *err; then the file is unchanged. */
int jfrsync_join(const char *ours, const char *theirs, const bool is_ours[EV_N], int64_t per_second,
                 struct jfr_error *err);

#endif
