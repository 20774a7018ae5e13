/*
 * context.h - who an event was recorded for: one model of (key, value) for every producer.
 *
 *     struct context *c = context_new();
 *     unsigned user = context_want(c, "user");               or context_want_all(c)
 *     context_look_ahead(c, paths, n_paths, &err, &path);    where inputs can be read twice
 *     struct context_run *r = context_run_new(c);            one per thread
 *     context_run_load(r, chunk);                            once per chunk
 *     tuple = context_event(r, &ev);
 *     text = context_text(r, tuple, user, &n);
 *
 * What is looked at, the first that has a value counting:
 *
 *   fields CONTEXT_ATTRIBUTE that recorders put last into an event ("tracer-context_user")
 *   a field contextId that refers to a constant; its texts are the attributes
 *   spanId, localRootSpanId, spanName, contextId as plain numbers; 0 is none; spanName as text
 *   fields marked jdk.jfr.Contextual of events that last, and the tag of profiler.Span: they hold
 *   for all events of that thread which end from the start of that event on and before its end; of
 *   nested ones the inner counts
 *
 * An attribute is called by its own name ("user") or with its context ("tracer-context_user",
 * "Request.user"). In lists it has the long name where two contexts have attributes of one name.
 *
 * An event that lasts may be recorded a chunk later than those inside it, or beside them: by
 * another recorder whose chunks are in the same file. context_look_ahead() finds these, and threads
 * by what they are, since each recorder has its own keys. Without it a context holds only in its
 * own chunk. Per thread at most CONTEXT_DEPTH contexts are kept open at a time, per chunk
 * CONTEXT_ATTRIBUTES attributes, for other chunks than their own CONTEXT_SPILLS.
 *
 * Threads: a context is read-only once runs exist; a run belongs to one thread. Tuples, texts and
 * attributes of a run hold until the next load.
 */
#ifndef CONVERT_CONTEXT_CONTEXT_H
#define CONVERT_CONTEXT_CONTEXT_H

#include "jfrfmt/jfr.h"

#define CONTEXT_DEPTH 32
#define CONTEXT_ATTRIBUTES 48
#define CONTEXT_SPILLS (1u << 22)
#define CONTEXT_NONE UINT32_MAX /* in place of a tuple: memory is exhausted */

struct context;
struct context_run;

struct context *context_new(void); /* NULL if out of memory */
void context_free(struct context *c); /* NULL is allowed */

/* Is this field of an event type one that a recorder put there for the event's context
 * ("tracer-context_user")? */
bool context_is_field(const struct jfr_class *cls, const struct jfr_field *field);

/* Requests a key, which is copied. Returns its number, for context_text(): they count from 0, and
 * the same key has the same number. CONTEXT_NONE if out of memory. */
uint32_t context_want(struct context *c, const char *key);

/* Requests all attributes. */
void context_want_all(struct context *c);

/* After runs over all inputs: the first key that no attribute of any chunk is called. NULL: there
 * is none, or no chunk was read. */
const char *context_unknown_key(const struct context *c);

bool context_is_wanted(const struct context *c); /* has anything been requested? */

/* Reads all inputs, which must be plain files, for contexts of events in other chunks. To be called
 * once, before any run. 0; negative, *err and *err_path as run_all(). */
int context_look_ahead(struct context *c, const char *const *paths, size_t n_paths,
                       struct jfr_error *err, const char **err_path);

/* Of the inputs that context_look_ahead() will read those after the first n_files are there for
 * their contexts only: recordings of the same process, whose contexts hold for events of all
 * others. */
void context_from(struct context *c, size_t n_files);

/* What is damaged in those, as far as context_look_ahead() read them: no other function reports it.
 * NULL: there is no more. *path is unchanged, as the caller gave it. */
const struct jfr_error *context_damage(const struct context *c, size_t i, const char **path);

/* Contexts that hold in other chunks, but for which there was no room. */
uint64_t context_n_lost(const struct context *c);

struct context_run *context_run_new(struct context *c); /* NULL if out of memory */
void context_run_free(struct context_run *r); /* NULL is allowed */

/* Starts with a chunk that was just loaded; it is left at its first event. 0 or JFR_E_NOMEM. */
int context_run_load(struct context_run *r, struct jfr_chunk *chunk);

/* The same for callers that ask for the own values of events alone: context_own_tuple(). It does
 * not read the events. */
int context_run_load_own(struct context_run *r, struct jfr_chunk *chunk);

/* Can events of the class have any of what was requested? */
bool context_class(struct context_run *r, const struct jfr_class *cls);

/* Can two events of the class that differ only in their start time have different contexts? */
bool context_depends_on_time(const struct context_run *r, const struct jfr_class *cls);

/* Are events of the class contexts of others, with anything of what was requested? */
bool context_is_span(const struct context_run *r, const struct jfr_class *cls);

/* Has an event by its own fields a value of anything that was requested? */
bool context_has_own(struct context_run *r, const struct jfr_event *ev);

/* The tuple of the values that the event has itself, as for context_event(). */
uint32_t context_own_tuple(struct context_run *r, const struct jfr_event *ev);

struct context_own { /* what an event has itself */
    uint64_t hash; /* of the names and values, the same in all chunks of this process; 0: none */
    uint64_t trace; /* of the id of the trace alone, however it is called; 0: none */
    uint32_t key; /* the first key that was requested and has a value, */
    const char *text; /* and that value, n bytes, until the next call; NULL: none has any */
    size_t n;
};

/* Reads that without keeping the other values, of which each event may have new ones. Returns false
 * if out of memory. */
bool context_own_first(struct context_run *r, const struct jfr_event *ev, struct context_own *own);

/* The tuple of an event: a number that events with the same values share, counted from 0, which is
 * the tuple without any value. CONTEXT_NONE if out of memory. */
uint32_t context_event(struct context_run *r, const struct jfr_event *ev);

/* One more than the highest tuple of the chunk so far. */
uint32_t context_n_tuples(const struct context_run *r);

/* The value of a key, n bytes of UTF-8 with a NUL after; NULL when it has none. */
const char *context_text(const struct context_run *r, uint32_t tuple, uint32_t key, size_t *n);

/* The attributes of the chunk that were requested, by number; their order is that of the metadata.
 */
size_t context_n_attributes(const struct context_run *r);
const char *context_attribute(const struct context_run *r, size_t i);
const char *context_attribute_text(const struct context_run *r, uint32_t tuple, size_t i,
                                   size_t *n);

/* Is the attribute called so, by its own name or with its context? */
bool context_attribute_is(const struct context_run *r, size_t i, const char *key);

#endif
