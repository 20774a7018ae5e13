/*
 * consts.h - the constants of a recording being written, and which of them a chunk needs.
 *
 * A constant is (class, key) -> bytes. Its key is given by the store, when it is interned by
 * content, or by the caller, when it is defined; one class is filled in one way only. Each class
 * counts from 1: what most events and frames refer to has a key of a byte or two. Keys never
 * change their meaning. Of a class that is favoured, the keys of one byte go to those constants
 * that turn out to be used most, beside the keys that they have. consts_need() collects what the
 * chunk being written refers to, with all that those constants refer to; the next checkpoint
 * carries it. Internal to the writer.
 */
#ifndef JFRFMT_WRITE_CONSTS_H
#define JFRFMT_WRITE_CONSTS_H

#include "jfrfmt/base/hashtable.h"
#include "jfrfmt/write/typeset.h"

#include <stdbool.h>
#include <stdint.h>

#define CONSTS_NONE UINT32_MAX
#define CONSTS_SEEN 4096

struct constant {
    uint64_t key;
    uint64_t at; /* of its bytes in the store's values */
    uint32_t n;
    uint32_t cls;
    uint32_t hash;
    uint32_t next; /* of its class, waiting for the next checkpoint */
    uint32_t work; /* whose references are still to be looked at */
    bool is_permanent;
    bool is_hashed; /* found by by_key, not by the numbers of its class */
    uint8_t uses; /* calls of consts_short(), counted up to a limit */
    uint8_t short_key; /* the other key, of one byte; 0: none yet */
};

struct mark { /* of a constant: numbers of chunks; apart from the rest to stay in the cache */
    uint32_t chunk; /* the last that has it, 0 = none */
    uint32_t born; /* the one being written when it was added */
};

struct numbers { /* the keys that a class was given: base + 1 to base + n */
    uint64_t base;
    uint32_t *places; /* of their entries; CONSTS_NONE: see by_key. NULL in a store of fixed room */
    uint32_t n;
    size_t room;
    uint8_t n_short, short_max; /* keys of one byte, given and to be given */
};

struct waiting { /* constants of one class that the next checkpoint carries */
    uint32_t first, last, n;
    uint64_t bytes; /* of keys and values */
};

struct seen { /* a constant that a chunk has */
    uint64_t key;
    uint32_t cls, chunk;
};

struct consts {
    const struct typeset *types;
    struct constant *entries;
    struct mark *marks; /* beside them */
    size_t n, room;
    struct buf values;
    struct hashtable by_content, by_key;
    uint32_t chunk;
    uint32_t work_last;
    struct waiting *waiting; /* by class */
    struct seen seen[CONSTS_SEEN]; /* by key and class, mixed: the last of each place */
    struct numbers *numbers; /* by class */
    size_t n_classes;
    uint64_t refused; /* for lack of room */
    bool is_fixed;
};

/* room: bytes for everything, allocated now; 0: grows. */
int consts_init(struct consts *c, const struct typeset *types, size_t room);

/* To be called when types have been added, before their constants are. 0 or JFR_E_NOMEM. */
int consts_types_added(struct consts *c);

/* The key of this value, given now if it is new. The value must be whole: its layout is walked.
 * 0 when there is no room (counted) or the bytes are no value of the class. */
uint64_t consts_intern(struct consts *c, uint32_t cls, const uint8_t *value, size_t n);

/* Keeps the keys of one byte of a class that has no constants yet for consts_short(). */
void consts_favour(struct consts *c, uint32_t cls);

/* The shortest key of a constant of a favoured class, for one more reference to it: once it has had
 * many, a second key of one byte while there are such. The key itself if there is no constant. */
uint64_t consts_short(struct consts *c, uint32_t cls, uint64_t key);

enum consts_defined {
    CONSTS_NEW,
    CONSTS_SAME,
    CONSTS_OTHER,
    CONSTS_NO_ROOM,
    CONSTS_BAD
};

/* Gives `key` this value. CONSTS_OTHER: it has another one, which stays. */
enum consts_defined consts_define(struct consts *c, uint32_t cls, uint64_t key,
                                  const uint8_t *value, size_t n, bool is_permanent);

bool consts_has(const struct consts *c, uint32_t cls, uint64_t key);

/* Sees to it that the chunk has this constant. False when there is none. */
bool consts_need(struct consts *c, uint32_t cls, uint64_t key);

/* Begins a chunk, which has no constants yet. */
void consts_next_chunk(struct consts *c);

/* In a chunk that has no constants yet: drops all but the permanent ones and those that the chunk
 * before had or that came in its time. The keys of what is dropped are not given again. */
void consts_forget(struct consts *c);

/* Bytes that the constants take, without room for more. */
uint64_t consts_bytes(const struct consts *c);

/* The bytes of a constant that waits or is known. Valid until the next one is added. */
static inline const uint8_t *consts_value(const struct consts *c, const struct constant *k)
{
    return c->values.p + k->at;
}

/* What waited has been written. */
void consts_written(struct consts *c);

void consts_free(struct consts *c);

#endif
