/*
 * hashtable.c - a hash table from hashes to row numbers: open addressing with linear probing.
 *
 * The rows themselves are in memory of the caller. A slot holds half of the hash, so a lookup
 * seldom has to compare a row that does not match, and a larger table is made without reading the
 * rows.
 */
#include "jfrfmt/base/hashtable.h"

#include <stdlib.h>
#include <sys/random.h>

#define FIRST_SLOTS 64

uint64_t hash_seed = 0x2545f4914f6cdd1d; /* where the kernel has no random numbers yet */

/* A fuzz target keeps the fixed seed: which code an input reaches must not depend on the run. */
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
__attribute__((constructor)) static void draw_seed(void)
{
    uint64_t drawn;

    if (getrandom(&drawn, sizeof(drawn), GRND_NONBLOCK) == sizeof(drawn))
        hash_seed = drawn;
}
#endif

/* Two thirds at most are in use. */
static bool has_slots_for(const struct hashtable *t, size_t n)
{
    return t->slots != NULL && n <= (t->mask + 1) / 3 * 2;
}

static void put(struct hashtable *t, struct hashtable_slot slot)
{
    size_t at = slot.hash & t->mask;

    while (t->slots[at].row != 0)
        at = (at + 1) & t->mask;
    t->slots[at] = slot;
}

bool hashtable_reserve(struct hashtable *t, size_t n)
{
    struct hashtable larger = {.mask = t->slots == NULL ? FIRST_SLOTS - 1 : t->mask, .n = t->n};
    size_t first = 0;

    if (has_slots_for(t, n))
        return true;
    if (n >= HASHTABLE_END / 2) /* half of the hash cannot choose among more slots */
        return false;
    while (n > (larger.mask + 1) / 3 * 2)
        larger.mask = 2 * larger.mask + 1;
    larger.slots = calloc(larger.mask + 1, sizeof(*larger.slots));
    if (larger.slots == NULL)
        return false;
    if (t->slots != NULL) {
        /* From a free slot on, so that rows with equal hashes keep their order. */
        while (t->slots[first].row != 0)
            first++;
        for (size_t i = 0; i <= t->mask; i++)
            if (t->slots[(first + i) & t->mask].row != 0)
                put(&larger, t->slots[(first + i) & t->mask]);
    }
    free(t->slots);
    *t = larger;
    return true;
}

bool hashtable_add(struct hashtable *t, uint64_t hash, size_t place)
{
    if (place >= HASHTABLE_END - 1 ||
        (!has_slots_for(t, t->n + 1) && !hashtable_reserve(t, t->n + 1)))
        return false;
    t->n++;
    put(t, (struct hashtable_slot){(uint32_t)hash, (uint32_t)place + 1});
    return true;
}

void hashtable_move(struct hashtable *t, uint64_t hash, uint32_t from, uint32_t to)
{
    size_t at = hash & t->mask;

    while (t->slots[at].row != from + 1)
        at = (at + 1) & t->mask;
    t->slots[at].row = to + 1;
}

void hashtable_reset(struct hashtable *t)
{
    t->n = 0;
    if (t->slots != NULL)
        memset(t->slots, 0, (t->mask + 1) * sizeof(*t->slots));
}

void hashtable_free(struct hashtable *t)
{
    free(t->slots);
    *t = (struct hashtable){0};
}
