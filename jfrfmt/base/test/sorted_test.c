/* The first place for which a condition holds: at the beginning, inside, at the end, nowhere. */
#include "jfrfmt/base/sorted.h"
#include "jfrfmt/test/testing.h"

static void the_first_place_is_found(void **state)
{
    static const int numbers[] = {1, 3, 3, 3, 7, 9, 9};

    (void)state;
    for (size_t n = 0; n <= sizeof(numbers) / sizeof(numbers[0]); n++)
        for (int v = 0; v < 11; v++) {
            size_t at_least = 0, above = 0;

            while (at_least < n && numbers[at_least] < v)
                at_least++;
            while (above < n && numbers[above] <= v)
                above++;
            assert_int_equal(SORTED_FIRST(n, i, numbers[i] >= v), at_least);
            assert_int_equal(SORTED_FIRST(n, i, numbers[i] > v), above);
        }
}

static void few_places_are_looked_at(void **state)
{
    size_t looks = 0;

    (void)state;
    assert_int_equal(SORTED_FIRST((size_t)1 << 20, i, (looks++, i >= 777)), 777);
    assert_true(looks <= 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_place_is_found),
        cmocka_unit_test(few_places_are_looked_at),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
