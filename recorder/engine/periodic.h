/*
 * periodic.h - events at intervals and at the borders of chunks: the state of the machine and the
 * VM.
 *
 * engine_periodic runs the rows below when their settings say so. A row's function writes its
 * events with the calls at the end:
 *
 *     void periodic_physical_memory(struct periodic *p)
 *     {
 *         ...
 *         periodic_begin(p, EV_PHYSICAL_MEMORY);
 *         jfr_put_long(p->w, total);
 *         jfr_put_long(p->w, used);
 *         periodic_end(p);
 *     }
 *
 * What cannot be read is left out. All run on the drain thread and none takes longer than some
 * milliseconds, but SystemProcess, which reads a file of each process.
 */
#ifndef RECORDER_ENGINE_PERIODIC_H
#define RECORDER_ENGINE_PERIODIC_H

#include "recorder/capture/engine.h"
#include "recorder/settings/jdk_types.h"

struct periodic {
    struct recording *r;
    struct jfr_writer *w;
    int64_t now; /* ticks: one time for all events of a pass */
    bool is_repeated; /* the writer repeats the event in each chunk */
};

extern struct engine engine_periodic;

struct periodic_row {
    enum event event;
    void (*write)(struct periodic *p);
    void (*first)(struct periodic *p); /* for differences: stores the values at the start */
    bool is_fixed; /* the same for the whole recording: written once and repeated */
};

/* periodic_os.c: processors, memory, network */
void periodic_cpu_load(struct periodic *p);
void periodic_cpu_load_first(struct periodic *p);
void periodic_context_switches(struct periodic *p);
void periodic_context_switches_first(struct periodic *p);
void periodic_physical_memory(struct periodic *p);
void periodic_swap_space(struct periodic *p);
void periodic_resident_set(struct periodic *p);
void periodic_network(struct periodic *p);
void periodic_network_first(struct periodic *p);

/* periodic_threads.c */
void periodic_thread_cpu_load(struct periodic *p);
void periodic_thread_cpu_load_first(struct periodic *p);

/* periodic_container.c */
void periodic_container_configuration(struct periodic *p);
void periodic_container_cpu(struct periodic *p);
void periodic_container_throttling(struct periodic *p);
void periodic_container_memory(struct periodic *p);
void periodic_container_io(struct periodic *p);

/* periodic_host.c: what the machine is and what runs on it */
void periodic_os_information(struct periodic *p);
void periodic_cpu_information(struct periodic *p);
void periodic_time_stamp_counter(struct periodic *p);
void periodic_virtualization(struct periodic *p);
void periodic_environment(struct periodic *p);
void periodic_processes(struct periodic *p);
void periodic_libraries(struct periodic *p);

/* periodic_vm.c */
void periodic_jvm_information(struct periodic *p);
void periodic_system_properties(struct periodic *p);
void periodic_class_loading(struct periodic *p);
void periodic_java_threads(struct periodic *p);
void periodic_compiler(struct periodic *p);
void periodic_heap_usage(struct periodic *p);
void periodic_exceptions(struct periodic *p);

/* periodic_recording.c: the recording about itself */
void periodic_active_recording(struct periodic *p);
void periodic_active_settings(struct periodic *p);

/* Begins an event with the time of the pass. */
void periodic_begin(struct periodic *p, enum event e);
void periodic_end(struct periodic *p);

/* A text that is none: NULL and "" become null. */
void periodic_text(struct periodic *p, const char *text);

#endif
