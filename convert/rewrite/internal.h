/* internal.h - what the parts of rewrite.h share. */
#ifndef CONVERT_REWRITE_INTERNAL_H
#define CONVERT_REWRITE_INTERNAL_H

#include "convert/rewrite/rewrite.h"
#include "jfrfmt/base/arena.h"
#include "jfrfmt/base/hashtable.h"

#define POOLS_HIGH ((uint64_t)16 << 20) /* bytes of constants that wait for a checkpoint */
#define DEPTH_MAX 32 /* structs, or simple types, in each other */
#define KEY_NONE UINT64_MAX /* a constant that cannot be copied: null */

enum op_code { /* how a value is copied */
    OP_VARINTS, /* n of them, as they are */
    OP_BYTES, /* n of them, as they are */
    OP_KEY, /* into the pool of class n */
    OP_NEEDED_KEY, /* the same, and readers fail when it is null */
    OP_STRING, /* with the key of a constant, if it is one */
    OP_TEXT, /* a string in the pool of strings: no constant */
    OP_SYMBOL, /* the string of a jdk.types.Symbol: as UTF-8 with a length, also when it is empty */
    OP_STAMP, /* a point in time in ticks */
    OP_SPAN, /* a timespan in ticks */
    OP_TYPE_ID, /* of an event type */
    OP_ARRAY, /* a count; the next `span` ops for each element; n, if they are all numbers and
               * keys: how many */
    OP_DROP, /* the next `span` ops are stepped over */
    OP_NULL, /* the same, and n zero bytes are put: no text */
    OP_HASH, /* the same, and the hash of the text is put */
};

struct op {
    uint8_t code;
    uint8_t bits; /* of a STAMP or SPAN; of a STRING or SYMBOL: 1 when null becomes empty */
    uint16_t span;
    uint32_t n;
    const struct jfr_field *field; /* of a HASH or NEEDED_KEY */
    const struct rewrite_rule *rule;
};

struct program { /* for values of one class */
    const struct op *ops;
    uint32_t n;
    bool is_made, is_bad; /* bad: values of the class cannot be decoded */
    bool is_checked; /* events are checked first, so that one that is left out leaves no traces */
};

struct hash { /* of content */
    uint64_t low, high;
};

struct known { /* what is known by its hash; value 0: nothing yet */
    struct hash hash;
    uint64_t value;
    uint64_t stamp;
};

struct known_table {
    struct known *rows;
    size_t n, room;
    struct hashtable places; /* of the rows */
};

struct out_class { /* a class of the output */
    int64_t id;
    uint64_t last_key;
    struct buf pool; /* its constants for the next checkpoint */
    uint64_t n;
    uint32_t *places; /* of constants among what is known, by their key in the input; chunks of one
                       * recording mostly agree on that */
    size_t n_places;
};

struct node { /* a constant of the loaded chunk */
    uint64_t key; /* in the output; 0: not known yet */
    uint32_t order; /* of the search for cycles */
    uint32_t low : 31;
    uint32_t is_moving : 1; /* its key is not the last word */
};

struct found { /* a key that was looked up before */
    uint64_t from; /* its bytes in the input, the first one lowest */
    uint64_t to; /* up to seven bytes of the output, and their number in the highest; 0: nothing */
};

struct in_class { /* beside the classes of the loaded chunk */
    struct program program;
    uint32_t out; /* index of its out_class */
    bool is_used; /* in the chunk of the output */
    bool is_open; /* pool and nodes are set */
    const struct jfr_pool *pool;
    struct node *nodes;
    uint32_t *direct; /* keys looked up before, where they lie close together: by key - first, up
                       * to three bytes of the output, and their number in the highest */
    uint64_t first, span;
    struct found *found; /* elsewhere: by the high bits of the hash of `from` */
    unsigned found_shift;
};

struct ref {
    uint32_t cls, index;
};

struct frame { /* a constant whose references are being looked at */
    struct ref at;
    size_t next, end; /* of them in `refs` */
};

struct rewrite {
    struct rewrite_options options;
    struct rewrite_stats stats;
    struct raw_writer out;
    bool is_in_chunk; /* its beginning is in the output */
    bool has_chunk; /* the sink has one */
    int rc;

