/*
 * sums_test.c - rows of sums: found by their keys, saturating, with further weights, after growing
 * and after a reset.
 */
#include "convert/profile/sums.h"

#include "jfrfmt/test/testing.h"

static void check_row(const struct sums *t, size_t i, uint64_t key, uint64_t samples,
                      uint64_t weight)
{
    assert_true(i < t->n);
    assert_int_equal(t->rows[i].key, key);
    assert_int_equal(t->rows[i].samples, samples);
    assert_int_equal(t->rows[i].weight, weight);
}

static void equal_keys_add_up_in_order_of_arrival(void **state)
{
    struct sums t = {0};

    (void)state;
    assert_true(sums_add(&t, 7, 1, 10));
    assert_true(sums_add(&t, UINT64_MAX, 2, 20));
    assert_true(sums_add(&t, 0, 3, 30));
    assert_true(sums_add(&t, 7, 4, 40));
    assert_int_equal(t.n, 3);
    check_row(&t, 0, 7, 5, 50);
    check_row(&t, 1, UINT64_MAX, 2, 20);
    check_row(&t, 2, 0, 3, 30);
    sums_free(&t);
}

static void sums_stop_at_the_highest_number(void **state)
{
    struct sums t = {0};

    (void)state;
    assert_true(sums_add(&t, 1, UINT64_MAX - 1, UINT64_MAX));
    assert_true(sums_add(&t, 1, 1, 1));
    check_row(&t, 0, 1, UINT64_MAX, UINT64_MAX);
    assert_true(sums_add(&t, 1, 1, 0));
    check_row(&t, 0, 1, UINT64_MAX, UINT64_MAX);
    sums_free(&t);
}

/* Keys as profiles make them: a group in the high half, a stack in the low one. */
static void many_keys_survive_growing(void **state)
{
    struct sums t = {0};
    const uint64_t n = 50000;

    (void)state;
    for (int round = 0; round < 2; round++)
        for (uint64_t i = 0; i < n; i++)
            assert_true(sums_add(&t, (i & 7) << 32 | i, 1, i));
    assert_int_equal(t.n, n);
    for (uint64_t i = 0; i < n; i++)
        check_row(&t, i, (i & 7) << 32 | i, 2, 2 * i);
    sums_free(&t);
}

static void a_key_keeps_the_place_where_it_was_first_met(void **state)
{
    struct sums t = {0};
    const uint64_t n = 5000;

    (void)state;
    sums_expect(&t, 1); /* of a table without rows */
    sums_expect_row(&t, 1);
    for (int round = 0; round < 2; round++)
        for (uint64_t i = 0; i < n; i++) {
            sums_expect_row(&t, i << 32);
            assert_int_equal(sums_place(&t, i << 32), i);
        }
    assert_int_equal(t.n, n);
    assert_true(sums_add(&t, 7ull << 32, 1, 2));
    check_row(&t, 7, 7ull << 32, 1, 2);
    check_row(&t, 8, 8ull << 32, 0, 0);
    sums_free(&t);
}

static void further_weights_add_up_beside_the_first(void **state)
{
    struct sums t = {.n_more = 2};
    const uint64_t one[] = {1, UINT64_MAX}, two[] = {2, 5};

    (void)state;
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(sums_merge(&t, &(struct sums_row){.key = i, .weight = i}, one));
    assert_true(sums_merge(&t, &(struct sums_row){.key = 999, .weight = 1}, two));
    assert_true(sums_add(&t, 999, 1, 0));
    check_row(&t, 999, 999, 1, 1000);
    assert_int_equal(t.more[2 * 998], 1);
    assert_int_equal(t.more[2 * 999], 3);
    assert_int_equal(t.more[2 * 999 + 1], UINT64_MAX);
    sums_reset(&t);
    assert_int_equal(sums_place(&t, 5), 0);
    assert_int_equal(t.more[0] + t.more[1], 0);
    sums_free(&t);
}

static void reset_forgets_all_keys(void **state)
{
    struct sums t = {0};

    (void)state;
    sums_reset(&t);
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(sums_add(&t, i, 1, 1));
    sums_reset(&t);
    assert_int_equal(t.n, 0);
    assert_true(sums_add(&t, 999, 5, 6));
    assert_int_equal(t.n, 1);
    check_row(&t, 0, 999, 5, 6);
    sums_free(&t);
    assert_int_equal(t.n, 0);
    sums_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_keys_add_up_in_order_of_arrival),
        cmocka_unit_test(sums_stop_at_the_highest_number),
        cmocka_unit_test(many_keys_survive_growing),
        cmocka_unit_test(a_key_keeps_the_place_where_it_was_first_met),
        cmocka_unit_test(further_weights_add_up_beside_the_first),
        cmocka_unit_test(reset_forgets_all_keys),
    };

    return cmocka_run_group_tests_name("sums", tests, NULL, NULL);
}
