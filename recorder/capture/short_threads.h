/*
 * short_threads.h - the CPU time of threads that live for few ticks of the kernel's clock.
 *
 * Timers of CPU time expire when that clock ticks and the thread runs, not in between. A thread
 * that lives for less than a tick is caught by chance, or never. So a thread is sampled at each
 * tick while it is young, and each of those samples stands for the time between two ticks, however
 * long the thread has run: a sample of one short thread then stands for other short threads, too.
 * That is right on average as long as ticks come at any time of a thread's life. With more threads
 * than processors they do not, since the kernel lets waiting threads run when it ticks. So when a
 * thread ends, the difference between its CPU time and what its samples stand for is kept, and is
 * added to the next sample of a young thread. The sum of all samples is then the CPU time of all
 * threads, and each method has the share of the ticks that met it.
 *
 *     short_threads_begin(t, cpu);                  a timer is armed, for the next tick
 *     weight = short_threads_weight(t, expiries);   in the handler
 *     short_threads_end(t, cpu);                    the thread ends
 *
 * Threads: open by the one that starts a recording; the others by the owner of the thread's timer.
 *
 * Signals: short_threads_weight() is async-signal-safe, on the thread itself.
 */
#ifndef RECORDER_CAPTURE_SHORT_THREADS_H
#define RECORDER_CAPTURE_SHORT_THREADS_H

#include "recorder/capture/threads.h"

#define SHORT_TICKS 4 /* in which a thread is young: its timer expires at each of them */

/* A recording begins: samples stand for `interval` ns, ticks are `tick` ns apart. */
void short_threads_open(int64_t interval, int64_t tick);

/* The thread has used `cpu` ns (-1: unknown) when it gets its timer, which is set to expire at the
 * next tick. */
void short_threads_begin(struct thread *t, int64_t cpu);

/* For how many intervals an expiry stands, with others that the kernel counted since the last one;
 * may be none. The timer is set for the next tick, or once the thread is not young any more for
 * each interval. */
uint32_t short_threads_weight(struct thread *t, uint32_t expiries);

/* The thread has no timer any more: what expires for it is another's. */
void short_threads_forget(struct thread *t);

/* No expiry has come since short_threads_begin(). */
bool short_threads_is_fresh(const struct thread *t);

/* The thread ends, having used `cpu` ns; -1: unknown. */
void short_threads_end(struct thread *t, int64_t cpu);

#endif
