/* internal.h - definitions of views (defs.c), values of events (value.c), and what
 * view.c makes of both. */
#ifndef CONVERT_VIEW_INTERNAL_H
#define CONVERT_VIEW_INTERNAL_H

#include "convert/view/groups.h"
#include "convert/view/sorted_values.h"
#include "convert/view/view.h"

#define VIEW_COLUMNS 24
#define VIEW_ROLES 7

enum view_sum {
    VIEW_KEY, /* the value of the first key; VIEW_KEY + i: of key i, from 0 on */
    VIEW_KEY_2,
    VIEW_COUNT = VIEW_KEY + VIEW_KEYS,
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
    VIEW_BATCH, /* the last one; rows that the last batch of events does not have are left out */
    VIEW_DIFF, /* last - first */
    VIEW_SPREAD, /* largest - smallest */
    VIEW_UNIQUE, /* number of different values */
    VIEW_SET, /* the different values, texts */
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
#define VIEW_TOP_CLASS "@topclass" /* the class of the method on top */
#define VIEW_STACK "@stack"
#define VIEW_LINE "@line" /* method and line on top of the stack */
#define VIEW_PACKAGE "@package" /* of the method on top */
/* Of keys alone, see keys.c. */
#define VIEW_THREAD "@thread" /* by name */
#define VIEW_STATE "@state" /* of the thread of a sample */
#define VIEW_EVENT "@event" /* name of the type */
#define VIEW_INPUT "@input"
#define VIEW_CONTEXT "@context:" /* an attribute */
#define VIEW_WORD "@word:" /* an attribute, or a field if the chunk has no such attribute */
#define VIEW_BUCKET "@bucket:" /* startTime, cut to so many ns */

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
    const char *key; /* path of what rows are grouped by; NULL: one row; "": a row for each */
    struct view_column columns[VIEW_COLUMNS];
    struct view_role roles[VIEW_ROLES]; /* 1.. */
    int order; /* column + 1, negative: descending; 0: as met */
    unsigned limit;
    const char *more_keys[VIEW_KEYS - 1]; /* further paths: events with the same values in all keys
                                           * share a row */
    int order_2; /* among rows that are equal by `order` */
    bool is_of_words; /* of a user: what no event has is to be named */
};

extern const struct view views[];
extern const size_t n_views;

/* Where a value of a class comes from; made once per chunk and class. */
struct view_getter {
    enum {
        VIEW_OF_FIELD, /* or a special of it */
        VIEW_OF_THREAD,
        VIEW_OF_EVENT,
        VIEW_OF_INPUT,
        VIEW_OF_CONTEXT,
        VIEW_OF_BUCKET,
    } what;
    size_t attributes; /* of contexts: a place in view_values.attributes */
    int64_t bucket_ns;
    const struct jfr_field *field; /* NULL: the class does not have it */
    enum view_format format; /* of its numbers */
    const char *rest; /* of the path, after a constant; "" */
    const char *special; /* VIEW_TOP and so on, NULL */
    size_t slot; /* of its plan */
    const struct jfr_pool *pool; /* of constants; NULL: they are not remembered */
    uint32_t *ordinals; /* by place in the pool; of VIEW_OF_EVENT and _INPUT one. 0: not looked up
                         * yet */
};

/* Attributes of contexts that have one name and so are one key. */
struct view_attributes {
    uint64_t bits; /* by the number of each */
    struct buf ordinals; /* of uint32_t, by tuple; 0: not looked up yet */
};

struct view_values { /* the chunk at hand */
    struct jfr_chunk *chunk;
    const char *input;
    struct select_run *select; /* NULL: of everything; borrowed */
    struct intern *texts;
    struct buf constants; /* of struct view_value, by ordinal - 1 */
    struct view_attributes attributes[VIEW_KEYS];
    size_t n_attributes;
    struct buf text;
    struct jfr_stacks stacks;
    const struct jfr_field *stack_field;
    uint32_t *methods; /* ordinals of methods by place in their pool; 0: not looked up yet */
    bool failed; /* memory is exhausted */
};

void view_values_load(struct view_values *v, const struct run_chunk *rc);
void view_values_free(struct view_values *v);

/* The field that a path of the class begins with, put into paths[*n]. */
struct view_getter view_getter(const struct jfr_class *cls, const char *path, const char **paths,
                               size_t *n);

/* The same for a key. Its field or attribute need not be there: view_key_is_known(). */
struct view_getter view_key_getter(struct view_values *v, const struct jfr_class *cls,
                                   const char *path, const char **paths, size_t *n);
bool view_key_is_known(const struct view_values *v, const struct view_getter *g);

/* The value of a key, where view_get() does not have it. */
struct view_value view_key_get(struct view_values *v, const struct view_getter *g,
                               const struct jfr_event *ev, const union jfr_value *values);

/* What v->text holds, as a value; none if it is empty. */
struct view_value view_text_value(struct view_values *v);

/* Gives a value an ordinal, so that view_remembered() finds it, and stores the ordinal in *ordinal.
 * Both are 0 if out of memory. */
void view_remember(struct view_values *v, struct view_value *value, uint32_t *ordinal);

/* Returns the value with an ordinal of the chunk; ordinal must not be 0. */
static inline struct view_value view_remembered(const struct view_values *v, uint32_t ordinal)
{
    return ((const struct view_value *)(const void *)v->constants.p)[ordinal - 1];
}

