/*
 * gc_counters.h - reads the VM's counters of the heap and of the current collection.
 *
 * Looked up once, so that they can be read in the pause of a collection, where nothing of JNI or
 * JVMTI may be called and every microsecond counts. Without counters (-XX:-UsePerfData) everything
 * is unknown.
 *
 * Threads: gc_counters_open() on one; the others on any, afterwards, also in pauses.
 */
#ifndef RECORDER_ENGINE_GC_COUNTERS_H
#define RECORDER_ENGINE_GC_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GC_COUNTERS_TEXT 64

struct gc_heap {
    int64_t used, committed, reserved; /* bytes */
};

/* Returns false if there are no counters. */
bool gc_counters_open(void);

/* Returns false if the sizes are unknown. */
bool gc_counters_heap(struct gc_heap *out);

/* The cause of the current or last collection: "System.gc()"; "" if unknown. */
void gc_counters_cause(char out[GC_COUNTERS_TEXT]);

enum gc_generation {
    GC_WHOLE, /* the collector has none, or is not known */
    GC_YOUNG,
    GC_OLD
};

/* The generation that a collector of this name (see below) collects. */
enum gc_generation gc_counters_generation(const char *name);

/* After how many collections an object is old; 0 = unknown. */
int64_t gc_counters_tenuring(void);

/* The JDK's name of the collector that ran last ("G1New", "SerialOld"), "" if unknown; the
 * collector's own name if the JDK has none for it. */
void gc_counters_name(char out[GC_COUNTERS_TEXT]);

#endif
