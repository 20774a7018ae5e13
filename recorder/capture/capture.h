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

/* Allocates the rings, `bytes` in all. Called again with another size, it replaces them if no
 * thread is inside capture() any more, and keeps them otherwise. Call it only while capturing is
 * off. Returns 0, or -1 if out of memory. */
int capture_open(size_t bytes);

/* Begins to accept records, with stacks of at most `depth` frames. */
void capture_start(const struct walker *walker, int depth);

/* Refuses all records but those for the end of something that began earlier (capture_enter_end()),
 * and waits until the threads inside have left. Returns false as capture_stop() does. */
bool capture_end(void);

/* Refuses all records, and waits until the threads inside have left. Returns false if one of them
 * is still inside after half a second, because it was stopped there: keep all memory that it may
 * use. */
bool capture_stop(void);

/* Counts records that were begun and not finished as lost. The next recording does not get them
 * either. Call it after capture_stop(), when all records of capture_peek() have been released. */
void capture_close(void);

bool capture_is_on(void);

/* Marks code that capture_stop() waits for. enter returns false if capturing is off; then do not
 * call leave. enter_end is for the end of something that began earlier: it also succeeds after
 * capture_end(). */
bool capture_enter(void);
bool capture_enter_end(void);
void capture_leave(void);

/* Makes a record. Call it between enter and leave. Returns false if the record was dropped and
 * counted as lost. */
bool capture(struct thread *t, const struct capture *c);

/* Makes a record of another thread from frames (head->n_frames) and a context (RECORD_CONTEXT ids,
 * NULL if there is none) that the caller has found. Call it between enter and leave, not in a
 * signal handler. */
bool capture_other(struct thread *t, const struct record *head, const struct frame *frames,
                   const uint32_t *context);

/* For the drain thread: how many ns after the last drain the rings have to be drained again. 0 if a
 * ring is more than a quarter full; a tenth of a second if a stack names methods that may soon be
 * unloaded; else INT64_MAX. When this value falls, the drain thread is woken (wake.h). */
int64_t capture_patience(void);

/* For the drain thread: call it before draining. A record that becomes urgent later wakes the
 * thread again. */
void capture_begin_drain(void);

/* For the drain thread: returns the oldest record of a ring, or NULL if there is none.
 * capture_release() removes it. */
const struct record *capture_peek(int ring);

/* For the drain thread: returns the frames of a record. If the record has a copy of the stack, the
 * copy is walked now. The frames are valid until the next call and until the record is released. */
const struct frame *capture_frames(const struct record *rec, uint32_t *n, enum walk_reason *reason);

void capture_release(int ring, const struct record *rec);

/* For the drain thread: capture_mark() marks the end of a chunk. capture_peek_marked() returns only
 * records that were reserved before the mark. */
void capture_mark(void);
const struct record *capture_peek_marked(int ring);

/* For the drain thread: calls f for each record in the rings and leaves them there. Waits for
 * records that are being written, some milliseconds at most. */
void capture_look(void (*f)(struct record *rec, void *arg), void *arg);

/* Copies the context of the calling thread to out. Returns false if none is set. Async-signal-safe.
 * The pointer is NULL if contexts are not in use; it is set before a recording starts. */
extern bool (*_Atomic capture_context)(uint32_t out[RECORD_CONTEXT]);

/* Returns the virtual thread that the calling thread runs, and its number for struct record, or 0
 * if that thread has no context. Async-signal-safe. NULL as above. */
extern uint64_t (*_Atomic capture_virtual)(uint32_t *number);

#endif
