/*
 * lost.h - counters of what was not recorded, by reason.
 *
 * Signals: lost_add() is async-signal-safe.
 */
#ifndef RECORDER_CAPTURE_LOST_H
#define RECORDER_CAPTURE_LOST_H

#include <stdatomic.h>
#include <stdint.h>

enum lost_reason {
    LOST_FULL, /* the ring had no room */
    LOST_BUSY, /* the recorder was at work on that thread already */
    LOST_NO_BUFFER, /* too many walks at once */
    LOST_LATE, /* begun, and not finished when the recording ended */
    LOST_NO_THREAD, /* of a thread that is not registered, or has ended meanwhile */
    LOST_THREADS, /* threads, not events: more than can be registered; they have no samples */
    LOST_WAITS, /* more waits at once than are kept; of these, not all would have been events */
    LOST_UNVISITED, /* wall-clock samples: too many threads, or too short an interval */
    LOST_SIGNAL, /* the signal did not arrive, as in a thread that blocks it */
    LOST_STATE, /* wall-clock samples: whether the thread runs cannot be read; no files are left */
    LOST_TOO_LARGE, /* more data than a record may have */
    LOST_MISSED, /* more overruns of a timer than are written */
    LOST_TYPES, /* events of a program's own, of types that the recording cannot have */
    LOST_UNFIT, /* events of a program's own that are not what their type declares */
    LOST_CUT, /* texts of such events that were too long; the events are there */
    LOST_MEMORY, /* no memory to keep it until it is written */
    LOST_REFUSED, /* written otherwise than its type declares */
    LOST_WRITER, /* disk full or broken, or no room in the file's tables */
    LOST_N
};

extern _Atomic uint64_t lost_counts[LOST_N];
extern _Atomic uint64_t lost_bytes; /* that their records would have had */

/* "buffer full", ... */
const char *lost_name(enum lost_reason reason);

static inline void lost_add(enum lost_reason reason, uint64_t n)
{
    atomic_fetch_add_explicit(&lost_counts[reason], n, memory_order_relaxed);
}

static inline void lost_record(enum lost_reason reason, uint64_t n, uint64_t bytes)
{
    lost_add(reason, n);
    atomic_fetch_add_explicit(&lost_bytes, bytes, memory_order_relaxed);
}

static inline uint64_t lost_count(enum lost_reason reason)
{
    return atomic_load_explicit(&lost_counts[reason], memory_order_relaxed);
}

#endif
