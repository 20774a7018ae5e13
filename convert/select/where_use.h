/* where_use.h - the fields of a condition in the events of one class: found once per chunk. */
#ifndef CONVERT_SELECT_WHERE_USE_H
#define CONVERT_SELECT_WHERE_USE_H

#include "convert/select/where_internal.h"

#define WHERE_STEPS 8 /* constants behind one another that a path leads through */

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
 * needs, in the chunk's arena. False when the class does not have it, or memory is short. */
bool where_use_find(struct jfr_chunk *chunk, const struct jfr_class *cls, const char *path,
                    struct where_use *use, const char **first);

/* Does the class have the path? */
bool where_use_exists(const struct jfr_class *cls, const char *path);

/* The value in an event: v is what the plan found, `end` the end of the event's bytes. Text goes to
 * b, which is emptied first. */
void where_use_value(struct jfr_chunk *chunk, const struct where_use *use, union jfr_value v,
                     const uint8_t *end, struct buf *b, struct where_value *value);

/* The name that was perhaps meant: keeps in *best whichever of the paths of the class is nearest to
 * `path`, when it is nearer than *distance. */
void where_use_nearest(const struct jfr_class *cls, const char *path, char **best,
                       unsigned *distance);

#endif
