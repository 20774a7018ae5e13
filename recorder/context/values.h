/*
 * values.h - the texts of contexts, as numbers that a signal handler can copy.
 *
 *     uint32_t id = values_intern("alice", 5);          any thread
 *     ...
 *     const char *text = values_text(id, &n);           drain thread, for a record that is written
 *
 * A value keeps its id while the context of a thread, a snapshot (pins) or a record has it. A value
 * that was unused for VALUES_IDLE_S is forgotten when the table fills up, in two steps with
 * VALUES_QUARANTINE_S between them, so that an id that was read a moment ago is still valid. Ids
 * that are kept elsewhere are valid as long as values_generation() is what it was before
 * values_intern(); if it has changed, values_renew() says whether they still are.
 *
 * Threads:   any for values_intern(), values_generation(), values_renew(), values_pin() and
 *            values_copy(); the others the drain thread.
 * Signals:   nothing here is async-signal-safe.
 */
#ifndef RECORDER_CONTEXT_VALUES_H
#define RECORDER_CONTEXT_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VALUES_MAX 65536
#define VALUES_BYTES ((size_t)16 << 20) /* of text */
#define VALUES_TEXT_MAX 255 /* bytes; a longer text is cut at a character and counted */
#define VALUES_IDLE_S 2
#define VALUES_QUARANTINE_S 2

enum { /* ids that are never forgotten */
    VALUE_NULL,
    VALUE_EMPTY,
    VALUE_OVERFLOW, /* "<overflow>": there was no room for the value */
    VALUES_FIRST
};

struct values_stats {
    uint32_t n; /* in the table */
    uint64_t n_overflows, n_cut, n_forgotten;
};

/* Once per process, idempotent. -1: no memory. */
int values_init(void);

/* The id of n bytes of UTF-8 or modified UTF-8; VALUE_OVERFLOW when there is no room. */
uint32_t values_intern(const char *text, size_t n);

/* The same, and whether it was not there before. */
uint32_t values_intern_new(const char *text, size_t n, bool *is_new);

uint32_t values_generation(void);

/* Returns whether each of n ids has the same value that it had when values_generation() was
 * `since`, and then keeps them for VALUES_IDLE_S at least. *now: the generation as of which they
 * are valid. */
bool values_renew(const uint32_t *ids, size_t n, uint32_t since, uint32_t *now);

/* Keeps a value until it is unpinned as often. */
void values_pin(uint32_t id);
void values_unpin(uint32_t id);

/* Returns the text, not terminated, or NULL for VALUE_NULL and unknown ids. Counts as a use. */
const char *values_text(uint32_t id, size_t *n);

/* Copies the text of a value that the calling thread has set. Returns false if there is none. Any
 * thread. */
bool values_copy(uint32_t id, char text[VALUES_TEXT_MAX], size_t *n);

/* Forgets unused values if the table is filling up. each(mark) must call mark(id) for each id that
 * a thread has. now_s: seconds of any monotonic clock. */
void values_expire(int64_t now_s, void (*each)(void (*mark)(uint32_t id)));

void values_stats(struct values_stats *stats);

#endif
