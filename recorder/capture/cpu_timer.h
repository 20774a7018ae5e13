/*
 * cpu_timer.h - sets a timer of the system by its number.
 *
 * Threads: any. Signals: async-signal-safe.
 */
#ifndef RECORDER_CAPTURE_CPU_TIMER_H
#define RECORDER_CAPTURE_CPU_TIMER_H

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The timer expires after `first` ns of the time that it measures (1: as soon as the kernel looks),
 * and then each `interval` ns; 0: once. 0, or -1 and errno. */
static inline int cpu_timer_set(int timer, int64_t first, int64_t interval)
{
    struct itimerspec spec = {
        .it_interval = {interval / 1000000000, interval % 1000000000},
        .it_value = {first / 1000000000, first % 1000000000},
    };

    return (int)syscall(SYS_timer_settime, timer, 0, &spec, NULL);
}

#endif