    /* of the whole output */
    struct known_table known;
    struct out_class *classes;
    size_t n_classes;
    int64_t next_id;
    int64_t base_nanos; /* where ticks count from */
    bool has_base;
    int64_t last_start; /* of a chunk */
    uint64_t n_metadata; /* different ones */
    uint64_t salt; /* of cycles that are too large */
    struct buf first_metadata; /* for an output without events */
    int64_t first_start, first_duration;

    /* of the loaded chunk */
    struct jfr_chunk *chunk;
    struct in_class *in; /* by class index */
    struct jfr_class *edited; /* the classes as they will be written */
    size_t n_in;
    uint32_t string_class; /* index; UINT32_MAX: none */
    uint32_t extra_class; /* of extra fields; the same */
    double ticks_per_ns;
    bool is_ns; /* ticks are nanoseconds already */
    int64_t last_tick; /* of any event, in the output's clock */
    bool is_unknown_id; /* of a type, in the event that was checked */
    uint64_t pools_n; /* bytes waiting for a checkpoint */

    /* the search for cycles */
    bool is_collecting; /* unknown constants are noted in `refs` */
    uint32_t order;
    struct buf refs, frames, open; /* of struct ref, frame, ref */
    struct buf scratch, text;
};

/* --- tables --- */

struct hash hash_of(uint64_t kind, const void *bytes, size_t n);

/* What is known by a hash; a new row has value 0. Valid until the next call. NULL: no memory. */
struct known *known_at(struct known_table *t, struct hash hash);
void known_free(struct known_table *t);

enum { /* kinds of hashes; more than any class index */
    HASH_CLASS = 1 << 30,
    HASH_ID,
    HASH_METADATA,
    HASH_CYCLE, /* and upwards: for each class */
};

/* --- classes --- */

/* Finds or makes the classes of the output that those of the loaded chunk become. */
int rewrite_classes(struct rewrite *rw);

/* Marks a class as used; what it refers to is then, too. */
static inline void rewrite_use(struct rewrite *rw, const struct jfr_class *cls)
{
    rw->in[cls->index].is_used = true;
}

/* The metadata event of the chunk, into *out. is_only: no other one will be written. */
int rewrite_metadata(struct rewrite *rw, struct buf *out, int64_t ticks, bool is_only);

/* --- programs --- */

/* The program of a class of the loaded chunk; is_bad when there can be none. */
const struct program *rewrite_program(struct rewrite *rw, const struct jfr_class *cls);

/* False when the bytes do not hold a value; sets is_unknown_id. */
bool rewrite_check(struct rewrite *rw, const struct program *p, struct cursor c);

/* Copies a value. False when the bytes do not hold one. */
bool rewrite_copy(struct rewrite *rw, const struct op *op, const struct op *end, struct cursor *c,
                  struct buf *out);

/* Copies a key, which may be cut off. */
void rewrite_last_key(struct rewrite *rw, uint32_t cls, struct cursor *c, struct buf *out);

/* Copies n elements of an array of numbers and keys, as long as neither input nor room can end
 * within one. Returns how many are left. */
uint64_t rewrite_plain(struct rewrite *rw, const struct op *op, uint64_t n, struct cursor *c,
                       struct buf *out);

/* --- constants --- */

/* The key in the output of a constant of the loaded chunk; 0 = null. *is_final (may be NULL): it
 * will always be this one; not while a cycle is looked at. */
uint64_t rewrite_key(struct rewrite *rw, uint32_t cls, uint64_t key, bool *is_final);

/* Gives the constant of class `cls` in rw->scratch its key, and sees to it that the chunk has it.
 * KEY_NONE: no memory. *place is where it may be known, in rw->known, and becomes where it is. */
uint64_t rewrite_constant(struct rewrite *rw, uint32_t cls, struct hash hash, uint32_t *place);

/* --- repair --- */

/* Does the JDK's tool fail when this field refers to nothing? */
bool rewrite_is_needed(const struct rewrite *rw, const struct jfr_class *cls,
                       const struct jfr_field *field);

/* The key of a constant that stands for what such a field has lost. */
uint64_t rewrite_stand_in(struct rewrite *rw, const struct jfr_field *field);

/* Writes the constants that wait. */
void rewrite_checkpoint(struct rewrite *rw);

#endif
