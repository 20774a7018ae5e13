/*
 * rewrite.h - copies events of any producer into a new recording that all readers take.
 *
 *     struct rewrite *rw = rewrite_new(&options);          options may be NULL
 *     rewrite_to(rw, &sink);                               between chunks
 *     rewrite_begin(rw, chunk);                            a loaded chunk
 *     rewrite_event(rw, &ev);                              events of it, all or some
 *     rewrite_end(rw);
 *     rewrite_finish(rw);                                  nothing was written: an empty chunk
 *     rewrite_free(rw);
 *
 * Only the metadata of a chunk says how its events lie in the bytes. A chunk with events becomes a
 * chunk of the output:
 *
 * - Its metadata holds its own classes, labels and settings. A class keeps its id where no other
 *   class of the output has it. The same name with the same fields is the same class everywhere and
 *   has one id; with other fields or units it is another class with another id, in its own chunk.
 *   So no value is changed to fit a class. (Mission Control shows the events of the second layout
 *   under "name + UUID", as it does for every recording in which a type changes.)
 * - Constants get new keys, counted from 1 for each class, so that a key never changes its meaning
 *   and the same value has the same key in all chunks; what no event refers to is left out. A key
 *   without a constant becomes 0, which none has.
 * - One clock for all: a tick is a nanosecond, and all chunks count from one instant. Timestamps
 *   and timespans in ticks become what the JDK and JMC compute from them, cut to whole ns, so both
 *   show the same times; only the end of an event, which they add up in ticks, may move by 1 ns.
 *   (Where chunks are more than 104 days apart the JDK's own arithmetic rounds by 2 ns and more.)
 *   Chunks start at different instants: one that starts with or before the last is set 1 ns later.
 * - Texts keep their encoding, but symbols, which become UTF-8 as HotSpot writes them. Event ids in
 *   jdk.ActiveSetting follow the ids of the types; settings of types that are not declared are left
 *   out, since Mission Control fails on them.
 *
 * Rewriting what was rewritten, without edits, gives the same bytes.
 *
 * Threads: one at a time. Errors: 0 or negative (JFR_E_NOMEM, JFR_E_IO), sticky; events that cannot
 * be decoded are recorded as damage of their chunk and left out.
 * Memory: the constants' bytes of one checkpoint, 16 bytes for each constant of the chunk, 48 for
 * each different one of the output.
 */
#ifndef CONVERT_REWRITE_REWRITE_H
#define CONVERT_REWRITE_REWRITE_H

#include "convert/rewrite/edit.h"
#include "convert/select/select.h"
#include "jfrfmt/jfr.h"
#include "jfrfmt/write/raw.h"

/* Fields that event types get after their own. */
struct rewrite_extra {
    void *ctx;
    const char *type; /* of all of them: "java.lang.String", "long" */
    /* How many, and their names; the same for classes with the same name and fields. */
    size_t (*fields)(void *ctx, const struct jfr_class *cls, const char *const **names);
    /* Appends their values, encoded. */
    void (*append)(void *ctx, const struct jfr_event *ev, struct buf *b);
};

struct rewrite_options {
    const struct rewrite_edit *edit; /* what is changed in events; NULL: nothing */
    struct rewrite_extra extra; /* .fields NULL: none */
    bool trim; /* metadata has only the types that are used */
    /* Chunks begin and end where its from and to cut them, so that readers show the time of what is
     * left; borrowed. NULL: the times of the input. */
    const struct select *times;
    int64_t first_ns, last_ns; /* the same by two times, ns since 1970; 0: no such bound */
};

struct rewrite;

struct rewrite_stats {
    uint64_t n_events; /* written */
    uint64_t n_undeclared; /* left out: their type is not declared */
    uint64_t n_settings; /* left out: they are about undeclared types */
    uint64_t n_damaged; /* left out: not decodable */
    uint64_t n_chunks; /* written */
    uint64_t n_bytes; /* written */
};

struct rewrite *rewrite_new(const struct rewrite_options *options);
void rewrite_free(struct rewrite *rw); /* NULL is allowed */

/* Where the chunks to come go. Keys and ids continue, so files that are joined again agree. */
void rewrite_to(struct rewrite *rw, const struct raw_sink *sink);

/* The chunk stays loaded until rewrite_end(). */
int rewrite_begin(struct rewrite *rw, struct jfr_chunk *chunk);
int rewrite_event(struct rewrite *rw, const struct jfr_event *ev);
int rewrite_end(struct rewrite *rw);

/* Sees to it that the sink has a chunk. */
int rewrite_finish(struct rewrite *rw);

const struct rewrite_stats *rewrite_stats(const struct rewrite *rw);

#endif
