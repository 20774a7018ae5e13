/* writer_internal.h - what writer.c, event.c and const.c share. */
#ifndef JFRFMT_WRITE_WRITER_INTERNAL_H
#define JFRFMT_WRITE_WRITER_INTERNAL_H

#include "jfrfmt/base/buf.h"
#include "jfrfmt/write/consts.h"
#include "jfrfmt/write/live.h"
#include "jfrfmt/write/sink.h"
#include "jfrfmt/write/typeset.h"
#include "jfrfmt/write/writer.h"

struct known { /* indices of the classes that typed calls need */
    uint32_t string, symbol, klass, loader, package, module, method, stack, thread, group;
};

struct repeated { /* before the fields after startTime of a repeated event */
    uint32_t event_class, n;
};

struct jfr_writer {
    struct jfr_writer_options options;
    struct typeset types;
    struct consts consts;
    struct sink *sink;
    struct live live;
    struct known known;
    struct jfr_error error;
    struct jfr_error declare_error; /* of the last declaration that failed */
    bool is_reported; /* of the error */
    bool is_open; /* the file has its beginning */
    bool is_new_types; /* not in the file yet */
    bool is_new_chunk; /* without the repeated events yet */
    bool is_uneven; /* chunks that lack fields were followed by others: no rewriting any more */

    struct live_chunk chunk;
    int64_t duration; /* of it so far */
    struct buf metadata; /* the event */
    struct buf events; /* not flushed yet */
    struct buf repeated; /* events for the start of each chunk */
    struct buf scratch; /* a value being built */
    size_t flush_at; /* bytes of events */
    uint64_t n_buffered; /* events in the buffer */
    uint64_t random;
    struct jfr_writer_stats stats;

    /* the event being built */
    const struct leaf *leaf, *leaf_end;
    size_t n_late; /* leaves at the end that may be left out */
    size_t event, body; /* where it and its fields after startTime begin in `events` */
    uint32_t event_class;
    bool is_bad;
};

/* Appends the head of a checkpoint event, all before its pools, and returns the size of the whole
 * event. delta: position of the checkpoint before, from this one's. */
uint64_t writer_checkpoint_head(const struct consts *consts, struct buf *out, int64_t ticks,
                                int64_t delta);

/* Puts the pools. JFR_E_FORMAT when they are not as long as announced: our own mistake. */
int writer_checkpoint_pools(const struct consts *consts, struct sink *sink, uint64_t size);

/* A string value: encoding, size, real UTF-8. */
void writer_put_text(struct buf *out, const char *text, size_t n);

/* Gives everything so far to the file. 0, or the code of w->error. */
int writer_flush(struct jfr_writer *w, int64_t now_ticks);

/* Serialises the types again, into w->metadata. False: out of memory, and w->error says so. */
bool writer_renew_metadata(struct jfr_writer *w);

/* Cuts a file to its content. */
void writer_finish(struct jfr_writer *w);

/* The next of the seeded numbers. */
uint64_t writer_random(struct jfr_writer *w);

/* Defines the keys that every recording has. 0 or negative. */
int writer_define_fixed(struct jfr_writer *w);

/* Appends the repeated events. */
void writer_repeat(struct jfr_writer *w);

/* Flushes when much has gathered. */
static inline bool writer_is_due(const struct jfr_writer *w)
{
    return w->events.n >= w->flush_at;
}

#endif
