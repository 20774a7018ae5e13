/*
 * cpu_perf.h - samples of CPU time by perf_events: a counter per thread, whose overflows are
 * signals. Finer than timers, which wait for the kernel's tick, and what the kernel itself ran is
 * known, where that is allowed.
 *
 *     if (cpu_perf_probe(why) != 0) ...                  not allowed here
 *     cpu_perf_open(t, interval, first, signal);
 *     cpu_perf_take(t, fd, &taken);                      in the handler: si_fd
 *     cpu_perf_close(t);
 *
 * Threads: one at a time for each struct thread. Signals: cpu_perf_take(), on the thread it is
 *          about, and cpu_perf_is_from().
 */
#ifndef RECORDER_CAPTURE_CPU_PERF_H
#define RECORDER_CAPTURE_CPU_PERF_H

#include "recorder/capture/threads.h"

#define CPU_PERF_KERNEL_MAX 64 /* frames */

/* Tries to open a counter on the calling thread. Returns 1 if stacks have the kernel's part, 0 if
 * they do not, negative if the counter is refused. Unless it is 1, why has a line with the reason.
 */
int cpu_perf_probe(char why[200]);

/* Counts the CPU time of a thread: sends a signal after `first` ns (at least 0.2 ms, or one
 * interval if that is shorter), then after each `interval`. Returns 0, or negative if the system
 * has no more counters or the thread has ended. */
int cpu_perf_open(struct thread *t, int64_t interval, int64_t first, int signal_number);

/* Stops the signals. cpu_perf_forget() frees what the handler reads; call it when none can run. */
void cpu_perf_close(struct thread *t);
void cpu_perf_forget(struct thread *t);

struct cpu_perf_taken {
    uint32_t weight; /* intervals since the last one */
    int n_kernel;
    uint64_t kernel[CPU_PERF_KERNEL_MAX]; /* addresses, innermost first */
};

/* Is this the descriptor of the thread's counter? Async-signal-safe. */
bool cpu_perf_is_from(const struct thread *t, int fd);

/* Reads weight and kernel frames of an overflow. Async-signal-safe. */
void cpu_perf_take(struct thread *t, struct cpu_perf_taken *taken);

#endif
