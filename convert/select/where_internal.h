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
    struct where_node nodes[WHERE_NODES_MAX]; /* a node behind its children; the last is the root */
    struct where_operand operands[WHERE_NODES_MAX * 2];
    size_t n_nodes, n_operands;
    size_t n_fields; /* different fields, WHERE_FRAME among them */
    uint32_t root;
    bool has_chunk; /* some chunk was looked at */
    pthread_mutex_t lock;
};

/* Reads the text into w. 0 or *err. */
int where_parse(struct where *w, const char *text, struct context *context, struct jfr_error *err);

/* Compares, for WHERE_EQ to WHERE_GE; *is_odd is set when the kinds do not compare. */
bool where_compare(enum where_op op, const struct where_value *a, const struct where_value *b,
                   bool *is_odd);

#endif
