/*
 * timespec.h - durations, sizes, zones and points in time as users write them.
 *
 *     rc = timespec_point("-30s", false, &from, &err);                  while options are read
 *     ns = timespec_resolve(&from, start_ns, end_ns, zone_s);          when the recording is known
 *
 * Everything answers 0, or JFR_E_FORMAT and an *err whose text quotes the word and says what is
 * wrong with it.
 */
#ifndef CONVERT_TEXT_TIMESPEC_H
#define CONVERT_TEXT_TIMESPEC_H

#include "jfrfmt/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* "20ms", "1.5 s", "1h30m": ns us ms s m h d; a unit is required except for 0. Not negative. */
int timespec_duration(const char *text, int64_t *ns, struct jfr_error *err);

/* "4096", "64kB", "10M": k M G T, also as kB or KiB, are powers of 1024, in upper or lower case. So
 * they are in the options of the recorder (recorder/settings/options.c). */
int timespec_size(const char *text, uint64_t *bytes, struct jfr_error *err);

/* "Z", "UTC", "+05:30", "-0330", "+02": seconds east of UTC, at most 18 hours. */
int timespec_zone(const char *text, int32_t *zone_s, struct jfr_error *err);

enum time_point_kind {
    TIME_POINT_NONE, /* not given */
    TIME_POINT_ABSOLUTE, /* ns since 1970; local time when !has_zone */
    TIME_POINT_CLOCK, /* ns since midnight */
    TIME_POINT_FROM_START, /* ns */
    TIME_POINT_FROM_END, /* ns before the end */
    TIME_POINT_SHARE, /* millionths of a percent of the whole */
};

struct time_point {
    enum time_point_kind kind;
    int64_t value; /* see the kind */
    bool has_zone;
    int32_t zone_s;
};

/* "2026-11-20T09:34:16Z" or with a blank for T and +01:00 for Z (the zone is required unless
 * zone_known: a --tz was given), "09:34[:16[.5]][Z]", "10s" or "+10s" from the start, "-30s" from
 * the end, "50%". */
int timespec_point(const char *text, bool zone_known, struct time_point *point,
                   struct jfr_error *err);

/* The point in ns since 1970 for a recording that lasts from start_ns to end_ns. zone_s serves
 * where the text has no zone. A clock time is on the day of the start, or on the next day when that
 * alone lies within the recording. Saturates. Not for TIME_POINT_NONE. */
int64_t timespec_resolve(const struct time_point *point, int64_t start_ns, int64_t end_ns,
                         int32_t zone_s);

#endif
