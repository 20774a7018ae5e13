/*
 * capture.h - make a record of what happens on the calling thread and put it into a ring.
 *
 * Signals: all but capture_open(), capture_start() and capture_stop() are async-signal-safe.
 */
#ifndef RECORDER_CAPTURE_CAPTURE_H
#define RECORDER_CAPTURE_CAPTURE_H

#include "recorder/base/hist.h"
#include "recorder/capture/record.h"
#include "recorder/capture/threads.h"
#include "recorder/base/walker.h"

#define CAPTURE_RINGS 8 /* a power of two */

struct capture {
    struct record head; /* engine, kind, weight, ...; what capture() finds out is filled in by it */
    bool with_stack;
    bool is_aside; /* struct emit; weight 0 */
    int skip; /* frames to leave out at the top */
    void *ucontext; /* what a signal interrupted, or NULL */
    const void *data, *text; /* bytes of the engine's own: head.n_data of them and n_text */
    size_t n_text;
    const uint64_t *kernel; /* what the kernel ran for the thread: n_kernel addresses */
    int n_kernel;
    bool is_other; /* of another thread, whose context is `context` (NULL: none) */
    const uint32_t *context;
};

extern struct hist capture_times; /* ns in capture(), for signals only */

/* Memory for rings, `bytes` in all; again with another size only while nothing is captured. As long
 * as somebody has not finished, it stays as it is. -1: no memory. */
int capture_open(size_t bytes);

/* From now on records are made, with stacks of at most `depth` frames. */
void capture_start(const struct walker *walker, int depth);

/* From now on only ends of what began before are recorded, see capture_enter_end(), and nothing
 * else is being made. False as below. */
bool capture_end(void);

/* From now on none is, and none is being made. False: somebody did not finish within half a second
 * (a thread that was stopped in the middle): keep what they may use. */
bool capture_stop(void);

/* After capture_stop(), when all that capture_peek() gave has been released: counts what was begun
 * and is not finished as lost. It will not come out of the next recording either. */
void capture_close(void);

bool capture_is_on(void);

/* Brackets around what must not run on while capture_stop() returns. enter: false, and nothing to
 * leave, when capturing is off. enter_end: the same for what has a place after capture_end(), too.
 */
bool capture_enter(void);
bool capture_enter_end(void);
void capture_leave(void);

/* Makes the record. Between enter and leave. False: dropped and counted. */
bool capture(struct thread *t, const struct capture *c);

/* Makes a record of another thread, whose frames (head->n_frames) and context (RECORD_CONTEXT ids;
 * NULL: none) somebody else found. Between enter and leave; not in a signal. */
bool capture_other(struct thread *t, const struct record *head, const struct frame *frames,
                   const uint32_t *context);

/* For the drain thread: how long the rings may wait, in ns since they were emptied last. 0: one of
 * them fills; a tenth of a second: there are stacks of what may soon be gone; INT64_MAX: nothing in
 * them is urgent. Its sleep ends (wake.h) when this becomes less. */
int64_t capture_patience(void);

/* For the drain thread: it empties the rings now. What becomes urgent later wakes it again. */
void capture_begin_drain(void);

/* For the drain thread: the oldest record of a ring, NULL: none; and done with it. */
const struct record *capture_peek(int ring);

/* For the drain thread: the frames of a record, walked now if it has a copy of the stack only. They
 * and *n, *reason are valid until the next call and the record's release. */
const struct frame *capture_frames(const struct record *rec, uint32_t *n, enum walk_reason *reason);

void capture_release(int ring, const struct record *rec);

/* For the drain thread: where a part of the recording ends. What is in the rings at the mark is
 * older than what is made from then on; peek_marked gives no more than that. */
void capture_mark(void);
const struct record *capture_peek_marked(int ring);

/* For the drain thread: shows all that is in the rings, and stays there. What is being made is
 * waited for, some milliseconds at most. */
void capture_look(void (*f)(struct record *rec, void *arg), void *arg);

/* Reads the words of the context that are current on the calling thread into out; false: none is
 * set. Async-signal-safe. NULL: contexts are not in use. Set before a recording starts. */
extern bool (*_Atomic capture_context)(uint32_t out[RECORD_CONTEXT]);

/* The virtual thread that the calling thread runs, if that has a context, and *number for struct
 * record; else 0. Async-signal-safe. NULL as above. */
extern uint64_t (*_Atomic capture_virtual)(uint32_t *number);

#endif
