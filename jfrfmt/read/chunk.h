/*
 * chunk.h - one chunk, opened: header, metadata, constant pools, and its events by pull.
 *
 *     struct jfr_chunk *c = jfr_chunk_new();
 *     if (jfr_chunk_load(c, &raw, &err) == 0) {
 *         struct jfr_event ev;
 *         while (jfr_chunk_next(c, &ev) > 0)
 *             count[ev.type->index]++;
 *     }
 *     for (size_t i = 0; i < jfr_chunk_n_errors(c); i++)
 *         report(jfr_chunk_error(c, i));
 *
 * A chunk object is made once and loaded many times; its memory is reused.
 *
 * Threads:   one thread at a time; different chunks share nothing.
 * Ownership: borrows raw's bytes until the next load or free. Everything handed out (classes,
 * plans, pools, events) dies with it.
 * Errors:    damage is collected, not fatal: what is whole before and after it is delivered. Events
 * after a damaged size are found again at the next checkpoint that the header's chain names.
 */
#ifndef JFRFMT_READ_CHUNK_H
#define JFRFMT_READ_CHUNK_H

#include "jfrfmt/base/cursor.h"
#include "jfrfmt/base/error.h"
#include "jfrfmt/read/metadata.h"
#include "jfrfmt/read/source.h"
#include "jfrfmt/base/string.h"

#define JFR_CHUNK_MAGIC "FLR\0"
#define JFR_CHUNK_HEADER_SIZE 68 /* versions 1 and 2 */

struct jfr_chunk_header {
    uint16_t major, minor;
    uint8_t state; /* 0 finished, 1..254 being written, 255 header being rewritten */
    uint16_t flags; /* 1 compressed integers, 2 last chunk of the recording */
    uint32_t index; /* place in its input */
    uint64_t offset; /* of the chunk in its input, bytes */
    uint64_t size; /* declared, bytes */
    uint64_t checkpoint, metadata; /* offsets in the chunk, 0 = none */
    int64_t start_nanos; /* wall clock, ns since 1970 UTC */
    int64_t recording_nanos; /* when the recording began: see jfr_raw; else start_nanos */
    int64_t duration_nanos;
    int64_t start_ticks;
    int64_t ticks_per_second; /* > 0 */
};

/* The wall clock at the end of the chunk, ns since 1970 UTC; INT64_MAX if that is too large. A
 * chunk that is still being written has no duration. */
static inline int64_t jfr_chunk_end_ns(const struct jfr_chunk_header *h)
{
    int64_t end;

    return __builtin_add_overflow(h->start_nanos, h->duration_nanos, &end) ? INT64_MAX : end;
}

struct jfr_chunk;
struct jfr_pool; /* cpool.h */

enum jfr_pool_rule {
    JFR_POOL_NEWEST, /* of several entries with one key the newest counts */
    JFR_POOL_OLDEST, /* the oldest, as the JDK's tool has it */
};

/* An event, undecoded. Valid until the chunk is loaded again. */
struct jfr_event {
    const struct jfr_class *type; /* NULL: metadata, checkpoint, or not declared */
    int64_t type_id; /* 0 metadata, 1 checkpoint */
    uint64_t offset; /* of the event in the chunk */
    uint64_t size; /* bytes, the size field included */
    struct cursor body; /* after the type id, to the end of the event */
};

struct jfr_chunk *jfr_chunk_new(void); /* NULL if out of memory */
void jfr_chunk_free(struct jfr_chunk *chunk); /* NULL is allowed */

/* Which of several entries with one key counts, from the next load on. Default JFR_POOL_NEWEST. */
void jfr_chunk_set_pool_rule(struct jfr_chunk *chunk, enum jfr_pool_rule rule);

/* Reads header and metadata. 0, also for a chunk that is cut or has no end yet (that is recorded as
 * an error of the chunk); negative and *err if no event can be found: bad header, no
 * metadata. A 0.9 chunk is rewritten in memory first; its offsets are those of the rewritten one.
 */
int jfr_chunk_load(struct jfr_chunk *chunk, const struct jfr_raw *raw, struct jfr_error *err);

const struct jfr_chunk_header *jfr_chunk_header(const struct jfr_chunk *chunk);
const struct jfr_metadata *jfr_chunk_metadata(const struct jfr_chunk *chunk);

/* The next event that is neither metadata nor checkpoint. 1 and *ev (type NULL when its type is not
 * declared); 0 at the end. Where no event can be read, an error is recorded, and reading continues
 * at the next place where an event begins for certain, or the chunk ends. */
int jfr_chunk_next(struct jfr_chunk *chunk, struct jfr_event *ev);

/* The same, metadata and checkpoint events included. */
int jfr_chunk_next_any(struct jfr_chunk *chunk, struct jfr_event *ev);

/* The next event of a class for which wanted[class->index] is true; wanted has an entry for each
 * class of the metadata. The other events cost about half of what jfr_chunk_next() takes for them.
 * 1, and *ev with a type; 0 at the end. */
int jfr_chunk_next_of(struct jfr_chunk *chunk, const bool *wanted, struct jfr_event *ev);

/* Starts over with the first event. Damage is not recorded twice. */
void jfr_chunk_rewind(struct jfr_chunk *chunk);

/* The event at `offset` of the chunk, as an earlier next() gave it. */
struct jfr_event jfr_chunk_event_at(const struct jfr_chunk *chunk, uint64_t offset);

/* The pool of a class; an empty one when the chunk has no constants of it. NULL when memory is
 * short, for this and every other class (and then !arena_ok(jfr_chunk_arena(chunk))). The first
 * call walks the checkpoint chain; damage in it is recorded as an error of the chunk. */
const struct jfr_pool *jfr_chunk_pool(struct jfr_chunk *chunk, const struct jfr_class *cls);

/* Replaces a constant (encoding 2) by the text it names; null when there is none. Others as they
 * are. */
struct jfr_str jfr_chunk_resolve(struct jfr_chunk *chunk, struct jfr_str s);

/* Damage found so far, in the order found. At most a handful are kept. */
size_t jfr_chunk_n_errors(const struct jfr_chunk *chunk);
const struct jfr_error *jfr_chunk_error(const struct jfr_chunk *chunk, size_t i);

/* Records damage that a caller found while decoding `ev` (for messages and exit code 3). Of an
 * event it is recorded once. */
void jfr_chunk_damaged(struct jfr_chunk *chunk, const struct jfr_event *ev, const uint8_t *where,
                       const char *what);

/* Memory that lives as long as the loaded chunk. Not arena_ok() once anything of the chunk found
 * memory short: what was read from it since may lack texts and constants. */
struct arena *jfr_chunk_arena(struct jfr_chunk *chunk);

/* Ticks to ns since 1970 and to ns, digit by digit as the JDK and JMC compute them: double
 * division, truncation toward zero, saturating (jfr-format §12). */
int64_t jfr_epoch_ns(const struct jfr_chunk_header *h, int64_t ticks);
int64_t jfr_span_ns(const struct jfr_chunk_header *h, int64_t ticks);

#endif
