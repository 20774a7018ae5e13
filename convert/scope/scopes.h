/*
 * scopes.h - the scopes of recordings: events with a duration that hold a context, such as requests
 * and spans, and what lies inside of them.
 *
 *     struct scopes *s = scopes_new(&options);
 *     rc = scopes_read(s, paths, n_paths, &err, &path);     all of them, joined
 *     scopes_mark(s, &filter, paths, n_paths, &err, &path);  those that are wanted
 *     scopes_cover(s);
 *     thread = scopes_thread(s, &id);                       then for each event
 *     if (scopes_covers(s, thread, ns)) ...
 *
 * Which event types: those whose fields are marked jdk.jfr.Contextual, and profiler.Span; or the
 * named ones, which need a duration and a thread only.
 *
 * A recorder may write one scope as several events: jfrkit does so where values change and where a
 * chunk ends, and all but the first have isContinuation set. These parts are joined. Parts that
 * continue nothing on their thread are work that the scope handed to another thread (a task); they
 * are linked to the scope with the same values that began last before them, unless several such
 * scopes are open at that time; then, or if there is none, to that with the same trace id.
 *
 * Threads: one at a time; scopes_thread(), scopes_find_part() and scopes_covers() on any number at
 * once. Memory: 40 bytes for each part, and the texts of the key's values.
 */
#ifndef CONVERT_SCOPE_SCOPES_H
#define CONVERT_SCOPE_SCOPES_H

#include "convert/context/thread_id.h"
#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/intern.h"

#define SCOPES_NONE UINT32_MAX

enum scope_flags {
    SCOPE_CONTINUES = 1, /* the part is not the first of its scope */
    SCOPE_TASK = 2, /* of a first part: it continues nothing on this thread */
    SCOPE_MARKED = 4, /* of a first part: the caller chose the scope */
    SCOPE_SHARED = 8, /* of a task: several scopes may have handed it over */
};

/* A part of a scope. The first part stands for the whole: its end is that of the last part. */
struct scope {
    int64_t start_ns, end_ns; /* since 1970; the end is not inside */
    uint32_t link, trace; /* hashes of its own values and of its trace id, by which tasks are found;
                           * 0: it has none */
    uint32_t thread; /* number, for scopes_thread() */
    uint32_t key; /* 1 + number of the key's value in `keys`; 0: it has none */
    uint32_t head; /* place of the scope's first part; of a task that is linked: of that scope's */
    uint16_t type; /* number in `types` */
    uint8_t flags;
    uint8_t key_rank; /* which of the keys `key` is a value of */
};

struct scopes_options {
    const char *const *types; /* comma lists of names or globs of types, simple or qualified */
    size_t n_types; /* 0: those that hold contexts */
    const char *const *keys; /* of contexts, at most 255: of the first that a scope has, the value
                              * is kept */
    size_t n_keys;
};

struct scopes {
    struct scopes_options options;
    struct scope *parts; /* sorted by thread, start, and the longest first */
    size_t n, room;
    struct intern threads; /* of struct thread_id */
    struct intern types, keys; /* texts */
    size_t key_rank; /* the first of the keys that some scope has; n_keys: none has any */
    uint64_t n_scopes; /* first parts that are no tasks */
    uint64_t n_tasks, n_unlinked; /* tasks; those of them that no scope is known for */
    uint64_t n_events; /* of all types */
    struct scope_cover *cover;
};

/* NULL if out of memory. What the options point to is borrowed. */
struct scopes *scopes_new(const struct scopes_options *options);
void scopes_free(struct scopes *s); /* NULL is allowed */

/* Reads the scopes of all inputs, which must be files that can be read again, and joins them.
 * Damage is not reported: the inputs are read again for their events. Returns 0, or a negative code
 * with *err and *err_path. */
int scopes_read(struct scopes *s, const char *const *paths, size_t n_paths, struct jfr_error *err,
                const char **err_path);

/* Returns whether events of this type are scopes in one of the inputs. */
bool scopes_is_type(const struct scopes *s, const char *name);

/* Returns the number of a thread, or SCOPES_NONE if no scope is of it. */
uint32_t scopes_thread(const struct scopes *s, const struct thread_id *id);

/* What chooses scopes: a test of the events that their parts are. */
struct scope_filter {
    void *shared;
    void *(*run_new)(void *shared); /* for one thread; NULL if out of memory */
    void (*run_free)(void *run);
    int (*load)(void *run, struct jfr_chunk *chunk); /* 0 or JFR_E_NOMEM */
    /* Does it hold for an event that is part of a scope of this length? As select_event(). */
    int (*event)(void *run, const struct jfr_event *ev, int64_t duration_ns);
};

/* Reads the inputs again and marks the scopes for a part of which the filter holds. Returns 0, or a
 * negative code with *err and *err_path. */
int scopes_mark(struct scopes *s, const struct scope_filter *filter, const char *const *paths,
                size_t n_paths, struct jfr_error *err, const char **err_path);

/* Returns the place of a part, or SCOPES_NONE. */
uint32_t scopes_find_part(const struct scopes *s, uint32_t thread, int64_t start_ns, int64_t end_ns,
                          const char *type);

/* Returns the place of the first part of the scope that a part belongs to. */
static inline uint32_t scopes_head(const struct scopes *s, uint32_t part)
{
    while (s->parts[part].head != part)
        part = s->parts[part].head;
    return part;
}

/* Frees the parts; types, keys and threads stay. */
void scopes_forget_parts(struct scopes *s);

/* Is the part the first one of a scope, and not of a task? */
static inline bool scopes_is_head(const struct scopes *s, uint32_t part)
{
    return s->parts[part].head == part && (s->parts[part].flags & SCOPE_TASK) == 0;
}

/* Prepares scopes_covers() for the marked scopes and their tasks. Returns 0 or JFR_E_NOMEM. */
int scopes_cover(struct scopes *s);

/* Returns whether a marked scope or a task of one is open on the thread at a time. */
bool scopes_covers(const struct scopes *s, uint32_t thread, int64_t ns);

#endif
