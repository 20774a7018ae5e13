/*
 * raw.h - chunks of events and constants that are bytes already, for what copies recordings.
 *
 *     struct raw_writer w = {.to = sink};
 *     raw_begin(&w, start_nanos, start_ticks);
 *     buf_bytes(&w.b, event, n); raw_check(&w);        any number of events
 *     raw_checkpoint(&w, pools, n_pools, pools_n);     any number, where pools are its bytes
 *     raw_end(&w, &metadata, duration_ns);
 *
 * The caller answers for ids, keys and clocks; see writer.h for a writer that does. Header,
 * metadata and checkpoints are encoded by the code of that one. Where the output can be changed in
 * place, events pass through; else a chunk is gathered in memory and goes out whole.
 * Threads: one at a time. Errors: sticky in `rc`.
 */
#ifndef JFRFMT_WRITE_RAW_H
#define JFRFMT_WRITE_RAW_H

#include "jfrfmt/base/buf.h"
#include "jfrfmt/write/typeset.h"

#define RAW_HIGH ((size_t)256 << 10) /* bytes gathered before they are passed on */

struct raw_sink { /* both answer 0 or a negative error */
    int (*write)(void *ctx, const void *bytes, size_t n);
    int (*patch)(void *ctx, uint64_t at, const void *bytes, size_t n); /* NULL: cannot be done */
    void *ctx;
};

struct raw_writer {
    struct raw_sink to;
    struct buf b; /* what the caller appends to between begin and end */
    uint64_t passed; /* bytes of the output before b */
    uint64_t base; /* where the chunk begins in the output */
    uint64_t checkpoint; /* the newest one of the chunk, from its beginning; 0: none yet */
    int64_t start_nanos, start_ticks;
    int64_t per_second; /* ticks; 0: they are nanoseconds */
    int rc;
};

void raw_begin(struct raw_writer *w, int64_t start_nanos, int64_t start_ticks);

/* Bytes of the chunk so far. */
static inline uint64_t raw_size(const struct raw_writer *w)
{
    return w->passed + w->b.n - w->base;
}

int raw_pass(struct raw_writer *w);

/* Passes bytes on when there are many. 0 or the sticky error. */
static inline int raw_check(struct raw_writer *w)
{
    return w->b.n < RAW_HIGH || w->to.patch == NULL ? w->rc : raw_pass(w);
}

/* Appends what is too much to be copied once more: it is passed on as it is, where that can be. */
void raw_append(struct raw_writer *w, const struct buf *bytes);

/* Appends the head of a checkpoint, the newest of the chunk's chain; its pools, pools_n bytes, are
 * then appended by the caller. No pool may be empty: readers fail on that. */
void raw_checkpoint(struct raw_writer *w, size_t n_pools, uint64_t pools_n);

/* Ends the chunk, with an empty checkpoint if it has none. `metadata` is the event. 0 or the sticky
 * error. */
int raw_end(struct raw_writer *w, const struct buf *metadata, int64_t duration_ns);

void raw_free(struct raw_writer *w);

/* Ends an event that begins at `at` with one byte for its size: puts the size there, and moves the
 * event when it takes more. False: out of memory, or larger than readers hold in an int. */
bool raw_close_event(struct buf *b, size_t at);

/* Appends all of a checkpoint event before its pools. Returns the size of the whole event. delta:
 * position of the checkpoint before, from this one's; 0: none. */
uint64_t checkpoint_head(struct buf *out, int64_t ticks, int64_t delta, size_t n_pools,
                         uint64_t pools_n);

#endif
