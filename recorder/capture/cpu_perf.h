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

/* Tries it on the calling thread. 1: with the kernel's part of stacks; 0: without it; both with a
 * line in why that says why not more. Negative: not at all, and why. */
int cpu_perf_probe(char why[200]);

/* Counts the CPU time of a thread: a signal at `first` ns (at 0.2 ms or one interval if
 * that is less), then at each `interval`. 0 or negative:
 * the system gives no more, or the thread has gone. */
int cpu_perf_open(struct thread *t, int64_t interval, int64_t first, int signal_number);

/* No more signals. What the handler reads stays until cpu_perf_forget(). */
void cpu_perf_close(struct thread *t);
void cpu_perf_forget(struct thread *t);

struct cpu_perf_taken {
    uint32_t weight; /* intervals since the last one */
    int n_kernel;
    uint64_t kernel[CPU_PERF_KERNEL_MAX]; /* addresses, innermost first */
};

/* Does this descriptor count for the thread? Async-signal-safe. */
bool cpu_perf_is_from(const struct thread *t, int fd);

/* What the overflow stands for. Async-signal-safe. */
void cpu_perf_take(struct thread *t, struct cpu_perf_taken *taken);

#endif
