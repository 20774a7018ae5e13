/*
 * javatext.h - times, durations and numbers in the words of java.time and Double.toString().
 *
 *     javatext_time_ns(&b, jfr_epoch_ns(h, ticks), zone_s);        2026-11-20T09:34:16.067Z
 *     javatext_span(&b, raw, JAVATEXT_MS, 25);                     PT-1.5S
 *
 * Raw values INT64_MIN and INT64_MAX have a meaning of their own in recordings, which a value that
 * was converted from ticks has lost: see javatext_time_missing() and javatext_span().
 */
#ifndef CONVERT_TEXT_JAVATEXT_H
#define CONVERT_TEXT_JAVATEXT_H

#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/string.h"

#include <stdint.h>

enum javatext_unit {
    JAVATEXT_NS,
    JAVATEXT_US,
    JAVATEXT_MS,
    JAVATEXT_S
};

/* ISO-8601 text of a point in time: seconds and nanoseconds (0..999999999) since 1970 UTC, shown
 * at `zone_s` seconds east of UTC. An offset beyond 18 hours is shown as UTC. |s| <= 2^55. */
void javatext_time(struct buf *b, int64_t s, uint32_t ns, int32_t zone_s);
void javatext_time_ns(struct buf *b, int64_t ns, int32_t zone_s);
void javatext_time_ms(struct buf *b, int64_t ms, int32_t zone_s);

/* What stands for a time stamp whose raw value (ticks or ms) is INT64_MIN. */
void javatext_time_missing(struct buf *b);

/* ISO-8601 text of a duration. INT64_MIN is "missing"; INT64_MAX is "forever" for compat 25 and a
 * number for compat 17. For a time span in ticks pass INT64_MIN or (compat 25) INT64_MAX when the
 * raw value is that, else jfr_span_ns() of it. */
void javatext_span(struct buf *b, int64_t value, enum javatext_unit unit, int compat);

/* The text of a recording as Java decodes it, in UTF-8: what a JVM wrote in modified UTF-8 for a
 * character beyond 16 bits is two characters U+FFFD. */
void javatext_string(struct buf *b, struct jfr_str s);

/* Shortest decimal text that reads back as the same value, as Java 19 and later print it. */
void javatext_double(struct buf *b, double v);
void javatext_float(struct buf *b, float v);

#endif
