/* plan_internal.h - the operations that plan.c compiles and plan_run.c runs. */
#ifndef JFRFMT_READ_PLAN_INTERNAL_H
#define JFRFMT_READ_PLAN_INTERNAL_H

#include "jfrfmt/read/plan.h"

enum op_code {
    OP_VARINTS, /* step over n varints */
    OP_BYTES, /* step over n bytes */
    OP_STRING, /* step over a string value */
    OP_ARRAY, /* a count, then so many times the next n ops */
    OP_ARRAY_VARINTS, /* a count, then so many times n varints */
    OP_ARRAY_BYTES, /* a count, then so many times n bytes */
    OP_AT, /* out[slot] = here; reads nothing */
    OP_COPY, /* out[slot] = out[n] */
    OP_S16, /* out[slot] = a varint, cut to this width */
    OP_U16,
    OP_S32,
    OP_U32,
    OP_64,
    OP_S8, /* out[slot] = one byte */
    OP_U8,
    OP_BOOLEAN,
    OP_FLOAT,
    OP_DOUBLE,
};

struct op {
    uint8_t code;
    uint8_t slot;
    uint32_t n;
};

/* A step of a plan that reads varints alone: one of them, or OP_AT, or OP_COPY. */
struct varint_step {
    uint8_t code; /* OP_VARINTS: step over it */
    uint8_t slot;
    uint8_t from; /* of OP_COPY */
};

_Static_assert(JFR_PLAN_WANTS_MAX <= UINT8_MAX, "slots are bytes");

struct jfr_plan {
    const struct op *ops;
    size_t n_ops; /* all: a whole value */
    size_t n_wanted; /* up to the last one that stores something */
    const struct jfr_field **fields;
    size_t n_fields;
    const struct varint_step *steps; /* the wanted ops, if they read varints alone; else NULL */
    size_t n_steps;
    const uint8_t *bytes, *limit; /* of the chunk: memory that may be read */
};

#endif
