/*
 * intern_test.c - interned bytes: the same bytes have one id, and ids and texts stay while the
 * store grows. Texts that end at the end of a page show that nothing after them is read.
 */
#include "jfrfmt/test/testing.h"

#include "jfrfmt/base/intern.h"

#include <stdio.h>
#include <stdlib.h>

static void same_bytes_have_the_same_id(void **state)
{
    struct intern in = {0};
    size_t n;

    (void)state;
    assert_int_equal(intern_n(&in), 0);
    assert_int_equal(intern_add(&in, "main", 4), 0);
    assert_int_equal(intern_add(&in, "mai", 3), 1);
    assert_int_equal(intern_add(&in, "", 0), 2);
    assert_int_equal(intern_add(&in, NULL, 0), 2);
    assert_int_equal(intern_add(&in, "main", 4), 0);
    assert_int_equal(intern_add(&in, "main\0", 5), 3);
    assert_int_equal(intern_add(&in, "\0", 1), 4);
    assert_int_equal(intern_n(&in), 5);
    assert_string_equal(intern_get(&in, 0, &n), "main");
    assert_int_equal(n, 4);
    assert_string_equal(intern_get(&in, 2, &n), "");
    assert_int_equal(n, 0);
    assert_memory_equal(intern_get(&in, 3, &n), "main\0", 6);
    assert_int_equal(n, 5);
    assert_string_equal(intern_get(&in, 1, NULL), "mai");
    intern_free(&in);
    assert_int_equal(intern_n(&in), 0);
}

static void all_of_another_are_added(void **state)
{
    struct intern in = {0}, from = {0};
    uint32_t map[3] = {9, 9, 9};

    (void)state;
    assert_true(intern_add_all(&in, &from, map));
    assert_int_equal(map[0], 9);
    intern_add(&in, "a", 1);
    intern_add(&from, "b", 1);
    intern_add(&from, "a", 1);
    intern_add(&from, "a\0b", 3);
    assert_true(intern_add_all(&in, &from, map));
    assert_int_equal(map[0], 1);
    assert_int_equal(map[1], 0);
    assert_int_equal(map[2], 2);
    assert_true(intern_add_all(&in, &from, NULL));
    assert_int_equal(intern_n(&in), 3);
    intern_free(&in);
    intern_free(&from);
}

static void ids_stay_while_the_store_grows(void **state)
{
    enum {
        N = 100000
    };
    struct intern in = {0};
    char text[16];

    (void)state;
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < N; i++) {
            int n = snprintf(text, sizeof(text), "%x", i * 2654435761u);

            assert_int_equal(intern_add(&in, text, (size_t)n), i);
        }
    assert_int_equal(intern_n(&in), N);
    for (uint32_t i = 0; i < N; i++) {
        snprintf(text, sizeof(text), "%x", i * 2654435761u);
        assert_string_equal(intern_get(&in, i, NULL), text);
    }
    intern_free(&in);
}

static void long_strings_are_told_apart_by_every_byte(void **state)
{
    enum {
        N = 5000
    };
    struct intern in = {0};
    char *text = calloc(1, N);

    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        text[i] = 1;
        assert_int_equal(intern_add(&in, text, N), i);
        text[i] = 0;
    }
    free(text);
    intern_free(&in);
}

static void reset_forgets_and_may_be_used_again(void **state)
{
    struct intern in = {0};

    (void)state;
    intern_reset(&in);
    for (int i = 0; i < 1000; i++)
        intern_add(&in, &i, sizeof(i));
    intern_reset(&in);
    assert_int_equal(intern_n(&in), 0);
    assert_int_equal(intern_add(&in, "b", 1), 0);
    assert_int_equal(intern_add(&in, "a", 1), 1);
    assert_int_equal(intern_n(&in), 2);
    intern_free(&in);
    intern_free(&in);
}

/* One byte too many read from the caller is a crash. */
static void bytes_may_end_at_a_page(void **state)
{
    struct intern in = {0};

    (void)state;
    for (size_t n = 0; n < 300; n++) {
        struct guarded g = guarded_copy("", 0, n);

        assert_int_equal(intern_add(&in, g.bytes, n), n);
        guarded_free(&g);
    }
    intern_free(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bytes_have_the_same_id),
        cmocka_unit_test(all_of_another_are_added),
        cmocka_unit_test(ids_stay_while_the_store_grows),
        cmocka_unit_test(long_strings_are_told_apart_by_every_byte),
        cmocka_unit_test(reset_forgets_and_may_be_used_again),
        cmocka_unit_test(bytes_may_end_at_a_page),
    };

    return cmocka_run_group_tests_name("intern", tests, NULL, NULL);
}
