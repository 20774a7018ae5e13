/*
 * jfrkit_event.h - events of one's own, with their stack and context, beside those of the JVM.
 *
 *     static const struct jk_field fields[] = {
 *         {"path", JK_STRING, "Path"},
 *         {"size", JK_LONG, "Size", "What went over the wire", JK_BYTES},
 *     };
 *     static struct jk_event_type upload = {
 *         "shop.Upload", "Upload", "A file that a customer sent", "Shop|Files", fields, 2,
 *     };
 *
 *     struct jk_event e;
 *     jk_event_begin(&e, &upload);
 *     ...work...
 *     if (jk_event_should_commit(&e)) {
 *         const struct jk_value values[] = {jk_string(path), jk_long(size)};
 *         jk_event_commit(&e, values, 2);
 *     }
 *
 * An event has startTime, duration, eventThread and stackTrace before its own fields, and those of
 * the contexts if the settings say withContext. The settings of a recording (.jfc) are those of any
 * event: enabled, threshold, stackTrace, withContext, throttle, by the name of the type; and, where
 * it has contextual fields, emit: always (if nothing is said), used (if something else was recorded
 * on the thread meanwhile; on virtual threads always) or never.
 *
 * Needs nothing to link with and nothing to run: without the recorder in the process all of this
 * does nothing, quickly. A recorder that is attached later is noticed within a second.
 *
 * Limits:  128 types of a process, 32 fields, names of 127 bytes, other texts of 511 in a type and
 *          of 2000 in an event (longer ones are cut), 8000 bytes in an event. What was lost by that
 *          is counted in jfrkit.EventLoss and jdk.DataLoss.
 * Types:   live as long as the process and never change: a second definition under the same name
 *          is the same type, or is refused. May be static, as above.
 * Threads: all calls from any thread; an event begins and ends on the same one. The stack is that
 *          of Java from the newest Java frame on, or on a thread without Java that of C.
 * Signals: not async-signal-safe. Not in critical regions of JNI.
 * Errors:  an event that is not what its type declares is not recorded; see enum jk_result.
 */
#ifndef JFRKIT_EVENT_H
#define JFRKIT_EVENT_H

#include "jfrkit_find.h" /* lies beside it, wherever the two are installed */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a field holds. */
enum jk_kind {
    JK_BOOLEAN = 1,
    JK_BYTE,
    JK_SHORT,
    JK_CHAR,
    JK_INT,
    JK_LONG,
    JK_FLOAT,
    JK_DOUBLE,
    JK_STRING, /* UTF-8 or NULL */
    JK_THREAD, /* of this process, by what the system calls it; 0: none */
    JK_CLASS, /* of Java, by name: "java.lang.String", "[I"; NULL: none */
};

/* What a number means. */
enum jk_unit {
    JK_NO_UNIT,
    JK_TIMESTAMP_TICKS, /* a moment: nanoseconds of CLOCK_MONOTONIC */
    JK_TIMESTAMP_MILLIS, /* a moment: milliseconds since 1970 */
    JK_TICKS, /* a span, as these */
    JK_NANOSECONDS,
    JK_MICROSECONDS,
    JK_MILLISECONDS,
    JK_SECONDS,
    JK_BYTES,
    JK_BITS,
    JK_PERCENTAGE, /* 0 to 1 */
    JK_HERTZ,
    JK_ADDRESS,
};

/* Of fields and types. */
enum jk_flag {
    JK_UNSIGNED = 1,
    JK_CONTEXTUAL = 2, /* says for whom the thread works: readers show it with other events */
    JK_EXPERIMENTAL = 4,
    JK_OFF = 8, /* types: not recorded unless the settings say so */
    JK_NO_STACK = 16, /* types: without stack unless the settings say so */
};

/* Zero is "nothing to say" everywhere. */
struct jk_field {
    const char *name; /* a Java identifier */
    int kind; /* enum jk_kind */
    const char *label, *description;
    int unit; /* enum jk_unit */
    unsigned flags; /* enum jk_flag */
};

