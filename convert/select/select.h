/*
 * select.h - which events a command looks at: the one place where filters live.
 *
 *     struct select *s = select_new(&spec, &err);           shared by all threads
 *     struct select_run *r = select_run_new(s);             one per thread
 *     select_run_load(r, chunk);                            once per chunk
 *     if (select_class(r, ev.type) != SELECT_NEVER && select_event(r, &ev) > 0)
 *         ...
 *
 * Inside one option values are alternatives, options limit one another. So it is in the tool of JDK
 * 25; for the one of JDK 17 events and categories are alternatives of each other.
 *
 * Threads: a select is read-only but for the start of a recording that could not be looked at in
 * advance; then select_is_serial() requests one thread. A run belongs to one thread.
 */
#ifndef CONVERT_SELECT_SELECT_H
#define CONVERT_SELECT_SELECT_H

#include "convert/context/context.h"
#include "convert/select/where.h"
#include "jfrfmt/jfr.h"

struct select_list {
    const char *const *items;
    size_t n;
};

struct select_spec { /* all zero: everything */
    struct select_list events; /* comma lists of names, simple or qualified, globs or /regex/ */
    struct select_list categories; /* the same; any element of the path */
    struct select_list threads; /* glob or /regex/ of the name, tid:N, or a number: name or id */
    struct select_list not_threads;
    struct select_list states; /* comma lists: STATE_SLEEPING, sleeping, parked, blocked, glob */
    const char *from, *to; /* timespec.h; NULL: no bound */
    const char *zone; /* of those that name none; NULL: UTC, and dates need one */
    const char *min_duration;
    struct select_list contexts; /* KEY=VALUE, see below; values of one key are alternatives */
    struct select_list not_contexts; /* the same, and none of them may hold */
    struct select_list contexts_from; /* files with contexts, of which some must be requested */
    struct select_list keys; /* of contexts that the caller will ask for, each once */
    bool all_keys; /* the caller will ask for every attribute of a context */
    const char *where; /* a condition, see where.h; NULL: none */
    const char
        *in_scope; /* a condition on scopes that events are inside of, see in_scope.h; NULL */
    struct select_list scope_types; /* names or globs of event types that are scopes; in_scope.h */
    bool leaves_out_past; /* samples of what was allocated before the recording: past.h */
};

/* A condition on the context of an event (context.h): KEY=VALUE with a glob or a /regex/, KEY=
 * for no value, KEY alone for any, KEY!=VALUE for the opposite of KEY=VALUE. */

struct select;
struct select_run;

enum select_decision {
    SELECT_NEVER, /* no event of the class */
    SELECT_ALWAYS, /* every one */
    SELECT_TEST, /* it depends on the event */
};

/* Fields that the test of an event looks at. */
enum select_slot {
    SELECT_START, /* startTime */
    SELECT_DURATION, /* duration */
    SELECT_THREAD, /* eventThread, or what the class has in its place */
    SELECT_STATE, /* state */
    SELECT_WEIGHT, /* weight of an allocation sample, with leaves_out_past; else the path is NULL */
    SELECT_SLOTS,
};

/* NULL and *err (its text quotes the wrong word) when an option cannot be understood or memory is
 * short. The lists and strings of spec must outlive the select. */
struct select *select_new(const struct select_spec *spec, struct jfr_error *err);

void select_free(struct select *s); /* NULL is allowed */

/* Turns from and to into instants, for which the chunks of the inputs are looked at where the words
 * need it, and so they are where contexts were requested. To be called once, before any run. 0;
 * JFR_E_UNSUPPORTED when `from` is not before `to`, and for an input that cannot be read twice
 * where bounds count from its end or contexts come from other files; negative, *err and *err_path
 * when one cannot be read.
 */
int select_resolve(struct select *s, const char *const *paths, size_t n_paths,
                   struct jfr_error *err, const char **err_path);

/* context_n_lost() of what select_resolve() read. */
uint64_t select_n_lost(const struct select *s);

/* What it asks about contexts. NULL: nothing. `s` may be NULL. */
const struct context *select_context(const struct select *s);

/* What must be reported after the run about conditions, with the option in front: where_note().
 * `s` may be NULL. */
bool select_note(const struct select *s, size_t i, bool *is_error, char *text, size_t room);

/* How many allocation samples have been left out for what they stand for, and their bytes. 0 for
 * `s` NULL. */
uint64_t select_past(const struct select *s, uint64_t *bytes);

/* True when chunks must be handed over one after the other, in order. */
bool select_is_serial(const struct select *s);

/* Cuts a range of time, ns since 1970, to what from and to leave of it; after the run. `s` may be
 * NULL. */
void select_clip(const struct select *s, int64_t *first_ns, int64_t *last_ns);

/* True when there are paths and each is a plain file, which can be read twice; or does not
 * exist, which is reported when it is opened. */
bool select_can_look_ahead(const char *const *paths, size_t n_paths);

/* Reads the inputs, and `from`, recordings that are there for their contexts only, for contexts of
 * events in other chunks: context_look_ahead(). Where the inputs cannot be read twice and there is
 * no `from` nothing is done. 0; JFR_E_UNSUPPORTED when one of them cannot, and there is; negative,
 * *err and *err_path when one cannot be read, or has nothing of a recording in it. */
int select_look_ahead(struct context *c, const char *const *paths, size_t n_paths,
                      const struct select_list *from, struct jfr_error *err, const char **err_path);

struct select_run *select_run_new(struct select *s); /* NULL if out of memory */
void select_run_free(struct select_run *r); /* NULL is allowed */

/* Starts with a chunk that was just loaded. 0 or JFR_E_NOMEM. */
int select_run_load(struct select_run *r, struct jfr_chunk *chunk);

/* From now on events last this long, whatever they say themselves; 0: what they say. */
void select_run_set_duration(struct select_run *r, int64_t duration_ns);

/* What holds for all events of a class of the loaded chunk. NULL: never. */
enum select_decision select_class(struct select_run *r, const struct jfr_class *cls);

/* Does the event count? 1 or 0; negative when its bytes end too early or memory is exhausted (then
 * JFR_E_NOMEM). For any class. */
int select_event(struct select_run *r, const struct jfr_event *ev);

/* For callers that decode themselves: the paths to put first into the plan of a class, at the
 * places of enum select_slot, and the test on the event with its decoded values. When memory is
 * short the context of an event is not known, and the chunk's arena says so. */
const char *const *select_paths(struct select_run *r, const struct jfr_class *cls);
bool select_values(struct select_run *r, const struct jfr_event *ev, const union jfr_value *v);

/* The contexts of the loaded chunk; NULL when nothing of spec requested any. Keys of spec have the
 * numbers of their places there. */
struct context_run *select_run_context(struct select_run *r);

#endif
