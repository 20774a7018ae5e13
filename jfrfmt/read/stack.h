/*
 * stack.h - stack traces, methods and threads, by the field names all producers share.
 *
 *     struct jfr_stacks st;
 *     jfr_stacks_init(&st, chunk, field);          field: "stackTrace" of some event class
 *     struct jfr_frames it;
 *     if (jfr_stacks_open(&st, index, &it) == 0)
 *         while (jfr_frames_next(&it, &frame)) ... top frame first ...
 *
 * Works for pooled traces with inline frames (HotSpot and all profilers) and with pooled frames
 * (the JMC writer). Everything borrows from the chunk.
 */
#ifndef JFRFMT_READ_STACK_H
#define JFRFMT_READ_STACK_H

#include "jfrfmt/read/chunk.h"
#include "jfrfmt/read/cpool.h"
#include "jfrfmt/read/plan.h"

/* How stack traces of one chunk are laid out; made once per chunk. */
struct jfr_stacks {
    struct jfr_chunk *chunk;
    const struct jfr_pool *traces; /* pool of the trace class */
    const struct jfr_pool *methods; /* pool of the frames' method class, may be NULL */
    const struct jfr_pool *types; /* pool of the frame type class, may be NULL */
    const struct jfr_class *method_class, *type_class; /* may be NULL */
    const struct jfr_pool *frame_pool; /* when frames are pooled themselves */
    const struct jfr_plan *trace_plan, *frame_plan, *frame_skip;
    bool has_usual_layout; /* a frame is exactly four varints: method, line, bci, type */
};

struct jfr_frame {
    uint64_t method_key;
    uint64_t type_key;
    int32_t line; /* <= 0 unknown */
    int32_t bci; /* < 0 unknown */
};

struct jfr_frames {
    const struct jfr_stacks *st;
    struct cursor c;
    uint64_t left; /* frames still to come; bounded by the bytes */
    bool is_truncated; /* the recorded stack was deeper than the recorder's limit */
};

/* Prepares for traces that `field` refers to. 0; JFR_E_FORMAT when the field is no stack trace (no
 * frames array with a method); JFR_E_NOMEM. */
int jfr_stacks_init(struct jfr_stacks *st, struct jfr_chunk *chunk, const struct jfr_field *field);

/* Starts with entry `index` of st->traces. 0, or JFR_E_SHORT / JFR_E_FORMAT: the entry is damaged.
 */
int jfr_stacks_open(const struct jfr_stacks *st, size_t index, struct jfr_frames *it);

/* The next frame, top first. False at the end (or where the bytes end too early: !cur_ok(&it->c)).
 */
bool jfr_frames_next(struct jfr_frames *it, struct jfr_frame *frame);

/* The next frames, at most max of them, into out. Fewer than max only at the end. */
size_t jfr_frames_read(struct jfr_frames *it, struct jfr_frame *out, size_t max);

/* A method's texts; each may be null. Names keep their form in the file ('/' in class names). */
struct jfr_method {
    struct jfr_str class_name, name, descriptor;
    uint64_t class_key;
    int32_t modifiers;
    bool is_hidden;
};

/* The method with this key. False when it is missing or damaged; *m is then all null. */
bool jfr_method_get(const struct jfr_stacks *st, uint64_t key, struct jfr_method *m);

/* The name of the class with this key, in the pool of cls (the class of an objectClass field); null
 * when it is missing. */
struct jfr_str jfr_class_name(struct jfr_chunk *chunk, const struct jfr_class *cls, uint64_t key);

/* The shown text of a simple value such as FrameType, ThreadState, Symbol: the string at the end of
 * the chain of simpleTypes. Null when the key is not in the pool. */
struct jfr_str jfr_simple_text(struct jfr_chunk *chunk, const struct jfr_class *cls, uint64_t key);

struct jfr_thread {
    struct jfr_str os_name, java_name;
    int64_t os_id, java_id; /* 0 = none */
    bool is_virtual;
};

/* The thread with this key in the pool of cls (the class of an eventThread field). False when there
 * is no such entry or it is damaged; *t is then all null. */
bool jfr_thread_get(struct jfr_chunk *chunk, const struct jfr_class *cls, uint64_t key,
                    struct jfr_thread *t);

#endif
