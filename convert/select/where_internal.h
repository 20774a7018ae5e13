/* where_internal.h - an expression as where_parse.c leaves it, for where.c. */
#ifndef CONVERT_SELECT_WHERE_INTERNAL_H
#define CONVERT_SELECT_WHERE_INTERNAL_H

#include "convert/select/pattern.h"
#include "convert/select/where.h"

#include <pthread.h>
#include <stdatomic.h>

enum where_kind {
    WHERE_NULL,
    WHERE_BOOL, /* i */
    WHERE_INT, /* i, or as unsigned where is_big */
    WHERE_REAL, /* f */
    WHERE_SPAN, /* i, ns */
    WHERE_TIME, /* i, ns since 1970 */
    WHERE_TEXT, /* text, n */
    WHERE_OTHER, /* an array, or a value of several fields */
};

struct where_value {
    enum where_kind kind;
    bool is_big; /* an integer beyond INT64_MAX */
    bool is_single; /* a float, to be compared as one */
    bool has_time; /* a literal text that is also a point in time, `i` */
    int64_t i;
    double f;
    const char *text;
    size_t n;
};

enum where_source { /* of an operand */
    WHERE_LITERAL,
    WHERE_FIELD,
    WHERE_CONTEXT,
    WHERE_EVENT_NAME,
    WHERE_FRAME,
};

struct where_operand {
    enum where_source source;
    struct where_value value; /* literals */
    char *path; /* of a field, as written; owned, as a literal's text is by `text` */
    char *text;
    uint32_t key; /* of a context */
    atomic_bool is_found; /* some event type has the field */
    char *nearest; /* field that was perhaps meant; under the where's lock */
    unsigned distance;
};

enum where_op {
    WHERE_OR, /* nodes a, b */
    WHERE_AND,
    WHERE_NOT, /* node a */
    WHERE_TRUTH, /* operand a; from here on operands */
    WHERE_EQ,
    WHERE_NE,
    WHERE_LT,
    WHERE_LE,
    WHERE_GT,
    WHERE_GE,
    WHERE_MATCH, /* operand a, pattern */
    WHERE_NO_MATCH,
};

struct where_node {
    enum where_op op;
    uint16_t a, b;
    uint32_t at; /* in the text, from 1 */
    struct pattern *pattern;
    atomic_bool is_odd; /* kinds met that do not compare; then */
    enum where_kind odd_a, odd_b;
};

struct where {
    struct where_node nodes[WHERE_NODES_MAX]; /* a node after its children; the last is the root */
    struct where_operand operands[WHERE_NODES_MAX * 2];
    size_t n_nodes, n_operands;
    size_t n_fields; /* different fields, WHERE_FRAME among them */
    uint32_t root;
    bool has_chunk; /* some chunk was looked at */
    pthread_mutex_t lock;
};

/* Reads the text into w. 0 or *err. */
int where_parse(struct where *w, const char *text, struct context *context, struct jfr_error *err);

/* --- where_use.c: the fields of a condition in the events of one class, found once per chunk ---
 */

#define WHERE_STEPS 8 /* constants one after another that a path leads through */

enum where_shown { /* how a value is shown that has several fields */
    WHERE_SHOW_PLAIN,
    WHERE_SHOW_THREAD,
    WHERE_SHOW_CLASS, /* a text with dots for slashes */
};

struct where_step {
    const struct jfr_pool *pool; /* the constant is here, */
    const struct jfr_plan *plan; /* and in it the next field */
};

/* A path in the events of a class. */
struct where_use {
    bool is_there;
    uint8_t slot; /* of its first field in the plan of the class */
    uint8_t n_steps;
    enum where_shown shown;
    const struct jfr_field *field; /* the last one */
    const struct jfr_pool *pool; /* that the first field refers to; NULL: none */
    struct where_step steps[WHERE_STEPS];
};

/* Finds a path in a class of the loaded chunk; *first is the part of it that the plan of the class
 * needs, in the chunk's arena. False when the class does not have it, or memory is exhausted. */
bool where_use_find(struct jfr_chunk *chunk, const struct jfr_class *cls, const char *path,
                    struct where_use *use, const char **first);

/* Does the class have the path? */
bool where_use_exists(const struct jfr_class *cls, const char *path);

/* The value in an event: v is what the plan found, `end` the end of the event's bytes. Text goes to
 * b, which is emptied first. */
void where_use_value(struct jfr_chunk *chunk, const struct where_use *use, union jfr_value v,
                     const uint8_t *end, struct buf *b, struct where_value *value);

/* The name that was perhaps meant: stores in *best the path of the class that is nearest to `path`
 * if it is nearer than *distance, or as near and first in the alphabet: threads read chunks in any
 * order. Before the first call *best is NULL and *distance UINT32_MAX; both stay so if `path` or
 * all names are too long to compare. */
void where_use_nearest(const struct jfr_class *cls, const char *path, char **best,
                       unsigned *distance);

#endif
