/* The hash table: rows are found, keys chosen to collide do not, and order does not depend on the
 * seed. */
#include "jfrfmt/base/array.h"
#include "jfrfmt/base/hashtable.h"
#include "jfrfmt/base/intern.h"
#include "jfrfmt/test/testing.h"

#include <stdio.h>
#include <stdlib.h>

#define MANY 100000

static void seed(uint64_t as)
{
    hash_seed = as;
}

/* The steps that a table takes until it knows that a key with this hash is new. */
static size_t walk(const struct hashtable *t, uint64_t hash)
{
    size_t at = 0;

    while (hashtable_next(t, hash, &at) != HASHTABLE_END)
        continue;
    return at;
}

static size_t longest_walk(const struct hashtable *t, const uint64_t *keys, size_t n)
{
    size_t longest = 0;

    for (size_t i = 0; i < n; i++) {
        size_t steps = walk(t, hash_number(keys[i]));

        longest = steps > longest ? steps : longest;
    }
    return longest;
}

static void add_all(struct hashtable *t, const uint64_t *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_true(hashtable_add(t, hash_number(keys[i]), i));
    for (size_t i = 0; i < n; i++)
        assert_int_equal(hashtable_find_key(t, keys[i], keys, sizeof(*keys)), i);
}

static void rows_are_found_by_their_keys(void **state)
{
    struct hashtable t = {0};
    uint64_t *keys = malloc(MANY * sizeof(*keys));
    size_t at = 0;

    (void)state;
    assert_non_null(keys);
    assert_int_equal(hashtable_next(&t, 7, &at), HASHTABLE_END);
    assert_int_equal(hashtable_find_key(&t, 7, keys, sizeof(*keys)), HASHTABLE_END);
    assert_int_equal(hashtable_guess(&t, 7), HASHTABLE_END);
    for (size_t i = 0; i < MANY; i++)
        keys[i] = i << (i % 3 * 16);
    for (size_t i = 1; i < MANY; i++)
        keys[i] += keys[i - 1]; /* so that no two are the same */
    add_all(&t, keys, MANY);
    assert_int_equal(hashtable_find_key(&t, keys[MANY - 1] + 1, keys, sizeof(*keys)),
                     HASHTABLE_END);
    hashtable_move(&t, hash_number(keys[5]), 5, MANY + 5);
    at = 0;
    do
        assert_int_not_equal(hashtable_next(&t, hash_number(keys[5]), &at), 5);
    while (t.slots[(hash_number(keys[5]) + at - 1) & t.mask].row != MANY + 6);
    hashtable_reset(&t);
    assert_int_equal(hashtable_find_key(&t, keys[3], keys, sizeof(*keys)), HASHTABLE_END);
    add_all(&t, keys, 1000);
    hashtable_free(&t);
    free(keys);
}

static void reserved_room_is_not_made_again(void **state)
{
    struct hashtable t = {0};
    const struct hashtable_slot *before;

    (void)state;
    assert_true(hashtable_reserve(&t, MANY));
    before = t.slots;
    for (size_t i = 0; i < MANY; i++)
        assert_true(hashtable_add(&t, hash_number(i), i));
    assert_ptr_equal(t.slots, before);
    assert_false(hashtable_add(&t, 1, HASHTABLE_END - 1));
    assert_false(hashtable_reserve(&t, SIZE_MAX / 2));
    assert_ptr_equal(t.slots, before);
    hashtable_free(&t);
}

/* What a program meets first is what it added first, however often the table grew and wherever its
 * end was. */
static void rows_with_the_same_hash_stay_in_order(void **state)
{
    (void)state;
    for (uint64_t near_end = 0; near_end < 8; near_end++) {
        struct hashtable t = {0};
        uint32_t expected = 0, i;

        for (uint32_t k = 0; k < 500; k++) {
            assert_true(hashtable_add(&t, UINT32_MAX - near_end, k));
            if (k % 2 == 0)
                assert_true(hashtable_add(&t, UINT32_MAX - k % 5, 1000 + k));
        }
        for (size_t at = 0; (i = hashtable_next(&t, UINT32_MAX - near_end, &at)) != HASHTABLE_END;)
            if (i < 1000)
                assert_int_equal(i, expected++);
        assert_int_equal(expected, 500);
        hashtable_free(&t);
    }
}

