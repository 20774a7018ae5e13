/*
 * context.h - the context of each thread (user, action, trace), as ids of values.
 *
 * A context has up to CONTEXT_SLOTS words of 32 bits. An attribute is one of them, the id of a text
 * (values.h), or as many as its bytes need, for ids of traces: those are new with each request, so
 * as texts they would fill the table of values.
 *
 * A thread that has set a context has one record. A change is prepared in an unused part of the
 * record and becomes visible by one store, so a signal handler on the thread never reads half of a
 * change. A thread-local pointer leads to the record; for virtual threads it is changed when one is
 * mounted (virtual.c). All records lie in one mapping, which Java code has, too: it changes the
 * record of its thread in place, without a call.
 *
 * Threads: the setters change the context of the calling thread.
 * Signals: context_read() only.
 */
#ifndef RECORDER_CONTEXT_CONTEXT_H
#define RECORDER_CONTEXT_CONTEXT_H

#include "recorder/capture/record.h"
#include "recorder/capture/virtual_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTEXT_SLOTS RECORD_CONTEXT /* words of all types together */
#define CONTEXT_TYPES 8
#define CONTEXT_NAME_MAX 128 /* bytes of a name, its NUL included */
#define CONTEXT_DEPTH 32 /* nested scopes */
#define CONTEXT_TEXT 256 /* bytes */
#define CONTEXT_THREAD_NAME VIRTUAL_NAME /* bytes of the name of a virtual thread */
#define CONTEXT_LAYOUT 5 /* version of the layout of records and ids, which Java code checks */

struct context_type {
    char name[CONTEXT_NAME_MAX];
    /* By slot: name of the attribute that begins there, "" in the further slots of an attribute. */
    char attributes[CONTEXT_SLOTS][CONTEXT_NAME_MAX];
    /* By slot: 0 for the id of a text; else how many bytes the attribute is, 4 in each slot, the
     * first of them in its high part. */
    uint8_t bytes[CONTEXT_SLOTS];
    uint32_t n; /* slots */
    uint32_t first; /* slot */
};

struct context_record;

/* A scope as interval events need it. What is set outside of scopes is a scope of depth 0, which
 * ends when something else is set. A scope whose values change has several parts. */
struct context_scope {
    uint32_t record, depth, serial; /* identify the scope */
    uint16_t part; /* not 0: it continues an earlier part */
    uint32_t type; /* index of a context_type */
    uint64_t thread_key; /* 0: the thread is not virtual */
    int64_t start; /* ticks; 0: it began before there was a listener */
    int64_t reported; /* ticks: until when it was reported while it was open; 0: it was not */
    bool is_used; /* something was recorded in it */
    uint32_t values[CONTEXT_SLOTS]; /* of the type's attributes */
};

struct context_counts {
    uint64_t n_types_refused, n_wrong_order, n_too_deep, n_not_ours;
};

/* Once per process, idempotent. -1: no memory. */
int context_init(void);

/* The listener, called when a scope or a part of it ends, on its thread. It returns whether it
 * wants the scope. NULL if no listener is registered. */
extern bool (*_Atomic context_ended)(const struct context_scope *scope, int64_t end);

/* Time (ticks) when the current listener was registered. Scopes that ended earlier were reported to
 * the listener before. */
extern _Atomic int64_t context_since;

/* Report scopes in which nothing was recorded, too. True from the definition of a type until the
 * listener has read its settings. */
extern _Atomic bool context_report_unused;

/* Is it a part after the first one, of a scope that was reported to the current listener? */
bool context_is_continued(const struct context_scope *scope);

/* --- types --- */

/* Defines a type. Returns its index + 1, or 0 if there is no room, or if a type of this name has
 * other attributes. */
int context_define(const char *name, const char *const *attributes, size_t n);

/* The same where bytes[i] is the number of bytes that attribute i has, a multiple of 4, or 0 if it
 * is a text. Its slots are set together. */
int context_define_sized(const char *name, const char *const *attributes, const uint8_t *bytes,
                         size_t n);

/* Does the type have these attributes? As context_define_sized() describes them. */
bool context_is_type(const struct context_type *t, const char *const *attributes,
                     const uint8_t *bytes, size_t n);

/* The number of types. Types never change and are never removed. */
size_t context_n_types(void);
const struct context_type *context_type_at(size_t index);
const struct context_type *context_type_of(int type); /* index + 1; NULL: there is none */
uint64_t context_types_refused(void); /* how often there was no room */

/* Slots in use, of all types. */
size_t context_n_slots(void);

/* Is the slot unused, or does it hold the id of a text? Else it holds bytes. */
bool context_is_text(size_t slot);

/* --- the calling thread --- */

/* Opens a scope: sets all attributes of a type (index + 1) until it is closed. Returns a token for
 * that, greater than 0, or 0 if there is no such type, scopes are nested too deep, or memory is
 * exhausted. */
int64_t context_open(int type, const uint32_t *values, size_t n);

/* Closes a scope and those opened after it. Without effect if it is closed, or on another thread.
 */