/* Makes the constants of a getter known after the first look. False if out of memory. */
bool view_getter_remember(struct view_values *v, struct view_getter *g);

/* A value; kind VIEW_NONE also if out of memory (failed). */
struct view_value view_get(struct view_values *v, const struct view_getter *g,
                           const struct jfr_event *ev, const union jfr_value *values);

/* As `jfr view` shows it. */
void view_show(struct buf *b, const struct view_value *v, const struct intern *texts);

/* The next cell of a table; `v` may be NULL, `room` is for its text. False if out of memory. */
bool view_put(struct table *t, const struct view_value *v, const struct intern *texts,
              struct buf *room);

struct view_total {
    __int128 whole;
    double real;
};

struct view_timed {
    struct view_value v;
    int64_t ns; /* the end of its event */
};

enum view_part { /* of a tally */
    VIEW_PART_COUNT, /* uint64_t: values; different ones, of VIEW_UNIQUE and VIEW_SET */
    VIEW_PART_TOTAL, /* struct view_total */
    VIEW_PART_LEAST, /* struct view_value */
    VIEW_PART_MOST,
    VIEW_PART_FIRST, /* struct view_timed */
    VIEW_PART_LAST,
    VIEW_PARTS,
};

/* What a column has gathered, by row: the parts that its sum is made of. */
struct view_tallies {
    unsigned has; /* a bit for each part */
    struct buf parts[VIEW_PARTS];
};

struct view_unique { /* a value that a column of a row has had; the same */
    uint64_t row, column;
    struct view_same same;
};

struct view_sample { /* of a column that lists its different values */
    uint32_t row;
    struct view_value v;
};

struct view_run {
    const struct view *v;
    struct select *spec;
    struct select_run *select;
    size_t n_columns;
    bool is_known[VIEW_COLUMNS]; /* some event that counts has the column's field, or its key */
    bool is_text[VIEW_COLUMNS], has_number[VIEW_COLUMNS]; /* what values were */
    struct intern fields; /* of a view that words made: names, for messages */
    struct view_values values;
    const struct view_use **uses; /* by class; NULL: no event of it has come */
    struct view_groups groups; /* a row of the table for each */
    struct view_tallies tallies[VIEW_COLUMNS];
    size_t n_tallies; /* rows that have one */
    struct buf samples[VIEW_COLUMNS]; /* of struct view_sample */
    struct sorted_values values_of[VIEW_COLUMNS]; /* of percentiles */
    size_t store[VIEW_COLUMNS]; /* the column in whose values_of a percentile's values are */
    struct intern unique;
    struct buf shown;
    bool needs_time; /* of events */
    int64_t batch_ns; /* when the last batch of events ended */
    bool has_batch;
    bool failed;
    struct jfr_error err; /* why, if it is not the memory */
};

void view_tallies_init(struct view_tallies *t, enum view_sum sum); /* t: all 0 */
void view_tallies_reset(struct view_tallies *t); /* no rows */
void view_tallies_free(struct view_tallies *t);

/* Makes room for n rows, those that are new with empty tallies. False if out of memory. */
bool view_tallies_fill(struct view_tallies *t, size_t n);

/* Adds a value of an event that ends at ns. */
void view_tally_add(struct view_tallies *t, uint32_t row, const struct view_value *v, int64_t ns);

/* Adds what a row of another run has, whose groups were taken with that map. */
void view_tally_take(struct view_tallies *t, uint32_t row, const struct view_tallies *from,
                     uint32_t from_row, const struct view_groups_map *map);

/* The parts of a row's tally. */
static inline uint64_t *view_count(const struct view_tallies *t, uint32_t row)
{
    return (uint64_t *)(void *)t->parts[VIEW_PART_COUNT].p + row;
}

static inline struct view_total *view_total(const struct view_tallies *t, uint32_t row)
{
    return (struct view_total *)(void *)t->parts[VIEW_PART_TOTAL].p + row;
}

static inline struct view_value *view_least(const struct view_tallies *t, uint32_t row)
{
    return (struct view_value *)(void *)t->parts[VIEW_PART_LEAST].p + row;
}

static inline struct view_value *view_most(const struct view_tallies *t, uint32_t row)
{
    return (struct view_value *)(void *)t->parts[VIEW_PART_MOST].p + row;
}

static inline struct view_timed *view_first(const struct view_tallies *t, uint32_t row)
{
    return (struct view_timed *)(void *)t->parts[VIEW_PART_FIRST].p + row;
}

static inline struct view_timed *view_last(const struct view_tallies *t, uint32_t row)
{
    return (struct view_timed *)(void *)t->parts[VIEW_PART_LAST].p + row;
}

/* Makes empty tallies for the rows that have none yet. False if out of memory. */
bool view_fill_tallies(struct view_run *r);

/* Is it the first time that the row has this value in this column? */
bool view_is_new(struct view_run *r, const struct view_unique *unique);

/* The merge() of view_job(). */
int view_merge(void *shared, void *worker, const struct run_chunk *rc);

/* The path of key i, or NULL. */
const char *view_key_path(const struct view *v, size_t i);

/* Is it made of all values of a row? */
static inline bool view_is_percentile(enum view_sum sum)
{
    return sum >= VIEW_MEDIAN && sum <= VIEW_P999;
}

/* Does a sum of a view of words need numbers? */
bool view_is_of_numbers(enum view_sum sum);

/* Is `name` in a comma list? */
bool view_in_list(const char *list, const char *name);

#endif
