/*
 * threads.h - which threads there are: one entry per thread that ever lived, not per number.
 *
 * The system gives numbers of dead threads to new ones. So a thread is (index, generation) here:
 * records carry that pair, and an entry is used again only when every record that may name it has
 * been written (threads_reclaim()). The memory of entries never goes away, so a handler may look at
 * one at any time.
 *
 * Threads: threads_find(), threads_cookie() and threads_from_cookie() are async-signal-safe; the
 *          others take a lock.
 */
#ifndef RECORDER_CAPTURE_THREADS_H
#define RECORDER_CAPTURE_THREADS_H

#include "recorder/capture/record.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define THREADS_MAX (1u << 17)
#define THREADS_NATIVE_KEY UINT64_C(0x40000000)

enum thread_life {
    THREAD_FREE,
    THREAD_LIVE,
    THREAD_DEAD
};

struct thread {
    _Atomic uint32_t life; /* enum thread_life */
    _Atomic uint32_t generation;
    _Atomic uint32_t busy; /* the recorder works on this thread right now: no signal may nest */
    /* For capture.c, on the thread itself: samples of signals that came while it was busy. */
    _Atomic uint32_t owed; /* their weight; 0: none */
    _Atomic bool is_owing; /* a handler is changing `owed` and owed_head */
    struct record owed_head; /* of the first of them */
    int32_t tid;
    _Atomic int64_t java_id; /* Thread.getId(); 0: not a Java thread, or not known to be one */
    _Atomic(void *) vm_thread; /* its JavaThread, as Thread.eetop has it; NULL: unknown */
    _Atomic int64_t recorded; /* ticks: end of the last event of this thread, or on it */
    bool is_ours; /* the recorder's own: not sampled */
    bool is_exiting; /* said that it ends; its number is still taken */
    bool is_native; /* was there before the VM knew it: may leave it and go on */
    _Atomic uint64_t comm[2]; /* what it called itself at its last sample, before it was Java's */

    /* For the engine that owns timers, under its own lock. */
    int timer;
    bool has_timer;

    /* for short_threads.c, under the same lock; its handler reads them */
    _Atomic uint32_t youth; /* for how many ticks it is young yet */
    _Atomic int64_t sampled_cpu; /* CPU time for which there are samples, ns; -1: unknown */
    uint64_t random; /* state of random.h */

    /* for cpu_perf.c, under the same lock; its handler reads them */
    _Atomic int perf; /* the counter's descriptor + 1; 0: none */
    void *perf_ring; /* what the kernel says about samples, or NULL */
    int64_t perf_interval, perf_taken; /* ns; of what has been counted, the part that was told */

    /* for the sampler of wall-clock time */
    int64_t wall_cpu; /* CPU time of the thread when it was last found asleep, ns */
    int64_t wall_since; /* ticks: since when it has been found idle and not been told of */
    uint32_t wall_idle; /* how often */
    bool wall_asleep; /* its last sample was taken asleep */
    bool wall_has_ids; /* and had a context: */
    uint32_t wall_ids[24]; /* RECORD_CONTEXT */
    void *wall_context; /* where that stands, a struct context_record; NULL: nowhere */
    uint64_t wall_virtual; /* the virtual thread that it ran then, by its id; 0: none */
    uint64_t wall_stack; /* the drain thread's: key of that sample's stack */

    /* for the drain thread */
    char *name, *group; /* Java name and that of its group; guarded by the lock */
    _Atomic bool is_renamed; /* it has another name than key stands for */
    uint64_t key; /* in the file, 0: not written yet; of the Java thread key_java */
    int64_t key_java;
    uint32_t key_epoch;
    uint32_t reused; /* how many threads had this number before */
    uint32_t seen; /* by the sweep */
    uint32_t exited; /* the last sweep before it said that it ends */
};

/* Once per process, idempotent. -1: no memory. */
int threads_init(void);

/* The live entry of a number, made if need be; NULL: there are too many. Such a thread is counted
 * as lost, once in a recording (LOST_THREADS). */
struct thread *threads_add(int32_t tid);

/* The live entry of a number, or NULL. Async-signal-safe. */
struct thread *threads_find(int32_t tid);

/* The calling thread's, made if need be; fast after the first call on a thread. Not in signals. */
struct thread *threads_self(void);

/* The entry for a thread that has just begun: never that of a thread which had this number before,
 * if that one is known to have been a Java thread or to be at its end. */
struct thread *threads_begin(int32_t tid);

/* The thread is about to end. The next sweep that does not find its number ends the entry; one that
 * finds it a second later gives the thread, which has left the VM only, another one. */
void threads_exiting(struct thread *t);

/* Names a Java thread and its group; both are copied and may be NULL. */
void threads_set_java(struct thread *t, int64_t java_id, const char *name, const char *group);

/* Gives a thread another name, which is copied. */
void threads_set_name(struct thread *t, const char *name);

/* Copies of the name, if one was given, and, in *group, of the group's; each to be freed, or NULL.
 */
char *threads_name(struct thread *t, char **group);

/* The thread has ended: its number may come again, its entry stays until it is reclaimed. */
void threads_end(struct thread *t);

/* Frees the entries that were dead at the time of the last call but one; to be called when all
 * rings have been emptied since. */
void threads_reclaim(void);

/* A recording begins: threads for which there is no room count anew. */
void threads_count_anew(void);

/* Calls f for each live entry; f may end it. */
void threads_each(void (*f)(struct thread *t, void *arg), void *arg);

/* The live thread with this Thread.getId(), which is not 0; NULL: there is none. */
struct thread *threads_find_java(int64_t java_id);

/* Compares with /proc/self/task: begin(t) for what is new or goes on, end(t) for what has gone or
 * goes on, before its entry is ended. Returns how many live, or -1. */
int threads_sweep(void (*begin)(struct thread *t), void (*end)(struct thread *t));

/* Index of an entry, and the entry of a pair, NULL if it is another's by now. */
uint32_t threads_index(const struct thread *t);
struct thread *threads_at(uint32_t index, uint32_t generation);

/* The clock of a thread's CPU time, and that time in ns; -1: it has ended. */
clockid_t threads_clock(const struct thread *t);
int64_t threads_cpu(const struct thread *t);

/* A word that names an entry to a signal handler and is hardly ever there by chance. */
uint64_t threads_cookie(const struct thread *t, unsigned kind); /* kind < 16; t may be NULL */
struct thread *threads_from_cookie(uint64_t cookie); /* NULL: of none, or of one that ended */
bool threads_is_cookie(uint64_t cookie);
unsigned threads_cookie_kind(uint64_t cookie);

#endif
