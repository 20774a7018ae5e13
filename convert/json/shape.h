/*
 * shape.h - classes compiled to the text that surrounds their values.
 *
 * A shape is a class as it looks at one depth of indentation with a choice of fields: for every
 * field the bytes in front of its value, and the bytes after the last one. So an object costs one
 * copy per field and no thought. Shapes also hold the text of pool entries that was made before.
 *
 * Ownership: everything lives in the chunk's arena, until the chunk is loaded again.
 * Threads:   as the chunk.
 */
#ifndef CONVERT_JSON_SHAPE_H
#define CONVERT_JSON_SHAPE_H

#include "jfrfmt/jfr.h"

enum json_rules { /* whose values */
    JSON_RULES_25, /* those of the JDK 25 tool */
    JSON_RULES_17,
    JSON_RULES_OWN, /* right where the tools are not */
};

/* Levels of indentation that have shapes of their own. What lies deeper, as in chains of
 * references, shares one, whose entries are not kept. */
#define JSON_DEEP 64

/* How a value is written. What lies inside a structure or an array is always JSON. */
enum json_form {
    JSON_FORM_JSON,
    /* Text without quotes, nothing for null. A thread or a class is its name; other structures and
     * arrays are JSON. */
    JSON_FORM_PLAIN,
    /* JSON without structures and arrays: a string with the name of the one, or else its JSON. */
    JSON_FORM_NAME,
};

struct json_text { /* bytes that stay as they are */
    const char *p;
    size_t n;
};

struct json_style {
    enum json_rules rules;
    bool is_pretty; /* laid out as the JDK's tool does, else without a blank */
    bool plain_spans; /* whole ns instead of PT1.5S */
    bool text64; /* integers beyond 2^53 as strings */
    size_t stack_depth; /* frames per stack */
    size_t text_max; /* bytes that a text may grow to, roughly */
    size_t nesting; /* pool entries inside one another, at most JSON_NESTING_MOST */
};

/* Which fields are wanted: paths whose names are joined by dots, from here on inward. NULL where
 * one stands means all of them. */
struct json_keep {
    const char *const *paths;
    size_t n;
};

struct json_member {
    const struct jfr_field *field;
    struct json_shape *shape; /* of the field's class; NULL: the field is stepped over */
    struct json_text before; /* `, "name": ` with what opens the object */
    size_t n_open; /* of it, bytes that stand before the new line */
    bool is_frames; /* an array of stack frames: cut at the wanted depth */
    enum json_form form;
};

struct json_kept { /* text of a pool entry: where in the shapes' store; n = 0: not made yet */
    uint32_t at, n;
};

#define JSON_NAMES 3 /* fields that can name a structure */

struct json_shape {
    const struct jfr_class *cls;
    enum json_form form;
    struct json_shape *next; /* of the same class index: undeclared classes share one */
    const struct json_keep *keep;
    unsigned level; /* indentation of its members */
    bool is_deep; /* for all levels beyond JSON_DEEP: new lines are not part of the texts */
    struct json_member *members; /* NULL until it is first needed; only for JFR_STRUCT */
    size_t n_members;
    size_t n_needed; /* after the last member that is wanted */
    /* Of a form that shows names: the first that is not null names the structure. */
    struct json_member names[JSON_NAMES];
    size_t n_names;
    bool is_class; /* a Java class: it is named by its name even if this is null */
    struct json_text after;
    const struct jfr_pool *pool; /* NULL until it is first needed */
    struct json_kept *kept; /* one for each entry of the pool; NULL: not worth keeping */
    uint64_t *ids; /* of the pool's entries, for a layout that numbers them */
    bool is_stack; /* a stack trace: a class with an array of frames */
};

struct json_shapes {
    const struct json_style *style;
    struct jfr_chunk *chunk;
    struct json_shape **by_class; /* by jfr_class.index: a list */
    struct buf store; /* text of pool entries */
};

/* Starts over for a chunk that was just loaded. False if out of memory. */
bool json_shapes_reset(struct json_shapes *s, struct jfr_chunk *chunk);

/* The shape, not compiled yet. NULL if out of memory. */
struct json_shape *json_shape_get(struct json_shapes *s, const struct jfr_class *cls,
                                  unsigned level, const struct json_keep *keep,
                                  enum json_form form);

/* Makes m, a member of a compiled shape, one whose value has the form. False if out of memory.
 */
bool json_member_set_form(struct json_shapes *s, struct json_member *m, enum json_form form);

/* Fills in members, names and after. False if out of memory. */
bool json_shape_compile(struct json_shapes *s, struct json_shape *shape);

/* Fills in pool and kept. False if out of memory. */
bool json_shape_open_pool(struct json_shapes *s, struct json_shape *shape);

/* Keeps the text of entry `i`, unless there is too much already. */
void json_shape_store(struct json_shapes *s, struct json_shape *shape, size_t i, const uint8_t *p,
                      size_t n);

/* Adds a new line with its indentation, if the style has any. */
void json_new_line(const struct json_style *style, struct buf *b, size_t level);

/* Text as a JSON string. */
void json_put_name(const struct json_style *style, struct buf *b, const char *name);

void json_shapes_free(struct json_shapes *s);

#endif
