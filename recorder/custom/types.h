/*
 * types.h - event types that programs define (jfrkit_event.h, jfrkit.EventType).
 *
 * A type never changes and is never removed; its number is its place + 1. Whether a recording wants
 * its events is one word beside it, which producers read without a call: the shortest duration that
 * is recorded, or CUSTOM_OFF. All events of a type that is new in a recording are recorded until
 * the drain thread has looked up its settings.
 *
 * Threads: any.
 */
#ifndef RECORDER_CUSTOM_TYPES_H
#define RECORDER_CUSTOM_TYPES_H

#include "recorder/base/throttle.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUSTOM_TYPES 128
#define CUSTOM_FIELDS 32
#define CUSTOM_NAME_MAX 128 /* bytes of a name, its NUL included */
#define CUSTOM_TEXT_MAX 512 /* of another text */
#define CUSTOM_OFF INT64_MAX
#define CUSTOM_NEW INT64_MIN /* the settings are not known yet */

struct jk_event_type;

struct custom_field {
    char name[CUSTOM_NAME_MAX];
    char *label, *description; /* or NULL */
    uint8_t kind, unit; /* enum jk_kind, enum jk_unit */
    uint8_t flags; /* enum jk_flag */
};

struct custom_type {
    char name[CUSTOM_NAME_MAX];
    char *label, *description, *category; /* or NULL */
    struct custom_field *fields;
    uint32_t n_fields;
    uint8_t flags; /* enum jk_flag */
    int64_t threshold_ns; /* default */
    _Atomic bool with_stack, only_used; /* in this recording */
    struct throttle throttle;
};

/* By number; the first one is unused. jk_event_api.thresholds points to it. */
extern _Atomic int64_t custom_thresholds[CUSTOM_TYPES + 1];

/* Defines a type, of which everything is copied. Returns its number, or a negative enum jk_result.
 */
int custom_define(const struct jk_event_type *type);

/* The number of types; the type of a number, or NULL. */
size_t custom_n_types(void);
struct custom_type *custom_type(int number);

/* A recording begins: all types become CUSTOM_NEW. It ends: all become CUSTOM_OFF. */
void custom_begin(void);
void custom_end(void);

/* Sets what the recording wants of a type. Without effect after custom_end(). */
struct custom_limits {
    int64_t threshold_ns; /* CUSTOM_OFF: nothing */
    bool with_stack;
    bool only_used; /* only events in which something else was recorded on the thread */
    int64_t events, per_ns; /* at most so many; INT64_MAX: any number */
};
void custom_set(int number, const struct custom_limits *limits);

#endif
