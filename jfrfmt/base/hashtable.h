/*
 * hashtable.h - where the rows of an array are, by the hash of their keys.
 *
 * The rows belong to the caller, and so do their keys: a table stores of each row its place in the
 * array and its hash.
 *
 *     struct hashtable t = {0};
 *     uint64_t hash = hash_text(name, strlen(name));
 *     uint32_t i;
 *     for (size_t at = 0; (i = hashtable_next(&t, hash, &at)) != HASHTABLE_END;)
 *         if (strcmp(rows[i].name, name) == 0)
 *             return &rows[i];
 *     if (!hashtable_add(&t, hash, n_rows))
 *         return NULL;
 *     rows[n_rows++] = row;
 *     hashtable_free(&t);
 *
 * Rows with equal hashes are met in the order in which they were added, so what a program finds
 * first does not depend on the hash function.
 *
 * Threads: any number may search while no thread adds; only one may add. Signals: hashtable_next()
 * is async-signal-safe. hashtable_add() is if hashtable_reserve() has made room for the row.
 */
#ifndef JFRFMT_BASE_HASHTABLE_H
#define JFRFMT_BASE_HASHTABLE_H

#include "jfrfmt/base/hash.h"

#include <stdbool.h>

#define HASHTABLE_END UINT32_MAX

struct hashtable_slot {
    uint32_t hash; /* the low half */
    uint32_t row; /* place + 1; 0: free */
};

struct hashtable {
    struct hashtable_slot *slots;
    size_t mask; /* of the slots, whose number is a power of two */
    size_t n; /* rows that were added */
};

/* The place of the next row whose hash seems to be this one (the low halves are the same), or
 * HASHTABLE_END. *at is 0 for the first, and belongs to this function afterwards. */
static inline uint32_t hashtable_next(const struct hashtable *t, uint64_t hash, size_t *at)
{
    if (t->slots == NULL)
        return HASHTABLE_END;
    for (;;) {
        struct hashtable_slot slot = t->slots[(hash + (*at)++) & t->mask];

        if (slot.row == 0)
            return HASHTABLE_END;
        if (slot.hash == (uint32_t)hash)
            return slot.row - 1;
    }
}

/* The place of the row with this key, of rows of `size` bytes that begin with a uint64_t; added by
 * hash_number() of it. HASHTABLE_END when there is none. */
static inline uint32_t hashtable_find_key(const struct hashtable *t, uint64_t key, const void *rows,
                                          size_t size)
{
    uint64_t hash = hash_number(key), found;
    uint32_t i;

    for (size_t at = 0; (i = hashtable_next(t, hash, &at)) != HASHTABLE_END;) {
        memcpy(&found, (const char *)rows + i * size, sizeof(found));
        if (found == key)
            break;
    }
    return i;
}

/* Brings near what hashtable_next() will look at first, if called a few keys before. */
static inline void hashtable_expect(const struct hashtable *t, uint64_t hash)
{
    if (t->slots != NULL)
        __builtin_prefetch(&t->slots[hash & t->mask]);
}

/* The place of a row that is probably the first with this hash, without waiting for more; for
 * callers that bring rows near. HASHTABLE_END when there is none. */
static inline uint32_t hashtable_guess(const struct hashtable *t, uint64_t hash)
{
    return t->slots == NULL ? HASHTABLE_END : t->slots[hash & t->mask].row - 1;
}

/* Adds a row. False if out of memory, or beyond two thousand million rows; the table is then as
 * before. */
bool hashtable_add(struct hashtable *t, uint64_t hash, size_t place);

/* The row that has the place `from` has the place `to` now. */
void hashtable_move(struct hashtable *t, uint64_t hash, uint32_t from, uint32_t to);

/* Makes room for n rows in all. False if out of memory. */
bool hashtable_reserve(struct hashtable *t, size_t n);

/* Forgets all rows, keeps the memory. */
void hashtable_reset(struct hashtable *t);

void hashtable_free(struct hashtable *t);

#endif
