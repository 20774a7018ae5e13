/*
 * cpu.h - samples of CPU time: a timer per thread, on that thread's own clock, or a counter
 * of perf_events (cpu_perf.h); where the system has neither, one timer of the whole process.
 * Threads: any. Signals: not async-signal-safe.
 */
#ifndef RECORDER_ENGINE_CPU_H
#define RECORDER_ENGINE_CPU_H

#include "recorder/capture/engine.h"
#include "recorder/capture/threads.h"

extern struct engine engine_cpu;

/* A thread has begun: gives it a timer. A thread ends: deletes its timer. Without effect while the
 * engine is off. */
void engine_cpu_thread_begin(struct thread *t);
void engine_cpu_thread_end(struct thread *t);

struct cpu_status {
    int64_t interval_ns; /* 0: off */
    int n_timers, n_counters; /* of perf_events */
    bool is_process_wide; /* there were not enough timers: one for all threads */
    bool with_kernel; /* stacks have the kernel's part */
};

void engine_cpu_status(struct cpu_status *status);

#endif
