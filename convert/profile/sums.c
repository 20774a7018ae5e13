/*
 * sums.c - rows of sums in the order of their first key, found by a hash table.
 *
 * The table knows nothing of what a key means; profiles, trees and comparisons choose it.
 */
#include "convert/profile/sums.h"
#include "jfrfmt/base/array.h"

#include <stdlib.h>

bool sums_add(struct sums *t, uint64_t key, uint64_t samples, uint64_t weight)
{
    return sums_merge(t, &(struct sums_row){key, samples, weight, 0}, NULL);
}

uint32_t sums_place(struct sums *t, uint64_t key)
{
    uint32_t place = sums_find(t, key);

    if (place != SUMS_NONE)
        return place;
    if (!array_reserve(&t->rows, &t->room, t->n + 1, sizeof(*t->rows)) ||
        !array_reserve(&t->more, &t->more_room, (t->n + 1) * t->n_more, sizeof(*t->more)) ||
        !hashtable_add(&t->places, hash_number(key), t->n))
        return SUMS_NONE;
    t->rows[t->n] = (struct sums_row){.key = key};
    for (size_t i = 0; i < t->n_more; i++)
        t->more[t->n * t->n_more + i] = 0;
    return (uint32_t)t->n++;
}

bool sums_merge(struct sums *t, const struct sums_row *from, const uint64_t *more)
{
    uint32_t place = sums_place(t, from->key);
    struct sums_row *row;

    if (place == SUMS_NONE)
        return false;
    row = &t->rows[place];
    row->samples = sums_plus(row->samples, from->samples);
    row->weight = sums_plus(row->weight, from->weight);
    row->squares += from->squares;
    for (size_t i = 0; i < t->n_more && more != NULL; i++)
        t->more[place * t->n_more + i] = sums_plus(t->more[place * t->n_more + i], more[i]);
    return true;
}

uint32_t sums_find(const struct sums *t, uint64_t key)
{
    return hashtable_find_key(&t->places, key, t->rows, sizeof(*t->rows));
}

void sums_reset(struct sums *t)
{
    t->n = 0;
    hashtable_reset(&t->places);
}

void sums_free(struct sums *t)
{
    free(t->rows);
    free(t->more);
    hashtable_free(&t->places);
    *t = (struct sums){0};
}
