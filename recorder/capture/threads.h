/*
 * threads.h - the registry of threads: one entry for each thread, not for each thread id.
 *
 * The system reuses the ids of threads that have ended. So a thread is identified by a pair (index,
 * generation): records carry the pair, and an entry is reused only after every record that may name
 * it has been written (threads_reclaim()). The memory of entries is never freed, so a signal
 * handler may read one at any time.
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
    bool is_exiting; /* threads_exiting() was called; its id is still in use */
    bool is_native; /* existed before it was attached to the VM: may detach and continue */
    _Atomic uint64_t
        comm[2]; /* kernel name at its last sample, until it is known as a Java thread */

    /* For the engine that owns timers, under its own lock. */
    int timer;
    bool has_timer;

    /* for short_threads.c, under the same lock; its handler reads them */
    _Atomic uint32_t youth; /* for how many ticks it is young yet */
    _Atomic int64_t sampled_cpu; /* CPU time for which there are samples, ns; -1: unknown */
    uint64_t random; /* state of random.h */

    /* for cpu_perf.c, under the same lock; its handler reads them */
    _Atomic int perf; /* the counter's descriptor + 1; 0: none */
    void *perf_ring; /* the kernel's ring of samples, or NULL */
    int64_t perf_interval, perf_taken; /* ns; perf_taken: counted time that has samples already */

    /* for the sampler of wall-clock time */
    int64_t wall_cpu; /* CPU time of the thread when it was last found asleep, ns */
    int64_t wall_since; /* ticks: since when it is idle without a sample */
    uint32_t wall_idle; /* how often */
    bool wall_asleep; /* its last sample was taken asleep */
    bool wall_has_ids; /* and had a context: */
    uint32_t wall_ids[24]; /* RECORD_CONTEXT */
    void *wall_context; /* the struct context_record with that context, or NULL */
    uint64_t wall_virtual; /* the virtual thread that it ran then, by its id; 0: none */
    uint64_t wall_stack; /* the drain thread's: key of that sample's stack */

    /* for the drain thread */
    char *name, *group; /* Java name and that of its group; guarded by the lock */
    _Atomic bool is_renamed; /* `key` is of an older name */
    uint64_t key; /* in the file, 0: not written yet; of the Java thread key_java */
    int64_t key_java;
    uint32_t key_epoch;
    uint32_t reused; /* how many threads had this number before */
    uint32_t seen; /* by the sweep */
    uint32_t exited; /* the last sweep before it said that it ends */
};

/* Once per process, idempotent. -1: no memory. */
int threads_init(void);

/* Returns the live entry of a thread id, a new one if there is none. Returns NULL if the table is
 * full; such a thread is counted as lost once in a recording (LOST_THREADS). */
struct thread *threads_add(int32_t tid);

/* Returns the live entry of a thread id, or NULL. Async-signal-safe. */
struct thread *threads_find(int32_t tid);

/* Returns the entry of the calling thread, a new one if there is none. Fast after the first call on
 * a thread. Not in signal handlers. */
struct thread *threads_self(void);

/* Returns an entry for a thread that has just begun. If an entry with this id is of a Java thread,
 * or of one that is exiting, it is of an earlier thread: it is ended, and a new one is made. */
struct thread *threads_begin(int32_t tid);

/* The thread is about to end. The next sweep that does not find its id ends the entry. If a sweep a
 * second later still finds the id, the thread has only detached from the VM and gets a new entry.
 */
void threads_exiting(struct thread *t);

/* Names a Java thread and its group; both are copied and may be NULL. */
void threads_set_java(struct thread *t, int64_t java_id, const char *name, const char *group);

/* Gives a thread another name, which is copied. */
void threads_set_name(struct thread *t, const char *name);

/* Copies of the name, if one was given, and, in *group, of the group's; each to be freed, or NULL.
 */
char *threads_name(struct thread *t, char **group);

/* The thread has ended: its id may be reused. Its entry stays until it is reclaimed. */
void threads_end(struct thread *t);

/* Frees the entries that were dead at the time of the last call but one; to be called when all
 * rings have been emptied since. */
void threads_reclaim(void);

/* A recording begins: threads without room in the table are counted again. */
void threads_count_anew(void);

/* Calls f for each live entry; f may end it. */
void threads_each(void (*f)(struct thread *t, void *arg), void *arg);

/* The live thread with this Thread.getId(), which is not 0; NULL: there is none. */
struct thread *threads_find_java(int64_t java_id);

/* Compares the registry with /proc/self/task. Calls begin(t) for each new entry, and end(t) before
 * an entry is ended. A thread that has detached from the VM and continues gets both: the end of its
 * old entry, the beginning of its new one. Returns the number of live threads, or -1 if it cannot
 * be read. */
int threads_sweep(void (*begin)(struct thread *t), void (*end)(struct thread *t));

/* The index of an entry; the entry of a pair, or NULL if the entry has been reused since. */
uint32_t threads_index(const struct thread *t);
struct thread *threads_at(uint32_t index, uint32_t generation);

/* The clock of a thread's CPU time, and that time in ns; -1: it has ended. */
clockid_t threads_clock(const struct thread *t);
int64_t threads_cpu(const struct thread *t);

/* A word that identifies an entry to a signal handler. Values of other senders hardly ever look
 * like one: 16 bits are fixed. */
uint64_t threads_cookie(const struct thread *t, unsigned kind); /* kind < 16; t may be NULL */
struct thread *threads_from_cookie(uint64_t cookie); /* NULL: no thread, or one that has ended */
bool threads_is_cookie(uint64_t cookie);
unsigned threads_cookie_kind(uint64_t cookie);

#endif
