/*
 * wake.h - wakes the drain thread from its sleep between two passes.
 *
 *     wake();                                any thread that has work for the drain thread
 *
 *     wake_wait(50000000);                   the drain thread
 *     ...do the work that there is...
 *
 * Signals: wake() is async-signal-safe; it takes no lock, and a system call only when the sleeper
 * has not been woken yet.
 */
#ifndef RECORDER_CAPTURE_WAKE_H
#define RECORDER_CAPTURE_WAKE_H

#include <stdint.h>

/* Ends the current wake_wait(), or makes the next one return at once. */
void wake(void);

/* Sleeps for `ns` nanoseconds, or until wake() is called. May also return earlier without a reason.
 */
void wake_wait(int64_t ns);

#endif
