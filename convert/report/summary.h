/*
 * summary.h - what a recording holds: event types with counts and sizes, times, chunks, who wrote
 * it, the settings that were on, and what is damaged.
 *
 *     struct summary *s = summary_new(&options);
 *     struct run_job job = summary_job(s);
 *     run_all(..., &job, ...);                     on_damage: summary_damaged(s, path, err)
 *     summary_end(s, &out);
 *     summary_free(s);
 *
 * Types are merged over chunks and inputs by name, or by id where the JDK's tool does so.
 * Threads: run_all() sees to them; all else from one thread.
 */
#ifndef CONVERT_REPORT_SUMMARY_H
#define CONVERT_REPORT_SUMMARY_H

#include "convert/driver/run.h"
#include "jfrfmt/base/intern.h"

struct summary_options {
    int compat; /* 0; 17 or 25: types merged by their ids, as that JDK's tool does */
    bool each; /* one summary per input */
    bool all; /* list types without events too */
    bool chunks; /* list the chunks */
    bool json;
};

struct summary_type {
    const char *name; /* "777 (missing event metadata)" for an undeclared type */
    const char *label; /* may be NULL */
    int64_t id; /* in the first chunk that has it */
    uint64_t n, bytes; /* events, and their bytes with the size fields */
    int64_t first_ns, last_ns; /* start times since 1970; first > last: none known */
    uint64_t order; /* private: among equal counts */
    bool is_declared;
};

struct summary_chunk {
    const char *path;
    struct jfr_chunk_header header;
    uint64_t bytes, events; /* bytes there are; events but metadata and checkpoints */
    int64_t first_ns, last_ns;
    uint64_t span_ns; /* declared duration, or last - first where none is declared */
    bool is_damaged;
};

struct summary_damage {
    const char *path;
    struct jfr_error err;
};

struct summary_setting {
    const char *event, *name, *value;
    bool is_used; /* there are events of that type; known once finished */
};

struct summary_list { /* texts, each once, in the order of the file */
    struct intern names;
    uint64_t *chunks; /* in how many chunks */
    size_t room;
};

#define SUMMARY_DAMAGES_MAX 20 /* kept one by one; all are counted */

struct summary { /* of all inputs, or of one with `each` */
    const char *path; /* the first input */
    uint32_t n_files;
    struct summary_options options;
    struct summary_type *types; /* sorted by count (down) and name once finished */
    size_t n_types, types_room;
    struct summary_chunk *chunks;
    size_t n_chunks, chunks_room;
    struct summary_damage damages[SUMMARY_DAMAGES_MAX];
    uint64_t n_damages;
    struct summary_setting *settings; /* sorted by event, then name, once finished */
    size_t n_settings, settings_room;
    struct summary_list producers, recordings, jvms;
    uint64_t bytes, events, span_ns; /* sums over the chunks */
    uint64_t declared_ns; /* sum of the declared durations */
    int64_t first_ns, last_ns; /* start of the first and of the last event */
    size_t name_width; /* columns of the longest name of an event type, without events too */
    struct intern type_keys, setting_keys; /* private */
    struct arena arena;
    struct summary *next; /* with `each`: of the next input */
};

/* NULL if out of memory. */
struct summary *summary_new(const struct summary_options *options);
void summary_free(struct summary *s); /* NULL is allowed */

/* The job that fills s. */
struct run_job summary_job(struct summary *s);

/* Takes note of damage, as run_options.on_damage tells it. summary: struct summary. */
void summary_damaged(void *summary, const char *path, const struct jfr_error *err);

/* Sorts, and writes what the options say. Once, when the run is over. 0 or the output's error. */
int summary_end(void *summary, struct out *out);

/* What is known of the type with this name, or NULL. Before the sorting. */
const struct summary_type *summary_find(const struct summary *s, const char *name);

/* Sorts types and settings. summary_end() does it too. */
void summary_sort(struct summary *s);

/* The settings of an event type, once sorted. *n may be 0. */
const struct summary_setting *summary_settings_of(const struct summary *s, const char *event,
                                                  size_t *n);

/* Is there no event at all? summary: struct summary. */
bool summary_is_empty(const void *summary);

/* "2026-11-20 09:34:16" of ns since 1970, in UTC, with milliseconds if wanted. */
void summary_put_time(struct buf *b, int64_t ns, bool with_ms);

/* The three outputs, of s alone, not of s->next. Nothing when there was no chunk. */
void summary_text(const struct summary *s, struct buf *b);
void summary_compat(const struct summary *s, struct buf *b);
void summary_json(const struct summary *s, struct buf *b);

#endif
