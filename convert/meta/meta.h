/*
 * meta.h - the event types, fields, annotations and settings of whole recordings.
 *
 *     struct meta *m = meta_new(&options);
 *     struct run_job job = meta_job(m);
 *     run_all(..., &job, ...);
 *     meta_end(m, &out);
 *     meta_free(m);
 *
 * The metadata of all chunks is united by type name. Types that have one name and different fields
 * stand beside each other as layouts 1, 2, ... With `compat` types are united by id, and the first
 * one with an id counts, as in the JDK's tool; for the one of JDK 17 patterns of events and of
 * categories are alternatives of each other.
 *
 * Threads: run_all() sees to them; all else from one thread.
 */
#ifndef CONVERT_META_META_H
#define CONVERT_META_META_H

#include "convert/select/pattern.h"
#include "convert/report/summary.h"

struct meta_patterns {
    struct pattern **items;
    size_t n;
};

enum meta_format {
    META_TEXT,
    META_JSON,
    META_HTML
};

struct meta_options {
    enum meta_format format;
    int compat; /* as 'jfr metadata' of JDK 17 or 25 does it; 0: as we do */
    bool used; /* only types with events, with counts */
    bool settings, ids;
    const char *diff; /* path of the other recording, the same pointer as in run_options; or NULL */
    struct meta_patterns events; /* show events whose simple or full name matches one */
    struct meta_patterns categories; /* ... with such a part in their category */
};

struct meta_member {
    const char *name;
    const char *const *values; /* one, unless is_array */
    size_t n;
    bool is_array, is_text; /* is_text: of type java.lang.String */
};

struct meta_annotation {
    const char *type; /* full name */
    const struct meta_member *members; /* in the order in which its class declares them */
    size_t n;
};

struct meta_field {
    const char *name;
    const char *type; /* full name */
    const char *shown; /* full name of the type that is shown, simple types unwrapped */
    const char *label, *description; /* may be NULL */
    const struct meta_annotation *annotations;
    size_t n_annotations;
    int64_t type_id;
    enum jfr_unit unit;
    bool is_pooled, is_array, is_unsigned, is_contextual, is_experimental;
};

struct meta_setting {
    const char *name, *type, *default_value; /* default_value may be NULL */
};

enum meta_kind {
    META_TYPE,
    META_OTHER,
    META_ANNOTATION,
    META_SETTING,
    META_EVENT
};

struct meta_type {
    enum meta_kind kind;
    const char *name; /* full */
    const char *super, *label, *description; /* may be NULL */
    int64_t id; /* in the first chunk that has it */
    const struct meta_field *fields;
    const struct meta_annotation *annotations;
    const struct meta_setting *settings;
    size_t n_fields, n_annotations, n_settings;
    const struct meta_member *category; /* may be NULL */
    bool is_simple, is_experimental;
    uint32_t layout; /* 1, 2, ... among the types of this name */
    uint64_t content; /* private: hash of labels and the like */
    struct summary_type stats; /* of all layouts together; n = 0 also when not counted */
    const struct summary_setting *active; /* settings found in the recording */
    size_t n_active;
    const char *const *example; /* a value per field; NULL: no event or not requested */
};

struct meta {
    struct meta_options options;
    const char *path;
    struct meta_type *types; /* sorted once finished */
    size_t n_types;
    struct intern keys; /* private */
    struct arena arena;
    struct summary *summary; /* counts, times, settings: when they are requested */
    struct run_job counting; /* private: the summary's job */
    struct meta *other; /* of options.diff */
};

struct meta *meta_new(const struct meta_options *options); /* NULL if out of memory */
void meta_free(struct meta *m); /* NULL is allowed */

struct run_job meta_job(struct meta *m);

/* Sorts, and writes what the options say. meta: struct meta. 0 or the output's error. */
int meta_end(void *meta, struct out *out);

/* Takes note of damage, as run_options.on_damage tells it. */
void meta_damaged(void *meta, const char *path, const struct jfr_error *err);

/* Adds the patterns of a list: globs with commas between them, or one /regular expression/. 0 or a
 * negative code and *err. */
int meta_patterns_add(struct meta_patterns *p, const char *list, struct jfr_error *err);
void meta_patterns_free(struct meta_patterns *p);

/* Is the recording to be shown in parts only: some events, no other types? */
bool meta_is_filtered(const struct meta *m);

/* Is there nothing to show? meta: struct meta, ended. */
bool meta_is_empty(const void *meta);

/* Is the type to be shown? */
bool meta_is_shown(const struct meta *m, const struct meta_type *t);

/* < 0, 0, > 0: by kind, then package, then name, as the JDK's tool lists types, then layout. */
int meta_order(const struct meta_type *x, const struct meta_type *y);

/* After the last dot. */
const char *meta_simple_name(const char *name);

/* "timestamp-ticks", "bytes", ...; NULL for JFR_UNIT_NONE. */
const char *meta_unit_name(enum jfr_unit unit);

/* "event", "annotation", ... */
const char *meta_kind_name(enum meta_kind kind);

/* The outputs, of a finished meta. */
int meta_text(const struct meta *m, struct out *out);
int meta_json(const struct meta *m, struct out *out);
int meta_html(const struct meta *m, struct out *out);
int meta_diff(const struct meta *m, struct out *out);

#endif
