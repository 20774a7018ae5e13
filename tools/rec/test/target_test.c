/* target_test.c - which names choose a JVM, and which must not. */
#include "tools/rec/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_name_is_the_main_class_or_the_jar(void **state)
{
    (void)state;
    assert_int_equal(rec_name_rank("com.acme.Shop", "com.acme.Shop"), 3);
    assert_int_equal(rec_name_rank("shop.jar", "shop.jar"), 3);
    assert_int_equal(rec_name_rank("Shop", "Shop"), 3);
}

static void a_package_or_an_ending_may_be_left_out(void **state)
{
    (void)state;
    assert_int_equal(rec_name_rank("com.acme.Shop", "Shop"), 2);
    assert_int_equal(rec_name_rank("com.acme.Shop", "acme.Shop"), 2);
    assert_int_equal(rec_name_rank("shop.jar", "shop"), 2);
    assert_int_equal(rec_name_rank("shop-service-1.2.jar", "shop-service-1.2"), 2);
}

static void whole_words_are_enough(void **state)
{
    (void)state;
    assert_int_equal(rec_name_rank("shop-service-1.2.jar", "shop"), 1);
    assert_int_equal(rec_name_rank("shop-service-1.2.jar", "service-1.2"), 1);
    assert_int_equal(rec_name_rank("com.acme.Shop", "acme"), 1);
    assert_int_equal(rec_name_rank("com.acme.Shop", "com.acme"), 1);
    assert_int_equal(rec_name_rank("workshop.shop", "shop"), 2);
    assert_int_equal(rec_name_rank("workshop-shop-a.jar", "shop"), 1);
}

static void a_part_of_a_word_is_no_name(void **state)
{
    (void)state;
    assert_int_equal(rec_name_rank("workshop.jar", "shop"), 0);
    assert_int_equal(rec_name_rank("shopping.jar", "shop"), 0);
    assert_int_equal(rec_name_rank("com.acme.Shop", "Sho"), 0);
    assert_int_equal(rec_name_rank("com.acme.Shop", "hop"), 0);
    assert_int_equal(rec_name_rank("com.acme.Shop", "acme.Sh"), 0);
    assert_int_equal(rec_name_rank("com.acme.Shop_2", "Shop"), 0);
    assert_int_equal(rec_name_rank("caf\xc3\xa9.jar", "caf"), 0);
    assert_int_equal(rec_name_rank("Shop", "shop"), 0);
}

static void nothing_names_nothing(void **state)
{
    (void)state;
    assert_int_equal(rec_name_rank("com.acme.Shop", ""), 0);
    assert_int_equal(rec_name_rank("", ""), 0);
    assert_int_equal(rec_name_rank("com.acme.Shop", "."), 0);
    assert_int_equal(rec_name_rank("com.acme.Shop", ".Shop"), 0);
    assert_int_equal(rec_name_rank("com.acme.Shop", " "), 0);
    assert_int_equal(rec_name_rank("", "Shop"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_the_main_class_or_the_jar),
        cmocka_unit_test(a_package_or_an_ending_may_be_left_out),
        cmocka_unit_test(whole_words_are_enough),
        cmocka_unit_test(a_part_of_a_word_is_no_name),
        cmocka_unit_test(nothing_names_nothing),
    };

    return cmocka_run_group_tests_name("rec_target", tests, NULL, NULL);
}
