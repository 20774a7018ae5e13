/*
 * context.h - what is set on each thread: who it works for, as ids of values.
 *
 * A context has up to CONTEXT_SLOTS words of 32 bits. An attribute is one of them, the id of a text
 * (values.h), or as many as its bytes need, for ids of traces: those are new with each request, so
 * as texts they would fill the table of values.
 *
 * A thread that ever set something has one record in which changes are made aside and then come
 * into force by one store: a handler on that thread never sees half a change. The record is found
 * by one thread-local pointer; for virtual threads the pointer follows the one that is mounted
 * (virtual.c). All records lie in one mapping, which Java code has as well; that changes
 * the record of its thread in place and does not come here.
 *
 * Threads: the setters are about the calling thread.
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
#define CONTEXT_DEPTH 32 /* scopes in each other */
#define CONTEXT_TEXT 256 /* bytes */
#define CONTEXT_THREAD_NAME VIRTUAL_NAME /* bytes of the name of a virtual thread */
#define CONTEXT_LAYOUT 5 /* of a record and of ids: what Java code has to know */

struct context_type {
    char name[CONTEXT_NAME_MAX];
    /* By slot: the attribute that begins there; "": the slot belongs to the one before. */
    char attributes[CONTEXT_SLOTS][CONTEXT_NAME_MAX];
    /* By slot: 0 for the id of a text; else how many bytes the attribute is, 4 in each slot, the
     * first of them in its high part. */
    uint8_t bytes[CONTEXT_SLOTS];
    uint32_t n; /* slots */
    uint32_t first; /* slot */
};

struct context_record;

/* For the interval event. What is set outside of scopes is a scope of depth 0, and ends when
 * something else is set; values that change inside of a scope make parts of it. */
struct context_scope {
    uint32_t record, depth, serial; /* which one it is */
    uint16_t part; /* not 0: it goes on with what began before */
    uint32_t type; /* index of a context_type */
    uint64_t thread_key; /* 0: the thread is not virtual */
    int64_t start; /* ticks; 0: before anybody cared */
    int64_t reported; /* ticks: until when it was told of while it was open; 0: it was not */
    bool is_used; /* something was recorded meanwhile */
    uint32_t values[CONTEXT_SLOTS]; /* of the type's attributes */
};

struct context_counts {
    uint64_t n_types_refused, n_wrong_order, n_too_deep, n_not_ours;
};

/* Once per process, idempotent. -1: no memory. */
int context_init(void);

/* Called when a scope or a part of it ends, on its thread; whether it is wanted. NULL: nobody
 * cares. */
extern bool (*_Atomic context_ended)(const struct context_scope *scope, int64_t end);

/* Ticks: since when somebody has cared. What was told of before that was told to somebody else. */
extern _Atomic int64_t context_since;

/* Scopes in which nothing was recorded, too. True from the definition of a type until whoever cares
 * has looked at it. */
extern _Atomic bool context_report_unused;

/* A part of a scope which began before, and of which whoever cares has heard. */
bool context_is_continued(const struct context_scope *scope);

/* --- types --- */

/* Index + 1 of the type; 0: there is no room, or its name has other attributes already. */
int context_define(const char *name, const char *const *attributes, size_t n);

/* The same where bytes[i] is the number of bytes that attribute i has, a multiple of 4, or 0 if it
 * is a text. Its slots are set together. */
int context_define_sized(const char *name, const char *const *attributes, const uint8_t *bytes,
                         size_t n);

/* Does the type have these attributes? As context_define_sized() describes them. */
bool context_is_type(const struct context_type *t, const char *const *attributes,
                     const uint8_t *bytes, size_t n);

/* How many there are; they stay and never change. */
size_t context_n_types(void);
const struct context_type *context_type_at(size_t index);
const struct context_type *context_type_of(int type); /* index + 1; NULL: there is none */
uint64_t context_types_refused(void); /* how often there was no room */

/* Slots in use, of all types. */
size_t context_n_slots(void);

/* Does a slot hold the id of a text, or nothing yet? Else it holds bytes. */
bool context_is_text(size_t slot);

/* --- the calling thread --- */

/* Sets all attributes of a type (index + 1) until the scope is closed. A token for that, > 0; 0:
 * not a type, too deep, no memory. */
int64_t context_open(int type, const uint32_t *values, size_t n);

