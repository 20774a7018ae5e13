#include "recorder/base/radix.h"

#include "jfrfmt/test/testing.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct item {
    uint64_t key;
    uint32_t place;
};

static uint64_t state_of = 1;

static uint64_t random_number(void)
{
    state_of = state_of * UINT64_C(6364136223846793005) + 1;
    return state_of >> 20;
}

/* Sorted, and those with one number as they were. */
static void expect_sorted(size_t n, uint64_t mask, size_t key_n)
{
    struct item *items = calloc(n + 1, sizeof(*items));

    for (size_t i = 0; i < n; i++)
        items[i] = (struct item){random_number() & mask, (uint32_t)i};
    assert_true(radix_sort(items, n, sizeof(*items), key_n));
    for (size_t i = 1; i < n; i++) {
        assert_true(items[i - 1].key <= items[i].key);
        if (items[i - 1].key == items[i].key)
            assert_true(items[i - 1].place < items[i].place);
    }
    free(items);
}

static void numbers_come_in_order_and_equal_ones_stay(void **state)
{
    (void)state;
    for (size_t n = 0; n < 20; n++)
        expect_sorted(n, 7, 8);
    expect_sorted(5000, UINT64_MAX, 8);
    expect_sorted(5000, 0xffff, 8);
    expect_sorted(5000, 0xff00ff00, 4);
    expect_sorted(5000, 0, 8);
}

static void only_the_number_counts(void **state)
{
    struct item items[2] = {{UINT64_C(0x100000002), 0}, {UINT64_C(0x1), 1}};

    (void)state;
    assert_true(radix_sort(items, 2, sizeof(items[0]), 4));
    assert_int_equal(items[0].place, 1);
    items[0].key = UINT64_C(0x200000001);
    assert_true(radix_sort(items, 2, sizeof(items[0]), 4));
    assert_int_equal(items[0].place, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_in_order_and_equal_ones_stay),
        cmocka_unit_test(only_the_number_counts),
    };

    return cmocka_run_group_tests_name("radix", tests, NULL, NULL);
}