/* b with a * b = 1 */
static uint64_t inverse(uint64_t a)
{
    uint64_t b = a;

    for (int i = 0; i < 6; i++)
        b *= 2 - a * b;
    return b;
}

/* The key whose hash_number() is this one under the seed. */
static uint64_t key_of(uint64_t hash, uint64_t seed)
{
    uint64_t h = (hash ^ hash >> 32) * inverse(0xd6e8feb86659fd93u);

    h = (h ^ h >> 29 ^ h >> 58) * inverse(0x9e3779b97f4a7c15u);
    return (h ^ h >> 32) ^ seed;
}

/* The key whose hash was this one in tables of sums before there was a seed. */
static uint64_t key_of_old(uint64_t hash)
{
    uint64_t h = (hash ^ hash >> 32) * inverse(0x9e3779b97f4a7c15u);

    return h ^ h >> 29 ^ h >> 58;
}

static uint64_t hash_of_old(uint64_t key)
{
    uint64_t mixed = (key ^ key >> 29) * 0x9e3779b97f4a7c15u;

    return mixed ^ mixed >> 32;
}

static void keys_that_collide_under_one_seed_do_not_under_another(void **state)
{
    uint64_t *keys = malloc(MANY * sizeof(*keys));
    struct hashtable t = {0};

    (void)state;
    assert_non_null(keys);
    seed(0x1234567);
    for (uint64_t i = 0; i < MANY; i++) {
        keys[i] = key_of(i << 32 | 42, hash_seed);
        assert_int_equal((uint32_t)hash_number(keys[i]), 42);
    }
    /* Keys that were chosen for a known seed make the table slow, but what it finds is right. */
    add_all(&t, keys, 2000);
    assert_true(longest_walk(&t, keys, 2000) > 2000);
    hashtable_free(&t);
    seed(0x89abcdef12345);
    add_all(&t, keys, MANY);
    assert_true(longest_walk(&t, keys, MANY) < 200);
    hashtable_free(&t);
    for (uint64_t i = 0; i < MANY; i++) {
        keys[i] = key_of_old(i << 32 | 42);
        assert_int_equal((uint32_t)hash_of_old(keys[i]), 42);
    }
    add_all(&t, keys, MANY);
    assert_true(longest_walk(&t, keys, MANY) < 200);
    hashtable_free(&t);
    free(keys);
}

static void texts_that_collide_under_one_seed_do_not_under_another(void **state)
{
    uint64_t(*texts)[2] = malloc(MANY * sizeof(*texts));
    struct hashtable t = {0};

    (void)state;
    assert_non_null(texts);
    seed(99);
    for (uint64_t i = 0; i < MANY; i++) {
        texts[i][0] = i;
        /* The state after the first word is taken back by the second. */
        texts[i][1] = hash_mix(hash_seed ^ (16 * 0x9e3779b97f4a7c15u) ^ i, 0xd6e8feb86659fd93u);
        assert_int_equal(hash_text(texts[i], 16), hash_text(texts[0], 16));
    }
    seed(0xc0ffee123456789);
    for (size_t i = 0; i < MANY; i++)
        assert_true(hashtable_add(&t, hash_text(texts[i], 16), i));
    for (size_t i = 0; i < MANY; i++)
        assert_true(walk(&t, hash_text(texts[i], 16)) < 200);
    hashtable_free(&t);
    free(texts);
}

static void ids_of_texts_do_not_depend_on_the_seed(void **state)
{
    (void)state;
    for (uint64_t s = 1; s < 4; s++) {
        struct intern in = {0};

        seed(s);
        for (uint32_t i = 0; i < 10000; i++) {
            char text[16];
            int n = snprintf(text, sizeof(text), "%u", i % 5000);

            assert_int_equal(intern_add(&in, text, (size_t)n), i % 5000);
        }
        intern_free(&in);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found_by_their_keys),
        cmocka_unit_test(reserved_room_is_not_made_again),
        cmocka_unit_test(rows_with_the_same_hash_stay_in_order),
        cmocka_unit_test(keys_that_collide_under_one_seed_do_not_under_another),
        cmocka_unit_test(texts_that_collide_under_one_seed_do_not_under_another),
        cmocka_unit_test(ids_of_texts_do_not_depend_on_the_seed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
