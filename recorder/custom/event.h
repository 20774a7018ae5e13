/*
 * event.h - an event that the program defines: from the call that commits it to its record.
 *
 * A record of kind K is an event of type K + 1. Its data are struct custom_head and then the values
 * of the fields, in order, without gaps, in the byte order of the machine:
 *
 *     numbers, booleans, characters   int64_t
 *     float, double                   double
 *     String, Class                   int32_t bytes, -1 = null, and so much UTF-8
 *     Thread                          int64_t id, 0 = none, and its name as a String
 *
 * A Java program makes the values in this shape itself (jfrkit.Event).
 *
 * Threads: any. Signals: none.
 */
#ifndef RECORDER_CUSTOM_EVENT_H
#define RECORDER_CUSTOM_EVENT_H

#include "recorder/capture/engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUSTOM_VALUES_MAX 8000 /* bytes of an event's values */
#define CUSTOM_STRING_MAX 2000 /* bytes of one, longer ones are cut */

struct custom_head {
    uint8_t is_java; /* Thread values are Java ids, else numbers of custom_thread() */
    uint8_t is_unchecked; /* the settings of its type were not known yet */
    uint8_t is_used; /* something was recorded on the thread while it lasted */
};

/* A thread as the registry has it, in one number that is not 0. */
static inline int64_t custom_thread(uint32_t index, uint32_t generation)
{
    return (int64_t)generation << 32 | ((int64_t)index + 1);
}

/* An event for the rings. */
struct custom_event {
    int type;
    int64_t began, duration; /* ticks */
    const void *values; /* in the shape above */
    size_t n_values; /* bytes */
    bool is_java;
    uint64_t thread_key; /* struct record */
    int skip; /* Java frames to leave out at the top */
    void *ucontext; /* of a thread without Java frames, or NULL */
};

/* Records an event. Returns an enum jk_result. */
int custom_commit(const struct custom_event *e);

/* Counts an event whose type is `type`, a negative enum jk_result. Returns it. */
int custom_refused(int type);

/* Counts bytes of text that were cut from an event. */
void custom_cut(size_t bytes);

extern struct engine engine_custom; /* writes what is recorded here: engine/custom.c */

#endif
