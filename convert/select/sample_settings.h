/*
 * sample_settings.h - what the recording says of its jdk.ExecutionSample events: the time that each
 * stands for, and whether they are of running threads or of all.
 *
 * The JDK's recorder and Datadog's profiler have a setting "period" of the event type.
 * Async-profiler has "interval", where 0 means its default, and until version 3 wrote samples of
 * all threads as jdk.ExecutionSample, too: with "event" = "wall" only these, with "wall" > 0 these
 * beside those of running threads, unless these are off ("enabled" = "false").
 */
#ifndef CONVERT_SELECT_SAMPLE_SETTINGS_H
#define CONVERT_SELECT_SAMPLE_SETTINGS_H

#include "convert/select/kind.h"

struct sample_settings {
    int64_t interval_ns; /* 0: the chunk does not say it */
    enum kind_samples samples;
};

/* Reads the settings at the start of a loaded chunk, up to `most` events that are none. The chunk
 * is rewound. */
struct sample_settings sample_settings_read(struct jfr_chunk *chunk, uint64_t most);

/* The same for readers that cannot look through a whole chunk: settings come first in it. */
static inline struct sample_settings sample_settings_of_start(struct jfr_chunk *chunk)
{
    return sample_settings_read(chunk, 4096);
}

#endif
