/* internal.h - what spec.c makes of the options, for select.c. */
#ifndef CONVERT_SELECT_INTERNAL_H
#define CONVERT_SELECT_INTERNAL_H

#include "convert/context/context.h"
#include "convert/select/in_scope.h"
#include "convert/select/past.h"
#include "convert/select/pattern.h"
#include "convert/select/select.h"
#include "convert/text/timespec.h"

struct select_patterns {
    struct pattern **items;
    size_t n;
};

struct select_threads {
    size_t n; /* names and ids */
    struct select_patterns names;
    int64_t *ids;
    size_t n_ids;
};

struct select_context {
    uint32_t key; /* of the context */
    bool negate;
    bool is_none; /* without a value, or with an empty one */
    struct pattern *pattern; /* NULL: any text */
};

struct select_contexts {
    struct select_context *items;
    size_t n;
};

struct select {
    struct select_spec spec; /* unchanged, for explain.c; from and to until they are resolved */
    struct select_patterns events, categories, states;
    struct select_threads threads, not_threads;
    struct select_contexts contexts;
    struct context *context; /* NULL: not needed */
    struct select_list contexts_from;
    struct where *where; /* NULL: no such condition */
    struct in_scope *in_scope; /* NULL: no such condition */
    struct time_point from, to;
    int32_t zone_s; /* of times that name none */
    bool has_from, has_to; /* from_ns, to_ns hold */
    bool is_late; /* from_ns, to_ns are known when the first chunk is there */
    int64_t from_ns, to_ns; /* since 1970 */
    int64_t min_duration_ns; /* 0: any */
    struct past past; /* what spec.leaves_out_past left out */
};

/* Does one of the patterns match? */
bool select_any_n(const struct select_patterns *list, const char *text, size_t n);

static inline bool select_any(const struct select_patterns *list, const char *text)
{
    return select_any_n(list, text, strlen(text));
}

/* Reads the conditions and the keys of spec into s. 0 or *err. */
int select_contexts_fill(struct select *s, const struct select_spec *spec, struct jfr_error *err);
void select_contexts_free(struct select *s);

/* Do the conditions hold for a tuple? */
bool select_contexts_match(const struct select *s, const struct context_run *r, uint32_t tuple);

/* Fixes bounds that wait for the first chunk; its header is h. */
void select_see_start(struct select *s, const struct jfr_chunk_header *h);

#endif
