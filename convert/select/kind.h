/*
 * kind.h - what a sample is about: the same kinds for every producer's event types.
 *
 * A kind has ranks: `cpu` means jdk.CPUTimeSample where there are any, else jdk.ExecutionSample.
 * Which rank counts is known at the end of the input only, so a profile gathers all and picks then.
 */
#ifndef CONVERT_SELECT_KIND_H
#define CONVERT_SELECT_KIND_H

#include "jfrfmt/jfr.h"

enum kind {
    KIND_CPU, /* running on a processor */
    KIND_WALL, /* alive, whatever it does */
    KIND_ALLOC, /* objects allocated */
    KIND_LIVE, /* objects that were still alive */
    KIND_LOCK, /* waiting for a monitor or a lock */
    KIND_NATIVE, /* in native code; without such samples: native memory allocated */
    KIND_IO, /* files and sockets */
    KIND_EXCEPTION, /* throwables made */
    KIND_LATENCY, /* anything that lasted */
    KIND_ALL, /* every event with a stack */
    N_KINDS,
};

/* -1 when there is no such kind. */
int kind_named(const char *name);
const char *kind_name(enum kind kind);
const char *kind_title(enum kind kind); /* for people: "CPU", "Allocation" */

#define KIND_RANK_STANDIN 1 /* better than nothing, but no reason to choose the kind by default */

/* Which threads the samples jdk.ExecutionSample of a chunk are of: sample_settings.h. */
enum kind_samples {
    KIND_SAMPLES_CPU, /* those that run */
    KIND_SAMPLES_WALL, /* all */
    KIND_SAMPLES_BOTH, /* some samples are of those that run, and some of all */
};

/* How events of one class count for a kind. */
struct kind_use {
    int rank; /* 0 = not at all; of several the highest rank with samples wins */
    bool skips_sleeping; /* leave out samples of threads that sleep or wait */
    bool needs_duration; /* only events that lasted longer than nothing */
    const char *count_field; /* number of samples that one event stands for; NULL: one */
    const char *bytes_field; /* NULL: the kind has no bytes here */
};

/* The kind that was requested (-1: none was), or else the first with samples of its own; CPU when
 * no kind has samples. ranks: the highest rank with samples, by kind; 0: none. */
enum kind kind_chosen(int asked, const int ranks[N_KINDS]);

/* True if kind_chosen(asked, ranks) is KIND_CPU because no kind was requested, and the input has
 * wall-clock samples, too. Callers report it, since a recording of waiting threads looks idle
 * as CPU time. is_mixed: a chunk has KIND_SAMPLES_BOTH. */
bool kind_leaves_out_wall(int asked, const int ranks[N_KINDS], bool is_mixed);

/* The canonical name of an event type: com.oracle.jdk.X (JDK 9 and 10) is jdk.X. Borrowed from cls.
 * The prefix is returned through *prefix ("jdk.") when it was exchanged, else it is "". */
const char *kind_event_name(const struct jfr_class *cls, const char **prefix);

/* Does the class have this canonical name? */
bool kind_is_event(const struct jfr_class *cls, const char *name);

/* How events of a class with a stackTrace field count. A kind is there only if it was recorded:
 * samples of running threads are no wall clock samples. */
struct kind_use kind_use_of(enum kind kind, const struct jfr_class *cls, enum kind_samples samples);

/* Does a thread state's text mean that the thread does not run? */
bool kind_state_sleeps(const char *state);

#endif
