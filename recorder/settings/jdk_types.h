/*
 * jdk_types.h - the event types that the recorder writes, as the JDK's own recorder declares them.
 *
 *     int64_t ids[EV_N];
 *     if (jdk_types_declare(w, ids, NULL) < 0) ...            jfr_writer_error(w) says why
 *     jfr_event_begin(w, ids[EV_PHYSICAL_MEMORY], now);
 *     jfr_put_long(w, total);                           fields in the order of JDK 25's type
 *     jfr_put_long(w, used);
 *     jfr_event_end(w);
 *
 * Names, fields and their order, units, labels and categories are those of JDK 25, whose `jfr view`
 * requests them by name as the pages of Mission Control do; an older reader needs nothing more. The
 * tables are constants: nothing here allocates, and any thread may read them.
 */
#ifndef RECORDER_SETTINGS_JDK_TYPES_H
#define RECORDER_SETTINGS_JDK_TYPES_H

#include "jfrfmt/read/types.h"
#include "jfrfmt/write/writer.h"

enum event {
    /* Profiling and the Java application. */
    EV_EXECUTION_SAMPLE,
    EV_NATIVE_METHOD_SAMPLE,
    EV_CPU_TIME_SAMPLE,
    EV_CPU_TIME_SAMPLES_LOST,
    EV_WALL_CLOCK_SAMPLE, /* of async-profiler */
    EV_OBJECT_ALLOCATION_SAMPLE,
    EV_JAVA_MONITOR_ENTER,
    EV_JAVA_MONITOR_WAIT,
    EV_THREAD_PARK,
    EV_THREAD_SLEEP,
    EV_FILE_READ,
    EV_FILE_WRITE,
    EV_FILE_FORCE,
    EV_SOCKET_READ,
    EV_SOCKET_WRITE,
    EV_JAVA_ERROR_THROW,
    EV_JAVA_EXCEPTION_THROW,
    EV_EXCEPTION_STATISTICS,
    EV_THREAD_START,
    EV_THREAD_END,
    EV_VIRTUAL_THREAD_START,
    EV_VIRTUAL_THREAD_END,
    EV_VIRTUAL_THREAD_PINNED,
    EV_JAVA_THREAD_STATISTICS,
    /* The virtual machine. */
    EV_GARBAGE_COLLECTION,
    EV_YOUNG_GARBAGE_COLLECTION,
    EV_OLD_GARBAGE_COLLECTION,
    EV_GC_PHASE_PAUSE,
    EV_GC_HEAP_SUMMARY,
    EV_GC_HEAP_MEMORY_USAGE,
    EV_SYSTEM_GC,
    EV_CLASS_LOAD,
    EV_CLASS_DEFINE,
    EV_CLASS_UNLOAD,
    EV_CLASS_LOADING_STATISTICS,
    EV_COMPILATION,
    EV_COMPILER_STATISTICS,
    EV_JVM_INFORMATION,
    EV_INITIAL_SYSTEM_PROPERTY,
    EV_NATIVE_LIBRARY,
    EV_SHUTDOWN,
    /* The operating system. */
    EV_CPU_LOAD,
    EV_THREAD_CPU_LOAD,
    EV_THREAD_CONTEXT_SWITCH_RATE,
    EV_PHYSICAL_MEMORY,
    EV_SWAP_SPACE,
    EV_RESIDENT_SET_SIZE,
    EV_NETWORK_UTILIZATION,
    EV_CONTAINER_CONFIGURATION,
    EV_CONTAINER_CPU_USAGE,
    EV_CONTAINER_CPU_THROTTLING,
    EV_CONTAINER_MEMORY_USAGE,
    EV_CONTAINER_IO_USAGE,
    EV_OS_INFORMATION,
    EV_CPU_INFORMATION,
    EV_CPU_TIME_STAMP_COUNTER,
    EV_VIRTUALIZATION_INFORMATION,
    EV_INITIAL_ENVIRONMENT_VARIABLE,
    EV_SYSTEM_PROCESS,
    /* The recording itself. */
    EV_ACTIVE_RECORDING,
    EV_ACTIVE_SETTING,
    EV_DATA_LOSS,
    EV_DUMP_REASON,
    EV_N_MADE,
    /* Of the JDK's own recorder, whose views ask for them by name: the recorder makes none. */
    EV_GC_PHASE_PAUSE_LEVEL_1 = EV_N_MADE,
    EV_GC_PHASE_PAUSE_LEVEL_2,
    EV_GC_PHASE_PAUSE_LEVEL_3,
    EV_GC_PHASE_PAUSE_LEVEL_4,
    EV_N
};

/* The type of an event; e below EV_N. */
const struct jfr_type_def *jdk_type(enum event e);

/* Which event has this full name ("jdk.CPULoad"), or EV_N: one that the recorder does not know. */
enum event jdk_type_find(const char *name);

/* What a recording makes of an event's type. Zero: it is there from the first use on. */
struct jdk_type_plan {
    bool is_wanted; /* is there from the beginning */
};

/* Declares all of them, with the value types they need, and puts their ids into ids[EV_N]. plans:
 * of each; NULL: all are there from the beginning. 0 or negative as jfr_writer_declare(). */
int jdk_types_declare(struct jfr_writer *w, int64_t *ids, const struct jdk_type_plan *plans);

#endif
