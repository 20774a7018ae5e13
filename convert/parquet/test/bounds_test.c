/* bounds_test.c - least and greatest values, as readers may rely on them. */
#include "convert/parquet/bounds.h"
#include "jfrfmt/test/testing.h"

#include <math.h>

static void check_numbers(enum parquet_type type, const int64_t *v, size_t n, int64_t least,
                          int64_t most, size_t size)
{
    struct column_bounds b = bounds_of_numbers(type, v, n);

    assert_true(b.are_known && b.are_exact);
    assert_int_equal(b.n_least, size);
    assert_int_equal(b.n_most, size);
    assert_memory_equal(b.least, &least, size);
    assert_memory_equal(b.most, &most, size);
}

static void numbers_with_and_without_a_sign(void **state)
{
    const int64_t v[] = {3, -1, 0, 2};

    (void)state;
    check_numbers(PARQUET_INT64, v, 4, -1, 3, 8);
    check_numbers(PARQUET_INT8, v, 4, -1, 3, 4);
    check_numbers(PARQUET_TIME, v, 4, -1, 3, 8);
    check_numbers(PARQUET_UINT64, v, 4, 0, -1, 8);
    check_numbers(PARQUET_BOOLEAN, v + 2, 1, 0, 0, 1);
    assert_false(bounds_of_numbers(PARQUET_INT32, v, 0).are_known);
}

static int64_t bits_of(double d)
{
    int64_t bits;

    memcpy(&bits, &d, sizeof(bits));
    return bits;
}

/* What is no number counts for nothing, and the sign of zero does not count. */
static void real_numbers(void **state)
{
    const int64_t v[] = {bits_of(NAN), bits_of(-1.5), bits_of(INFINITY), bits_of(NAN)};
    const int64_t zeros[] = {bits_of(0.0), bits_of(-0.0)}, none[] = {bits_of(NAN)};

    (void)state;
    check_numbers(PARQUET_DOUBLE, v, 4, bits_of(-1.5), bits_of(INFINITY), 8);
    check_numbers(PARQUET_DOUBLE, zeros, 2, bits_of(-0.0), bits_of(0.0), 8);
    check_numbers(PARQUET_DOUBLE, zeros + 1, 1, bits_of(-0.0), bits_of(0.0), 8);
    assert_false(bounds_of_numbers(PARQUET_DOUBLE, none, 1).are_known);
}

static struct column_bounds of_text(const char *least, const char *most)
{
    return bounds_of_texts(least, strlen(least), most, strlen(most));
}

static void texts_that_are_short_are_whole(void **state)
{
    struct column_bounds b = of_text("", "zebra");

    (void)state;
    assert_true(b.are_known && b.are_exact);
    assert_int_equal(b.n_least, 0);
    assert_int_equal(b.n_most, 5);
    assert_memory_equal(b.most, "zebra", 5);
}

/* 64 bytes are kept; the greatest is then greater than all that begin so, and both are whole
 * characters. */
static void texts_that_are_long_are_cut(void **state)
{
    char a[100], umlauts[101];
    struct column_bounds b;

    (void)state;
    memset(a, 'a', sizeof(a) - 1);
    a[sizeof(a) - 1] = '\0';
    for (size_t i = 0; i < 100; i += 2)
        memcpy(umlauts + i, "\xc3\xbc", 2);
    umlauts[0] = 'A'; /* so that 64 bytes end inside of a character */
    umlauts[1] = '~';
    umlauts[100] = '\0';
    b = of_text(a, a);
    assert_true(b.are_known && !b.are_exact);
    assert_int_equal(b.n_least, 64);
    assert_int_equal(b.n_most, 64);
    assert_true(memcmp(b.least, a, 64) == 0 && memcmp(b.most, a, 64) > 0);
    b = of_text(umlauts + 1, umlauts);
    assert_true(b.are_known && !b.are_exact);
    assert_int_equal(b.n_least, 63);
    assert_int_equal(b.n_most, 1); /* no character after it can be made one higher */
    assert_int_equal(b.most[0], 'B');
    b = of_text(umlauts + 2, umlauts + 2);
    assert_false(b.are_known);
}

static void the_order_of_values(void **state)
{
    const int64_t minus = -1, one = 1;

    (void)state;
    assert_true(bounds_compare(PARQUET_STRING, "a", 1, "ab", 2) < 0);
    assert_true(bounds_compare(PARQUET_STRING, "\xc3", 1, "z", 1) > 0);
    assert_true(bounds_compare(PARQUET_STRING, "a", 1, "a", 1) == 0);
    assert_true(bounds_compare(PARQUET_INT32, &minus, 8, &one, 8) < 0);
    assert_true(bounds_compare(PARQUET_UINT32, &minus, 8, &one, 8) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_with_and_without_a_sign),
        cmocka_unit_test(real_numbers),
        cmocka_unit_test(texts_that_are_short_are_whole),
        cmocka_unit_test(texts_that_are_long_are_cut),
        cmocka_unit_test(the_order_of_values),
    };

    return cmocka_run_group_tests_name("bounds", tests, NULL, NULL);
}
