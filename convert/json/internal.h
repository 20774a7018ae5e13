/* internal.h - what a layout of json.h provides, and what it is given. Internal to this folder and
 * to convert/columns. */
#ifndef CONVERT_JSON_INTERNAL_H
#define CONVERT_JSON_INTERNAL_H

#include "convert/json/json.h"
#include "convert/json/value.h"

struct json_class { /* an event class of the loaded chunk */
    struct json_text head; /* what stands before its values, made by the layout */
    struct json_shape *shape; /* NULL until the first event */
    const struct jfr_plan *plan; /* when it happened, and what select looks at */
    bool is_bad; /* its events cannot be decoded: said already */
    void *own; /* the layout's */
};

struct json_entry { /* an event of the loaded chunk in its place */
    int64_t end; /* ticks */
    uint64_t offset;
};

struct json_worker {
    struct json *j;
    struct json_values values;
    const struct json_options *options;
    struct select_run *select;
    const struct run_chunk *rc; /* the chunk at hand, */
    const struct jfr_event *ev; /* and its event, */
    struct out *out; /* and where their text goes */
    struct json_class *classes; /* by jfr_class.index */
    struct buf queue; /* of struct json_entry */
    uint64_t n_events, n_undeclared; /* of this chunk */
    void *own; /* the layout's */
};

struct json_layout {
    const char *name;
    enum json_rules rules; /* defaults */
    bool is_pretty;
    size_t stack_depth;
    bool has_plain_spans; /* see struct json_style */
    unsigned level; /* indentation of an event's fields */
    const char *separator; /* what `before` begins with; left out before the very first event */
    const char *begin, *end; /* text around all events */
    const char *before, *after; /* text around each */
    /* An event: c is at its first field, class->shape is compiled. NULL: its text goes to out. */
    void (*event)(struct json_worker *w, struct json_class *class, struct cursor *c);
    /* State of a layout that has some, for a worker and for all. May be NULL. */
    void *(*worker_new)(struct json_worker *w);
    void (*worker_free)(void *own);
    void (*load)(struct json_worker *w);
    int (*merge)(void *shared, struct json_worker *w); /* takes over what a chunk gave */
    void *(*shared_new)(void);
    void (*shared_free)(void *shared);
    void (*finish)(void *shared, const struct json_style *style,
                   struct out *out); /* before `end` */
};

extern const struct json_layout json_jdk, json_ndjson, json_columns, json_stacktable, json_csv,
    json_trace, json_layout_markers, json_layout_xml;

/* What the layout's shared_new() made. */
void *json_own(const struct json *j);

#endif