struct jk_event_type {
    const char *name; /* dotted Java identifiers, not below jdk.: "shop.Upload" */
    const char *label, *description;
    const char *category; /* path, parts separated by '|'; NULL: Application */
    const struct jk_field *fields;
    int n_fields;
    unsigned flags; /* enum jk_flag */
    int64_t threshold_ns; /* shorter ones are not recorded unless the settings say so */
    int id; /* enum jk_result: what the recorder made of it; 0 at first */
};

/* What came of a call: wanted is > 0, nothing to do 0, wrong or lost < 0. */
enum jk_result {
    JK_RECORDED = 1,
    JK_NOT_WANTED = 0, /* no recorder, no recording, off, too short, throttled */
    JK_LOST = -1,
    JK_NO_TYPE = -2,
    JK_WRONG_NUMBER = -3,
    JK_WRONG_KIND = -4,
    JK_TOO_LARGE = -5,
    JK_BAD_NAME = -6,
    JK_BAD_FIELD = -7,
    JK_TOO_MANY_FIELDS = -8,
    JK_TOO_MANY_TYPES = -9,
    JK_OTHER_TYPE = -10,
    JK_NO_MEMORY = -11,
};

/* One value of a field, made by one of the functions below. */
struct jk_value {
    int kind;
    union {
        int64_t number;
        double real;
        const char *text;
    } is;
};

/* An event that has begun. */
struct jk_event {
    struct jk_event_type *type;
    int64_t began; /* ticks; 0: it is not wanted */
};

/* What the recorder offers. Grows at the end only. */
struct jk_event_api {
    uint32_t size; /* of this struct */
    const int64_t *thresholds; /* ns by id of the type; INT64_MAX: not wanted now */
    int (*define)(const struct jk_event_type *type);
    int (*commit)(int id, int64_t began, int64_t duration, const struct jk_value *values, int n);
};

/* A result in words. */
static inline const char *jk_event_text(int result)
{
    switch (result) {
    case JK_NOT_WANTED:
        return "not wanted";
    case JK_LOST:
        return "lost: the recorder's buffers are full";
    case JK_NO_TYPE:
        return "there is no such type";
    case JK_WRONG_NUMBER:
        return "more or fewer values than fields";
    case JK_WRONG_KIND:
        return "a value is not of the kind of its field";
    case JK_TOO_LARGE:
        return "more than 8000 bytes in an event";
    case JK_BAD_NAME:
        return "the name of a type is dotted Java identifiers, at most 127 bytes, not below jdk.";
    case JK_BAD_FIELD:
        return "a field needs a Java identifier of its own, a kind, and a unit that suits it";
    case JK_TOO_MANY_FIELDS:
        return "a type has at most 32 fields";
    case JK_TOO_MANY_TYPES:
        return "there are 128 types already";
    case JK_OTHER_TYPE:
        return "there is another type of this name";
    case JK_NO_MEMORY:
        return "no memory";
    default:
        return result > 0 ? "done" : "unknown";
    }
}

#ifdef JFRKIT_EVENT_INSIDE /* the recorder itself */
const struct jk_event_api *jfrkit_event_api(void);
#else

/* The recorder's functions, or NULL: there is none. */
static inline const struct jk_event_api *jk_event_find(void)
{
    static struct jk_found found;

    return (const struct jk_event_api *)jk_find(&found, "jfrkit_event_api");
}

/* Makes the type known, which the first event would do otherwise: it is in the recording then even
 * if there are no events. > 0: done; 0: there is no recorder (ask again later); negative: refused,
 * for good. */
static inline int jk_event_define(struct jk_event_type *type)
{
    int id = __atomic_load_n(&type->id, __ATOMIC_ACQUIRE);
    const struct jk_event_api *api = id != 0 ? 0 : jk_event_find();

    if (api == 0)
        return id;
    id = api->define(type);
    __atomic_store_n(&type->id, id, __ATOMIC_RELEASE);
    return id;
}

