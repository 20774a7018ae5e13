/*
 * wait.h - when a read or write began whose native method found nothing at first.
 *
 * The JDK calls the native method again once there is something. Meanwhile a platform thread waits
 * in Net.poll; a virtual thread registers with a poller by EPoll.ctl and parks. Only then is the
 * next call part of the same read. A program that polls a channel without waiting begins another
 * read each time.
 *
 * Threads: any. Signals: nothing here is async-signal-safe.
 */
#ifndef RECORDER_IO_WAIT_H
#define RECORDER_IO_WAIT_H

#include "recorder/base/thread_local.h"

#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A read or write whose native method found nothing to do, and which continues. */
struct io_wait {
    int fd; /* + 1; 0: none */
    bool is_write, has_waited;
    bool is_over; /* the time limit has passed; the native method is called once more */
    int32_t timeout_ms; /* 0: it waits without a limit, or did not wait in Net.poll */
    int64_t began;
    int64_t tried; /* when the native method had returned */
};

extern __thread struct io_wait io_wait_mine SIGNAL_SAFE;
extern _Atomic int32_t io_wait_parked; /* parked virtual threads, about */

/* Can any call be one that has waited? A cheap test. */
static inline bool io_wait_any(void)
{
    return io_wait_mine.fd != 0 || atomic_load_explicit(&io_wait_parked, memory_order_relaxed) > 0;
}

/* A recording begins: forgets waits that began earlier. */
void io_wait_start(jvmtiEnv *jvmti, int64_t ticks);

/* Returns the read or write that a native method which began at `began` is a part of; it began then
 * or earlier. */
struct io_wait io_wait_end(JNIEnv *env, int fd, bool is_write, int64_t began);

/* Called when a native method found nothing (now: ns), in a call of which it may be a part. */
void io_wait_for(int fd, const struct io_wait *part, int64_t now);

/* io_wait_polls: the thread is about to wait for a descriptor (now: ns), at most timeout_ms, less
 * than 1: without a limit. The limit of the whole read is derived from the first such call: it is
 * exact if the thread ran without interruption from the read to this call, and otherwise the
 * roundest number of milliseconds that the interruption allows.
 * io_wait_polled: it has waited. done: result of poll(); less than 0: it failed, 0: nothing came.
 */
void io_wait_polls(int fd, int64_t timeout_ms, int64_t now);
void io_wait_polled(int fd, int done, bool is_over);

/* A virtual thread registers a descriptor with a poller, which may fail; it no longer waits. */
void io_wait_park(JNIEnv *env, int poller, int fd);
void io_wait_unpark(int poller, int fd);

#endif
