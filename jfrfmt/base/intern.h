/*
 * intern.h - bytes to small ids: the same bytes have the same id, ids count from 0.
 *
 *     struct intern in = {0};
 *     uint32_t id = intern_add(&in, "main", 4);
 *     const char *text = intern_get(&in, id, &n);
 *     intern_free(&in);
 *
 * Ids stay; pointers from intern_get() are valid until the next intern_add().
 * Threads: one at a time. Not async-signal-safe.
 */
#ifndef JFRFMT_BASE_INTERN_H
#define JFRFMT_BASE_INTERN_H

#include "jfrfmt/base/buf.h"
#include "jfrfmt/base/hashtable.h"

#define INTERN_FAILED HASHTABLE_END

struct intern {
    struct buf text; /* all strings, one after the other, each with a NUL */
    struct buf starts; /* of uint64_t: where each begins, and one more: where the next will */
    struct hashtable ids;
};

/* The id of n bytes (n may be 0); INTERN_FAILED if out of memory. */
uint32_t intern_add(struct intern *in, const void *bytes, size_t n);

/* The id of bytes that have one, else INTERN_FAILED. */
uint32_t intern_find(const struct intern *in, const void *bytes, size_t n);

/* How many there are. */
size_t intern_n(const struct intern *in);

/* The bytes of an id, with a NUL after them; *n (may be NULL) is their number. */
const char *intern_get(const struct intern *in, uint32_t id, size_t *n);

/* Adds all strings of another, in the order of their ids. map[id] (map may be NULL) becomes their
 * id here. False if out of memory. */
bool intern_add_all(struct intern *in, const struct intern *from, uint32_t *map);

/* Forgets all strings, keeps the memory. */
void intern_reset(struct intern *in);

void intern_free(struct intern *in);

#endif