/* From which duration on an event of this type is recorded now, in ns; INT64_MAX: not at all. */
static inline int64_t jk_event_threshold(struct jk_event_type *type)
{
    int id = jk_event_define(type);
    const struct jk_event_api *api = id <= 0 ? 0 : jk_event_find();

    return api == 0 ? INT64_MAX : __atomic_load_n(&api->thresholds[id], __ATOMIC_RELAXED);
}

/* Is there a recording that wants this type? */
static inline int jk_event_is_enabled(struct jk_event_type *type)
{
    return jk_event_threshold(type) != INT64_MAX;
}

/* The clock of recordings. */
static inline int64_t jk_event_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Begins an event: reads the clock if the recording wants the type. */
static inline void jk_event_begin(struct jk_event *e, struct jk_event_type *type)
{
    e->type = type;
    e->began = jk_event_is_enabled(type) ? jk_event_now() : 0;
}

/* Would it be recorded if it ended now? To be asked before values are made that cost something. */
static inline int jk_event_should_commit(const struct jk_event *e)
{
    int64_t threshold = e->began == 0 ? INT64_MAX : jk_event_threshold(e->type);

    return threshold != INT64_MAX && (threshold <= 0 || jk_event_now() - e->began >= threshold);
}

/* Ends an event and records it: a value for each field, in order. enum jk_result. */
static inline int jk_event_commit(const struct jk_event *e, const struct jk_value *values, int n)
{
    int id = jk_event_define(e->type);
    const struct jk_event_api *api = id == 0 ? 0 : jk_event_find();
    int64_t took;

    if (api == 0)
        return JK_NOT_WANTED;
    if (id < 0)
        return api->commit(id, 0, 0, values, n); /* counts it */
    took = e->began == 0 ? -1 : jk_event_now() - e->began;
    return took < 0 || took < __atomic_load_n(&api->thresholds[id], __ATOMIC_RELAXED)
               ? (int)JK_NOT_WANTED
               : api->commit(id, e->began, took, values, n);
}

/* Records something that takes no time. */
static inline int jk_event_emit(struct jk_event_type *type, const struct jk_value *values, int n)
{
    struct jk_event e;

    jk_event_begin(&e, type);
    return jk_event_commit(&e, values, n);
}

/* --- values --- */

static inline struct jk_value jk_number_(int kind, int64_t v)
{
    struct jk_value value;

    value.kind = kind;
    value.is.number = v;
    return value;
}

static inline struct jk_value jk_real_(int kind, double v)
{
    struct jk_value value;

    value.kind = kind;
    value.is.real = v;
    return value;
}

static inline struct jk_value jk_text_(int kind, const char *v)
{
    struct jk_value value;

    value.kind = kind;
    value.is.text = v;
    return value;
}

static inline struct jk_value jk_boolean(int v)
{
    return jk_number_(JK_BOOLEAN, v != 0);
}

static inline struct jk_value jk_byte(int8_t v)
{
    return jk_number_(JK_BYTE, v);
}

static inline struct jk_value jk_short(int16_t v)
{
    return jk_number_(JK_SHORT, v);
}

static inline struct jk_value jk_char(uint16_t v)
{
    return jk_number_(JK_CHAR, v);
}

static inline struct jk_value jk_int(int32_t v)
{
    return jk_number_(JK_INT, v);
}

static inline struct jk_value jk_long(int64_t v)
{
    return jk_number_(JK_LONG, v);
}

static inline struct jk_value jk_float(float v)
{
    return jk_real_(JK_FLOAT, v);
}

static inline struct jk_value jk_double(double v)
{
    return jk_real_(JK_DOUBLE, v);
}

static inline struct jk_value jk_string(const char *v)
{
    return jk_text_(JK_STRING, v);
}

static inline struct jk_value jk_thread(int tid)
{
    return jk_number_(JK_THREAD, tid);
}

static inline struct jk_value jk_class(const char *v)
{
    return jk_text_(JK_CLASS, v);
}

#endif /* JFRKIT_EVENT_INSIDE */

#ifdef __cplusplus
}
#endif

#endif
