/*
 * wait.h - when a read or write began whose native method found nothing at first.
 *
 * It is called again once there is something. Meanwhile a thread waits in Net.poll, and a virtual
 * one parks after it has told a poller by EPoll.ctl. Only then is the next call part of the same
 * read; a program that asks a channel without waiting begins another one each time.
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

/* A native method found nothing in a descriptor; the call that goes on began then. */
struct io_wait {
    int fd; /* + 1; 0: none */
    bool is_write, has_waited;
    bool is_over; /* the time is: it asks once more */
    int32_t timeout_ms; /* 0: it waits without a limit, or did not wait in Net.poll */
    int64_t began;
    int64_t tried; /* when the native method had found nothing */
};

extern __thread struct io_wait io_wait_mine SIGNAL_SAFE;
extern _Atomic int32_t io_wait_parked; /* virtual threads, more or less */

/* May the call that ends be one that has waited? */
static inline bool io_wait_any(void)
{
    return io_wait_mine.fd != 0 || atomic_load_explicit(&io_wait_parked, memory_order_relaxed) > 0;
}

/* What began before is forgotten: a recording begins. */
void io_wait_start(jvmtiEnv *jvmti, int64_t ticks);

/* The call of which the native method that began at a moment is a part: at least when it began. */
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

/* A virtual thread asks a poller about a descriptor, which may be in vain; it asks no more. */
void io_wait_park(JNIEnv *env, int poller, int fd);
void io_wait_unpark(int poller, int fd);

#endif
