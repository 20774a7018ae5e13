/*
 * sums.h - sums for each 64-bit key, in the order in which the keys were first met.
 *
 * Threads: one at a time.
 */
#ifndef CONVERT_PROFILE_SUMS_H
#define CONVERT_PROFILE_SUMS_H

#include "jfrfmt/base/hashtable.h"

#define SUMS_NONE HASHTABLE_END

struct sums_row {
    uint64_t key;
    uint64_t samples, weight; /* saturating */
    double squares; /* of the weights of single samples: what the error of `weight` is made of */
};

struct sums {
    struct sums_row *rows;
    size_t n, room;
    size_t n_more; /* further weights of each row; set before the first row, else 0 */
    uint64_t *more; /* n_more for each row; saturating */
    size_t more_room;
    struct hashtable places; /* of the rows, by key */
};

/* a + b, or the highest number there is. */
static inline uint64_t sums_plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* a * n, or the highest number there is. */
static inline uint64_t sums_times(uint64_t a, uint64_t n)
{
    uint64_t product;

    return __builtin_mul_overflow(a, n, &product) ? UINT64_MAX : product;
}

/* Adds to the sums of key. False if out of memory. */
bool sums_add(struct sums *t, uint64_t key, uint64_t samples, uint64_t weight);

/* The same with all that the row has, and its n_more further weights. */
bool sums_merge(struct sums *t, const struct sums_row *row, const uint64_t *more);

/* The place of a key's row; SUMS_NONE when it has none. */
uint32_t sums_find(const struct sums *t, uint64_t key);

/* The same; a key that has none gets a row of zeros. SUMS_NONE if out of memory. */
uint32_t sums_place(struct sums *t, uint64_t key);

/* Brings near what the others will look at first, if called a few keys before; and then, if called
 * half as many before, what they will look at next. */
static inline void sums_expect(const struct sums *t, uint64_t key)
{
    hashtable_expect(&t->places, hash_number(key));
}

static inline void sums_expect_row(const struct sums *t, uint64_t key)
{
    uint32_t place = hashtable_guess(&t->places, hash_number(key));

    if (place != SUMS_NONE)
        __builtin_prefetch(&t->rows[place], 1);
}

void sums_reset(struct sums *t); /* no rows, memory kept */
void sums_free(struct sums *t);

#endif
