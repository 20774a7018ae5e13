/* view_internal.h - definitions of views (view_defs.c), values of events (view_value.c), and what
 * view.c makes of both. */
#ifndef CONVERT_VIEW_INTERNAL_H
#define CONVERT_VIEW_INTERNAL_H

#include "convert/view.h"
#include "jfrfmt/intern.h"

#define VIEW_COLUMNS 12
#define VIEW_ROLES 7

enum view_sum {
    VIEW_KEY, /* what rows are told apart by */
    VIEW_COUNT,
    VIEW_SUM,
    VIEW_AVERAGE,
    VIEW_MIN,
    VIEW_MAX,
    VIEW_MEDIAN,
    VIEW_P90,
    VIEW_P95,
    VIEW_P99,
    VIEW_P999,
    VIEW_FIRST,
    VIEW_LAST,
    VIEW_DIFF, /* last - first */
    VIEW_SPREAD, /* largest - smallest */
    VIEW_UNIQUE, /* number of different values */
    VIEW_SHARE_COUNT, /* of all rows */
    VIEW_SHARE_SUM,
    VIEW_SHARE_LAST,
};

/* Paths that are no fields. */
#define VIEW_TOP "@top" /* method on top of the stack */
#define VIEW_APPLICATION "@application" /* the first one not of the JDK */
#define VIEW_NOT_INIT "@notinit" /* the first one that makes no exception */
#define VIEW_LABEL "@label" /* of the event type */
#define VIEW_TYPE "@type:" /* label of the event type whose id a field has */
#define VIEW_STACK "@stack"

struct view_column {
    const char *title;
    enum view_sum sum;
    const char *path; /* NULL: none is needed */
    unsigned role; /* 0: events of any role */
};

struct view_role { /* which events a column is about */
    const char *events; /* comma list of simple names; NULL: those of the view */
    const char *field, *value; /* only where the text is this one */
};

struct view {
    const char *name, *title;
    const char *events; /* comma list of simple names, "*" for all */
    const char *key; /* path of what rows are told apart by; NULL: one row; "": a row for each */
    struct view_column columns[VIEW_COLUMNS];
    struct view_role roles[VIEW_ROLES]; /* 1.. */
    int order; /* column + 1, negative: descending; 0: as met */
    unsigned limit;
};

extern const struct view views[];
extern const size_t n_views;

enum view_format { /* how a number is shown */
    VIEW_INTEGER,
    VIEW_REAL,
    VIEW_SPAN, /* ns */
    VIEW_TIME, /* ns since 1970 */
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
};

/* Where a value of a class comes from; made once per chunk and class. */
struct view_getter {
    const struct jfr_field *field; /* NULL: the class does not have it */
    const char *rest; /* of the path, behind a constant; "" */
    const char *special; /* VIEW_TOP and so on, NULL */
    size_t slot; /* of its plan */
};

struct view_values { /* the chunk at hand */
    struct jfr_chunk *chunk;
    struct intern *texts;
    struct intern keys; /* constants whose text was made */
    struct buf key_texts; /* of uint32_t */
    struct buf text;
    struct jfr_stacks stacks;
    const struct jfr_field *stack_field;
};

void view_values_load(struct view_values *v, struct jfr_chunk *chunk);
void view_values_free(struct view_values *v);

/* The field that a path of the class begins with, put into paths[*n]. */
struct view_getter view_getter(const struct jfr_class *cls, const char *path, const char **paths,
                               size_t *n);

/* A value; kind VIEW_NONE also when memory is short. */
struct view_value view_get(struct view_values *v, const struct view_getter *g,
                           const struct jfr_event *ev, const union jfr_value *values);

/* As `jfr view` shows it. */
void view_show(struct buf *b, const struct view_value *v, const struct intern *texts);

/* Is `name` in a comma list? */
bool view_in_list(const char *list, const char *name);

#endif
