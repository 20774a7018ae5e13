/*
 * wake.h - the drain thread sleeps until something is due, or until somebody has something for it.
 *
 *     wake();                                any thread: there is something to be done now
 *
 *     wake_wait(50000000);                   the drain thread
 *     ...look what there is...
 *
 * Signals: wake() is async-signal-safe; it takes no lock, and a system call only when the sleeper
 * has not been woken yet.
 */
#ifndef RECORDER_CAPTURE_WAKE_H
#define RECORDER_CAPTURE_WAKE_H

#include <stdint.h>

/* The next wake_wait() returns at once, and so does one that waits now. */
void wake(void);

/* Sleeps for so many nanoseconds, or until it is woken; also for less, without a reason. */
void wake_wait(int64_t ns);

#endif