/* Closes it and those opened after it. Nothing when it has been closed, or on another thread. */
void context_close(int64_t token);
void context_close_at(uint32_t depth, uint32_t serial); /* the same, of one opened by Java code */

/* Of the scope that is open at a depth on this thread, from 1; 0: there is none. */
uint32_t context_serial(uint32_t depth);

void context_set(int type, size_t attribute, uint32_t value);
void context_set_all(int type, const uint32_t *values, size_t n);
void context_clear(int type);

/* The same as context_set_all() for what is a part of something that began before: on this thread,
 * of what is set there now, or elsewhere. */
void context_change_all(int type, const uint32_t *values, size_t n);
void context_continue_all(int type, const uint32_t *values, size_t n);

/* Clears what is set of a type outside of scopes on all threads, for a source of contexts that
 * ends. Only while no thread sets this type; a thread that sets another type at the same moment may
 * keep its values, so call it again before the type is used again. Any thread. */
void context_clear_everywhere(int type);

/* Everything that is set; sets everything, as what goes on from elsewhere. */
void context_get(uint32_t out[CONTEXT_SLOTS]);
void context_put(const uint32_t in[CONTEXT_SLOTS]);

/* Where the calling thread stands: which scope is open. Sets everything as it was there: closes
 * those opened since then, and does nothing if that one has been closed. */
int64_t context_place(void);
void context_put_back(int64_t place, const uint32_t in[CONTEXT_SLOTS]);

/* The current ids; false: none is set. Counts as something that was recorded.
 * Async-signal-safe. */
bool context_read(uint32_t out[CONTEXT_SLOTS]);

/* --- records, for virtual.c and the drain thread --- */

/* The calling thread's record, made if need be; NULL: it has none. */
struct context_record *context_own(void);

/* The mapping in which all records lie, and how long it is. */
void *context_memory(size_t *n);
char *context_room(struct context_record *record); /* CONTEXT_TEXT bytes in it */

/* The virtual thread that it belongs to; a longer name is cut. */
void context_belongs(struct context_record *record, uint64_t thread_key, const char *name);

/* The virtual thread that the calling thread runs, if that has ever set something, and in *number
 * 1 + that of its record; else 0. Async-signal-safe. */
uint64_t context_virtual_thread(uint32_t *number);

/* The name of a virtual thread by what context_virtual_thread() said, or else by what
 * virtual_names.h has; "" when it has none, or ended some thousands of threads ago. */
void context_thread_name(uint32_t number, uint64_t thread_key, char out[CONTEXT_THREAD_NAME]);

/* Counts a scope that was not opened. */
void context_too_deep(void);

/* Puts another record in the place of the calling thread's (NULL: none); returns what was there. */
struct context_record *context_swap(struct context_record *record);
struct context_record *context_current(void);

/* The Java thread that a record belongs to ends; the calling thread's, or a virtual one that it
 * runs. NULL: nothing. */
void context_thread_ends(struct context_record *record);

/* A record of its own for a virtual thread, and its end. */
struct context_record *context_record_new(void);
void context_record_free(struct context_record *record);

/* Asked when a thread sets something for the first time: the record to use, NULL: an ordinary one.
 * *refuse: none at all. */
extern struct context_record *(*_Atomic context_first_use)(bool *refuse);

/* Tells of the record of every thread of the system that has one. */
void context_each_thread(void (*tell)(int32_t tid, struct context_record *record, void *arg),
                         void *arg);

/* The ids that are current on the thread of a record, read from another thread; false: none is set,
 * or the record has become somebody else's than tid's. Counts as something that was recorded. */
bool context_read_other(struct context_record *record, int32_t tid, uint32_t out[CONTEXT_SLOTS]);

/* Calls mark(id) for every id that a thread holds. */
void context_each_value(void (*mark)(uint32_t id));

/* Drain thread: tells of every scope that is open, outer ones of a thread first, and remembers of
 * which it did (tell() answers true) and until when, in ticks. tid: of its thread, if that is not
 * virtual. A thread that changes its context all the time may be left out. */
void context_each_open(int64_t until,
                       bool (*tell)(const struct context_scope *scope, int32_t tid, void *arg),
                       void *arg);

/* Drain thread: until when a scope, which may have ended since, was told of while it was open; 0:
 * it was not. */
int64_t context_reported_until(const struct context_scope *scope);

void context_counts(struct context_counts *counts);

/* Changes on all threads ever, modulo 2^32. Any thread. */
uint32_t context_n_changes(void);

#endif
