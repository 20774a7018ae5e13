/*
 * sample_interval.h - the time that a jdk.ExecutionSample stands for, as the recording says it.
 *
 * The JDK's recorder and Datadog's profiler say it as setting "period" of the event type,
 * async-profiler as "interval", where 0 means its default.
 */
#ifndef CONVERT_SELECT_SAMPLE_INTERVAL_H
#define CONVERT_SELECT_SAMPLE_INTERVAL_H

#include "jfrfmt/jfr.h"

/* The first such setting among the events of a loaded chunk, in ns; 0: there is none. The chunk is
 * rewound. */
int64_t sample_interval_ns(struct jfr_chunk *chunk);

#endif
