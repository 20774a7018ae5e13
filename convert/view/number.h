/*
 * number.h - a value as views hold it: a number with the form in which it is shown, or a text.
 */
#ifndef CONVERT_VIEW_NUMBER_H
#define CONVERT_VIEW_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

enum view_format { /* how a number is shown */
    VIEW_INTEGER,
    VIEW_REAL,
    VIEW_SPAN, /* ns */
    VIEW_TIME, /* ns since 1970, as the time of day */
    VIEW_INSTANT, /* the same, with its date and fractions of a second */
    VIEW_BYTES,
    VIEW_BITS,
    VIEW_BYTE_RATE,
    VIEW_BIT_RATE,
    VIEW_PERCENT,
    VIEW_HERTZ,
    VIEW_ADDRESS,
};

struct view_value {
    enum {
        VIEW_NONE,
        VIEW_NUMBER,
        VIEW_TEXT
    } kind;
    enum view_format format;
    bool is_unsigned, is_real;
    int64_t i;
    double d; /* the number too */
    uint32_t text; /* in the texts of the run */
    uint32_t ordinal; /* of a constant that was looked up before, in the chunk; 0: none */
    uint64_t identity; /* tells things of one name apart: threads, loaders, classes of loaders */
};

/* What makes two values the same, hashed as bytes: no padding. */
struct view_same {
    uint64_t kind, v, identity;
};

static inline struct view_same view_same_of(const struct view_value *v)
{
    return (struct view_same){(uint64_t)v->kind,
                              v->kind == VIEW_NONE   ? 0
                              : v->kind == VIEW_TEXT ? v->text
                                                     : (uint64_t)v->i,
                              v->identity};
}

/* Texts are not compared: their numbers are 0. */
static inline bool view_is_less(const struct view_value *a, const struct view_value *b)
{
    return a->is_real || b->is_real || a->is_unsigned ? a->d < b->d : a->i < b->i;
}

#endif
