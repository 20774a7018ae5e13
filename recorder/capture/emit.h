/*
 * emit.h - hand over an event that happens on the calling thread.
 *
 *     if (!emit_wanted())                                   cheap, at the head of a hook
 *         return;
 *     struct read_data data = {...};                        plain bytes, no pointers
 *     emit(&(struct emit){.engine = &engine_file, .kind = FILE_READ, .ticks = began,
 *                         .duration = emit_now() - began, .with_stack = true,
 *                         .data = &data, .n_data = sizeof(data)});
 *
 * The record gets the calling thread, its context and, if wished, its stack from the newest Java
 * frame on, goes into a ring, and comes out on the drain thread in engine->write(): read the bytes
 * with record_data(), the keys with drain_thread() and drain_stack().
 *
 * Threads: any thread of the process, Java or not, in native or VM code: JVMTI callbacks (also in
 *          the pauses of garbage collections, if with_stack is false), native methods, hooks. Takes
 *          no locks, allocates nothing; costs a walk and some copying.
 * Signals: not from signal handlers; a signal of ours may interrupt it.
 * Errors:  what cannot be stored is dropped and counted by reason.
 */
#ifndef RECORDER_CAPTURE_EMIT_H
#define RECORDER_CAPTURE_EMIT_H

#include "recorder/capture/engine.h"

struct emit {
    const struct engine *engine;
    uint8_t kind; /* the engine's own */
    bool with_stack;
    bool is_aside; /* is no event of the thread: does not count, neither as recorded nor as lost */
    bool is_end; /* the end of something that began earlier: accepted while the recording ends, too
                  */
    int skip; /* Java frames to leave out at the top */
    void *ucontext; /* where the stack begins, of a thread without Java frames; or NULL */
    int64_t ticks; /* when it began; 0: now */
    int64_t duration; /* ticks */
    uint32_t weight; /* 0 counts as 1 */
    const void *data; /* n_data bytes, at most RECORD_DATA_MAX with n_text */
    size_t n_data;
    const void *text; /* n_text more bytes, put after data */
    size_t n_text;
    uint64_t thread_key; /* 0: the calling thread; else see struct record */
    uint16_t state; /* JVMTI state, 0 = unknown */
};

/* Ticks: CLOCK_MONOTONIC in nanoseconds. */
int64_t emit_now(void);

/* True while a recording runs, and the calling thread is not one of the recorder's own. Also on a
 * thread that found no room, so that what it loses is counted. */
bool emit_wanted(void);

/* Hands it over. False: there is no recording, or it was dropped and counted. */
bool emit(const struct emit *e);

#endif
