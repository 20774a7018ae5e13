/*
 * sums.c - the hash table of sums: rows in the order of their first key, found by open addressing.
 *
 * The table knows nothing of what a key means; profiles, trees and comparisons choose it.
 */
#include "convert/profile/sums.h"
#include "jfrfmt/base/array.h"

#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct sums *t, uint64_t key)
{
    size_t h = sums_hash(key) & (t->n_slots - 1);

    while (t->slots[h] != 0 && t->rows[t->slots[h] - 1].key != key)
        h = (h + 1) & (t->n_slots - 1);
    return h;
}

static bool grow(struct sums *t)
{
    size_t room = t->room == 0 ? 512 : 2 * t->room;
    uint32_t *slots = calloc(2 * room, sizeof(*slots));

    if (slots == NULL || room > UINT32_MAX / 2 ||
        !array_reserve(&t->rows, &t->room, room, sizeof(*t->rows)))
        return free(slots), false;
    free(t->slots);
    t->slots = slots;
    t->n_slots = 2 * room;
    for (size_t i = 0; i < t->n; i++) {
        size_t h = sums_hash(t->rows[i].key) & (t->n_slots - 1);

        while (slots[h] != 0) /* by another key: these are all different */
            h = (h + 1) & (t->n_slots - 1);
        slots[h] = (uint32_t)i + 1;
    }
    return true;
}

bool sums_add(struct sums *t, uint64_t key, uint64_t samples, uint64_t weight)
{
    return sums_merge(t, &(struct sums_row){key, samples, weight, 0});
}

uint32_t sums_place(struct sums *t, uint64_t key)
{
    size_t slot;

    if (t->n == t->room && !grow(t))
        return UINT32_MAX;
    slot = slot_of(t, key);
    if (t->slots[slot] == 0) {
        t->rows[t->n] = (struct sums_row){.key = key};
        t->slots[slot] = (uint32_t)++t->n;
    }
    return t->slots[slot] - 1;
}

bool sums_merge(struct sums *t, const struct sums_row *more)
{
    uint32_t place = sums_place(t, more->key);
    struct sums_row *row;

    if (place == UINT32_MAX)
        return false;
    row = &t->rows[place];
    row->samples = sums_plus(row->samples, more->samples);
    row->weight = sums_plus(row->weight, more->weight);
    row->squares += more->squares;
    return true;
}

uint32_t sums_find(const struct sums *t, uint64_t key)
{
    return t->n_slots == 0 ? UINT32_MAX : t->slots[slot_of(t, key)] - 1;
}

void sums_reset(struct sums *t)
{
    t->n = 0;
    if (t->slots != NULL)
        memset(t->slots, 0, t->n_slots * sizeof(*t->slots));
}

void sums_free(struct sums *t)
{
    free(t->rows);
    free(t->slots);
    *t = (struct sums){0};
}