void context_close(int64_t token);
void context_close_at(uint32_t depth, uint32_t serial); /* the same, of one opened by Java code */

/* The serial of the scope that is open at a depth (from 1) on this thread; 0 if there is none. */
uint32_t context_serial(uint32_t depth);

void context_set(int type, size_t attribute, uint32_t value);
void context_set_all(int type, const uint32_t *values, size_t n);
void context_clear(int type);

/* The same as context_set_all() for values that continue an earlier scope: change_all the one that
 * is current on this thread, continue_all one of another thread. */
void context_change_all(int type, const uint32_t *values, size_t n);
void context_continue_all(int type, const uint32_t *values, size_t n);

/* Clears what is set of a type outside of scopes on all threads, for a source of contexts that
 * ends. Only while no thread sets this type; a thread that sets another type at the same moment may
 * keep its values, so call it again before the type is used again. Any thread. */
void context_clear_everywhere(int type);

/* Copies all words. */
void context_get(uint32_t out[CONTEXT_SLOTS]);

#define CONTEXT_ALL_TYPES UINT32_MAX

/* Sets the words of some types, a bit for each index, as a continuation of the scope of another
 * thread. NULL clears them. */
void context_put(uint32_t types, const uint32_t *in);

/* The same; those of `firsts` begin a scope. For words that are set again, if the thread has left
 * them before anything was recorded in their first part, of which there is no event then. */
void context_put_parts(uint32_t types, const uint32_t *in, uint32_t firsts);

/* context_place() identifies the innermost open scope of the calling thread. Setting all words at a
 * place closes the scopes opened since then, and does nothing if that scope is closed. */
int64_t context_place(void);
void context_put_back(int64_t place, const uint32_t in[CONTEXT_SLOTS]);

/* Copies the current words. Returns false if none is set. Marks the scope as used.
 * Async-signal-safe. */
bool context_read(uint32_t out[CONTEXT_SLOTS]);

/* --- records, for virtual.c and the drain thread --- */

/* Returns the record of the calling thread, a new one if there is none; NULL if it cannot have one.
 */
struct context_record *context_own(void);

/* The mapping of all records, and its length in bytes. */
void *context_memory(size_t *n);
char *context_room(struct context_record *record); /* CONTEXT_TEXT bytes in it */

/* Sets the virtual thread that a record belongs to; a longer name is cut. */
void context_belongs(struct context_record *record, uint64_t thread_key, const char *name);

/* Returns the virtual thread that the calling thread runs if that thread has a record, and 1 + the
 * index of the record in *number; else 0. Async-signal-safe. */
uint64_t context_virtual_thread(uint32_t *number);

/* Copies the name of a virtual thread, from its record (number of context_virtual_thread()) or else
 * from virtual_names.h; "" if it has none, or ended some thousands of threads ago. */
void context_thread_name(uint32_t number, uint64_t thread_key, char out[CONTEXT_THREAD_NAME]);

/* Counts a scope that was not opened. */
void context_too_deep(void);

/* Replaces the record of the calling thread (NULL: none). Returns the one before. */
struct context_record *context_swap(struct context_record *record);
struct context_record *context_current(void);

/* The Java thread of a record ends: the calling thread, or a virtual thread that it runs. Without
 * effect if the record is NULL. */
void context_thread_ends(struct context_record *record);

/* Makes a record for a virtual thread; frees it. */
struct context_record *context_record_new(void);
void context_record_free(struct context_record *record);

/* Called when a thread sets a context for the first time. Returns the record to use, or NULL for an
 * ordinary one. *refuse is set to true if the thread must have none. */
extern struct context_record *(*_Atomic context_first_use)(bool *refuse);

/* Calls report() for the record of each thread of the system that has one. */
void context_each_thread(void (*report)(int32_t tid, struct context_record *record, void *arg),
                         void *arg);

/* Copies the words of another thread's record. Returns false if none is set, or if the record
 * belongs to another thread than tid by now. Marks the scope as used. */
bool context_read_other(struct context_record *record, int32_t tid, uint32_t out[CONTEXT_SLOTS]);

/* Calls mark(id) for every id that a thread holds. */
void context_each_value(void (*mark)(uint32_t id));

/* Drain thread: calls report() for each open scope, the outer scopes of a thread first. If report()
 * returns true, the scope counts as reported until `until` (ticks). tid: of its thread, if that is
 * not virtual. A thread that changes its context all the time may be left out. */
void context_each_open(int64_t until,
                       bool (*report)(const struct context_scope *scope, int32_t tid, void *arg),
                       void *arg);

/* Drain thread: notes that the event of a scope that ended, or of a part of it, was written, so
 * that context_each_open() leaves it out if its thread has not removed it yet. */
void context_note_written(const struct context_scope *scope);

/* Drain thread: until when a scope was reported while it was open, also if it has ended since; 0:
 * it was not. */
int64_t context_reported_until(const struct context_scope *scope);

void context_counts(struct context_counts *counts);

/* The number of changes so far, on all threads, modulo 2^32. Any thread. */
uint32_t context_n_changes(void);

#endif
