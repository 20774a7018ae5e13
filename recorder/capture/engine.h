/*
 * engine.h - a source of events, as a table of functions.
 *
 * An engine sees things happen on threads of the application, in a signal or in a callback of the
 * VM, and hands them over as records (emit.h). One thread, the drain thread, turns records into
 * events of the file; it calls everything in this table, one function at a time:
 *
 *     open    declares types, reads settings; writes what describes the recording
 *     start   switches on what makes records
 *     write   one record, within a second                     } in between, over and over
 *     tick    each pass: each second, and at next_tick        }
 *     ongoing writes what has begun and has not ended, before a chunk ends and before a copy of the
 *             recording is made
 *     ahead   then for each record of the engine that is in the rings after that end: writes the
 * part of it that lies before the end. May change the record's data stop    switches off what makes
 * records; none is made after it returns close   writes what describes the whole recording; all
 * records have been written
 *
 * Functions may be NULL. open and start return 0, 1 "nothing to do in this recording", or negative
 * after a line in the log: the recording continues without the engine, and none of its other
 * functions are called. An engine is opened and closed many times in the life of a process.
 *
 * An engine that needs events of JVMTI makes an environment of its own with (*vm)->GetEnv(), once,
 * and keeps it: callbacks and capabilities of several engines then never meet. Capabilities that
 * slow the VM down are added in start and given back in stop.
 *
 * The drain thread is attached to the VM, has all signals but faults blocked, and may allocate,
 * lock, call JNI and JVMTI. It should not be kept longer than some milliseconds: rings fill up
 * meanwhile.
 */
#ifndef RECORDER_CAPTURE_ENGINE_H
#define RECORDER_CAPTURE_ENGINE_H

#include "jfrfmt/write/writer.h"
#include "recorder/settings/options.h"
#include "recorder/capture/record.h"
#include "recorder/base/walker.h"

struct settings;

/* The recording that runs: what engines may use of it. */
struct recording {
    JavaVM *vm;
    jvmtiEnv *jvmti; /* the agent's own environment; its callbacks are taken */
    JNIEnv *env; /* of the drain thread */
    struct jfr_writer *writer;
    const struct rec_options *options;
    const struct settings *settings;
    const int64_t *types; /* in the file, by enum event (jdk_types.h) */
    const struct walker *walker; /* in use; never NULL */
    const char *file; /* where it goes */
    /* jfr_writer_rewrite() for all files of the recording; NULL: there is none. */
    int (*rewrite)(struct recording *r, struct jfr_error *err);
    int64_t drained_ticks; /* when the rings were emptied last: what comes is not much older */
    int64_t start_ticks, start_nanos; /* the same moment on both clocks */
    int64_t id; /* 1, 2, ... in this process */
    uint32_t constants_epoch; /* changes when the writer forgot constants: a key kept for longer
                               * than the last chunk may be unknown then */
};

struct engine {
    const char *name;
    int (*open)(struct recording *r);
    int (*start)(struct recording *r);
    void (*write)(struct recording *r, const struct record *rec);
    void (*tick)(struct recording *r, int64_t now_ticks);
    void (*ongoing)(struct recording *r);
    void (*ahead)(struct recording *r, struct record *rec);
    void (*stop)(struct recording *r);
    void (*close)(struct recording *r);
    int64_t next_tick; /* when tick has to come before the next second, in ticks; 0: not before */
    uint8_t id; /* place in engines[], set by the recorder before open */
};

/* All of them, in the order of opening (closed in the reverse order), ended by NULL: engines.c. */
extern struct engine *const engines[];

/* For write: keys of the record's thread and stack in the file, 0 = none. The same stack has the
 * same key, and asking costs a hash of the frames. */
uint64_t drain_thread(struct recording *r, const struct record *rec);
uint64_t drain_stack(struct recording *r, const struct record *rec);

/* The same without `skip` frames at the top. */
uint64_t drain_stack_below(struct recording *r, const struct record *rec, uint32_t skip);

/* For write, tick, open, close: key of a class by its signature ("Ljava/lang/String;", "[I") or its
 * name ("java/lang/String"). */
uint64_t drain_class(struct recording *r, const char *signature);

/* Key of the live thread that the system calls tid; 0: it is not known. */
uint64_t drain_tid(struct recording *r, int32_t tid);

#endif
