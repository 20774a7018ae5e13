/*
 * event.h - what an event says of the time of a thread: a wait with its reason, a pause of the VM,
 * a sample, an allocation.
 *
 * Threads: one at a time; like the chunk.
 */
#ifndef CONVERT_SLOW_EVENT_H
#define CONVERT_SLOW_EVENT_H

#include "convert/select/sample_settings.h"
#include "convert/slow/slow_internal.h"

enum slow_event_kind {
    SLOW_EVENT_NONE,
    SLOW_EVENT_WAIT, /* of its thread; `part` says for what */
    SLOW_EVENT_PAUSE, /* of all threads */
    SLOW_EVENT_CPU, /* samples */
    SLOW_EVENT_WALL,
    SLOW_EVENT_ALLOC,
};

enum { /* places in the plan of a class */
    SLOW_START,
    SLOW_DURATION,
    SLOW_THREAD,
    SLOW_STACK,
    SLOW_WHAT, /* monitor, file, host */
    SLOW_MORE, /* port, cause */
    SLOW_HOLDER,
    SLOW_AMOUNT, /* bytes, or samples that the event stands for */
    SLOW_STATE,
    SLOW_PERIOD, /* of a sample */
    SLOW_FIELDS,
};

struct slow_class { /* of the loaded chunk */
    bool is_known;
    bool is_scope, is_setting;
    enum slow_event_kind kind;
    enum slow_part part;
    int rank; /* of samples, kind.h: of several types the highest counts */
    bool is_phase; /* a pause that is a part of a collection, and more exact than that */
    const char *needs; /* field that must be true; NULL: none */
    const struct jfr_plan *plan, *place; /* all fields; start, duration and thread */
    const struct jfr_class *threads;
    const struct jfr_stacks *stacks; /* NULL: events have none */
};

struct slow_event {
    const struct slow_class *class;
    const struct jfr_event *ev;
    int64_t start_ns, end_ns;
    uint64_t thread; /* key */
    int64_t amount;
    const union jfr_value *v;
};

/* How events of a class are read. `settings` are those of the chunk. */
void slow_class_find(struct slow_class *k, struct jfr_chunk *chunk, const struct jfr_class *cls,
                     const struct sample_settings *settings);

/* Reads when and on which thread an event was. Returns false if it is damaged. */
bool slow_event_place(struct slow_event *e, struct jfr_chunk *chunk, const struct slow_class *k,
                      const struct jfr_event *ev);

/* Reads the rest of it. Returns false if it is damaged, or says nothing. v has SLOW_FIELDS places.
 */
bool slow_event_read(struct slow_event *e, struct jfr_chunk *chunk, union jfr_value *v);

/* Appends what the thread waited for: a class, a path, host:port, the name of a pause. */
void slow_event_what(struct buf *b, struct jfr_chunk *chunk, const struct slow_event *e);

/* Appends the thread that held the monitor; nothing if it is unknown. */
void slow_event_holder(struct buf *b, struct jfr_chunk *chunk, const struct slow_event *e);

/* The part that the state of a wall-clock sample means. SLOW_RUNNING: the thread was able to run;
 * SLOW_UNKNOWN: it was not, and the state does not say why. */
enum slow_part slow_event_state(struct jfr_chunk *chunk, const struct slow_event *e);

struct slow_thresholds { /* shorter events were not recorded, ns; -1: the chunk does not say it */
    int64_t lock_ns, io_ns;
    bool leaves_out_unused; /* scopes in which nothing was recorded */
};

/* Reads them from an event jdk.ActiveSetting. */
void slow_event_setting(struct slow_thresholds *t, struct jfr_chunk *chunk,
                        const struct jfr_event *ev);

/* The time that a CPU sample stands for. */
int64_t slow_event_period(struct jfr_chunk *chunk, const struct slow_event *e,
                          const struct sample_settings *settings);

#endif
